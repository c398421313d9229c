import { type EventLog, LogOutcomeUnknownError, LogUnavailableError } from '../../log/port.js'
import type { Sql } from '../../postgres/driver/client.js'
import { type Announcements, listenTo } from '../../postgres/driver/listen.js'
import { LOG_CHANNEL } from '../../postgres/tables/logs.js'
import { SerialQueue } from '../../runtime/concurrency/serial-queue.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'

/*
 * The right to append to a log, for a time, so that a log can be brought to its end: once it is closing nobody is given the right any more, and when all have given it
 * back or let it expire, nothing that was acknowledged can come (consumers/operations/drain.ts).
 *
 * The right is asked for again after `append`, before anybody hears of it: an append that was durable while the right was held lies below the ends that a drain
 * reads later, however long this process sleeps at whatever point. One that became durable after it is not acknowledged: nobody can tell, as after a time-out.
 *
 * Without Postgres the right lasts longer than keys do (60 s), so it is never what stops a gateway first.
 */

export const LEASE_MS = 75_000
/** Between what this process believes and what the database says: for clocks that run at different speeds. */
const CLOCK_MARGIN_MS = 3_000
const RENEW_MS = 5_000
const RETRY_MS = 1_000
const POSTGRES_TIMEOUT_MS = 2_000
const PING_TIMEOUT_MS = 1_500
/** Appends under way end within five seconds, one way or the other. */
const APPEND_SETTLE_MS = 6_000
/** A process that was killed may have had the name until so long ago. */
const NAME_REUSE_MS = 20_000

export interface WriterLeaseOptions {
  readonly sql: Sql
  readonly log: EventLog
  /** Names this gateway among all, for operators. */
  readonly name: string
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Milliseconds that only grow. */
  readonly clock: () => number
  /** The wall clock in milliseconds: it also counts the time that a machine is suspended. */
  readonly now: () => number
  /** Of this process: never used before. */
  readonly id: string
  /** For tests. */
  readonly leaseMs?: number
}

export interface WriterLease {
  /** The log, which takes records while the right is held. */
  readonly log: EventLog
  /** Gives the right back when the appends under way have ended. */
  release(): Promise<void>
}

/** Asks for the right to append and keeps it. Where it cannot be had now, it is asked for again and again, and the log takes nothing meanwhile. */
export async function acquireWriterLease(options: WriterLeaseOptions): Promise<WriterLease> {
  const keeper = new LeaseKeeper(options)
  await keeper.start()
  return { log: leasedLog(options.log, keeper), release: () => keeper.release() }
}

class LeaseKeeper {
  private heldUntil = Number.NEGATIVE_INFINITY
  private heldUntilWallClock = Number.NEGATIVE_INFINITY
  /** Why no append may begin; undefined where one may. */
  private refusal: string | undefined = NOT_YET_GRANTED
  private appending = 0
  private readonly startedAt: number
  private timer: NodeJS.Timeout | undefined
  private readonly renewals = new SerialQueue()
  private announcements: Announcements | undefined
  private stopped = false

  constructor(private readonly options: WriterLeaseOptions) {
    this.startedAt = options.clock()
  }

  async start(): Promise<void> {
    await this.renew()
    this.announcements = listenTo(this.options.sql, LOG_CHANNEL, {
      logger: this.options.logger,
      without: 'the end of the log is not announced',
      heard: () => void this.renew(),
    })
  }

  /** @throws LogUnavailableError where the right is not held */
  check(): void {
    const problem = this.problem()
    if (problem !== undefined) throw new LogUnavailableError(problem)
  }

  async whileHeld(append: () => Promise<void>): Promise<void> {
    this.check()
    this.appending++
    try {
      await append()
    } finally {
      this.appending--
    }
    if (!this.isHeld())
      throw new LogOutcomeUnknownError('the right to append has expired while the log was written to')
  }

  async release(): Promise<void> {
    this.stopped = true
    clearTimeout(this.timer)
    this.refusal = 'the gateway is stopping'
    await this.renewals.idle()
    await this.announcements?.stop()
    await this.deleteLease().catch(() => {
      // It expires by itself.
    })
  }

  /** One at a time; asks again after a while. */
  private renew(): Promise<void> {
    return this.renewals.run(async () => {
      if (this.stopped) return
      clearTimeout(this.timer)
      let pauseMs = RENEW_MS
      try {
        await this.renewNow()
      } catch (error) {
        pauseMs = RETRY_MS
        this.options.logger.warn(
          { error: errorMessage(error), heldMs: Math.round(this.heldUntil - this.options.clock()) },
          'the right to append could not be prolonged yet',
        )
      }
      if (!this.stopped) this.timer = setTimeout(() => void this.renew(), pauseMs)
    })
  }

  private async renewNow(): Promise<void> {
    const { sql, log, name, id, clock, now, logger, leaseMs = LEASE_MS } = this.options
    const problem = await withTimeout(PING_TIMEOUT_MS, 'the log', log.ping()).then(
      () => null,
      (error: unknown) => errorMessage(error).slice(0, 500),
    )
    const asked = clock()
    const askedWall = now()
    // The log is held against being closed meanwhile; who comes after that finds it closing.
    const rows = await withTimeout(
      POSTGRES_TIMEOUT_MS,
      'Postgres, the right to append',
      sql<{ namesake: boolean }[]>`
        with open as (
          select id from logs where id = ${log.id} and closing_at is null and drained_at is null for share
        ), long_gone as (
          delete from log_writers where expires_at < clock_timestamp() - interval '1 hour'
        )
        insert into log_writers (id, log_id, name, problem, renewed_at, expires_at)
        select ${id}, id, ${name}, ${problem}, clock_timestamp(), clock_timestamp() + ${leaseMs} * interval '1 millisecond' from open
        on conflict (id) do update set problem = excluded.problem, renewed_at = excluded.renewed_at, expires_at = excluded.expires_at
        returning exists (
          select from log_writers o where o.log_id = log_writers.log_id and o.name = ${name} and o.id <> ${id}
            and o.renewed_at > clock_timestamp() - ${NAME_REUSE_MS} * interval '1 millisecond') as namesake`,
    )
    const [row] = rows
    if (row === undefined) {
      await this.close()
      return
    }
    this.heldUntil = asked + leaseMs - CLOCK_MARGIN_MS
    this.heldUntilWallClock = askedWall + leaseMs - CLOCK_MARGIN_MS
    if (this.refusal !== undefined && this.refusal !== NOT_YET_GRANTED)
      logger.info({ log: log.id }, 'the log is open again')
    this.refusal = undefined
    if (row.namesake && asked - this.startedAt > NAME_REUSE_MS)
      logger.error(
        { name },
        'another gateway runs under the same name, and only the one that started last can write to Kafka: give each its own SVC_INSTANCE',
      )
  }

  /** The log is closing, or drained: the right is given back as soon as what is under way has ended. */
  private async close(): Promise<void> {
    const { log, logger } = this.options
    if (this.refusal !== LOG_CLOSING)
      logger.warn(
        { log: log.id },
        'the log is closing or drained: nothing is accepted until it is opened again, or this gateway is started with the next one',
      )
    this.refusal = LOG_CLOSING
    if (this.heldUntil !== Number.NEGATIVE_INFINITY) await this.deleteLease()
  }

  private async deleteLease(): Promise<void> {
    const { sql, id, clock } = this.options
    for (const end = clock() + APPEND_SETTLE_MS; this.appending > 0 && clock() < end; )
      await new Promise((resolve) => setTimeout(resolve, 20))
    // What is still under way is not acknowledged any more.
    this.heldUntilWallClock = Number.NEGATIVE_INFINITY
    await withTimeout(
      POSTGRES_TIMEOUT_MS,
      'Postgres, giving back',
      sql`delete from log_writers where id = ${id}`,
    )
    this.heldUntil = Number.NEGATIVE_INFINITY
  }

  private isHeld(): boolean {
    return this.options.clock() < this.heldUntil && this.options.now() < this.heldUntilWallClock
  }

  private problem(): string | undefined {
    if (this.refusal !== undefined) return this.refusal
    return this.isHeld() ? undefined : 'the right to append has expired: Postgres has not answered for long'
  }
}

const NOT_YET_GRANTED = 'the right to append has not been given yet'
const LOG_CLOSING = 'the log is closing or drained, and takes nothing more'

/** What is asked of a log that is not this gateway's to write is answered by no: another log may have begun. */
function leasedLog(log: EventLog, keeper: LeaseKeeper): EventLog {
  return {
    id: log.id,
    partitions: log.partitions,
    identityPartitions: log.identityPartitions,
    append: (records) => keeper.whileHeld(() => log.append(records)),
    async end(partition) {
      const end = await log.end(partition)
      keeper.check()
      return end
    },
    async ping() {
      keeper.check()
      await log.ping()
    },
    consume: (options, handler, signal) => log.consume(options, handler, signal),
    appendedEvents: () => log.appendedEvents(),
    trim: (partition, offset) => log.trim(partition, offset),
    close: () => log.close(),
  }
}
