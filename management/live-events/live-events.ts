import type { Sql } from '../../postgres/driver/client.js'
import { eventProgress } from '../../postgres/tables/log-progress.js'
import { pause } from '../../runtime/concurrency/pause.js'
import { Semaphore } from '../../runtime/concurrency/semaphore.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { Logger } from '../../runtime/logger.js'
import { DomainError } from '../domain-errors.js'
import { type Cursor, CursorTexts, cursorAt } from './cursor.js'
import { isWithin, type LogPosition, LogPositionReader } from './log-position.js'
import { type Follower, type LiveReader, Tail, type TailDependencies } from './tail.js'

const POLL_MS = 1_000
/** Poll interval until the first position is known. */
const FIRST_POLL_MS = 100
const HEARTBEAT_MS = 15_000
const POSTGRES_MS = 3_000
/** A reader that reconnects later gets a `gap`. */
const RESUMABLE_MS = 3_600_000
const MAX_READERS = 500
const MAX_OF_WORKSPACE = 20
const MAX_QUERIES = 2
const RETRY_MS = 1_000

export interface LiveEventsOptions extends Pick<TailDependencies, 'clickhouse' | 'present' | 'now'> {
  readonly sql: Sql
  readonly secretKey: Uint8Array
  readonly logger: Logger
  /** @default 1000 */
  readonly pollMs?: number | undefined
}

/** Ends with `unsubscribe`. */
export interface Subscription {
  /** Starts to send. Call it once. */
  read(reader: LiveReader): void
  unsubscribe(): void
}

interface Group {
  readonly tail: Tail
  readonly begun: Promise<void>
  readonly followers: Map<Follower, AbortController>
}

/**
 * Streams newest events to all readers of this process. Every second it reads the stored position from
 * Postgres once, and for each workspace and event name the events since the last position from ClickHouse. It
 * does nothing without readers. A reader that reconnects with its cursor, to any process, gets what it
 * missed.
 */
export class LiveEvents {
  private readonly cursors: CursorTexts
  private readonly groups = new Map<string, Group>()
  private readonly subscriptions = new Map<string, number>()
  private readonly tailDeps: TailDependencies
  private subscribed = 0
  private positions = new LogPositionReader()
  private position: LogPosition | undefined
  private polling: Promise<void> | undefined
  private heartbeatAt = 0
  private stopped = false
  private readonly ending = new AbortController()
  private readonly queries = new Semaphore(MAX_QUERIES)

  constructor(private readonly options: LiveEventsOptions) {
    this.cursors = new CursorTexts(options.secretKey)
    this.tailDeps = {
      clickhouse: options.clickhouse,
      present: options.present,
      now: options.now,
      cursorText: (cursor, workspaceId) => this.cursors.write(cursor, workspaceId),
      runQuery: (work) => this.queries.run(work),
    }
  }

  get readers(): number {
    return this.subscribed
  }

  /** Undefined if the text is not a cursor of this workspace. */
  cursorOf(text: string, workspaceId: string): Cursor | undefined {
    return this.cursors.read(text, workspaceId)
  }

  /**
   * @param event only events of this name
   * @param cursor defaults to the newest events
   * @throws DomainError RATE_LIMITED if there are too many streams, UNAVAILABLE if this process stops
   */
  subscribe(workspaceId: string, event: string | undefined, cursor: Cursor | undefined): Subscription {
    if (this.stopped)
      throw new DomainError('UNAVAILABLE', 'The server is stopping', [], { retryAfterMs: 2_000 })
    const mine = this.subscriptions.get(workspaceId) ?? 0
    // The share shrinks with what is free, so that other workspaces find a stream too.
    if (mine >= Math.min(MAX_OF_WORKSPACE, MAX_READERS - this.subscribed))
      throw new DomainError(
        'RATE_LIMITED',
        mine >= MAX_OF_WORKSPACE
          ? `The workspace has ${MAX_OF_WORKSPACE} open streams: close one and try again`
          : 'Too many open streams: try again later',
        [],
        { retryAfterMs: 10_000 },
      )
    this.subscriptions.set(workspaceId, mine + 1)
    this.subscribed++
    let leave = (): void => {}
    let left = false
    return {
      read: (reader) => {
        if (left) return
        leave = this.follow(workspaceId, event, reader, cursor)
      },
      unsubscribe: () => {
        if (left) return
        left = true
        leave()
        this.subscribed--
        const rest = (this.subscriptions.get(workspaceId) ?? 1) - 1
        if (rest === 0) this.subscriptions.delete(workspaceId)
        else this.subscriptions.set(workspaceId, rest)
      },
    }
  }

  /** Asks every reader at once whether it may still read, because keys or people have changed. */
  recheck(): void {
    for (const { followers } of this.groups.values())
      for (const { reader } of [...followers.keys()]) void this.check(reader)
  }

  /** Ends every stream. */
  async stop(): Promise<void> {
    this.stopped = true
    this.ending.abort()
    const end = { code: 'UNAVAILABLE', message: 'The server is stopping' }
    for (const { followers } of this.groups.values())
      for (const { reader } of [...followers.keys()]) this.close(reader, end)
    await this.polling
  }

  private follow(
    workspaceId: string,
    event: string | undefined,
    reader: LiveReader,
    cursor: Cursor | undefined,
  ): () => void {
    const key = JSON.stringify([workspaceId, event])
    const group = this.groups.get(key) ?? this.newGroup(workspaceId, event)
    this.groups.set(key, group)
    const left = new AbortController()
    const nowhere: LogPosition = { at: 0, since: 0, logs: new Map() }
    const follower: Follower = { reader, cursor: cursor ?? cursorAt(nowhere) }
    group.followers.set(follower, left)
    this.polling ??= this.poll()
    void this.begin(group, follower, cursor, left.signal)
    return () => {
      left.abort()
      group.tail.leave(follower)
      group.followers.delete(follower)
      if (group.followers.size === 0 && this.groups.get(key) === group) this.groups.delete(key)
    }
  }

  private newGroup(workspaceId: string, event: string | undefined): Group {
    const tail = new Tail(this.tailDeps, workspaceId, event)
    const followers = new Map<Follower, AbortController>()
    const begin = async (): Promise<void> => {
      while (!this.ending.signal.aborted) {
        const { position } = this
        try {
          if (position !== undefined) return await tail.begin(position)
        } catch (error) {
          this.options.logger.debug({ err: error }, 'Live events not counted: retrying')
          await this.pause(RETRY_MS)
        }
        await this.pause(FIRST_POLL_MS)
        if (followers.size === 0) return
      }
    }
    return { tail, followers, begun: begin() }
  }

  /** Never rejects. */
  private async begin(
    group: Group,
    follower: Follower,
    cursor: Cursor | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    await group.begun
    const { position } = group.tail
    if (signal.aborted || position === undefined) return
    if (cursor === undefined) follower.cursor = cursorAt(position)
    else if (!(await this.canResume(group.tail, cursor, signal))) {
      if (signal.aborted) return
      follower.reader.send([{ name: 'gap', data: JSON.stringify({ skipped: null }), cursor: undefined }])
      follower.cursor = cursorAt(group.tail.position ?? position)
    }
    await this.catchUp(group.tail, follower, signal)
  }

  /** Whether a cursor can be continued. Another process may be a little ahead of this one. */
  private async canResume(tail: Tail, { from, to }: Cursor, signal: AbortSignal): Promise<boolean> {
    if (this.options.now() - from.at > RESUMABLE_MS) return false
    for (let turns = 0; turns < 4 && !signal.aborted; turns++) {
      if (tail.position !== undefined && isWithin(to, tail.position)) return true
      await this.pause(this.options.pollMs ?? POLL_MS)
    }
    return false
  }

  /** Never rejects: retries errors of the stores, and ends a reader that does not read. */
  private async catchUp(tail: Tail, follower: Follower, signal: AbortSignal): Promise<void> {
    while (!signal.aborted)
      try {
        return await tail.catchUp(follower, signal)
      } catch (error) {
        if (follower.reader.isBackpressured || signal.aborted) return follower.reader.end()
        this.options.logger.debug({ err: error }, 'Missed events not read: retrying')
        await this.pause(RETRY_MS)
      }
  }

  /** Runs while there are readers. Never rejects. */
  private async poll(): Promise<void> {
    while (this.groups.size > 0 && !this.stopped) {
      const known = await this.readPosition()
      const beat = this.options.now() - this.heartbeatAt >= HEARTBEAT_MS
      if (beat) this.heartbeatAt = this.options.now()
      await Promise.all([...this.groups.values()].map((group) => this.advance(group, known, beat)))
      await this.pause(this.position === undefined ? FIRST_POLL_MS : (this.options.pollMs ?? POLL_MS))
    }
    // It would be stale when the next reader comes.
    this.position = undefined
    this.positions = new LogPositionReader()
    this.polling = undefined
  }

  private async readPosition(): Promise<boolean> {
    try {
      const at = this.options.now()
      const progress = await withTimeout(
        POSTGRES_MS,
        'Postgres, live events',
        eventProgress(this.options.sql),
      )
      this.position = this.positions.next(progress, at) ?? this.position
      return true
    } catch (error) {
      this.options.logger.debug({ err: error }, 'Stored position not read: retrying')
      return false
    }
  }

  private async advance(group: Group, known: boolean, beat: boolean): Promise<void> {
    const { tail, followers } = group
    await Promise.all([...followers.keys()].map(({ reader }) => this.check(reader)))
    const { position } = this
    if (known && position !== undefined)
      try {
        for (const follower of await tail.advance(position)) {
          const left = followers.get(follower)
          if (left !== undefined) void this.catchUp(tail, follower, left.signal)
        }
      } catch (error) {
        this.options.logger.debug({ err: error }, 'Live events not read: retrying')
      }
    if (!beat) return
    for (const follower of followers.keys()) {
      const { reader, cursor } = follower
      const whole = tail.isLive(follower)
      if (!reader.isBackpressured)
        reader.heartbeat(whole ? this.cursors.write(cursor, tail.workspaceId) : undefined)
    }
  }

  private async check(reader: LiveReader): Promise<void> {
    try {
      await reader.mayRead()
    } catch (error) {
      const { code, message } = error as { code?: string; message?: string }
      this.close(reader, { code: code ?? 'UNAVAILABLE', message: message ?? '' })
    }
  }

  private close(reader: LiveReader, why: { readonly code: string; readonly message: string }): void {
    reader.send([{ name: 'end', data: JSON.stringify(why), cursor: undefined }])
    reader.end()
  }

  private async pause(ms: number): Promise<void> {
    await pause(ms, this.ending.signal, { ref: false })
  }
}
