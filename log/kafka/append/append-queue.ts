import { LogOutcomeUnknownError, type LogRecord, LogUnavailableError } from '../../port.js'

/** Records that are written all or none, and the caller that waits. */
interface Request {
  readonly records: readonly LogRecord[]
  readonly bytes: number
  readonly arrivedAt: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export interface Group {
  requests: readonly Request[]
}

export interface AppendQueueOptions {
  readonly maxGroupBytes: number
  readonly maxBytesInFlight: number
  /** A request that is in no group for so long is refused. Milliseconds. */
  readonly waitMs: number
  /** A request whose group is undecided for so long has an unknown outcome. Milliseconds from its arrival. */
  readonly unknownMs: number
}

/** Encoding more would block the event loop for too long. */
const MAX_GROUP_RECORDS = 4_096
const TICK_MS = 100

/**
 * Requests from call to answer, in the order of the calls. A request waits (nothing of it is written, so it
 * may be refused), or its group is being sent, or its group is undecided.
 */
export class AppendQueue {
  private waiting: Request[] = []
  private readonly undecided = new Set<Group>()
  private bytes = 0
  private unsettled = 0
  private timer: NodeJS.Timeout | undefined
  private idle: (() => void)[] = []

  constructor(private readonly options: AppendQueueOptions) {}

  get isEmpty(): boolean {
    return this.waiting.length === 0
  }

  /** When the oldest waiting request arrived. */
  get oldestArrival(): number | undefined {
    return this.waiting[0]?.arrivedAt
  }

  isFull(): boolean {
    if (this.waiting.length >= MAX_GROUP_RECORDS) return true
    let bytes = 0
    for (const request of this.waiting) {
      bytes += request.bytes
      if (bytes >= this.options.maxGroupBytes) return true
    }
    return false
  }

  /** Rejects at once with LogUnavailableError beyond the bound of bytes. */
  add(records: readonly LogRecord[]): Promise<void> {
    let bytes = 0
    for (const record of records) bytes += record.payload.length
    if (this.bytes + bytes > this.options.maxBytesInFlight)
      return Promise.reject(
        new LogUnavailableError(
          `more than ${this.options.maxBytesInFlight} bytes are waiting to be written to the log`,
        ),
      )
    this.bytes += bytes
    this.unsettled++
    this.timer ??= setInterval(() => this.tick(), TICK_MS)
    return new Promise((resolve, reject) => {
      this.waiting.push({ records, bytes, arrivedAt: performance.now(), resolve, reject })
    })
  }

  take(): Group {
    let bytes = 0
    let records = 0
    let count = 0
    for (const request of this.waiting) {
      bytes += request.bytes
      records += request.records.length
      if (count > 0 && (bytes > this.options.maxGroupBytes || records > MAX_GROUP_RECORDS)) break
      count++
    }
    return { requests: this.waiting.splice(0, count) }
  }

  /** The group was not written. Its requests wait again, first in line, unless they have waited too long. */
  putBack(group: Group, error: unknown): void {
    this.waiting = [...group.requests, ...this.waiting]
    this.refuseLate(error)
  }

  /** From now on the outcome is unknown, until `accept` or `refuse`. */
  markUndecided(group: Group): void {
    this.undecided.add(group)
  }

  accept(group: Group): void {
    this.undecided.delete(group)
    for (const request of group.requests) {
      this.forget(request)
      request.resolve()
    }
  }

  refuse(group: Group, error: Error): void {
    this.undecided.delete(group)
    this.reject(group.requests, error)
  }

  refuseWaiting(error: Error): void {
    this.reject(this.waiting.splice(0), error)
  }

  settled(): Promise<void> {
    if (this.unsettled === 0) return Promise.resolve()
    return new Promise((resolve) => this.idle.push(resolve))
  }

  private tick(): void {
    this.refuseLate(undefined)
    const before = performance.now() - this.options.unknownMs
    for (const group of this.undecided) {
      const late = group.requests.filter(({ arrivedAt }) => arrivedAt < before)
      if (late.length === 0) continue
      group.requests = group.requests.filter(({ arrivedAt }) => arrivedAt >= before)
      this.reject(
        late,
        new LogOutcomeUnknownError('Kafka did not confirm whether the records were committed'),
      )
    }
  }

  private refuseLate(cause: unknown): void {
    const before = performance.now() - this.options.waitMs
    let late = 0
    while ((this.waiting[late]?.arrivedAt ?? Number.POSITIVE_INFINITY) < before) late++
    if (late === 0) return
    const error = new LogUnavailableError(`Kafka accepted nothing for ${this.options.waitMs} ms`, { cause })
    this.reject(this.waiting.splice(0, late), error)
  }

  private reject(requests: readonly Request[], error: Error): void {
    for (const request of requests) {
      this.forget(request)
      request.reject(error)
    }
  }

  private forget(request: Request): void {
    this.bytes -= request.bytes
    if (--this.unsettled > 0) return
    clearInterval(this.timer)
    this.timer = undefined
    for (const resolve of this.idle.splice(0)) resolve()
  }
}
