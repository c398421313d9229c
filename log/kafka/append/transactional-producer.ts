import { setTimeout as pause } from 'node:timers/promises'
import { backoffMs } from '../../../runtime/backoff.js'
import { withTimeout } from '../../../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../../../runtime/errors.js'
import type { KafkaLogger } from '../protocol/logger.js'
import type { PartitionBatch } from './produce-request.js'
import { ProducerSession, type ProducerTarget } from './producer-session.js'

export interface TransactionalProducerOptions {
  readonly target: ProducerTarget
  readonly logger?: KafkaLogger | undefined
  /** Called whenever the producer can send a group, or has ended for good. */
  readonly onStateChange: () => void
  /** Called when a commit was answered, before anybody is told. */
  readonly onCommit?: (() => void) | undefined
}

/** Another process appends under the same instance name. Trying again does not help: one of the two has to get a name of its own. */
export class InstanceTakenError extends Error {
  override readonly name = 'InstanceTakenError'
}

/** How long one step of a transaction may take before the session counts as lost. */
const STEP_MS = 1_300
/** Of the first attempt; the next ones get more, or brokers that are slow and no worse would never see one end. */
const OPEN_MS = 3_000
const MAX_OPEN_MS = 20_000
const CONNECT_MS = 1_300
const PAUSES = { initialIntervalMs: 50, maxIntervalMs: 1_500 } as const
/** A group's number is `generation × 2^40 + count`; each process that opens the producer begins a generation. */
const COUNT_BITS = 40n

/**
 * One producer's name and what appends under it: a session until something fails, then the next. A group is begun, sent and committed; whether a
 * group whose commit failed is in the log is what the next session reads from the number of the last committed one.
 */
export class TransactionalProducer {
  /** `ready`: takes a group. `busy`: has one. `opening`: has none, or one whose commit failed. */
  state: 'opening' | 'ready' | 'busy' | 'fenced' | 'closed' = 'opening'
  /** Since when no session is open; undefined while one is. By performance.now(). */
  downSince: number | undefined = performance.now()
  lastError: unknown
  /** Settles with the first session. */
  readonly first: Promise<void>
  private session: ProducerSession | undefined
  private sessions: number
  private number = -1n
  private generation: bigint | undefined
  private opening: Promise<bigint>

  /** @param index of the producer: each asks another broker first */
  constructor(
    private readonly options: TransactionalProducerOptions,
    index: number,
  ) {
    this.sessions = index
    this.opening = this.open()
    this.first = this.opening.then(ignore)
    this.first.catch(ignore)
  }

  /** Begins the next group: what follows is in it. Rejects when nothing was begun; then `fail` has to be called. */
  async begin(): Promise<void> {
    this.state = 'busy'
    this.number++
    await this.step('begin', (session) => session.begin(this.number))
  }

  /** Rejects when the group will never be in the log; then `fail` has to be called. */
  async send(batches: readonly PartitionBatch[]): Promise<void> {
    await this.step('send', (session) => session.send(batches))
  }

  /** Rejects when only `resolve` can tell. */
  async commit(): Promise<void> {
    await this.step('commit', (session) => session.commit())
    this.options.onCommit?.()
    if (this.state !== 'busy') return
    this.state = 'ready'
    this.options.onStateChange()
  }

  /**
   * After a commit that failed: whether the group is in the log, as soon as a session can be opened. Rejects where that will not be known, since the
   * producer was closed or belongs to another process by then.
   */
  async resolveOutcome(error: unknown): Promise<boolean> {
    const number = this.number
    this.fail(error)
    return (await this.opening) >= number
  }

  /** Gives the session up and opens another. */
  fail(error: unknown): void {
    this.lastError = error
    this.session?.disconnect()
    if (this.state === 'closed' || this.state === 'fenced') return
    this.state = 'opening'
    this.downSince ??= performance.now()
    this.options.logger?.warn(
      { producer: this.options.target.name, reason: errorMessage(error) },
      'a group of requests met an error of Kafka; its producer is replaced',
    )
    this.opening = this.open()
    this.opening.catch(ignore)
  }

  /** Nobody may be waiting for a group any more. */
  close(): void {
    if (this.state !== 'fenced') this.state = 'closed'
    this.session?.disconnect()
  }

  private async step(what: string, work: (session: ProducerSession) => Promise<void>): Promise<void> {
    const { session } = this
    if (session === undefined) throw new Error('the producer is closed')
    await withTimeout(STEP_MS, `Kafka, ${what}`, work(session), () => session.disconnect())
  }

  /** Resolves to the number of the last committed group of the producer, and has a session open then. */
  private async open(): Promise<bigint> {
    for (let attempt = 0; ; attempt++) {
      if (attempt > 0) {
        const longest = backoffMs(PAUSES, attempt)
        await pause(longest * (0.5 + Math.random() / 2))
      }
      if (this.state === 'closed') throw new Error('the log is closed')
      const session = new ProducerSession(this.options.target, this.sessions++)
      this.session = session
      try {
        const limitMs = Math.min(OPEN_MS * (attempt + 1), MAX_OPEN_MS)
        const last = await withTimeout(limitMs, 'Kafka, opening a producer', this.enter(session))
        if (this.state === 'opening') this.opened(attempt)
        else session.disconnect()
        return last
      } catch (error) {
        session.disconnect()
        this.lastError = error
        if (error instanceof InstanceTakenError) {
          this.state = 'fenced'
          this.options.logger?.error({ producer: this.options.target.name }, error.message)
          this.options.onStateChange()
          throw error
        }
        this.options.logger?.warn(
          { producer: this.options.target.name, reason: errorMessage(error) },
          'Kafka gives no producer; trying again',
        )
      }
    }
  }

  private async enter(session: ProducerSession): Promise<bigint> {
    await withTimeout(CONNECT_MS, 'Kafka, connecting', session.connect())
    // Looked at before taking over as well: taking over would disturb the process that has the name now.
    if (ProducerSession.isFenced(this.lastError)) this.checkGeneration(await session.peekGroupNumber())
    await session.initTransactions()
    const last = await session.readGroupNumber()
    this.checkGeneration(last)
    if (this.generation === undefined) {
      const generation = (last >> COUNT_BITS) + 1n
      await session.begin(generation << COUNT_BITS)
      await session.commit()
      this.generation = generation
      this.number = generation << COUNT_BITS
    }
    return last
  }

  private checkGeneration(last: bigint): void {
    if (this.generation !== undefined && last >> COUNT_BITS > this.generation)
      throw new InstanceTakenError(
        `another process appends to Kafka as ${this.options.target.name}: this one stops; every gateway needs an instance name of its own`,
      )
  }

  private opened(attempts: number): void {
    if (attempts > 0)
      this.options.logger?.info({ producer: this.options.target.name }, 'Kafka takes records again')
    this.state = 'ready'
    this.downSince = undefined
    this.lastError = undefined
    this.options.onStateChange()
  }
}

function ignore(): void {}
