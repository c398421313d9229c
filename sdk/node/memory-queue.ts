/** Limits of a request; svc accepts twice the bytes. */
export const MAX_BATCH_EVENTS = 500
export const MAX_BATCH_BYTES = 4 * 1_048_576 - 256

/** Consecutive events, or one link. */
export interface QueuedBatch {
  readonly isAlias: boolean
  /** JSON of each. */
  readonly lines: readonly string[]
  readonly bytes: number
}

type OpenBatch = QueuedBatch & { readonly lines: string[]; bytes: number }

/** Cuts events into batches in order. A batch counts until it is settled. */
export class MemoryQueue {
  private batches: OpenBatch[] = []
  private underWay: readonly QueuedBatch[] = []
  /** Lines in `batches`. */
  length = 0
  bytes = 0
  added = 0
  settled = 0

  add(line: string, lineBytes: number, isAlias: boolean): void {
    let last = this.batches[this.batches.length - 1]
    const isFull =
      last === undefined ||
      last.isAlias ||
      isAlias ||
      last.lines.length >= MAX_BATCH_EVENTS ||
      last.bytes + lineBytes + 1 > MAX_BATCH_BYTES
    if (last === undefined || isFull) {
      last = { isAlias, lines: [], bytes: 0 }
      this.batches.push(last)
    }
    last.lines.push(line)
    last.bytes += lineBytes + 1
    this.bytes += lineBytes + 1
    this.length++
    this.added++
  }

  take(): QueuedBatch | undefined {
    const batch = this.batches.shift()
    if (batch === undefined) return undefined
    this.length -= batch.lines.length
    this.underWay = [batch]
    return batch
  }

  settle(batch: QueuedBatch): void {
    this.underWay = []
    this.bytes -= batch.bytes
    this.settled += batch.lines.length
  }

  /** All that is not settled, in order. */
  unsettled(): readonly QueuedBatch[] {
    return [...this.underWay, ...this.batches]
  }

  clear(): void {
    this.batches = []
    this.underWay = []
    this.length = 0
    this.bytes = 0
  }
}
