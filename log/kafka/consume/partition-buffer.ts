import { setTimeout as after } from 'node:timers/promises'
import { batchLength } from '../../partition-runner.js'
import type { StoredRecord } from '../../port.js'

/** The records of one partition between the broker and the handler, from one position on. */
export class PartitionBuffer {
  private readonly pending: StoredRecord[] = []
  private pendingBytes = 0
  private failure: Error | undefined
  private wake: (() => void)[] = []
  private stableEnd = 0
  private open = true

  /**
   * @param index of the partition in its topic
   * @param cursor the offset to read next
   * @param limitBytes payload bytes above which nothing more is read
   * @param changed called when more is wanted again
   */
  constructor(
    readonly index: number,
    private cursor: number,
    private limitBytes: number,
    private readonly changed: () => void,
  ) {}

  /** The offset to fetch next. Undefined while enough waits. */
  get wanted(): number | undefined {
    return this.open && this.failure === undefined && this.pendingBytes < this.limitBytes
      ? this.cursor
      : undefined
  }

  get isOpen(): boolean {
    return this.open
  }

  get bytes(): number {
    return this.pendingBytes
  }

  get isEmpty(): boolean {
    return this.pending.length === 0
  }

  /** Everything below was taken or is no record. Only valid if the buffer is empty. */
  get position(): number {
    return this.cursor
  }

  /** Whether the broker was known to have more. */
  get isBehind(): boolean {
    return this.cursor < this.stableEnd
  }

  readUpTo(limitBytes: number): void {
    this.limitBytes = limitBytes
    if (this.wanted !== undefined) this.changed()
  }

  /** Adds what was read from offset `asked`. Dropped if the cursor has moved since. */
  put(asked: number, records: readonly StoredRecord[], next: number, stableEnd: number): void {
    if (!this.open || asked !== this.cursor) return
    this.stableEnd = stableEnd
    if (next === asked) return
    this.cursor = next
    for (const record of records) {
      this.pending.push(record)
      this.pendingBytes += record.payload.length
    }
    this.notify()
  }

  fail(asked: number, error: Error): void {
    if (asked !== this.cursor) return
    this.failure ??= error
    this.notify()
  }

  /** The next records, at least one and at most `maxBytes`, and where reading goes on. */
  take(maxBytes: number): { readonly records: StoredRecord[]; readonly next: number } {
    const records = this.pending.splice(0, batchLength(this.pending, maxBytes))
    for (const { payload } of records) this.pendingBytes -= payload.length
    return { records, next: this.pending[0]?.offset ?? this.cursor }
  }

  /** Resolves when records come, after so long, or if the signal aborts. Rejects if reading failed. */
  async waitForMore(milliseconds: number, signal: AbortSignal): Promise<void> {
    this.check()
    if (signal.aborted) return
    const ended = new AbortController()
    const abort = (): void => ended.abort()
    signal.addEventListener('abort', abort)
    this.wake.push(abort)
    try {
      await after(milliseconds, undefined, { signal: ended.signal })
    } catch (error) {
      if (!ended.signal.aborted) throw error
    } finally {
      signal.removeEventListener('abort', abort)
    }
    this.check()
  }

  close(): void {
    this.open = false
    this.notify()
  }

  private check(): void {
    if (this.failure !== undefined) throw this.failure
  }

  private notify(): void {
    for (const wake of this.wake.splice(0)) wake()
  }
}
