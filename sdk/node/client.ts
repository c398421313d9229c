import { randomUUID } from 'node:crypto'
import { bounded, MAX_TIMER_MS, type ResolvedOptions, resolveOptions } from './config.js'
import { flushAtExit, forgetAtExit, type Leftover } from './exit-flush.js'
import { MAX_BATCH_BYTES, MemoryQueue, type QueuedBatch } from './memory-queue.js'
import { createPoster, type Poster, type PostOutcome } from './post.js'
import { Spool } from './spool.js'
import type { SvcFailure, SvcOptions, SvcStats, TrackedEvent } from './types.js'
import { sumUpWarnings } from './warnings.js'

/** Set when the package is built. */
declare const SVC_EVENTS_VERSION: string | undefined
const VERSION = typeof SVC_EVENTS_VERSION === 'string' ? SVC_EVENTS_VERSION : '0.0.0'
const SDK = `svc-events-node/${VERSION}`

const DEFAULT_CLOSE_MS = 5_000
const FIRST_BACKOFF_MS = 250
const MAX_BACKOFF_MS = 30_000
const SPOOL_RETRY_MS = 1_000

type Fields = { readonly [Field in keyof TrackedEvent]?: unknown } & { readonly sdkVersion?: unknown }
type Lines = readonly string[]

interface FlushWaiter {
  readonly memory: number
  readonly spool: number
  readonly resolve: (isSettled: boolean) => void
}

const LOCKED = {
  code: 'SPOOL_LOCKED',
  message: 'another process, or another object of this one, uses the spool folder: give each its own',
}

export class Client {
  private readonly memory = new MemoryQueue()
  private readonly spool: Spool | undefined
  private readonly poster: Poster | undefined
  private readonly options: ResolvedOptions
  private readonly headers: Readonly<Record<string, string>>
  private readonly counts = {
    tracked: 0,
    accepted: 0,
    refused: 0,
    lost: 0,
    dropped: 0,
    requests: 0,
    retries: 0,
  }
  private readonly acceptedByHour: Record<string, number> = {}
  private readonly aborted = new AbortController()
  private opening: Promise<unknown> | undefined
  private sending: Promise<void> | undefined
  private timer: NodeJS.Timeout | undefined
  private wake = (): void => {}
  /** Lines that are to be sent without waiting for more. */
  private due = 0
  private isClosed = false
  private closing: Promise<boolean> | undefined
  private waiters: FlushWaiter[] = []
  private isFull = false
  private isHurrying = false
  private isSpoolTurn = false
  private spoolFailure: Pick<SvcFailure, 'code' | 'message'> | undefined

  constructor(options?: SvcOptions | null) {
    this.options = resolveOptions(options ?? {})
    const { key, spool } = this.options
    this.headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'user-agent': SDK }
    this.poster = this.createPoster()
    if (this.poster === undefined) return
    if (spool !== undefined) {
      this.spool = new Spool(spool, (error) => this.report('SPOOL_FAILED', messageOf(error)))
      this.opening = this.openSpool(this.spool)
    } else if (this.options.isDurable) this.report('NOT_CONFIGURED', 'durable needs a spool folder')
    flushAtExit(this)
  }

  track(event: TrackedEvent): boolean | Promise<boolean> {
    if (this.options.isDurable) return this.trackDurably(event)
    const line = this.lineOf(() => eventLine(event))
    return line !== undefined && this.enqueue(line, false)
  }

  alias(link: { anonymousId: string; userId: string }): boolean | Promise<boolean> {
    const line = this.lineOf(() => aliasLine(link))
    if (line === undefined) return this.options.isDurable ? Promise.resolve(false) : false
    return this.options.isDurable ? this.store(line, true) : this.enqueue(line, true)
  }

  async trackDurably(event: TrackedEvent): Promise<boolean> {
    const line = this.lineOf(() => eventLine(event))
    return line !== undefined && this.store(line, false)
  }

  async flush(ms?: number): Promise<boolean> {
    await this.opening
    const { memory, spool } = this
    if (this.unsettled(true) === 0) return true
    this.sendAll()
    let timer: NodeJS.Timeout | undefined
    // The timer keeps the process alive while the caller waits.
    const isSettled = await new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), bounded(ms, 0, MAX_TIMER_MS, this.options.timeoutMs))
      this.waiters.push({ memory: memory.added, spool: spool?.added ?? 0, resolve })
    })
    clearTimeout(timer)
    return isSettled
  }

  close(ms?: number): Promise<boolean> {
    this.closing ??= this.shutDown(bounded(ms, 0, MAX_TIMER_MS, DEFAULT_CLOSE_MS))
    return this.closing
  }

  stats(): SvcStats {
    const { tracked, accepted, refused, lost, dropped, requests, retries } = this.counts
    const recovered = this.spool?.recovered ?? 0
    const queued = tracked + recovered - accepted - refused - lost
    const queuedBytes = this.memory.bytes
    const acceptedByHour = { ...this.acceptedByHour }
    return {
      ...{ tracked, recovered, accepted, refused, lost, queued, dropped, queuedBytes, requests, retries },
      acceptedByHour,
    }
  }

  /** The process is about to end: tries at once and more often. Keeps to a `Retry-After`. */
  hurry(): void {
    this.isHurrying = true
    this.wake()
  }

  /** Lines in memory and, for `withSpool`, on disk that svc has not settled. */
  unsettled(withSpool: boolean): number {
    const inSpool = withSpool && this.spool !== undefined ? this.spool.added - this.spool.settled : 0
    return this.memory.added - this.memory.settled + inSpool
  }

  /** The events in memory, as requests. */
  leftover(): Leftover {
    const requests = this.memory.unsettled().map(({ isAlias, lines }) => requestOf(isAlias, lines))
    return { url: this.options.url.replace(/\/*$/, ''), headers: this.headers, requests }
  }

  /** Reports the events in memory as lost. */
  giveUp(): void {
    const batches = this.memory.unsettled().filter(({ isAlias }) => !isAlias)
    const events = batches.flatMap(({ lines }) => lines.map(parse))
    this.memory.clear()
    if (events.length === 0) return
    this.counts.lost += events.length
    this.report('CLOSED', `${events.length} events were not sent in time`, null, events)
  }

  private createPoster(): Poster | undefined {
    const { url, key, timeoutMs, gzip } = this.options
    try {
      if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('SVC_SERVER_KEY is not set, or is no key')
      return createPoster({ url, headers: this.headers, timeoutMs, gzip })
    } catch (error) {
      this.report('NOT_CONFIGURED', messageOf(error))
      return undefined
    }
  }

  /** Repeated while another process has the folder: the one before this may be about to end. */
  private async openSpool(spool: Spool): Promise<void> {
    if (this.isClosed) return
    try {
      this.spoolFailure = (await spool.open()) ? undefined : LOCKED
    } catch (error) {
      this.spoolFailure = { code: 'SPOOL_FAILED', message: messageOf(error) }
    }
    if (this.spoolFailure === undefined) return this.schedule()
    setTimeout(() => void this.openSpool(spool), SPOOL_RETRY_MS).unref()
  }

  private lineOf(make: () => string): string | undefined {
    if (this.isClosed || this.poster === undefined) return this.drop()
    try {
      const line = make()
      if (Buffer.byteLength(line) < MAX_BATCH_BYTES) return line
      this.report('EVENT_TOO_LARGE', `an event has more than ${MAX_BATCH_BYTES} bytes`)
    } catch (error) {
      this.report('EVENT_INVALID', messageOf(error))
    }
    return this.drop()
  }

  private drop(): undefined {
    this.counts.dropped++
  }

  private enqueue(line: string, isAlias: boolean): boolean {
    const bytes = Buffer.byteLength(line)
    if (this.memory.bytes + bytes > this.options.maxQueueBytes) {
      this.drop()
      if (!this.isFull) this.report('QUEUE_FULL', `events wait in ${this.memory.bytes} bytes of memory`)
      this.isFull = true
      return false
    }
    this.memory.add(line, bytes, isAlias)
    if (!isAlias) this.counts.tracked++
    this.schedule()
    return true
  }

  private async store(line: string, isAlias: boolean): Promise<boolean> {
    await this.opening
    const { spool } = this
    if (spool === undefined) this.report('NOT_CONFIGURED', 'durable events need the option spool')
    else if (this.spoolFailure !== undefined) this.report(this.spoolFailure.code, this.spoolFailure.message)
    else if (spool.pendingLength + line.length > this.options.maxQueueBytes)
      this.report('QUEUE_FULL', 'the disk is slower than the events')
    else if (await spool.append(line)) {
      if (!isAlias) this.counts.tracked++
      this.schedule()
      return true
    }
    this.drop()
    return false
  }

  private waiting(): number {
    return this.memory.length + (this.spool?.length ?? 0)
  }

  private schedule(isStuck = false): void {
    if (this.sending !== undefined) return
    const waiting = this.waiting()
    if (waiting >= this.options.flushAt && !isStuck) this.sendAll()
    else if (waiting > 0) {
      const ms = isStuck ? SPOOL_RETRY_MS : this.options.flushIntervalMs
      this.timer ??= setTimeout(() => this.sendAll(), ms).unref()
    }
  }

  private sendAll(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.due = this.waiting()
    this.sending ??= this.sendDue()
  }

  private async sendDue(): Promise<void> {
    // Calls of the same turn fill the batch.
    await undefined
    while (!this.aborted.signal.aborted) {
      const waiting = this.waiting()
      if (waiting >= this.options.flushAt || this.isClosed) this.due = waiting
      const next = this.due > 0 ? this.takeNext() : undefined
      if (next === undefined) break
      const [queue, batch] = next
      this.due -= batch.lines.length
      const unsent = await this.deliver(batch.isAlias, batch.lines)
      if (unsent.length === 0) queue.settle(batch)
      else if (queue === this.spool) queue.giveBack(batch)
      this.settleWaiters()
    }
    // Lines remain due if the disk cannot be read: not at once again.
    const isStuck = this.due > 0
    this.due = 0
    this.sending = undefined
    if (!this.aborted.signal.aborted) this.schedule(isStuck)
  }

  /** Memory and spool in turns. */
  private takeNext(): [MemoryQueue | Spool, QueuedBatch] | undefined {
    const { memory, spool } = this
    this.isSpoolTurn = !this.isSpoolTurn
    for (const queue of this.isSpoolTurn ? [spool, memory] : [memory, spool]) {
      try {
        const batch = queue?.take()
        if (queue !== undefined && batch !== undefined) return [queue, batch]
      } catch (error) {
        this.report('SPOOL_FAILED', messageOf(error))
      }
    }
    return undefined
  }

  private settleWaiters(): void {
    const { memory, spool } = this
    const isSettled = (waiter: FlushWaiter): boolean =>
      memory.settled >= waiter.memory && (spool?.settled ?? 0) >= waiter.spool
    for (const waiter of this.waiters) if (isSettled(waiter)) waiter.resolve(true)
    this.waiters = this.waiters.filter((waiter) => !isSettled(waiter))
  }

  /** Sends lines until each is accepted or refused. Resolves with the rest if the time of `close` is over. */
  private async deliver(isAlias: boolean, lines: Lines): Promise<Lines> {
    for (let attempt = 0; lines.length > 0; ) {
      const outcome = await this.post(isAlias, lines)
      if (outcome.kind === 'accepted') {
        if (!isAlias) {
          this.countAccepted(lines.length)
          this.warn(outcome.warnings, lines)
        }
        this.isFull = false
        return []
      }
      if (outcome.kind === 'failed') {
        if (this.aborted.signal.aborted) return lines
        this.counts.retries++
        this.report(outcome.code, outcome.message, outcome.status)
        await this.pause(outcome.waitMs, attempt++)
        if (this.aborted.signal.aborted) return lines
        continue
      }
      attempt = 0
      if (outcome.named.size === 0 && lines.length > 1) {
        const middle = lines.length >> 1
        const unsent = await this.deliver(isAlias, lines.slice(0, middle))
        if (unsent.length > 0) return [...unsent, ...lines.slice(middle)]
        lines = lines.slice(middle)
        continue
      }
      lines = this.refuse(isAlias, lines, outcome)
    }
    return []
  }

  private countAccepted(events: number): void {
    const hour = `${new Date().toISOString().slice(0, 13)}:00:00.000Z`
    this.acceptedByHour[hour] = (this.acceptedByHour[hour] ?? 0) + events
    this.counts.accepted += events
  }

  private async post(isAlias: boolean, lines: Lines): Promise<PostOutcome> {
    this.counts.requests++
    const events = isAlias ? undefined : lines.length
    const { poster, aborted } = this
    if (poster === undefined) return { kind: 'failed', status: null, code: 'CLOSED', message: '', waitMs: 0 }
    const { path, body } = requestOf(isAlias, lines)
    const query = this.options.warnings && !isAlias ? '?warnings=true' : ''
    return poster.post({ path: path + query, body, events }, aborted.signal)
  }

  /** Reports the lines that svc names, or the only one. Returns the others. */
  private refuse(isAlias: boolean, lines: Lines, outcome: Extract<PostOutcome, { kind: 'refused' }>): Lines {
    const { code, message, status, named } = outcome
    const isNamed = (index: number): boolean => named.size === 0 || named.has(index)
    for (const [index, line] of lines.entries())
      if (isNamed(index)) this.report(code, named.get(index) ?? message, status, [parse(line)])
    const rest = lines.filter((_, index) => !isNamed(index))
    // Names of events that are not in the request would repeat it for ever.
    const kept = rest.length < lines.length ? rest : []
    if (!isAlias) this.counts.refused += lines.length - kept.length
    return kept
  }

  /** Full jitter, so that clients do not all return at once. `hurry` ends it. */
  private pause(retryAfterMs: number, attempt: number): Promise<void> {
    const most = Math.min(
      MAX_BACKOFF_MS,
      FIRST_BACKOFF_MS * 2 ** (this.isHurrying ? 1 : Math.min(attempt, 20)),
    )
    const backoff = Math.random() * most
    const until = Date.now() + retryAfterMs
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        this.aborted.signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, retryAfterMs + backoff).unref()
      this.wake = () => void (Date.now() >= until && end())
      this.aborted.signal.addEventListener('abort', end)
    })
  }

  private async shutDown(ms: number): Promise<boolean> {
    this.isClosed = true
    // The timer keeps the process alive until all is sent or the time is over.
    const timer = setTimeout(() => this.aborted.abort(), ms)
    await this.opening
    this.hurry()
    this.sendAll()
    await this.sending
    clearTimeout(timer)
    this.aborted.abort()
    const isDone = this.unsettled(true) === 0
    for (const { resolve } of this.waiters) resolve(isDone)
    this.giveUp()
    await this.spool?.close()
    this.poster?.close()
    forgetAtExit(this)
    return isDone
  }

  private warn(answered: unknown, lines: Lines): void {
    if (!this.options.warnings) return
    try {
      const eventAt = (index: number): string => String((parse(lines[index] ?? '') as Fields | null)?.event)
      for (const warning of sumUpWarnings(answered, eventAt)) this.options.onWarning(warning)
    } catch {
      // A failing handler must not stop the events.
    }
  }

  private report(code: string, message: string, status: number | null = null, events: unknown[] = []): void {
    try {
      this.options.onError({ code, message, status, events })
    } catch {
      // A failing error handler must not stop the events.
    }
  }
}

function requestOf(isAlias: boolean, lines: Lines): { path: string; body: string } {
  if (isAlias) return { path: '/v1/alias', body: lines[0] ?? '' }
  return {
    path: '/v1/events',
    body: `{"sentAt":"${new Date().toISOString()}","events":[${lines.join(',')}]}`,
  }
}

function eventLine(fields: Fields): string {
  const { event, userId, anonymousId, properties, timestamp, insertId, sdkVersion = SDK } = fields
  const time = typeof timestamp === 'string' ? timestamp : isoTime(timestamp ?? Date.now())
  // The spool tells events from links by the first field.
  const ordered = { insertId: insertId ?? randomUUID(), timestamp: time, event, userId, anonymousId }
  return JSON.stringify({ ...ordered, properties, sdkVersion })
}

function aliasLine({ anonymousId, userId }: { anonymousId: string; userId: string }): string {
  return JSON.stringify({ anonymousId: String(anonymousId), userId: String(userId) })
}

/** @throws RangeError for an invalid date */
function isoTime(time: unknown): string {
  return new Date(time as number | Date).toISOString()
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // Damaged on disk.
    return line
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
