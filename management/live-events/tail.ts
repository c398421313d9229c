import type { ClickHouse } from '../../clickhouse/port.js'
import type { ListedEvent } from '../../clickhouse/queries/events/event-cache.js'
import {
  countInRange,
  type EventRange,
  readInRange,
} from '../../clickhouse/queries/events/events-in-range.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { type Cursor, cursorAt } from './cursor.js'
import { isSamePosition, type LogPosition } from './log-position.js'

/** A message of the stream. */
export interface LiveMessage {
  readonly name: 'event' | 'rate' | 'gap' | 'end'
  /** JSON on one line. */
  readonly data: string
  /** Cursor after this message. Undefined if it stays the same. */
  readonly cursor: string | undefined
}

/** A connection that reads the live events. */
export interface LiveReader {
  /** Rejects if the reader has lost its permission. Called every second. */
  mayRead(): Promise<void>
  /** Never rejects. A backpressured reader gets nothing more. */
  send(messages: readonly LiveMessage[]): void
  /** Keeps the connection alive and tells the cursor. */
  heartbeat(cursor: string | undefined): void
  /** Whether the connection has not sent everything yet. */
  readonly isBackpressured: boolean
  /** Resolves when everything was sent. Rejects if that takes too long. */
  drained(): Promise<void>
  end(): void
}

/** Seconds of the rate that is shown. */
const RATE_SECONDS = 300

class RecentCounts {
  private readonly counts = new Map<number, number>()

  /** @param counted by seconds since 1970, in addition to what is known */
  add(counted: ReadonlyMap<number, number>): void {
    for (const [second, count] of counted) this.counts.set(second, (this.counts.get(second) ?? 0) + count)
  }

  /**
   * The data of a `rate` message.
   *
   * @param now milliseconds since 1970
   * @param seconds defaults to all
   */
  data(now: number, seconds?: Iterable<number>): string {
    const first = Math.floor(now / 1_000) - RATE_SECONDS
    for (const second of this.counts.keys()) if (second < first) this.counts.delete(second)
    const shown = [...(seconds ?? this.counts.keys())]
      .filter((second) => second >= first)
      .sort((a, b) => a - b)
    return JSON.stringify({
      now: new Date(now).toISOString(),
      counts: shown.map((second) => ({
        at: new Date(second * 1_000).toISOString(),
        count: this.counts.get(second) ?? 0,
      })),
    })
  }
}

/** Events per poll. If there are more, the last ones are sent. */
const MAX_EVENTS_PER_POLL = 200
/** Missed events that are sent in full. If there are more, the last `MAX_EVENTS_PER_POLL` are sent. */
const MAX_MISSED_EVENTS = 1_000
/** Characters of one poll, which bounds what a slow reader can owe. */
const MAX_LENGTH_PER_POLL = 512 * 1_024
const QUERY_MS = 8_000

export interface TailDependencies {
  readonly clickhouse: ClickHouse
  /** Events as JSON, in order. */
  present(workspaceId: string, events: readonly ListedEvent[]): Promise<readonly string[]>
  cursorText(cursor: Cursor, workspaceId: string): string
  readonly now: () => number
  /** Runs a query when few others run. */
  runQuery<T>(work: () => Promise<T>): Promise<T>
}

export interface Follower {
  readonly reader: LiveReader
  cursor: Cursor
}

interface Page {
  readonly messages: readonly LiveMessage[]
  readonly cursor: Cursor
}

/** Newest events of one workspace, or of one event name, with one query for all readers. */
export class Tail {
  private readonly live = new Set<Follower>()
  /** Everything before it was sent to live followers. */
  position: LogPosition | undefined
  private readonly counts = new RecentCounts()

  constructor(
    private readonly deps: TailDependencies,
    readonly workspaceId: string,
    private readonly event: string | undefined,
  ) {}

  /** Starts at a position, with counts of the seconds before it. */
  async begin(position: LogPosition): Promise<void> {
    const since = this.deps.now() - RATE_SECONDS * 1_000
    const counted = await this.deps.runQuery(() =>
      countInRange(this.deps.clickhouse, this.rangeQuery({ from: undefined, to: position.logs, since })),
    )
    this.counts.add(counted)
    this.position = position
  }

  /**
   * Sends what was stored since the last poll.
   *
   * @returns backpressured followers, which got nothing
   */
  async advance(position: LogPosition): Promise<readonly Follower[]> {
    const from = this.position
    if (from === undefined) return []
    if (isSamePosition(from, position)) {
      this.move(position)
      return []
    }
    const between = { from: from.logs, to: position.logs, since: from.since }
    const counted = await this.deps.runQuery(() =>
      countInRange(this.deps.clickhouse, this.rangeQuery(between)),
    )
    const total = sum(counted)
    const { messages, cursor } =
      total === 0
        ? { messages: [], cursor: cursorAt(position) }
        : await this.page({ from, to: position, after: undefined }, total, 0)
    // No await from here on, so that followers join before or after.
    this.counts.add(counted)
    if (total === 0) {
      this.move(position)
      return []
    }
    this.position = position
    const all = [...messages, this.rate(cursor, counted.keys())]
    const behind: Follower[] = []
    for (const follower of this.live)
      if (follower.reader.isBackpressured) {
        this.live.delete(follower)
        behind.push(follower)
      } else {
        follower.cursor = cursor
        follower.reader.send(all)
      }
    return behind
  }

  /**
   * Sends a reader what it missed, as fast as it reads, and then makes it live.
   *
   * @throws what `drained` rejects with, and errors of the stores
   */
  async catchUp(follower: Follower, signal: AbortSignal): Promise<void> {
    const { reader } = follower
    for (;;) {
      await reader.drained()
      const { position } = this
      if (signal.aborted || position === undefined) return
      const { cursor } = follower
      if (cursor.after === undefined && isSamePosition(cursor.to, position)) {
        follower.cursor = cursorAt(position)
        reader.send([this.rate(follower.cursor)])
        this.live.add(follower)
        return
      }
      const range = cursor.after === undefined ? { from: cursor.to, to: position, after: undefined } : cursor
      const between = {
        from: range.from.logs,
        to: range.to.logs,
        since: range.from.since,
        after: range.after,
      }
      const total = sum(
        await this.deps.runQuery(() => countInRange(this.deps.clickhouse, this.rangeQuery(between, signal))),
      )
      if (total === 0) {
        follower.cursor = cursorAt(range.to)
        continue
      }
      const page = await this.page(range, total, MAX_MISSED_EVENTS)
      if (signal.aborted) return
      follower.cursor = page.cursor
      reader.send(page.messages)
    }
  }

  /** For a position with no events in between. */
  private move(position: LogPosition): void {
    this.position = position
    for (const follower of this.live) follower.cursor = cursorAt(position)
  }

  leave(follower: Follower): void {
    this.live.delete(follower)
  }

  isLive(follower: Follower): boolean {
    return this.live.has(follower)
  }

  private rate(cursor: Cursor, seconds?: Iterable<number>): LiveMessage {
    return {
      name: 'rate',
      data: this.counts.data(this.deps.now(), seconds),
      cursor: this.deps.cursorText(cursor, this.workspaceId),
    }
  }

  /** The first events of a range if at most `most` are left, otherwise the last ones after a `gap`. */
  private async page(range: Cursor, total: number, most: number): Promise<Page> {
    const { from, to, after } = range
    const which = total > MAX_EVENTS_PER_POLL && total <= most ? 'first' : 'last'
    const wanted = this.rangeQuery({ from: from.logs, to: to.logs, since: from.since, after })
    const events = await this.deps.runQuery(() =>
      readInRange(this.deps.clickhouse, wanted, MAX_EVENTS_PER_POLL, which),
    )
    const texts = await this.deps.present(this.workspaceId, events)
    const [begin, end] =
      which === 'first' ? [0, fitting(texts)] : [texts.length - fitting([...texts].reverse()), texts.length]
    const messages: LiveMessage[] = []
    const skipped = which === 'first' ? 0 : total - (end - begin)
    if (skipped > 0) messages.push({ name: 'gap', data: JSON.stringify({ skipped }), cursor: undefined })
    for (let i = begin; i < end; i++) {
      const cursor = this.deps.cursorText({ from, to, after: events[i]?.id }, this.workspaceId)
      messages.push({ name: 'event', data: texts[i] ?? '', cursor })
    }
    const goesOn = which === 'first' && end < total
    return { messages, cursor: goesOn ? { from, to, after: events[end - 1]?.id } : cursorAt(to) }
  }

  private rangeQuery(
    between: Pick<EventRange, 'from' | 'to' | 'since' | 'after'>,
    signal?: AbortSignal,
  ): EventRange {
    return {
      workspaceId: this.workspaceId,
      event: this.event,
      ...between,
      signal: deadlineSignal(QUERY_MS, signal),
    }
  }
}

/** How many texts from the start are short enough together, at least one. */
function fitting(texts: readonly string[]): number {
  let length = 0
  const over = texts.findIndex((text, i) => {
    length += text.length
    return length > MAX_LENGTH_PER_POLL && i > 0
  })
  return over < 0 ? texts.length : over
}

function sum(counts: ReadonlyMap<number, number>): number {
  return [...counts.values()].reduce((all, count) => all + count, 0)
}
