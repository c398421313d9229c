import type { Test } from 'tap'
import { type KafkaCluster, startKafka } from '../../../../test/support/kafka.js'
import { KafkaAppender, type KafkaAppenderOptions } from '../../append/kafka-appender.js'
import type { ConnectionOptions } from '../../protocol/connections.js'
import { type Count, KafkaLedger, makeTopics, readTopic } from './ledger.js'
import type { Tamper } from './tamper.js'

export const PARTITIONS = 6
export const ALL = [0, 1, 2, 3, 4, 5]

/** An appender, and the outcomes of all its requests. */
export interface AppendBench {
  readonly appender: KafkaAppender
  readonly options: KafkaAppenderOptions
  readonly ledger: KafkaLedger
  /** Compares the records in the log with the ledger. */
  count(): Promise<Count>
}

export function connectionTo(cluster: KafkaCluster): ConnectionOptions {
  return { brokers: cluster.brokers.split(','), clientId: 'test' }
}

/** One broker until the test ends, and appenders on it. */
export async function appendBenches(t: Test) {
  const cluster = await startKafka({ brokers: 1 })
  t.teardown(() => cluster.close())
  await makeTopics(cluster.brokers, [{ topic: 'first', partitions: 1 }])
  const bench = (more?: Partial<KafkaAppenderOptions>, tamper?: Tamper): Promise<AppendBench> =>
    appendBench(cluster, more, tamper)
  return { cluster, bench }
}

let made = 0

/** An appender on new topics. */
async function appendBench(
  cluster: KafkaCluster,
  more: Partial<KafkaAppenderOptions> = {},
  tamper?: Tamper,
): Promise<AppendBench> {
  const eventsTopic = `events-${++made}`
  const identityTopic = `identity-${made}`
  const topics = [
    { topic: eventsTopic, partitions: PARTITIONS },
    { topic: identityTopic, partitions: 1 },
  ]
  await makeTopics(cluster.brokers, topics)
  const options: KafkaAppenderOptions = {
    connection: {
      ...connectionTo(cluster),
      ...(tamper === undefined ? {} : { socketFactory: tamper.socketFactory }),
    },
    instance: 'gateway-1',
    eventsTopic,
    identityTopic,
    partitions: PARTITIONS,
    identityPartitions: 1,
    ...more,
  }
  const appender = new KafkaAppender(options)
  await appender.ready()
  const ledger = new KafkaLedger()
  return {
    appender,
    options,
    ledger,
    count: async () => {
      const found = await Promise.all(topics.map((topic) => readTopic(cluster.brokers, topic)))
      if (ledger.unexpected !== undefined) throw ledger.unexpected
      return ledger.count(found.flat())
    },
  }
}
