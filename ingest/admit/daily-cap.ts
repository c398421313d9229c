import { dayOf } from '../../domain/day.js'
import type { Sql } from '../../postgres/driver/client.js'
import { SerialQueue } from '../../runtime/concurrency/serial-queue.js'
import { TimeoutError, withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'
import { type IngestRefusal, unavailableRefusal } from '../http/errors.js'
import { limitHeaders } from './limit-headers.js'

const DAY_MS = 86_400_000
const RESERVE_TIMEOUT_MS = 1_500
const MAX_WAITING = 10_000
const WRITE_EVERY_MS = 1_000

interface PendingReservation {
  readonly events: number
  resolve(refusal: IngestRefusal | undefined): void
}

interface Reserved {
  /** For each request of the statement. */
  readonly accepted: readonly boolean[]
  readonly used: string
  readonly cap: string | null
}

/** Reservations of one workspace and day. Those that arrive during a query go together in the next one. */
interface ReservationQueue {
  readonly workspaceId: string
  readonly day: number
  waiting: PendingReservation[]
  isAsking: boolean
}

/** Events of one workspace and day that are not in Postgres yet. */
interface PendingCount {
  readonly workspaceId: string
  readonly day: number
  events: number
}

/**
 * The daily cap of a workspace, in events per UTC day. Events are reserved in Postgres before they are
 * appended, so several gateways together never cross it; what was not recorded is given back. Workspaces
 * without a cap are counted once a second, off the request path.
 */
export class DailyCaps {
  private readonly queues = new Map<string, ReservationQueue>()
  private counted = new Map<string, PendingCount>()
  private last: PendingCount | undefined
  private timer: NodeJS.Timeout | undefined
  private readonly writes = new SerialQueue()
  private waiting = 0

  /**
   * @param options.counts which cap of the workspace it is
   * @param options.now the wall clock in milliseconds
   */
  constructor(
    private readonly options: {
      readonly sql: Sql
      readonly counts: 'events' | 'exposures'
      readonly logger: Logger
      readonly now: () => number
    },
  ) {}

  /** Reserves events of a capped workspace; a refusal if they would cross the cap or it cannot be checked. */
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

  /**
   * Counts events of a workspace without a cap. Negative: gives back reserved events that were not recorded.
   */
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

  async stop(): Promise<void> {
    clearTimeout(this.timer)
    await this.writeCounts()
  }

  private async ask(name: string, line: ReservationQueue): Promise<void> {
    line.isAsking = true
    while (line.waiting.length > 0) {
      const group = line.waiting
      line.waiting = []
      const reserved = this.options.sql<Reserved[]>`
        select accepted, used, cap from ${this.sqlFunction('reserve')}(${line.workspaceId}, ${dateOf(line.day)},
          ${group.map((request) => request.events)}::bigint[])`
      try {
        const rows = await withTimeout(RESERVE_TIMEOUT_MS, 'Postgres, the daily cap', reserved)
        const row = rows[0]
        const untilMidnight = (line.day + 1) * DAY_MS - this.options.now()
        const refusal = capReached(
          this.options.counts,
          Number(row?.cap ?? 0),
          Number(row?.used ?? 0),
          untilMidnight,
        )
        group.forEach((request, i) => {
          request.resolve(row?.accepted[i] === true ? undefined : refusal)
        })
      } catch (error) {
        this.options.logger.warn(
          { error: errorMessage(error) },
          'Daily cap check failed: refusing batches of capped workspaces',
        )
        if (error instanceof TimeoutError) this.giveBackLate(line, group, reserved)
        for (const request of group) request.resolve(CAP_UNAVAILABLE)
      }
    }
    line.isAsking = false
    this.queues.delete(name)
  }

  /** Gives back the events that a statement reserves after their batches were refused. */
  private giveBackLate(
    { workspaceId, day }: ReservationQueue,
    group: readonly PendingReservation[],
    reserved: PromiseLike<readonly Reserved[]>,
  ): void {
    reserved.then(
      ([row]) => {
        const late = group.filter((_, i) => row?.accepted[i] === true)
        this.countedOf(workspaceId, day).events -= late.reduce((sum, { events }) => sum + events, 0)
      },
      // A failed statement reserved nothing, unless its connection broke after the commit.
      () => {},
    )
  }

  private sqlFunction(verb: 'reserve' | 'count') {
    return this.options.sql(`${verb}_daily_${this.options.counts}`)
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
          sql`select ${this.sqlFunction('count')}(${workspaces}::uuid[], ${days}::date[], ${events}::bigint[])`,
        )
      } catch (error) {
        logger.debug({ error: errorMessage(error) }, 'Daily event counts not written; trying again')
        // After a timeout they may have been written: missing some is better than counting twice.
        if (error instanceof TimeoutError) return
        for (const { workspaceId, day, events } of counts) this.countedOf(workspaceId, day).events += events
      }
    })
  }
}

const CAP_UNAVAILABLE = unavailableRefusal(
  'the daily cap of the workspace cannot be checked right now; nothing was recorded: send the batch again',
  2,
)

function nameOf(workspaceId: string, day: number): string {
  return `${workspaceId} ${day}`
}

function dateOf(day: number): string {
  return dayOf(day * DAY_MS)
}

function capReached(counts: string, cap: number, used: number, untilMidnightMs: number): IngestRefusal {
  const seconds = Math.max(1, Math.ceil(untilMidnightMs / 1_000))
  return {
    code: 'DAILY_CAP_REACHED',
    message: `the batch would exceed the workspace's cap of ${cap} ${counts} a day (${used} used); nothing was recorded: the count restarts at 00:00 UTC`,
    headers: limitHeaders(cap, cap - used, seconds),
  }
}
