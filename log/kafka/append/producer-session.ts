import { randomInt } from 'node:crypto'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { TimeoutError, withTimeout } from '../../../runtime/concurrency/with-timeout.js'
import { Reader } from '../protocol/codec.js'
import {
  BrokerConnections,
  type ConnectionOptions,
  kafkaError,
  kafkaErrorType,
  knownRequest,
} from '../protocol/connections.js'
import { findCoordinator, GROUP, TRANSACTION } from '../protocol/coordinator.js'
import { fetchMetadata } from '../protocol/metadata.js'
import { groupBy, maxProduceRequestBytes, type PartitionBatch, writeProduce } from './produce-request.js'

/** The topics of a producer, and the names that it uses. */
export interface ProducerTarget {
  readonly connection: ConnectionOptions
  /** Transactional id, and the consumer group that keeps its number. The same across restarts. */
  readonly name: string
  readonly eventsTopic: string
  readonly identityTopic: string
}

/** The coordinator aborts a transaction that is not ended by then. */
const TRANSACTION_TIMEOUT_MS = 10_000
const REPLICAS_MS = 1_000
const AGAIN_MS = 3
const STALE_RETRY_MS = 20
/** Time for a broker to answer what any broker can. */
const ANY_MS = 500

const PRODUCE = 0
const PRODUCE_VERSION = 7
const TRANSACTION_VERSION = 1
const OFFSET_FETCH_VERSION = 4
const MAX_SEQUENCE = 2 ** 31

/** Errors of a coordinator that is finishing a transaction or moving. Any request here may be repeated. */
const ASK_AGAIN = new Set([
  'CONCURRENT_TRANSACTIONS',
  'GROUP_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
])

interface ProducerId {
  readonly producerId: string
  readonly producerEpoch: number
}

/**
 * One session of a transactional producer. Every transaction carries the number of its group, as an offset of
 * the producer's own consumer group. Batches are sent once: after a failure the session is useless, because
 * it cannot know which sequence numbers the brokers have seen.
 */
export class ProducerSession {
  private readonly connections: BrokerConnections
  private readonly coordinators = new Map<number, string>()
  private readonly leaders = new Map<string, string>()
  private readonly sequences = new Map<string, number>()
  private producer: ProducerId | undefined
  private memory: Buffer = Buffer.alloc(0)

  /** @param first index of the broker to try first */
  constructor(
    private readonly target: ProducerTarget,
    first: number,
  ) {
    const { brokers } = target.connection
    const turn = first % brokers.length
    this.connections = new BrokerConnections({
      ...target.connection,
      brokers: [...brokers.slice(turn), ...brokers.slice(0, turn)],
    })
  }

  /** Whether another producer has taken the name, or the coordinator has aborted the transaction. */
  static isFenced(error: unknown): boolean {
    return kafkaErrorType(error) === 'INVALID_PRODUCER_EPOCH'
  }

  static isTooLarge(error: unknown): boolean {
    return kafkaErrorType(error) === 'MESSAGE_TOO_LARGE'
  }

  async connect(): Promise<void> {
    const { eventsTopic, identityTopic } = this.target
    const { brokers, topics } = await this.requestAny(() =>
      fetchMetadata(this.connections, [eventsTopic, identityTopic]),
    )
    for (const { name, partitions } of topics)
      for (const { index, leader } of partitions) {
        const address = brokers.get(leader)
        if (address !== undefined) this.leaders.set(`${name}:${index}`, address)
      }
  }

  /** Fences earlier sessions. Completes a commit that was requested, and aborts anything else they left. */
  async initTransactions(): Promise<void> {
    this.producer = await this.requestCoordinator<ProducerId>(TRANSACTION, 'InitProducerId', {
      transactionTimeout: TRANSACTION_TIMEOUT_MS,
    })
  }

  /**
   * The number of the last committed group, or -1. A coordinator that was frozen while another took over may
   * answer with an old number. So a mark is committed first, and only an answer with it counts.
   */
  async readGroupNumber(): Promise<bigint> {
    const mark = randomInt(2 ** 47).toString()
    await this.writeOffset(this.target.identityTopic, mark)
    await this.commit()
    for (;;) {
      const known = await this.readOffsets()
      if (known.mark === mark) return known.number
      this.coordinators.delete(GROUP)
      await pause(STALE_RETRY_MS)
    }
  }

  /** The number as far as the answering coordinator knows. Never too high. */
  async peekGroupNumber(): Promise<bigint> {
    return (await this.readOffsets()).number
  }

  async begin(number: bigint): Promise<void> {
    await this.writeOffset(this.target.eventsTopic, number.toString())
  }

  /** Resolves when the leaders and their replicas have all of it. */
  async send(batches: readonly PartitionBatch[]): Promise<void> {
    const byTopic = groupBy(batches, ({ topic }) => topic)
    const topics = [...byTopic].map(([topic, of]) => ({
      topic,
      partitions: of.map(({ partition }) => partition),
    }))
    const byLeader = [...groupBy(batches, ({ topic, partition }) => this.leaderOf(topic, partition))]
    const [requests] = await Promise.all([
      this.encode(byLeader),
      this.requestCoordinator(TRANSACTION, 'AddPartitionsToTxn', { ...this.producer, topics }),
    ])
    await Promise.all(requests.map(({ leader, body, of }) => this.produce(leader, body, of)))
  }

  async commit(): Promise<void> {
    await this.requestCoordinator(TRANSACTION, 'EndTxn', { ...this.producer, transactionResult: true })
  }

  /** Fails whatever is under way. Nothing leaves this process afterwards. */
  disconnect(): void {
    this.connections.close()
  }

  /** The body for each leader, in memory that the next group reuses: by then the brokers have answered. */
  private async encode(byLeader: readonly (readonly [string, readonly PartitionBatch[]])[]) {
    if (this.producer === undefined) throw new Error('there is no producer')
    // Lets the request to the coordinator go out first.
    await nextTurn()
    const { name } = this.target
    const needed = byLeader.reduce((sum, [, of]) => sum + maxProduceRequestBytes(name, of), 0)
    if (this.memory.length < needed)
      this.memory = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.memory.length))
    const { memory } = this
    const { producerId, producerEpoch } = this.producer
    const producer = {
      producerId: BigInt(producerId),
      producerEpoch,
      sequenceOf: (batch: PartitionBatch) => this.nextSequence(batch),
    }
    let at = 0
    return byLeader.map(([leader, of]) => {
      const begin = at
      const request = { transactionalId: name, timeoutMs: REPLICAS_MS, batches: of, producer }
      at = writeProduce(memory, begin, { ...request, now: Date.now() })
      return { leader, of, body: memory.subarray(begin, at) }
    })
  }

  private nextSequence({ topic, partition, payloads }: PartitionBatch): number {
    const key = `${topic}:${partition}`
    const sequence = this.sequences.get(key) ?? 0
    this.sequences.set(key, (sequence + payloads.length) % MAX_SEQUENCE)
    return sequence
  }

  private leaderOf(topic: string, partition: number): string {
    const leader = this.leaders.get(`${topic}:${partition}`)
    if (leader === undefined) throw new Error(`partition ${partition} of ${topic} has no leader`)
    return leader
  }

  private async produce(leader: string, body: Buffer, batches: readonly PartitionBatch[]): Promise<void> {
    const written = await this.connections.send(leader, {
      apiKey: PRODUCE,
      apiVersion: PRODUCE_VERSION,
      apiName: 'Produce',
      body,
      read: readWritten,
    })
    for (const { topic, partition } of batches)
      if (!written.has(`${topic}:${partition}`))
        throw new Error(`partition ${partition} of ${topic} was not written`)
  }

  private async writeOffset(topic: string, offset: string): Promise<void> {
    const groupId = this.target.name
    await this.requestCoordinator(TRANSACTION, 'AddOffsetsToTxn', { ...this.producer, groupId })
    const topics = [{ topic, partitions: [{ partition: 0, offset }] }]
    await this.requestCoordinator(GROUP, 'TxnOffsetCommit', { ...this.producer, groupId, topics })
  }

  private async readOffsets(): Promise<{ readonly number: bigint; readonly mark: string }> {
    const { name, eventsTopic, identityTopic } = this.target
    const topics = [eventsTopic, identityTopic].map((topic) => ({ topic, partitions: [{ partition: 0 }] }))
    const { responses } = await this.requestCoordinator<OffsetsAnswer>(
      GROUP,
      'OffsetFetch',
      { groupId: name, topics },
      OFFSET_FETCH_VERSION,
    )
    const offsetIn = (topic: string): string =>
      responses.find((answer) => answer.topic === topic)?.partitions[0]?.offset ?? '-1'
    return { number: BigInt(offsetIn(eventsTopic)), mark: offsetIn(identityTopic) }
  }

  /** Repeats a request to a coordinator while it asks for patience, until `disconnect`. */
  private async requestCoordinator<T>(
    kind: number,
    request: string,
    fields: object,
    version = TRANSACTION_VERSION,
  ): Promise<T> {
    const protocol = knownRequest<T>(request, version, { transactionalId: this.target.name, ...fields })
    for (;;) {
      try {
        return await this.connections.send(await this.coordinatorOf(kind), protocol)
      } catch (error) {
        const type = kafkaErrorType(error)
        if (type === undefined || !ASK_AGAIN.has(type)) throw error
        if (type !== 'CONCURRENT_TRANSACTIONS') this.coordinators.delete(kind)
        await pause(AGAIN_MS)
      }
    }
  }

  /** Asks one broker after another, because a frozen one accepts connections and stays silent. */
  private async requestAny<T>(question: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await withTimeout(ANY_MS, 'Kafka', question())
      } catch (error) {
        if (!(error instanceof TimeoutError)) throw error
      }
    }
  }

  private async coordinatorOf(kind: number): Promise<string> {
    const known = this.coordinators.get(kind)
    if (known !== undefined) return known
    const address = await this.requestAny(() => findCoordinator(this.connections, this.target.name, kind))
    this.coordinators.set(kind, address)
    return address
  }
}

interface OffsetsAnswer {
  readonly responses: readonly {
    readonly topic: string
    readonly partitions: readonly { readonly partition: number; readonly offset: string }[]
  }[]
}

/** The partitions that were written. Throws the first error. */
function readWritten(payload: Buffer): Set<string> {
  const reader = new Reader(payload)
  const written = new Set<string>()
  reader.array(reader.int32(), () => {
    const topic = reader.string()
    reader.array(reader.int32(), () => {
      const partition = reader.int32()
      const error = reader.int16()
      reader.int64() // offset
      reader.int64() // time
      reader.int64() // start of the log
      if (error !== 0) throw kafkaError(error)
      written.add(`${topic}:${partition}`)
    })
  })
  return written
}
