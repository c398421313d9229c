import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Static, TObject } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import PgBoss from 'pg-boss'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { Logger } from '../../runtime/logger.js'
import type { Services } from '../services.js'
import { libraryConnection, transactionConnection } from './connection.js'
import type { JobDefinition, Work } from './definition.js'
import { classifyError, permanent, type RetryDecision } from './failure.js'
import {
  type ClaimedJob,
  claimJob,
  completeJob,
  expireLeases,
  failJob,
  isOpen,
  JOB_SCHEMA,
  KEPT_DAYS,
  LEASE_SECONDS,
  pendingQueues,
  prepareTables,
  releaseJob,
  renewLease,
  rescheduleJob,
} from './jobs-table.js'
import type { JobMetrics } from './metrics.js'
import type { JobKind, Jobs, SendOptions, SentJob } from './port.js'
import { Worker } from './worker.js'

/** One look for all kinds: a query for each was most of what an idle service asked Postgres. */
const DUE_MS = 1_000
const RENEW_MS = (LEASE_SECONDS * 1_000) / 3
const DRAIN_MS = 10_000
/** How long jobs that are told to end have to notice. */
const GIVE_BACK_MS = 2_000
const DAY_SECONDS = 86_400
const LOOK_MS = { first: 10, longest: 200 } as const
/** A job with which so many processes were lost has failed. */
const MAX_LOST = 10

export type JobFaultPoint = 'job:taken' | 'job:effected' | 'job:marked' | 'job:carried-out'

export interface JobQueueOptions {
  readonly sql: Sql
  readonly logger: Logger
  readonly metrics: JobMetrics
  /** Every kind that this process sends or carries out. */
  readonly definitions: readonly JobDefinition[]
  /** Told of a job that is over, in the transaction of its conclusion: answers that wait for it are written with it. */
  readonly concluded?: ((tx: Transaction, sent: SentJob) => Promise<void>) | undefined
  /** How long jobs may go on when the process is to end; ten seconds where left out. */
  readonly drainMs?: number
  /** Called at the moments where a crash is most telling; does nothing outside of tests. */
  readonly faultPoint?: ((name: JobFaultPoint) => void) | undefined
}

/**
 * Jobs on pg-boss' tables, over the service's own connections. Of the library only what puts jobs into Postgres and puts old ones away is used: its own workers
 * and timers would go on by themselves when Postgres is gone, and reject where nobody listens; and what it knows of failures is a number of tries.
 */
export class JobQueue implements Jobs {
  private readonly workers = new Map<string, Worker>()
  private readonly looking = new AbortController()
  private readonly stopping = new AbortController()
  /** Tells those who wait here that a job of a key may be over. */
  private readonly ends = new EventEmitter().setMaxListeners(0)

  private constructor(
    private readonly boss: PgBoss,
    private readonly options: JobQueueOptions,
  ) {}

  /** Makes or migrates the library's tables and every queue; of several processes at once, one after the other. */
  static async open(options: JobQueueOptions): Promise<JobQueue> {
    const { sql, logger, definitions } = options
    await sql.begin((tx) => prepareTables(tx, definitions, settingsOf))
    const boss = new PgBoss({ ...settingsOf(libraryConnection(sql)), migrate: false })
    boss.on('error', (error) => logger.warn({ err: error }, 'the job queue met an error'))
    await boss.start()
    return new JobQueue(boss, options)
  }

  async send<Schema extends TObject>(
    tx: Transaction,
    { name }: JobKind<Schema>,
    payload: Static<Schema>,
    { key, startAfterMs = 0 }: SendOptions,
  ): Promise<SentJob> {
    const seconds = Math.max(0, startAfterMs) / 1_000
    // From now, not at a time: the clocks of this process and of Postgres may differ.
    const sent = await this.boss.send(name, payload as object, {
      db: transactionConnection(tx),
      singletonKey: key,
      startAfter: seconds,
    })
    if (sent === null)
      await tx`
        update ${tx(JOB_SCHEMA)}.job set start_after = now() + ${seconds} * interval '1 second'
        where name = ${name} and singleton_key = ${key} and state = 'created'
          and start_after > now() + ${seconds} * interval '1 second'`
    return { name, key }
  }

  /** Begins to carry out jobs of every kind in this process. Called once. */
  work(services: Services): void {
    for (const definition of this.options.definitions) {
      /** Workspace → how many of its jobs are under way here. */
      const atWork = new Map<string, number>()
      const take = async (free: number): Promise<(() => Promise<void>) | undefined> => {
        // Else the slow work of one would hold up all others.
        const except = free === 1 && definition.concurrency > 1 ? [...atWork.keys()] : []
        const taken = await claimJob(this.options.sql, definition, except).catch(() => undefined)
        if (taken === undefined) return undefined
        const { workspaceId } = taken.payload
        atWork.set(workspaceId, (atWork.get(workspaceId) ?? 0) + 1)
        return async () => {
          await this.execute(services, definition, taken)
          const left = (atWork.get(workspaceId) ?? 1) - 1
          if (left === 0) atWork.delete(workspaceId)
          else atWork.set(workspaceId, left)
        }
      }
      this.workers.set(definition.name, new Worker(definition.concurrency, take))
    }
    void this.look()
  }

  /** Wakes the workers of what has become due, or was sent or given back elsewhere. Never rejects. */
  private async look(): Promise<void> {
    const { signal } = this.looking
    const names = [...this.workers.keys()]
    while (!signal.aborted) {
      await sleep(DUE_MS, undefined, { signal, ref: false }).catch(() => {})
      const due = signal.aborted ? [] : await pendingQueues(this.options.sql, names).catch(() => [])
      for (const name of due) this.workers.get(name)?.wake()
    }
  }

  async findActive({ name }: Pick<JobKind, 'name'>, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const { sql } = this.options
    const rows = await sql<{ key: string }[]>`
      select distinct singleton_key as key from ${sql(JOB_SCHEMA)}.job
      where name = ${name} and singleton_key = any(${[...keys]}) and state in ('retry', 'active', 'failed')`
    return new Set(rows.map((row) => row.key))
  }

  async waitFor({ name, key }: SentJob, limitMs: number): Promise<void> {
    this.workers.get(name)?.wake()
    if (limitMs <= 0) return
    try {
      await withTimeout(limitMs, 'a job', this.untilOver(name, key, performance.now() + limitMs))
    } catch (error) {
      this.options.logger.debug({ err: error, job: name }, 'a job was not waited for to the end')
    }
  }

  private async untilOver(name: string, key: string, until: number): Promise<void> {
    let pauseMs: number = LOOK_MS.first
    while (performance.now() < until) {
      const heard = new AbortController()
      const hear = () => heard.abort()
      this.ends.once(endOf({ name, key }), hear)
      await sleep(pauseMs, undefined, { signal: heard.signal }).catch(() => {})
      this.ends.off(endOf({ name, key }), hear)
      this.stopping.signal.throwIfAborted()
      pauseMs = Math.min(pauseMs * 2, LOOK_MS.longest)
      if (!(await isOpen(this.options.sql, name, key))) return
    }
  }

  /** Gives jobs of dead processes back and puts away what is old. Rejects where Postgres is gone. */
  async maintain(): Promise<void> {
    await expireLeases(this.options.sql)
    await this.boss.maintain()
  }

  /**
   * Takes no further job and waits for those under way, for ten seconds at most; what is left then is told to end, and given back for another process to carry on
   * at once.
   */
  async stop(): Promise<void> {
    this.looking.abort()
    const ended = Promise.all([...this.workers.values()].map((worker) => worker.stop()))
    await atMost(this.options.drainMs ?? DRAIN_MS, ended)
    this.stopping.abort()
    await atMost(GIVE_BACK_MS, ended)
  }

  /** Never rejects. */
  private async execute(services: Services, definition: JobDefinition, taken: ClaimedJob): Promise<void> {
    const { sql, logger, metrics, faultPoint } = this.options
    const { name } = definition
    const startedAt = performance.now()
    const lost = new AbortController()
    const renewal = setInterval(() => void this.renew(name, taken, lost), RENEW_MS)
    const work: Work<Static<TObject>> = {
      services,
      payload: { ...taken.payload },
      signal: AbortSignal.any([lost.signal, this.stopping.signal]),
      attempt: taken.take + 1,
    }
    let outcome: 'done' | 'failed' | 'lost' | 'given-back' = 'done'
    try {
      faultPoint?.('job:taken')
      if (taken.lost >= MAX_LOST) throw permanent(`${taken.lost} processes ended while they carried it out`)
      if (!Value.Check(definition.payload, taken.payload))
        throw permanent('what it carries is not what this version knows')
      const came = await definition.effect?.(work)
      faultPoint?.('job:effected')
      await sql.begin(async (tx) => {
        await definition.conclude(tx, work, came)
        await this.options.concluded?.(tx, { name, key: taken.key })
        await completeJob(tx, name, taken)
        faultPoint?.('job:marked')
      })
      faultPoint?.('job:carried-out')
    } catch (error) {
      outcome = await this.handleFailure(definition, work, taken, error)
      logger.warn({ err: error, job: name, payload: taken.payload, outcome }, 'a job was not carried out')
    } finally {
      clearInterval(renewal)
      metrics.observe(name, outcome, (performance.now() - startedAt) / 1_000)
      this.ends.emit(endOf({ name, key: taken.key }))
    }
  }

  /** What becomes of a job that was not carried out. Where this fails as well the lease runs out, and the job is tried again then. Never rejects. */
  private async handleFailure(
    definition: JobDefinition,
    work: Work<Static<TObject>>,
    taken: ClaimedJob,
    error: unknown,
  ): Promise<'failed' | 'lost' | 'given-back'> {
    const { sql, logger } = this.options
    const { name, retry } = definition
    const verdict = classifyError(error)
    try {
      if (verdict.kind === 'lost' || (work.signal.aborted && !this.stopping.signal.aborted)) return 'lost'
      if (this.stopping.signal.aborted && verdict.kind !== 'end') {
        await releaseJob(sql, name, taken)
        return 'given-back'
      }
      if (verdict.kind !== 'end' && (await this.putOff(definition, taken, verdict))) return 'failed'
      await sql.begin(async (tx) => {
        await definition.failed?.(tx, work, verdict.reason)
        await this.options.concluded?.(tx, { name, key: taken.key })
        await failJob(tx, name, taken, verdict.reason)
      })
      logger.error({ job: name, payload: taken.payload, reason: verdict.reason }, 'a job has failed for good')
    } catch (further) {
      logger.debug({ err: further, job: name, retry }, 'a job that failed waits for its lease to end')
    }
    return 'failed'
  }

  private putOff(
    { name, retry }: JobDefinition,
    taken: ClaimedJob,
    verdict: RetryDecision,
  ): Promise<boolean> {
    const { kind, reason, retryAfterMs } = verdict
    const forMs = kind === 'wait' ? undefined : retry.maxElapsedMs
    return rescheduleJob(this.options.sql, name, taken, retry, { forMs, reason, retryAfterMs })
  }

  /** Counts the time that the job may still take from now on. */
  private async renew(name: string, taken: ClaimedJob, lost: AbortController): Promise<void> {
    try {
      if (!(await renewLease(this.options.sql, name, taken))) lost.abort()
    } catch (error) {
      this.options.logger.debug({ err: error, job: name }, 'the lease of a job was not renewed')
    }
  }
}

const endOf = ({ name, key }: SentJob): string => `${name} ${key}`

async function atMost(limitMs: number, ended: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  await Promise.race([ended, sleep(limitMs, undefined, { signal: over.signal }).catch(() => {})])
  over.abort()
}

function settingsOf(db: PgBoss.Db): PgBoss.ConstructorOptions {
  return {
    db,
    schema: JOB_SCHEMA,
    supervise: false,
    schedule: false,
    archiveCompletedAfterSeconds: DAY_SECONDS,
    archiveFailedAfterSeconds: KEPT_DAYS * DAY_SECONDS,
    deleteAfterDays: 7,
  }
}
