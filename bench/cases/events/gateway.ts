import type { Figure } from '../../support/figures.js'
import { percentile } from '../../support/percentile.js'
import { parseRate } from '../../support/programs/bare.js'
import { startGatewayBench } from '../../support/programs/gateway.js'

const LOAD = { connections: 8, eventsPerRequest: 500 }

/**
 * The gateway alone with batches of 500: HTTP in, durable in the log, no reader. The yardstick is
 * `JSON.parse` and ajv on the same bodies.
 */
export async function gatewayCase(folder: string, seconds: number): Promise<Figure[]> {
  const bareBefore = parseRate(seconds / 4)
  const bench = await startGatewayBench(folder)
  try {
    const compact = await bench.measure({ ...LOAD, seconds })
    // Measured before and after, because other work on the machine changes what a CPU second is worth.
    const bare = (bareBefore + parseRate(seconds / 4)) / 2
    const { result, cpu } = compact
    const perCpu = result.accepted / cpu
    const gzip = await bench.measure({ ...LOAD, seconds: seconds / 2, gzip: true })
    const gzipPerCpu = gzip.result.accepted / gzip.cpu
    return [
      { name: 'JSON.parse + ajv alone', value: bare, unit: 'events/CPU s' },
      {
        name: '500-event batches, durable',
        value: perCpu,
        unit: 'events/CPU s',
        ratio: perCpu / bare,
        ratioTo: 'JSON.parse + ajv',
        cost: compact.cost,
      },
      { name: 'the same, by the clock', value: result.accepted / result.seconds, unit: 'events/s' },
      { name: 'p99 of a batch', value: percentile(result.latenciesMs, 0.99), unit: 'ms' },
      { name: 'load generator', value: result.cpuSeconds, unit: 'CPU s' },
      {
        name: 'gzip',
        value: gzipPerCpu,
        unit: 'events/CPU s',
        ratio: gzipPerCpu / perCpu,
        ratioTo: 'compact',
        cost: gzip.cost,
      },
    ]
  } finally {
    await bench.stop()
  }
}
