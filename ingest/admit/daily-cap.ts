import type { Sql } from '../../postgres/driver/client.js'
import { SerialQueue } from '../../runtime/concurrency/serial-queue.js'
import { TimeoutError, withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'
import { type IngestRefusal, unavailable } from '../http/errors.js'
import { limitHeaders } from './rate-limit.js'

const DAY_MS = 86_400_000
const RESERVE_TIMEOUT_MS = 1_500
const MAX_WAITING = 10_000
const WRITE_EVERY_MS = 1_000

interface PendingReservation {
  readonly events: number
  resolve(refusal: IngestRefusal | undefined): void
}

/** Reservations of one workspace and day: those that come while Postgres is being asked go together the next time. */
interface ReservationQueue {
  readonly workspaceId: string
  readonly day: number
  waiting: PendingReservation[]
  isAsking: boolean
}

/** Events of one workspace and day that Postgres does not know of yet. */
interface PendingCount {
  readonly workspaceId: string
  readonly day: number
  events: number
}

/**
 * The daily cap of a workspace, in events of a UTC day. Events are reserved in Postgres before they are appended, so the cap is
 * never crossed, whatever several gateways do at the same time and whenever one of them dies; what was then not recorded is given
 * back. Workspaces without a cap are counted too, once a second and off the request path.
 */
export class DailyCaps {
  private readonly queues = new Map<string, ReservationQueue>()
  private counted = new Map<string, PendingCount>()
  /** The last one counted for, which most often is the next one too. */
  private last: PendingCount | undefined
  private timer: NodeJS.Timeout | undefined
  private readonly writes = new SerialQueue()
  private waiting = 0

  /** @param options.now the wall clock in milliseconds */
  constructor(
    private readonly options: { readonly sql: Sql; readonly logger: Logger; readonly now: () => number },
  ) {}

  /** Reserves events of a workspace with a cap; a refusal where they would cross it, or where nobody can tell. */
  reserve(workspaceId: string, events: number, at: number): Promise<IngestRefusal | undefined> {
    if (this.waiting >= MAX_WAITING) return Promise.resolve(CAP_UNAVAILABLE)
    const day = Math.floor(at / DAY_MS)
    const name = nameOf(workspaceId, day)
    let line = this.queues.get(name)
    if (line === undefined) {
      line = { workspaceId, day, waiting: [], isAsking: false }
      this.queues.set(name, line)
    }
    const { waiting } = line
    this.waiting++
    const result = new Promise<IngestRefusal | undefined>((resolve) => {
      waiting.push({ events, resolve })
    }).finally(() => {
      this.waiting--
    })
    if (!line.isAsking) void this.ask(name, line)
    return result
  }

  /** Counts events, of a workspace without a cap; negative to give reserved ones back that were not recorded. */
  count(workspaceId: string, events: number, at: number): void {
    const day = Math.floor(at / DAY_MS)
    if (this.last?.day !== day || this.last.workspaceId !== workspaceId)
      this.last = this.countedOf(workspaceId, day)
    this.last.events += events
  }

  private countedOf(workspaceId: string, day: number): PendingCount {
    const name = nameOf(workspaceId, day)
    let counted = this.counted.get(name)
    if (counted === undefined) {
      counted = { workspaceId, day, events: 0 }
      this.counted.set(name, counted)
      this.timer ??= setTimeout(() => void this.writeCounts(), WRITE_EVERY_MS).unref()
    }
    return counted
  }

  /** Writes what is counted and not yet written. */
  async stop(): Promise<void> {
    clearTimeout(this.timer)
    await this.writeCounts()
  }

  private async ask(name: string, line: ReservationQueue): Promise<void> {
    line.isAsking = true
    while (line.waiting.length > 0) {
      const group = line.waiting
      line.waiting = []
      try {
        const rows = await withTimeout(
          RESERVE_TIMEOUT_MS,
          'Postgres, the daily cap',
          this.options.sql<{ accepted: boolean[]; used: string; cap: string | null }[]>`
            select accepted, used, cap from reserve_daily_events(${line.workspaceId}, ${dateOf(line.day)},
              ${group.map((request) => request.events)}::bigint[])`,
        )
        const row = rows[0]
        const untilMidnight = (line.day + 1) * DAY_MS - this.options.now()
        const refusal = capReached(Number(row?.cap ?? 0), Number(row?.used ?? 0), untilMidnight)
        group.forEach((request, i) => {
          request.resolve(row?.accepted[i] === true ? undefined : refusal)
        })
      } catch (error) {
        this.options.logger.warn({ error: errorMessage(error) }, 'the daily cap cannot be checked')
        for (const request of group) request.resolve(CAP_UNAVAILABLE)
      }
    }
    line.isAsking = false
    this.queues.delete(name)
  }

  private writeCounts(): Promise<void> {
    this.timer = undefined
    return this.writes.run(async () => {
      const counts = [...this.counted.values()].filter(({ events }) => events !== 0)
      this.counted = new Map()
      this.last = undefined
      if (counts.length === 0) return
      const { sql, logger } = this.options
      const workspaces = counts.map(({ workspaceId }) => workspaceId)
      const days = counts.map(({ day }) => dateOf(day))
      const events = counts.map((counted) => counted.events)
      try {
        await withTimeout(
          RESERVE_TIMEOUT_MS,
          'Postgres, the daily cap',
          sql`select count_daily_events(${workspaces}::uuid[], ${days}::date[], ${events}::bigint[])`,
        )
      } catch (error) {
        logger.debug({ error: errorMessage(error) }, 'events of the day not counted yet')
        // After a time-out they may have been: rather missed than counted twice.
        if (error instanceof TimeoutError) return
        for (const { workspaceId, day, events } of counts) this.countedOf(workspaceId, day).events += events
      }
    })
  }
}

const CAP_UNAVAILABLE = unavailable(
  'the daily cap of the workspace cannot be checked at the moment; nothing was recorded: send the batch again',
  2,
)

function nameOf(workspaceId: string, day: number): string {
  return `${workspaceId} ${day}`
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

function capReached(cap: number, used: number, untilMidnightMs: number): IngestRefusal {
  const seconds = Math.max(1, Math.ceil(untilMidnightMs / 1_000))
  return {
    code: 'DAILY_CAP_REACHED',
    message: `the batch would cross the workspace's cap of ${cap} events a day, of which ${used} are used; nothing was recorded: the count starts again at 00:00 UTC`,
    headers: limitHeaders(cap, cap - used, seconds),
  }
}
