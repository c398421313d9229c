import type { LogOptions } from '../../../start/stores/log.js'
import { kafkaProblem, startKafka } from '../../../test/support/kafka.js'
import type { Figure } from '../../support/figures.js'
import { percentile } from '../../support/percentile.js'
import { type Load, startGatewayBench } from '../../support/programs/gateway.js'

const PARTITIONS = 12
/** JVM options of the broker's own start script. */
const BROKER_JVM = [
  '-Xms1g',
  '-Xmx1g',
  '-server',
  '-XX:+UseG1GC',
  '-XX:MaxGCPauseMillis=20',
  '-XX:InitiatingHeapOccupancyPercent=35',
  '-XX:+ExplicitGCInvokesConcurrent',
]
/**
 * The gateway with batches of 500 on one local Kafka broker, beside the same gateway on the embedded log:
 * events per CPU second of the gateway and in all, and response time at half load.
 */
export async function kafkaCase(folder: string, seconds: number): Promise<Figure[]> {
  const problem = kafkaProblem()
  if (problem !== undefined) throw new Error(problem)
  const cluster = await startKafka({ brokers: 1, jvm: BROKER_JVM })
  const bench = await startGatewayBench(folder)
  try {
    const logOf = (topicPrefix: string): LogOptions => ({
      kind: 'kafka',
      kafka: {
        brokers: cluster.brokers.split(','),
        partitions: PARTITIONS,
        identityPartitions: 1,
        topicPrefix,
        replication: 1,
        tls: false,
        login: undefined,
      },
    })
    const load: Load = { connections: 16, eventsPerRequest: 500, seconds }
    const before = await bench.measure(load)
    // A warm-up, because the broker's JVM compiles first.
    await bench.measure({ ...load, seconds: 5 * seconds }, logOf('warm'))
    const full = await bench.measure(load, logOf('full'))
    const rate = full.result.requests / full.result.seconds
    const half = await bench.measure({ ...load, connections: 64, requestsPerSecond: rate / 2 }, logOf('half'))
    const after = await bench.measure(load)
    const embedded = (before.result.accepted + after.result.accepted) / (before.cpu + after.cpu)
    const perCpu = full.result.accepted / full.cpu
    return [
      { name: 'embedded log', value: embedded, unit: 'events/CPU s' },
      {
        name: '500-event batches on Kafka',
        value: perCpu,
        unit: 'events/CPU s',
        ratio: perCpu / embedded,
        ratioTo: 'the embedded log',
        cost: full.cost,
      },
      { name: 'the same, by the clock', value: full.result.accepted / full.result.seconds, unit: 'events/s' },
      {
        name: 'gateway, broker and Postgres',
        value: (full.treeCpu / full.result.accepted) * 1e6,
        unit: 'CPU s a million events',
      },
      {
        name: 'the broker and Postgres of it',
        value: ((full.treeCpu - full.cpu) / full.result.accepted) * 1e6,
        unit: 'CPU s a million events',
      },
      { name: 'p99 of a batch, full load', value: percentile(full.result.latenciesMs, 0.99), unit: 'ms' },
      { name: 'p99 of a batch, half load', value: percentile(half.result.latenciesMs, 0.99), unit: 'ms' },
      { name: 'p50 of a batch, half load', value: percentile(half.result.latenciesMs, 0.5), unit: 'ms' },
    ]
  } finally {
    await bench.stop()
    await cluster.close()
  }
}
