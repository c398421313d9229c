import { setTimeout as pause } from 'node:timers/promises'
import kafkajs from 'kafkajs'
import { LogError, LogUnavailableError } from '../../port.js'
import { requestAnyBroker } from './any-broker.js'
import { type BrokerConnections, kafkaErrorType, knownRequest } from './connections.js'
import { fetchMetadata, type TopicMetadata } from './metadata.js'

export interface TopicWish {
  readonly name: string
  readonly partitions: number
  /** Configures `partitions`. */
  readonly variable: string
  /** Replicas of each partition. If undefined, three, or the number of brokers if there are fewer. */
  readonly replication: number | undefined
}

const MAX_COPIES = 3
/** A request has up to 8 MiB and joins a group of up to 4. A group may be one batch of one partition. */
const MAX_BATCH_BYTES = 16 * 2 ** 20
const SEGMENT_BYTES = 128 * 2 ** 20
const WAIT_MS = 15_000
const POLL_MS = 100
const CREATE_MS = 5_000
const CREATE_VERSION = 3
const DESCRIBE_VERSION = 2
const UNKNOWN_TOPIC = 3

/**
 * Creates missing topics and returns all of them. Several processes may do this at once.
 *
 * @throws LogError `layout` for another number of partitions, `settings` for settings that lose records
 */
export async function openTopics(
  links: BrokerConnections,
  wishes: readonly TopicWish[],
): Promise<TopicMetadata[]> {
  const names = wishes.map(({ name }) => name)
  const { brokers, topics } = await requestAnyBroker(() => fetchMetadata(links, names))
  const missing = wishes.filter(({ name }) => !isThere(topics.find((topic) => topic.name === name)))
  if (missing.length > 0) await createTopics(links, missing, brokers.size)
  const made = await waitForTopics(links, names)
  for (const [i, topic] of made.entries()) {
    const wish = wishes[i]
    if (wish !== undefined && topic.partitions.length !== wish.partitions)
      throw new LogError(
        'layout',
        `topic ${topic.name} has ${topic.partitions.length} partitions, not ${wish.partitions}: set ${wish.variable} to the count that the log began with. More need another log ("How do I move to another log?" in docs/operate/README.md)`,
      )
  }
  await checkSettings(links, made, wishes[0]?.replication, brokers.size)
  return made
}

/** Any broker forwards this to the controller, or names it. */
async function createTopics(
  links: BrokerConnections,
  wishes: readonly TopicWish[],
  brokers: number,
): Promise<void> {
  const topics = wishes.map(({ name, partitions, replication }) => {
    const copies = replication ?? Math.min(MAX_COPIES, brokers)
    return {
      topic: name,
      numPartitions: partitions,
      replicationFactor: copies,
      configEntries: Object.entries(wantedSettings(copies)).map(([key, value]) => ({ name: key, value })),
    }
  })
  // One by one, because another process may have created only some of them.
  for (const topic of topics) {
    const fields = { topics: [topic], validateOnly: false, timeout: CREATE_MS }
    const request = knownRequest('CreateTopics', CREATE_VERSION, fields)
    try {
      await requestAnyBroker(() => links.sendToAny({ ...request, requestTimeout: CREATE_MS + 1_000 }))
    } catch (error) {
      const cause = ofTopic(error)
      if (kafkaErrorType(cause) !== 'TOPIC_ALREADY_EXISTS') throw cause
    }
  }
}

/** kafkajs collects the errors of all topics; here there is one topic. */
function ofTopic(error: unknown): unknown {
  if (!(error instanceof Error && 'errors' in error && Array.isArray(error.errors))) return error
  return error.errors[0] ?? error
}

function wantedSettings(copies: number): Readonly<Record<string, string>> {
  return {
    'cleanup.policy': 'delete',
    'retention.ms': '-1',
    'retention.bytes': '-1',
    'min.insync.replicas': copies > 1 ? '2' : '1',
    'unclean.leader.election.enable': 'false',
    'max.message.bytes': String(MAX_BATCH_BYTES),
    'compression.type': 'producer',
    // Nothing reads the time of the gateway, and brokers refuse records from the future.
    'message.timestamp.type': 'LogAppendTime',
    // Trimming frees whole segments.
    'segment.bytes': String(SEGMENT_BYTES),
  }
}

async function waitForTopics(links: BrokerConnections, names: readonly string[]): Promise<TopicMetadata[]> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const { topics } = await requestAnyBroker(() => fetchMetadata(links, names))
    const found = names.flatMap((name) => topics.filter((topic) => topic.name === name && isThere(topic)))
    const led = found.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0))
    if (found.length === names.length && led) return found
    if (performance.now() > deadline)
      throw new LogUnavailableError(
        `the topics ${names.join(' and ')} are not ready: some partitions have no leader`,
      )
    await pause(POLL_MS)
  }
}

function isThere(topic: TopicMetadata | undefined): boolean {
  return topic !== undefined && topic.error !== UNKNOWN_TOPIC && topic.partitions.length > 0
}

type SettingRule = readonly [
  name: string,
  accepts: (value: string) => boolean,
  wanted: string,
  because: string,
]

function rules(copies: number): SettingRule[] {
  const leastInSync = copies > 1 ? 2 : 1
  const only = (wanted: string) => [(value: string) => value === wanted, wanted] as const
  return [
    ['cleanup.policy', ...only('delete'), 'compaction removes records before they are read'],
    ['retention.ms', ...only('-1'), 'records would be removed by age, read or not'],
    ['retention.bytes', ...only('-1'), 'records would be removed by size, read or not'],
    [
      'min.insync.replicas',
      (value) => Number(value) >= leastInSync && Number(value) <= copies,
      leastInSync === copies ? `${copies}` : `${leastInSync} to ${copies}`,
      copies > 1
        ? 'acknowledged records must be on two brokers, and there must be as many'
        : 'there is one copy',
    ],
    [
      'unclean.leader.election.enable',
      ...only('false'),
      'a broker that lacks acknowledged records could lead',
    ],
    [
      'max.message.bytes',
      (value) => Number(value) >= MAX_BATCH_BYTES,
      `${MAX_BATCH_BYTES} or more`,
      'large requests would be refused',
    ],
    [
      'compression.type',
      (value) => ['producer', 'uncompressed', 'gzip', 'lz4'].includes(value),
      'producer',
      'what the brokers write otherwise cannot be read here',
    ],
  ]
}

async function checkSettings(
  links: BrokerConnections,
  topics: readonly TopicMetadata[],
  replication: number | undefined,
  brokers: number,
): Promise<void> {
  const problems: string[] = []
  const resources = await describe(
    links,
    topics.map(({ name }) => name),
  )
  for (const topic of topics) {
    const copies = Math.min(...topic.partitions.map(({ replicas }) => replicas.length))
    if (copies === 1 && brokers > 1 && replication !== 1)
      problems.push(
        `topic ${topic.name} has 1 copy, and there are ${brokers} brokers: 2 or more are wanted, since acknowledged records would go with a disk`,
      )
    const entries = resources.find(({ resourceName }) => resourceName === topic.name)?.configEntries ?? []
    for (const [name, accepts, wanted, because] of rules(copies)) {
      const found = entries.find(({ configName }) => configName === name)?.configValue
      if (found === undefined || !accepts(found))
        problems.push(`topic ${topic.name} has ${name} = ${found}, wanted is ${wanted}: ${because}`)
    }
  }
  if (problems.length > 0) throw new LogError('settings', problems.join('; '))
}

interface Described {
  readonly resourceName: string
  readonly configEntries: readonly { readonly configName: string; readonly configValue: string }[]
}

async function describe(links: BrokerConnections, names: readonly string[]): Promise<readonly Described[]> {
  const resources = names.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name }))
  const fields = { resources, includeSynonyms: false }
  const request = knownRequest<{ readonly resources: readonly Described[] }>(
    'DescribeConfigs',
    DESCRIBE_VERSION,
    fields,
  )
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    try {
      return (await requestAnyBroker(() => links.sendToAny(request))).resources
    } catch (error) {
      if (kafkaErrorType(error) !== 'UNKNOWN_TOPIC_OR_PARTITION' || performance.now() > deadline) throw error
    }
    await pause(POLL_MS)
  }
}
