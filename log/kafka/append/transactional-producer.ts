import { setTimeout as pause } from 'node:timers/promises'
import { backoffMs } from '../../../runtime/backoff.js'
import { withTimeout } from '../../../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../../../runtime/errors.js'
import type { LogLogger } from '../../port.js'
import type { PartitionBatch } from './produce-request.js'
import { ProducerSession, type ProducerTarget } from './producer-session.js'

/** Another process appends under the same instance name. One of the two needs another name. */
export class InstanceTakenError extends Error {
  override readonly name = 'InstanceTakenError'
}

/** How long one step of a transaction may take before the session counts as lost. */
const STEP_MS = 1_300
/** Of the first attempt. Later ones get more, so that slow brokers succeed in the end. */
const OPEN_MS = 3_000
const MAX_OPEN_MS = 20_000
const CONNECT_MS = 1_300
const PAUSES = { initialIntervalMs: 50, maxIntervalMs: 1_500 } as const
/** A group's number is `generation × 2^40 + count`. A process that opens the producer starts a generation. */
const COUNT_BITS = 40n

/**
 * A producer with a fixed name: one session until something fails, then the next. If a commit fails, the next
 * session reads the number of the last committed group, and so knows whether the group is in the log.
 */
export class TransactionalProducer {
  /** `ready`: accepts a group. `busy`: has one. `opening`: has none, or one whose commit failed. */
  state: 'opening' | 'ready' | 'busy' | 'fenced' | 'closed' = 'opening'
  /** Since when no session is open, by performance.now(). Undefined while one is. */
  downSince: number | undefined = performance.now()
  lastError: unknown
  readonly first: Promise<void>
  private session: ProducerSession | undefined
  private sessions: number
  private number = -1n
  private generation: bigint | undefined
  private opening: Promise<bigint>

  /**
   * @param index of the producer, so that each tries another broker first
   * @param onStateChange called when the producer can send a group, or has ended for good
   * @param onCommit called after a commit, before the requests are answered
   */
  constructor(
    private readonly target: ProducerTarget,
    index: number,
    private readonly onStateChange: () => void,
    private readonly onCommit: () => void,
    private readonly logger?: LogLogger,
  ) {
    this.sessions = index
    this.opening = this.open()
    this.first = this.opening.then(ignore)
    this.first.catch(ignore)
  }

  /** Begins the next group. If it rejects, nothing began, and `fail` must be called. */
  async begin(): Promise<void> {
    this.state = 'busy'
    this.number++
    await this.step('begin', (session) => session.begin(this.number))
  }

  /** If it rejects, the group will never be in the log, and `fail` must be called. */
  async send(batches: readonly PartitionBatch[]): Promise<void> {
    await this.step('send', (session) => session.send(batches))
  }

  /** If it rejects, only `resolveOutcome` can tell. */
  async commit(): Promise<void> {
    await this.step('commit', (session) => session.commit())
    this.onCommit()
    if (this.state !== 'busy') return
    this.state = 'ready'
    this.onStateChange()
  }

  /** Whether the group of a failed commit is in the log. Rejects if that will not be known. */
  async resolveOutcome(error: unknown): Promise<boolean> {
    const number = this.number
    this.fail(error)
    return (await this.opening) >= number
  }

  fail(error: unknown): void {
    this.lastError = error
    this.session?.disconnect()
    if (this.state === 'closed' || this.state === 'fenced') return
    this.state = 'opening'
    this.downSince ??= performance.now()
    this.logger?.warn(
      { producer: this.target.name, reason: errorMessage(error) },
      'Appending to Kafka failed; replacing the producer',
    )
    this.opening = this.open()
    this.opening.catch(ignore)
  }

  /** No group may be waiting any more. */
  close(): void {
    if (this.state !== 'fenced') this.state = 'closed'
    this.session?.disconnect()
  }

  private async step(what: string, work: (session: ProducerSession) => Promise<void>): Promise<void> {
    const { session } = this
    if (session === undefined) throw new Error('the producer is closed')
    await withTimeout(STEP_MS, `Kafka, ${what}`, work(session), () => session.disconnect())
  }

  /** Opens a session. Returns the number of the last committed group. */
  private async open(): Promise<bigint> {
    for (let attempt = 0; ; attempt++) {
      if (attempt > 0) {
        const longest = backoffMs(PAUSES, attempt)
        await pause(longest * (0.5 + Math.random() / 2))
      }
      if (this.state === 'closed') throw new Error('the log is closed')
      const session = new ProducerSession(this.target, this.sessions++)
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
          this.logger?.error({ producer: this.target.name }, error.message)
          this.onStateChange()
          throw error
        }
        this.logger?.warn(
          { producer: this.target.name, reason: errorMessage(error) },
          'Opening a Kafka producer failed; retrying',
        )
      }
    }
  }

  private async enter(session: ProducerSession): Promise<bigint> {
    await withTimeout(CONNECT_MS, 'Kafka, connecting', session.connect())
    // Check before fencing, because that would disturb a process that has the name now.
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
        `another process appends to Kafka as ${this.target.name}: this one stops; every gateway needs a different instance name`,
      )
  }

  private opened(attempts: number): void {
    if (attempts > 0) this.logger?.info({ producer: this.target.name }, 'Kafka accepts records again')
    this.state = 'ready'
    this.downSince = undefined
    this.lastError = undefined
    this.onStateChange()
  }
}

function ignore(): void {}
