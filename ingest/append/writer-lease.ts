import { type EventLog, LogOutcomeUnknownError, LogUnavailableError } from '../../log/port.js'
import type { Sql } from '../../postgres/driver/client.js'
import { type Announcements, listenTo } from '../../postgres/driver/listen.js'
import { LOG_CHANNEL } from '../../postgres/tables/logs.js'
import { SerialQueue } from '../../runtime/concurrency/serial-queue.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'

/*
 * A lease to append to a log, so that the log can be drained: a closing log grants none, and once all leases
 * are released or expired nothing more is acknowledged (consumers/operations/drain.ts). The lease is checked
 * again between `append` and the acknowledgement, so an acknowledged append lies below the end that a drain
 * reads later. It lasts longer than keys do without Postgres (60 s), so it is never the first to stop a
 * gateway.
 */

export const WRITER_LEASE_MS = 75_000
/** Margin for clocks that run at different speeds. */
const CLOCK_MARGIN_MS = 3_000
const RENEW_MS = 5_000
const RETRY_MS = 1_000
const POSTGRES_TIMEOUT_MS = 2_000
const PING_TIMEOUT_MS = 1_500
/** Appends in progress end within five seconds, whatever the outcome. */
const APPEND_SETTLE_MS = 6_000
/** The name may have belonged to a killed process for this long. */
const NAME_REUSE_MS = 20_000

export interface WriterLeaseOptions {
  readonly sql: Sql
  readonly log: EventLog
  /** Name of this gateway among all, for operators. */
  readonly name: string
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly clock: () => number
  /** Wall clock in milliseconds; also advances while the machine is suspended. */
  readonly now: () => number
  readonly id: string
  readonly leaseMs?: number
}

export interface WriterLease {
  /** The log; it accepts records while the lease is held. */
  readonly log: EventLog
  /** Waits for appends in progress first. */
  release(): Promise<void>
}

/** If the lease is not granted now, it keeps asking; the log refuses records meanwhile. */
export async function acquireWriterLease(options: WriterLeaseOptions): Promise<WriterLease> {
  const keeper = new LeaseKeeper(options)
  await keeper.start()
  return { log: leasedLog(options.log, keeper), release: () => keeper.release() }
}

class LeaseKeeper {
  private heldUntil = Number.NEGATIVE_INFINITY
  private heldUntilWallClock = Number.NEGATIVE_INFINITY
  /** Why no append may begin; undefined if one may. */
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
      without: 'The end of the log is not announced: it is seen when the lease is renewed',
      heard: () => void this.renew(),
    })
  }

  /** @throws LogUnavailableError if the lease is not held */
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
    if (!this.isHeld()) throw new LogOutcomeUnknownError('the writer lease expired during the append')
  }

  async release(): Promise<void> {
    this.stopped = true
    clearTimeout(this.timer)
    this.refusal = 'the gateway is stopping'
    await this.renewals.idle()
    await this.announcements?.stop()
    await this.deleteLease().catch(() => {
      // A lease that is not deleted expires.
    })
  }

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
          'Writer lease not renewed; trying again',
        )
      }
      if (!this.stopped) this.timer = setTimeout(() => void this.renew(), pauseMs)
    })
  }

  private async renewNow(): Promise<void> {
    const { sql, log, name, id, clock, now, logger, leaseMs = WRITER_LEASE_MS } = this.options
    const problem = await withTimeout(PING_TIMEOUT_MS, 'the log', log.ping()).then(
      () => null,
      (error: unknown) => errorMessage(error).slice(0, 500),
    )
    const asked = clock()
    const askedWall = now()
    // `for share` keeps the log from being closed meanwhile; a later request finds it closing.
    const rows = await withTimeout(
      POSTGRES_TIMEOUT_MS,
      'Postgres, renewing the writer lease',
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
      logger.info({ log: log.id }, 'Log open again')
    this.refusal = undefined
    if (row.namesake && asked - this.startedAt > NAME_REUSE_MS)
      logger.error(
        { name },
        'Another gateway has the same name, so only the one started last can write to Kafka: give each its own SVC_INSTANCE',
      )
  }

  private async close(): Promise<void> {
    const { log, logger } = this.options
    if (this.refusal !== LOG_CLOSING)
      logger.warn(
        { log: log.id },
        'Log closing or drained: no events are accepted until it is reopened or this gateway starts with the next log',
      )
    this.refusal = LOG_CLOSING
    if (this.heldUntil !== Number.NEGATIVE_INFINITY) await this.deleteLease()
  }

  private async deleteLease(): Promise<void> {
    const { sql, id, clock } = this.options
    for (const end = clock() + APPEND_SETTLE_MS; this.appending > 0 && clock() < end; )
      await new Promise((resolve) => setTimeout(resolve, 20))
    // Appends that are still in progress are no longer acknowledged.
    this.heldUntilWallClock = Number.NEGATIVE_INFINITY
    await withTimeout(
      POSTGRES_TIMEOUT_MS,
      'Postgres, releasing the writer lease',
      sql`delete from log_writers where id = ${id}`,
    )
    this.heldUntil = Number.NEGATIVE_INFINITY
  }

  private isHeld(): boolean {
    return this.options.clock() < this.heldUntil && this.options.now() < this.heldUntilWallClock
  }

  private problem(): string | undefined {
    if (this.refusal !== undefined) return this.refusal
    return this.isHeld() ? undefined : 'the writer lease has expired: Postgres has not answered for too long'
  }
}

const NOT_YET_GRANTED = 'the writer lease has not been granted yet'
const LOG_CLOSING = 'the log is closing or drained and accepts nothing more'

/** Without the lease, questions about the log fail too: another log may have begun. */
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
