import { EventEmitter, once } from 'node:events'
import type { Static, TObject } from '@sinclair/typebox'
import type { Transaction } from '../../postgres/driver/client.js'
import { isPostgresDown } from '../../postgres/driver/errors.js'
import { type Announcements, listenTo } from '../../postgres/driver/listen.js'
import { pause } from '../../runtime/concurrency/pause.js'
import { errorMessage } from '../../runtime/errors.js'
import { currentTraceparent } from '../../runtime/tracing.js'
import type { JobKind, Jobs, SendOptions, SentJob } from '../jobs-port.js'
import type { Services } from '../services.js'
import type { JobDefinition } from './definition.js'
import {
  type ClaimedJob,
  claimJob,
  expireLeases,
  findActiveKeys,
  insertJob,
  isOpen,
  JOBS_CHANNEL,
  pendingQueues,
} from './jobs-table.js'
import { type JobRunOptions, runJob } from './run-job.js'
import { Worker } from './worker.js'

/** Finds jobs whose time has come, and those whose announcement was lost. One query for all queues. */
const POLL_MS = 1_000
const MAINTAIN_MS = 10_000
const DRAIN_MS = 10_000
/** How long jobs have to notice that the process stops. */
const RELEASE_MS = 2_000
const MAX_LOOK_MS = 200
/** Workspaces that are remembered as served. */
const MAX_RECENT = 100

/** The consequence for people while a statement of the queue fails. */
const CONSEQUENCES = {
  claim: 'no jobs run',
  poll: 'jobs whose time has come do not run',
  maintain: 'jobs of silent processes wait',
  count: 'the metrics of jobs are absent',
  wait: 'requests are answered before their job ends',
} as const
type Operation = keyof typeof CONSEQUENCES

export interface JobQueueOptions extends JobRunOptions {
  /** Every kind of job that this process sends or runs. */
  readonly definitions: readonly JobDefinition[]
  /** How long running jobs may go on when the process stops. @default 10000 */
  readonly drainMs?: number
}

/** Sends and runs jobs in the jobs table. Any number of processes share it. */
export class JobQueue implements Jobs {
  private readonly definitions: ReadonlyMap<string, JobDefinition>
  private readonly workers = new Map<string, Worker<ClaimedJob>>()
  private readonly polling = new AbortController()
  private readonly stopping = new AbortController()
  /** Emits the name and key of a job that ended in this process. */
  private readonly ended = new EventEmitter().setMaxListeners(0)
  private announcements: Announcements | undefined
  /** Operation → its last error, so that an error is logged once and not each second. */
  private readonly failing = new Map<Operation, string>()

  constructor(private readonly options: JobQueueOptions) {
    this.definitions = new Map(options.definitions.map((definition) => [definition.name, definition]))
  }

  async send<Schema extends TObject>(
    tx: Transaction,
    { name }: JobKind<Schema>,
    payload: Static<Schema>,
    { key, startAfterMs = 0 }: SendOptions,
  ): Promise<SentJob> {
    const definition = this.definitions.get(name)
    if (definition === undefined) throw new Error(`there is no job named ${name}`)
    const { serialBy } = definition
    const traceparent = currentTraceparent()
    const fields: Readonly<Record<string, unknown>> =
      traceparent === undefined ? payload : { traceparent, ...payload }
    const serialKey = serialBy === undefined ? null : String(fields[serialBy])
    await insertJob(tx, { name, key, serialKey, payload: fields, delayMs: Math.max(0, startAfterMs) })
    return { name, key }
  }

  async findActive({ name }: Pick<JobKind, 'name'>, keys: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(await findActiveKeys(this.options.sql, name, keys))
  }

  async waitFor(sent: SentJob, limitMs: number): Promise<void> {
    this.workers.get(sent.name)?.wake()
    if (limitMs <= 0) return
    const limit = AbortSignal.any([AbortSignal.timeout(Math.ceil(limitMs)), this.stopping.signal])
    const over = once(limit, 'abort').then(() => {})
    await Promise.race([over, this.untilEnded(sent, limit)])
  }

  /** Looks after each local end, and in growing intervals for those in other processes. Never rejects. */
  private async untilEnded(sent: SentJob, limit: AbortSignal): Promise<void> {
    for (let pauseMs = 10; !limit.aborted; pauseMs = Math.min(pauseMs * 2, MAX_LOOK_MS)) {
      const signal = AbortSignal.any([limit, AbortSignal.timeout(pauseMs)])
      // Rejects when the pause is over, which is no failure.
      await once(this.ended, eventOf(sent), { signal }).catch(() => {})
      const open = await this.attempt('wait', () => isOpen(this.options.sql, sent))
      if (open === false) return
    }
  }

  /** Starts to run jobs of every kind. Called once. */
  work(services: Services): void {
    const { sql, logger, definitions } = this.options
    for (const definition of definitions)
      this.workers.set(definition.name, this.workerOf(definition, services))
    this.announcements = listenTo(sql, JOBS_CHANNEL, {
      logger,
      without: 'Jobs that other processes send start up to a second late',
      heard: (name) => this.workers.get(name)?.wake(),
      listening: () => this.wakeAll(),
    })
    void this.every(POLL_MS, () => this.poll())
    void this.every(MAINTAIN_MS, () => this.maintain())
  }

  private wakeAll(): void {
    for (const worker of this.workers.values()) worker.wake()
  }

  private workerOf(definition: JobDefinition, services: Services): Worker<ClaimedJob> {
    const { options, stopping } = this
    const { name, concurrency } = definition
    let recent: readonly string[] = []
    const claim = async (running: readonly ClaimedJob[]) => {
      // The last slot is kept, so that slow jobs of one workspace do not hold up all others.
      const isLast = concurrency > 1 && running.length === concurrency - 1
      const except = isLast ? running.map(({ payload }) => payload.workspaceId) : []
      const job = await this.attempt('claim', () => claimJob(options.sql, name, except, recent))
      if (job !== undefined) {
        const { workspaceId } = job.payload
        recent = [...recent.filter((id) => id !== workspaceId), workspaceId].slice(-MAX_RECENT)
      }
      return job
    }
    return new Worker(concurrency, claim, async (job) => {
      await runJob({ options, services, definition, job, stopping: stopping.signal })
      this.ended.emit(eventOf(job))
    })
  }

  private async poll(): Promise<void> {
    const names = [...this.workers.keys()]
    const pending = await this.attempt('poll', () => pendingQueues(this.options.sql, names))
    for (const name of pending ?? []) this.workers.get(name)?.wake()
    // Claims once more, to find out whether the failure is over.
    if (this.failing.has('claim')) this.wakeAll()
  }

  /** Puts back the jobs of silent workers, and counts all jobs. Never rejects. */
  async maintain(): Promise<void> {
    const { sql, metrics } = this.options
    await this.attempt('maintain', () => expireLeases(sql))
    await this.attempt('count', () => metrics.refresh(sql, [...this.definitions.keys()]))
  }

  /** Whether jobs can be claimed. Rejects with the reason if not. */
  async check(): Promise<void> {
    await pendingQueues(this.options.sql, [...this.definitions.keys()])
    const reason = this.failing.get('claim')
    if (reason !== undefined) throw new Error(`jobs cannot be claimed: ${reason}`)
  }

  /**
   * Claims nothing further and waits for the running jobs, by default ten seconds at most. Those left are
   * aborted and released, so that another process has them at once.
   */
  async stop(): Promise<void> {
    this.polling.abort()
    const ended = Promise.all([...this.workers.values()].map((worker) => worker.stop()))
    await atMost(this.options.drainMs ?? DRAIN_MS, ended)
    this.stopping.abort()
    await atMost(RELEASE_MS, ended)
    await this.announcements?.stop()
  }

  private async every(pauseMs: number, turn: () => Promise<void>): Promise<void> {
    const { signal } = this.polling
    while (!signal.aborted) {
      await turn()
      await pause(pauseMs, signal, { ref: false })
    }
  }

  /** Undefined if the statement failed, which is counted, and logged when it begins, changes and ends. */
  private async attempt<T>(operation: Operation, statement: () => Promise<T>): Promise<T | undefined> {
    const { logger, metrics } = this.options
    try {
      const result = await statement()
      if (this.failing.delete(operation)) logger.info({ operation }, 'Job queue works again')
      return result
    } catch (error) {
      metrics.countError(operation)
      const message = errorMessage(error)
      if (this.failing.get(operation) !== message)
        logger[isPostgresDown(error) ? 'warn' : 'error'](
          { err: error, operation },
          `Job queue failed: ${CONSEQUENCES[operation]}`,
        )
      this.failing.set(operation, message)
      return undefined
    }
  }
}

const eventOf = ({ name, key }: SentJob): string => `${name} ${key}`

async function atMost(limitMs: number, ended: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  await Promise.race([ended, pause(limitMs, over.signal)])
  over.abort()
}
