import { setTimeout as pause } from 'node:timers/promises'
import { withTimeout } from '../../../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../../../runtime/errors.js'
import {
  assertPartition,
  type LogLogger,
  LogOutcomeUnknownError,
  type LogRecord,
  LogUnavailableError,
} from '../../port.js'
import { requestAnyBroker } from '../protocol/any-broker.js'
import { BrokerConnections, type ConnectionOptions } from '../protocol/connections.js'
import { fetchMetadata } from '../protocol/metadata.js'
import { AppendQueue, type Group } from './append-queue.js'
import type { PartitionBatch } from './produce-request.js'
import { ProducerSession } from './producer-session.js'
import { TransactionalProducer } from './transactional-producer.js'

export interface KafkaAppenderOptions {
  readonly connection: ConnectionOptions
  /** Identifies this process, and stays the same across restarts. */
  readonly instance: string
  readonly eventsTopic: string
  readonly identityTopic: string
  /** Partitions of the events topic. Those of the identity topic follow. */
  readonly partitions: number
  readonly identityPartitions: number
  readonly logger?: LogLogger | undefined
  readonly faultPoint?: ((name: 'kafka:sent' | 'kafka:committed') => void) | undefined
  /** How long the first request of a group waits for others. Milliseconds. */
  readonly gatherMs?: number
  readonly maxGroupBytes?: number
  /** Payload bytes that may wait or be written. `append` refuses more at once. */
  readonly maxBytesInFlight?: number
}

const PRODUCERS = 2
const GATHER_MS = 5
const MAX_GROUP_BYTES = 4 * 2 ** 20
const MAX_BYTES_IN_FLIGHT = 64 * 2 ** 20
/** Plus the time of sending it stays below three seconds, plus that of an undecided commit below five. */
const WAIT_MS = 1_500
const UNKNOWN_MS = 4_500
const PING_MS = 1_200
/** The first time waits for topics that a new cluster creates. */
const FIRST_MS = 10_000
const FAILURE_COUNTS_MS = 3_000

/**
 * Appends to Kafka in transactions, one for each group of requests, and reconnects by itself.
 *
 * Two producers take turns, so that one group is sent while the other is committed. Groups are sent one at a
 * time in the order of the calls, and a group whose commit was requested is never sent again. So each
 * partition has the requests in the order in which they were appended.
 */
export class KafkaAppender {
  private readonly queue: AppendQueue
  private readonly producers: readonly TransactionalProducer[]
  private readonly connections: BrokerConnections
  private readonly total: number
  private nextProducer = 0
  private sending = false
  private sent: Promise<void> = Promise.resolve()
  private closed: Promise<void> | undefined
  private wasReady = false
  private failedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly options: KafkaAppenderOptions) {
    const { eventsTopic, identityTopic, connection } = options
    this.total = options.partitions + options.identityPartitions
    this.queue = new AppendQueue({
      maxGroupBytes: options.maxGroupBytes ?? MAX_GROUP_BYTES,
      maxBytesInFlight: options.maxBytesInFlight ?? MAX_BYTES_IN_FLIGHT,
      waitMs: WAIT_MS,
      unknownMs: UNKNOWN_MS,
    })
    this.connections = new BrokerConnections(connection)
    this.producers = Array.from({ length: PRODUCERS }, (_, index) => {
      const name = `${eventsTopic}.append.${options.instance}.${index}`
      const target = { connection, name, eventsTopic, identityTopic }
      const onCommit = (): void => options.faultPoint?.('kafka:committed')
      return new TransactionalProducer(target, index, () => this.proceed(), onCommit, options.logger)
    })
  }

  async append(records: readonly LogRecord[]): Promise<void> {
    for (const { partition } of records) assertPartition(partition, this.total)
    const problem = this.problem(WAIT_MS)
    if (problem !== undefined) throw problem
    if (records.length === 0) return
    const written = this.queue.add(records)
    this.proceed()
    await written
  }

  /** Resolves when a producer is open for the first time. Rejects if none will be. */
  async ready(): Promise<void> {
    await Promise.any(this.producers.map(({ first }) => first)).catch((error: unknown) => {
      throw error instanceof AggregateError ? error.errors[0] : error
    })
  }

  /** Rejects while records cannot be appended, or could not be lately. */
  async ping(): Promise<void> {
    if (!this.wasReady) await withTimeout(FIRST_MS, 'Kafka', this.ready())
    this.wasReady = true
    const giveUp = performance.now() + PING_MS
    while (!this.producers.some((producer) => producer.downSince === undefined) && performance.now() < giveUp)
      await pause(20)
    const problem = this.problem(0)
    if (problem !== undefined) throw problem
    if (performance.now() - this.failedAt < FAILURE_COUNTS_MS)
      throw new LogUnavailableError('the last requests could not be written to Kafka')
    await withTimeout(PING_MS, 'Kafka', this.checkLeaders())
  }

  close(): Promise<void> {
    this.closed ??= this.shutDown()
    return this.closed
  }

  private async shutDown(): Promise<void> {
    await this.queue.settled()
    for (const producer of this.producers) producer.close()
    this.connections.close()
  }

  /** Why nothing can be appended: for good, or because there was no producer for so long. */
  private problem(afterMs: number): Error | undefined {
    if (this.closed !== undefined) return new LogUnavailableError('the log is closed')
    for (const { state, lastError } of this.producers)
      if (state === 'fenced') return new LogUnavailableError(errorMessage(lastError), { cause: lastError })
    const before = performance.now() - afterMs
    if (this.producers.every(({ downSince }) => downSince !== undefined && downSince < before)) {
      const cause = this.producers[0]?.lastError
      return new LogUnavailableError(`Kafka does not answer: ${errorMessage(cause)}`, { cause })
    }
    return undefined
  }

  private async checkLeaders(): Promise<void> {
    const { eventsTopic, identityTopic } = this.options
    const { topics } = await requestAnyBroker(() =>
      fetchMetadata(this.connections, [eventsTopic, identityTopic]),
    )
    for (const { name, error, partitions } of topics) {
      const missing = partitions.find(({ leader }) => leader < 0)
      if (error !== 0 || missing !== undefined)
        throw new LogUnavailableError(`partition ${missing?.index ?? 0} of ${name} has no leader`)
    }
  }

  private proceed(): void {
    if (this.producers.some(({ state }) => state === 'fenced')) {
      const error = this.problem(0)
      if (error !== undefined) this.queue.refuseWaiting(error)
    }
    if (this.sending) return
    this.sending = true
    void this.sendAll()
  }

  /** Sends group after group. Ends if no request waits or no producer is idle, and is called again then. */
  private async sendAll(): Promise<void> {
    while (!this.queue.isEmpty) {
      const producer = this.idleProducer()
      if (producer === undefined) break
      await this.sendGroup(producer)
    }
    this.sending = false
  }

  private idleProducer(): TransactionalProducer | undefined {
    for (let i = 0; i < PRODUCERS; i++) {
      const index = (this.nextProducer + i) % PRODUCERS
      const producer = this.producers[index]
      if (producer?.state !== 'ready') continue
      this.nextProducer = index + 1
      return producer
    }
    return undefined
  }

  /** Resolves when the group is being sent. The next one may begin meanwhile and is sent after it. */
  private async sendGroup(producer: TransactionalProducer): Promise<void> {
    try {
      // Requests that arrive while the transaction begins join the group.
      await Promise.all([producer.begin(), this.gather(), this.sent])
    } catch (error) {
      this.replaceProducer(producer, error)
      return
    }
    this.sent = this.send(producer, this.queue.take())
  }

  private async send(producer: TransactionalProducer, group: Group): Promise<void> {
    try {
      if (group.requests.length > 0) await producer.send(this.batchesOf(group))
      this.options.faultPoint?.('kafka:sent')
    } catch (error) {
      // No commit was requested, and none will be: nothing of the group is ever read.
      if (ProducerSession.isTooLarge(error))
        this.queue.refuse(
          group,
          new LogUnavailableError(`Kafka refuses the records: ${errorMessage(error)}`, { cause: error }),
        )
      else this.queue.putBack(group, error)
      this.replaceProducer(producer, error)
      this.proceed()
      return
    }
    void this.commit(producer, group)
  }

  private async commit(producer: TransactionalProducer, group: Group): Promise<void> {
    this.queue.markUndecided(group)
    try {
      await producer.commit()
    } catch (error) {
      this.failedAt = performance.now()
      await this.resolveOutcome(producer, group, error)
      return
    }
    this.failedAt = Number.NEGATIVE_INFINITY
    this.queue.accept(group)
  }

  private async resolveOutcome(producer: TransactionalProducer, group: Group, error: unknown): Promise<void> {
    try {
      if (await producer.resolveOutcome(error)) this.queue.accept(group)
      else
        this.queue.refuse(
          group,
          new LogUnavailableError(`the commit failed: ${errorMessage(error)}`, { cause: error }),
        )
    } catch (cause) {
      this.queue.refuse(
        group,
        new LogOutcomeUnknownError(`the commit failed: ${errorMessage(error)}`, { cause }),
      )
    }
  }

  private replaceProducer(producer: TransactionalProducer, error: unknown): void {
    this.failedAt = performance.now()
    producer.fail(error)
  }

  private async gather(): Promise<void> {
    const { gatherMs = GATHER_MS } = this.options
    const arrived = this.queue.oldestArrival
    if (arrived === undefined || this.closed !== undefined || this.queue.isFull()) return
    const left = arrived + gatherMs - performance.now()
    if (left > 0) await pause(left)
  }

  /** By partition, each in the order of the calls. */
  private batchesOf(group: Group): PartitionBatch[] {
    const { partitions, eventsTopic, identityTopic } = this.options
    const payloads = new Map<number, Uint8Array[]>()
    for (const { records } of group.requests)
      for (const { partition, payload } of records) {
        const of = payloads.get(partition)
        if (of === undefined) payloads.set(partition, [payload])
        else of.push(payload)
      }
    return [...payloads].map(([partition, of]) =>
      partition < partitions
        ? { topic: eventsTopic, partition, payloads: of }
        : { topic: identityTopic, partition: partition - partitions, payloads: of },
    )
  }
}
