import type { Figure } from '../../support/figures.js'
import { percentile } from '../../support/percentile.js'
import { measureBare } from '../../support/programs/bare.js'
import { startGatewayBench } from '../../support/programs/gateway.js'

const LOAD = { connections: 256, eventsPerRequest: 1 }

/**
 * Requests of one event over 256 connections, durable. The yardstick is the HTTP server and kernel alone,
 * with the same load in the same run. Response times are taken at half load, with requests that start when
 * they are due.
 */
export async function singleCase(folder: string, seconds: number): Promise<Figure[]> {
  const bareBefore = await measureBare({ ...LOAD, seconds: seconds / 4 })
  const bench = await startGatewayBench(folder)
  try {
    const full = await bench.measure({ ...LOAD, seconds })
    const rate = full.result.accepted / full.result.seconds
    // Measured before and after, because other work on the machine changes what a CPU second is worth.
    const bare = (bareBefore + (await measureBare({ ...LOAD, seconds: seconds / 4 }))) / 2
    const half = await bench.measure({ ...LOAD, seconds: seconds / 2, requestsPerSecond: rate / 2 })
    const perCpu = full.result.accepted / full.cpu
    const halfPerCpu = half.result.accepted / half.cpu
    return [
      { name: 'bare HTTP server', value: bare, unit: 'requests/CPU s' },
      {
        name: 'single events, 256 connections',
        value: perCpu,
        unit: 'events/CPU s',
        ratio: perCpu / bare,
        ratioTo: 'bare HTTP server',
        cost: full.cost,
      },
      {
        name: 'the same with Postgres',
        value: full.result.accepted / full.treeCpu,
        unit: 'events/CPU s',
      },
      { name: 'the same, by the clock', value: rate, unit: 'events/s' },
      { name: 'CPU of the gateway', value: full.cpu / full.result.seconds, unit: 'cores' },
      { name: 'p99, closed loop', value: percentile(full.result.latenciesMs, 0.99), unit: 'ms' },
      { name: 'half load', value: half.result.accepted / half.result.seconds, unit: 'events/s' },
      { name: 'p50 at half load', value: percentile(half.result.latenciesMs, 0.5), unit: 'ms' },
      { name: 'p99 at half load', value: percentile(half.result.latenciesMs, 0.99), unit: 'ms' },
      {
        name: 'single events at half load',
        value: halfPerCpu,
        unit: 'events/CPU s',
        ratio: halfPerCpu / bare,
        ratioTo: 'bare HTTP server',
        cost: half.cost,
      },
      { name: 'load generator', value: full.result.cpuSeconds, unit: 'CPU s' },
    ]
  } finally {
    await bench.stop()
  }
}
