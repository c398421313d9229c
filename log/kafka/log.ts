import type { KafkaConfig, KafkaLogin } from '../../runtime/config.js'
import type { LogLogger } from '../port.js'
import {
  assertPartition,
  type ConsumeOptions,
  type EventLog,
  type LogRecord,
  LogUnavailableError,
  type PartitionHandler,
} from '../port.js'
import { KafkaAppender } from './append/kafka-appender.js'
import { consume } from './consume/consume.js'
import type { MembershipTiming } from './consume/membership.js'
import { RecordTrimmer } from './consume/record-trimmer.js'
import { AccessTokens } from './protocol/access-tokens.js'
import { bearerLogin } from './protocol/bearer-login.js'
import { BrokerConnections, type ConnectionOptions } from './protocol/connections.js'
import { toLogError } from './protocol/error-mapping.js'
import { LeaderCache } from './protocol/leader-cache.js'
import { EndOffsets } from './protocol/offsets.js'
import { openTopics } from './protocol/topics.js'

export interface KafkaLogOptions {
  /** `host:port` of some brokers. Any that answers names the others. */
  readonly brokers: readonly string[]
  /**
   * Identifies this producer, and stays the same across restarts, so that unfinished transactions can be
   * completed. Undefined in a process that only reads; then `append` refuses.
   */
  readonly instance: string | undefined
  /** For creating missing topics. An existing log must have these counts. */
  readonly partitions: number
  readonly identityPartitions: number
  /** Prefix of the topics `…-events` and `…-identity` and of the consumer groups. @default 'svc' */
  readonly topicPrefix?: string
  /** Replicas of each partition. @default 3, or the number of brokers if there are fewer */
  readonly replication?: number
  /** @default false */
  readonly tls?: KafkaConfig['tls']
  readonly login?: KafkaLogin
  readonly logger?: LogLogger
  readonly faultPoint?: (name: 'kafka:sent' | 'kafka:committed') => void
  /** Milliseconds between two trims. @default 5,000 */
  readonly trimMs?: number
  /** Overrides for tests. */
  readonly timing?: Partial<MembershipTiming>
}

/** The options that the configuration of a program names. */
export function toKafkaLogOptions({ login, replication, ...kafka }: KafkaConfig) {
  return {
    ...kafka,
    ...(replication === undefined ? {} : { replication }),
    ...(login === undefined ? {} : { login }),
  }
}

const TIMING: MembershipTiming = { sessionMs: 6_000, heartbeatMs: 700, rebalanceMs: 6_000 }
const TRIM_MS = 5_000

/**
 * Opens the log on Kafka, and creates its topics if they are missing.
 *
 * @throws LogError `layout` for other partition counts, `settings` for settings that lose records, `denied`
 *   if the login or a certificate is refused
 */
export async function openKafkaLog(options: KafkaLogOptions): Promise<EventLog> {
  const { partitions, identityPartitions } = options
  if (!(partitions >= 1 && identityPartitions >= 1))
    throw new RangeError(
      `a log cannot have ${partitions} event and ${identityPartitions} identity partitions`,
    )
  const { topicPrefix = 'svc', replication, login, logger } = options
  const tokens = login?.mechanism === 'oauthbearer' ? new AccessTokens(login.tokenCommand, logger) : undefined
  const connection = connectionOptions(options, tokens)
  const links = new BrokerConnections(connection)
  try {
    // Before any connection, because a connection allows less time than a program may need.
    await tokens?.get()
    const [events, identity] = await openTopics(links, [
      { name: `${topicPrefix}-events`, partitions, variable: 'SVC_KAFKA_PARTITIONS', replication },
      {
        name: `${topicPrefix}-identity`,
        partitions: identityPartitions,
        variable: 'SVC_KAFKA_IDENTITY_PARTITIONS',
        replication,
      },
    ])
    if (events === undefined || identity === undefined)
      throw new Error('the topics of the log were not found')
    return new KafkaLog(options, { connection, links, tokens }, [
      { name: events.name, id: events.id, first: 0, partitions },
      { name: identity.name, id: identity.id, first: partitions, partitions: identityPartitions },
    ])
  } catch (error) {
    links.close()
    tokens?.close()
    throw toLogError(error, options)
  }
}

interface Topic {
  readonly name: string
  readonly id: string
  readonly first: number
  readonly partitions: number
}

type TopicClient = ReturnType<typeof topicClient>

interface Access {
  readonly connection: ConnectionOptions
  readonly links: BrokerConnections
  readonly tokens: AccessTokens | undefined
}

class KafkaLog implements EventLog {
  readonly id: string
  readonly partitions: number
  readonly identityPartitions: number
  private readonly appender?: KafkaAppender
  private readonly topics: readonly [TopicClient, TopicClient]
  private readonly closing = new AbortController()
  private readonly consuming = new Set<Promise<void>>()
  private closed: Promise<void> | undefined

  constructor(
    private readonly options: KafkaLogOptions,
    private readonly access: Access,
    topics: readonly [Topic, Topic],
  ) {
    const [events, identity] = topics
    this.id = events.id
    this.partitions = events.partitions
    this.identityPartitions = identity.partitions
    const { connection, links } = access
    this.topics = [topicClient(events, links, options), topicClient(identity, links, options)]
    const { instance } = options
    if (instance !== undefined)
      this.appender = new KafkaAppender({
        ...options,
        instance,
        connection,
        eventsTopic: events.name,
        identityTopic: identity.name,
      })
  }

  async append(records: readonly LogRecord[]): Promise<void> {
    if (this.appender === undefined) throw new LogUnavailableError('the log was opened for reading only')
    if (records.length > 0) await this.appender.append(records)
  }

  consume(options: ConsumeOptions, handler: PartitionHandler, signal: AbortSignal): Promise<void> {
    const [events, identity] = this.topics
    const { topic } = options.kind === 'events' ? events : identity
    const { topicPrefix = 'svc', logger, timing } = this.options
    const { connection } = this.access
    const fetchLinks = new BrokerConnections(connection)
    const running = consume(
      {
        options,
        handler,
        groupId: `${topicPrefix}-${this.id}-${options.kind}`,
        leaders: new LeaderCache(fetchLinks, topic.name, topic.id),
        partitions: topic.partitions,
        first: topic.first,
        fetchLinks,
        groupLinks: new BrokerConnections(connection),
        timing: { ...TIMING, ...timing },
        logger,
      },
      AbortSignal.any([signal, this.closing.signal]),
    )
    // Closing only waits for the end; the caller handles the failure.
    const settled = running.then(ignore, ignore).finally(() => this.consuming.delete(settled))
    this.consuming.add(settled)
    return running
  }

  /** The offset after the last record, even of an open transaction: acknowledged records may lie above it. */
  async end(partition: number): Promise<number> {
    const { ends, topic } = this.topicOf(partition)
    return this.withLogErrors(ends.of(partition - topic.first))
  }

  async appendedEvents(): Promise<undefined> {
    return undefined
  }

  async trim(partition: number, beforeOffset: number): Promise<void> {
    const { trimmer, topic } = this.topicOf(partition)
    trimmer.trim(partition - topic.first, beforeOffset)
  }

  async ping(): Promise<void> {
    const asked = [this.appender?.ping(), ...this.topics.map(({ leaders }) => leaders.refresh())]
    await this.withLogErrors(Promise.all(asked))
  }

  close(): Promise<void> {
    this.closed ??= this.shutDown()
    return this.closed
  }

  private withLogErrors<T>(promise: Promise<T>): Promise<T> {
    return promise.catch((error: unknown) => {
      throw toLogError(error, this.options)
    })
  }

  private async shutDown(): Promise<void> {
    this.closing.abort()
    await Promise.all([this.appender?.close(), ...this.consuming])
    await Promise.all(this.topics.map(({ trimmer }) => trimmer.close()))
    this.access.links.close()
    this.access.tokens?.close()
  }

  private topicOf(partition: number): TopicClient {
    assertPartition(partition, this.partitions + this.identityPartitions)
    const [events, identity] = this.topics
    return partition < this.partitions ? events : identity
  }
}

/** One of the two topics, without appending and consuming. */
function topicClient(topic: Topic, links: BrokerConnections, { logger, trimMs = TRIM_MS }: KafkaLogOptions) {
  const leaders = new LeaderCache(links, topic.name, topic.id)
  const ends = new EndOffsets(links, leaders)
  return { topic, leaders, ends, trimmer: new RecordTrimmer(links, leaders, logger, trimMs) }
}

function connectionOptions(
  { brokers, tls = false, login, instance = 'reader' }: KafkaLogOptions,
  tokens: AccessTokens | undefined,
): ConnectionOptions {
  return {
    brokers,
    clientId: `svc-${instance}`,
    tls,
    ...(tokens !== undefined ? { sasl: bearerLogin(tokens) } : {}),
    // A copy, because kafkajs adds a function to it and the caller sends it to other processes.
    ...(login !== undefined && login.mechanism !== 'oauthbearer' ? { sasl: { ...login } } : {}),
  }
}

function ignore(): void {}
