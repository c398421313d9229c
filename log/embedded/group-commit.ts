import { LogOutcomeUnknownError, type LogRecord, LogUnavailableError } from '../port.js'

export interface GroupCommitOptions {
  /**
   * Runs one transaction. Calls `take` when it holds the lock, because more requests have come by then, and
   * writes all it gets. Resolves when that is durable.
   *
   * @throws LogUnavailableError if nothing was written, LogOutcomeUnknownError otherwise
   */
  readonly transaction: (take: () => readonly LogRecord[]) => Promise<void>
  /** Milliseconds after a transaction of several records until the next: one costs the same for many. */
  readonly gatherMs: number
  /** A transaction starts at once if so many bytes wait for it. */
  readonly enoughBytes: number
  /** A transaction accepts no further request beyond this. */
  readonly maxGroupBytes: number
  /** Payload bytes that may wait or be written. Requests beyond it are refused at once. */
  readonly maxBytesInFlight: number
  /** A longer transaction counts as lost: unknown for its requests, refused for those behind it. */
  readonly patienceMs: number
}

/** From so many records on it pays to wait. A client that sends one request after the other does not wait. */
const SEVERAL_RECORDS = 8

interface Request {
  readonly records: readonly LogRecord[]
  readonly bytes: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/**
 * Gathers requests into transactions, in the order of the calls. A request is never divided. Requests that
 * arrive during a transaction form the next one, so a busy log has large groups.
 */
export class GroupCommit {
  private waiting: Request[] = []
  private writing: Request[] = []
  private bytes = 0
  private waitingBytes = 0
  private running = false
  private stuck = false
  private closed = false
  private lastRecords = 0
  private lastStart = Number.NEGATIVE_INFINITY
  private hurry: (() => void) | undefined
  private idle: Promise<void> = Promise.resolve()
  private gaveUp = newSignal()

  constructor(private readonly options: GroupCommitOptions) {}

  get bytesInFlight(): number {
    return this.bytes
  }

  /** Resolves when the records are durable. Without records it checks that a transaction would succeed. */
  submit(records: readonly LogRecord[]): Promise<void> {
    let bytes = 0
    for (const record of records) bytes += record.payload.length
    if (this.closed) return Promise.reject(new LogUnavailableError('the log is closed'))
    if (this.stuck) return Promise.reject(new LogUnavailableError('the log does not answer'))
    if (this.bytes + bytes > this.options.maxBytesInFlight)
      return Promise.reject(
        new LogUnavailableError(
          `more than ${this.options.maxBytesInFlight} bytes are waiting to be written to the log`,
        ),
      )
    this.bytes += bytes
    this.waitingBytes += bytes
    return new Promise((resolve, reject) => {
      this.waiting.push({ records, bytes, resolve, reject })
      if (!this.running) this.idle = this.run()
      else if (this.waitingBytes >= this.options.enoughBytes) this.hurry?.()
    })
  }

  /** Refuses new requests and settles the others. False if a transaction was given up and may still run. */
  async close(): Promise<boolean> {
    this.closed = true
    this.hurry?.()
    await Promise.race([this.idle, this.gaveUp.promise])
    return !this.stuck
  }

  private async run(): Promise<void> {
    this.running = true
    while (this.waiting.length > 0) {
      const pauseMs = this.pauseMs()
      if (pauseMs > 0) await this.pause(pauseMs)
      this.lastStart = performance.now()
      const patience = setTimeout(() => this.giveUp(), this.options.patienceMs)
      let failure: Error | undefined
      try {
        await this.options.transaction(() => this.take())
      } catch (error) {
        failure = error instanceof Error ? error : new LogOutcomeUnknownError(String(error))
      }
      clearTimeout(patience)
      // A transaction that failed before it took anything would fail again for those who wait.
      if (failure !== undefined && this.writing.length === 0) this.take()
      if (this.stuck) this.gaveUp = newSignal()
      this.stuck = false
      this.settle(failure)
    }
    this.running = false
  }

  private pauseMs(): number {
    const { gatherMs, enoughBytes } = this.options
    if (this.closed || this.lastRecords < SEVERAL_RECORDS || this.waitingBytes >= enoughBytes) return 0
    return this.lastStart + gatherMs - performance.now()
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.hurry = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  private take(): LogRecord[] {
    const records: LogRecord[] = []
    let bytes = 0
    let count = 0
    for (const request of this.waiting) {
      if (count > 0 && bytes + request.bytes > this.options.maxGroupBytes) break
      for (const record of request.records) records.push(record)
      bytes += request.bytes
      count++
    }
    this.writing = this.waiting.splice(0, count)
    this.waitingBytes -= bytes
    this.lastRecords = records.length
    return records
  }

  private settle(failure: Error | undefined): void {
    const requests = this.writing
    this.writing = []
    for (const request of requests) {
      this.bytes -= request.bytes
      if (failure === undefined) request.resolve()
      else request.reject(failure)
    }
  }

  /** The transaction hangs: another process holds the lock, or the disk does not answer. */
  private giveUp(): void {
    this.stuck = true
    this.gaveUp.resolve()
    this.settle(new LogOutcomeUnknownError(`the log did not answer for ${this.options.patienceMs} ms`))
    this.waitingBytes = 0
    for (const request of this.waiting.splice(0)) {
      this.bytes -= request.bytes
      request.reject(new LogUnavailableError('the log does not answer'))
    }
  }
}

function newSignal(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
