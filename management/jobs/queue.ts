import { setTimeout as sleep } from 'node:timers/promises'
import PgBoss from 'pg-boss'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import type { Logger } from '../../runtime/logger.js'
import { messageOf } from '../../runtime/message-of.js'
import { within } from '../../runtime/within.js'
import { libraryConnection, transactionConnection } from './connection.js'
import type { JobMetrics } from './metrics.js'
import {
  type JobHandler,
  JobLost,
  type JobName,
  type JobPayloads,
  type Jobs,
  type SendOptions,
} from './port.js'
import { JOB_NAMES, JOB_SCHEMA, LEASE_SECONDS, QUEUES } from './queues.js'
import { Worker } from './worker.js'

const RENEW_MS = (LEASE_SECONDS * 1_000) / 3
const DRAIN_MS = 10_000
/** A job whose service was away for years is still there. */
const KEPT_DAYS = 3_650
const DAY_SECONDS = 86_400
/** A failed job gets one more try so much later: what kept it from its end may be mended. */
const SECOND_CHANCE = '1 hour'
/** Any number will do, as long as nothing else in this database locks it. */
const PREPARE_LOCK = 7_341_520_919
const LOOK_MS = { first: 10, longest: 200 } as const

export interface JobQueueOptions {
  readonly sql: Sql
  readonly logger: Logger
  readonly metrics: JobMetrics
  /** Called at the moments where a crash is most telling; does nothing outside of tests. */
  readonly faultPoint?: ((name: 'job:taken' | 'job:marked' | 'job:carried-out') => void) | undefined
}

/**
 * Jobs on pg-boss' tables, over the service's own connections. Of the library only what puts jobs into Postgres and moves them from state to state is used: its
 * own workers and timers would go on by themselves when Postgres is gone, and reject where nobody listens.
 */
export class JobQueue implements Jobs {
  private readonly workers = new Map<JobName, Worker>()
  private readonly stopping = new AbortController()

  private constructor(
    private readonly boss: PgBoss,
    private readonly options: JobQueueOptions,
  ) {}

  /** Makes or migrates the library's tables and every queue; of several processes at once, one after the other. */
  static async open(options: JobQueueOptions): Promise<JobQueue> {
    const { sql, logger } = options
    await sql.begin(prepareQueues)
    const boss = new PgBoss({ ...settingsOf(libraryConnection(sql)), migrate: false })
    boss.on('error', (error) => logger.warn({ err: error }, 'the job queue met an error'))
    await boss.start()
    return new JobQueue(boss, options)
  }

  async send<Name extends JobName>(
    tx: Transaction,
    name: Name,
    payload: JobPayloads[Name],
    { key, startAfterMs = 0 }: SendOptions,
  ): Promise<void> {
    const seconds = Math.max(0, startAfterMs) / 1_000
    // From now, not at a time: the clocks of this process and of Postgres may differ.
    const sent = await this.boss.send(name, payload, {
      db: transactionConnection(tx),
      singletonKey: key,
      startAfter: seconds,
    })
    if (sent === null)
      await tx`
        update ${tx(JOB_SCHEMA)}.job set start_after = now() + ${seconds} * interval '1 second'
        where name = ${name} and singleton_key = ${key} and state = 'created'
          and start_after > now() + ${seconds} * interval '1 second'`
  }

  work<Name extends JobName>(name: Name, handler: JobHandler<Name>): void {
    this.workers.set(name, new Worker(() => this.takeOne(name, handler)))
  }

  async underWay(name: JobName, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const { sql } = this.options
    const rows = await sql<{ key: string }[]>`
      select distinct singleton_key as key from ${sql(JOB_SCHEMA)}.job
      where name = ${name} and singleton_key = any(${[...keys]}) and state in ('retry', 'active', 'failed')`
    return new Set(rows.map((row) => row.key))
  }

  async hurry(name: JobName, key: string, limitMs: number): Promise<void> {
    const until = performance.now() + limitMs
    this.workers.get(name)?.wake()
    try {
      await within(Math.max(0, limitMs), 'a job', this.untilNoneIsDue(name, key, until))
    } catch (error) {
      this.options.logger.debug({ err: error, job: name }, 'a job was not waited for to the end')
    }
  }

  private async untilNoneIsDue(name: JobName, key: string, until: number): Promise<void> {
    const { sql } = this.options
    let pauseMs: number = LOOK_MS.first
    while (performance.now() < until) {
      await sleep(pauseMs, undefined, { signal: this.stopping.signal })
      pauseMs = Math.min(pauseMs * 2, LOOK_MS.longest)
      const open = await sql`
        select 1 from ${sql(JOB_SCHEMA)}.job
        where name = ${name} and singleton_key = ${key} and state < 'completed' and start_after <= now() limit 1`
      if (open.length === 0) return
    }
  }

  /** Gives jobs of dead processes back, puts away what is old, and gives failed ones another chance. Rejects where Postgres is gone. */
  async maintain(): Promise<void> {
    const { sql } = this.options
    await this.boss.maintain()
    // The library's own way leaves the time of the next try where it was, which can be hours away.
    await sql`
      update ${sql(JOB_SCHEMA)}.job set state = 'retry', retry_limit = retry_count + 1, start_after = now()
      where state = 'failed' and completed_on < now() - ${SECOND_CHANCE}::interval`
  }

  /** Takes no further job and waits for those under way, for ten seconds at most: what is left passes to another process. */
  async stop(): Promise<void> {
    const ended = [...this.workers.values()].map((worker) => worker.stop(DRAIN_MS))
    await Promise.all(ended)
    this.stopping.abort()
  }

  /** Never rejects: the library gives no job where Postgres does not answer. */
  private async takeOne<Name extends JobName>(name: Name, handler: JobHandler<Name>): Promise<boolean> {
    const { logger, metrics, faultPoint } = this.options
    const [taken] = await this.boss.fetch<JobPayloads[Name]>(name, { batchSize: 1 }).catch(() => [])
    if (taken === undefined) return false
    const startedAt = performance.now()
    const seconds = () => (performance.now() - startedAt) / 1_000
    const lost = new AbortController()
    const renewal = setInterval(() => void this.renew(name, taken.id, lost), RENEW_MS)
    try {
      faultPoint?.('job:taken')
      let marked = false
      await handler({
        payload: taken.data,
        signal: AbortSignal.any([lost.signal, this.stopping.signal]),
        done: async (tx) => {
          await this.complete(name, taken.id, transactionConnection(tx))
          marked = true
          faultPoint?.('job:marked')
        },
      })
      faultPoint?.('job:carried-out')
      if (!marked) await this.complete(name, taken.id)
      metrics.observe(name, 'done', seconds())
    } catch (error) {
      const outcome = error instanceof JobLost ? 'lost' : 'failed'
      logger.warn({ err: error, job: name, payload: taken.data, outcome }, 'a job was not carried out')
      metrics.observe(name, outcome, seconds())
      // Where this fails as well the lease runs out, and the job is tried again then.
      if (outcome === 'failed')
        await this.boss.fail(name, taken.id, { message: messageOf(error) }).catch(() => {})
    } finally {
      clearInterval(renewal)
    }
    return true
  }

  /** Counts the time that the job may still take from now on. */
  private async renew(name: JobName, id: string, lost: AbortController): Promise<void> {
    const { sql, logger } = this.options
    try {
      const renewed = await sql`
        update ${sql(JOB_SCHEMA)}.job set started_on = now() where name = ${name} and id = ${id} and state = 'active'`
      if (renewed.count === 0) lost.abort(new JobLost(`the job ${id} has passed to another process`))
    } catch (error) {
      logger.debug({ err: error, job: name }, 'the lease of a job was not renewed')
    }
  }

  private async complete(name: JobName, id: string, db?: PgBoss.Db): Promise<void> {
    // The library says how many it has marked; its types do not.
    const { affected } = (await (db === undefined
      ? this.boss.complete(name, id)
      : this.boss.complete(name, id, {}, { db }))) as unknown as { affected: number }
    if (affected !== 1) throw new JobLost(`the job ${id} has passed to another process`)
  }
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

async function prepareQueues(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${PREPARE_LOCK})`
  const boss = new PgBoss(settingsOf(transactionConnection(tx)))
  await boss.start()
  for (const name of JOB_NAMES) {
    const settings: PgBoss.Queue = {
      name,
      // One waits at a time, whatever runs or is tried again.
      policy: 'short',
      retryLimit: QUEUES[name].retries,
      retryDelay: 1,
      retryBackoff: true,
      expireInSeconds: LEASE_SECONDS,
      // Said in minutes: the library forgets about days here.
      retentionMinutes: KEPT_DAYS * 1_440,
    }
    await boss.createQueue(name, settings)
    await boss.updateQueue(name, settings)
  }
}
