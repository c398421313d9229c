import { fetchRequest } from '../../../log/kafka/consume/fetch-request.js'
import { BrokerConnections } from '../../../log/kafka/protocol/connections.js'
import { fetchMetadata } from '../../../log/kafka/protocol/metadata.js'
import { readCommitted } from '../../../log/kafka/protocol/record-batch.js'
import { recordCount } from '../../../log/record.js'
import type { LogOptions } from '../../../start/stores/log.js'
import { kafkaProblem, startKafka } from '../../../test/support/kafka.js'
import { type Figure, percentile } from '../../support/figures.js'
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
/** Enough of a topic to weigh an event. */
const WEIGHED_BYTES = 8 * 2 ** 20

/**
 * The gateway with batches of 500 on one local Kafka broker, beside the same gateway on the embedded log:
 * events per CPU second of its own and in all, response time at half load, and bytes per event in a record
 * batch.
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
    const weight = await weigh(cluster.brokers, 'full-events')
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
      { name: 'an event in its record', value: weight.payload, unit: 'bytes' },
      {
        name: 'an event on the wire',
        value: weight.wire,
        unit: 'bytes',
        ratio: weight.wire / weight.payload,
        ratioTo: 'its record',
      },
    ]
  } finally {
    await bench.stop()
    await cluster.close()
  }
}

/** Bytes per event in one partition: in records, and in the compressed batches. */
async function weigh(
  brokers: string,
  topic: string,
): Promise<{ readonly payload: number; readonly wire: number }> {
  const links = new BrokerConnections({ brokers: brokers.split(','), clientId: 'bench' })
  try {
    const { brokers: addresses, topics } = await fetchMetadata(links, [topic])
    const partitions = topics[0]?.partitions ?? []
    let payload = 0
    let wire = 0
    let events = 0
    for (const { index, leader } of partitions) {
      const maxBytes = Math.ceil(WEIGHED_BYTES / partitions.length)
      const [fetched] = await links.send(
        addresses.get(leader) ?? '',
        fetchRequest({
          topic,
          maxWaitMs: 500,
          maxBytes,
          maxPartitionBytes: maxBytes,
          partitions: [{ index, offset: 0 }],
        }),
      )
      if (fetched === undefined) continue
      const read = await readCommitted(fetched.bytes, fetched.aborted, 0)
      for (const record of read.records) {
        payload += record.payload.length
        events += recordCount(record.payload)
      }
      wire += wholeBatches(fetched.bytes)
    }
    return { payload: payload / events, wire: wire / events }
  } finally {
    links.close()
  }
}

/** Length of the complete batches: each has its length after its offset. */
function wholeBatches(bytes: Buffer): number {
  let at = 0
  while (at + 12 <= bytes.length) {
    const next = at + 12 + bytes.readInt32BE(at + 8)
    if (next > bytes.length) break
    at = next
  }
  return at
}
