/** Words of a page: 4,096 slots of a `HashSet`, or 1,536 blocks of a `BlockedBloomFilter`. Smaller ones would make many objects. */
export const PAGE_WORDS = 12_288
export const PAGE_BYTES = PAGE_WORDS * 4

/**
 * Pages of memory for the sets of ids. What one gives back another takes, so that growing and dropping make no garbage: by the time V8
 * collects typed arrays, a second set has been allocated beside the dropped one.
 */
export class PagePool {
  private readonly free: Int32Array[] = []
  private buffer = new Int32Array(0)

  /** Bytes held for whoever comes next. */
  get idleBytes(): number {
    return this.free.length * PAGE_BYTES + this.buffer.byteLength
  }

  /** A page of zeros. */
  acquire(): Int32Array {
    const page = this.free.pop()
    if (page === undefined) return new Int32Array(PAGE_WORDS)
    page.fill(0)
    return page
  }

  /** Arrays of another length than a page are left to V8. Whoever gives one must not use it again. */
  release(pages: readonly Int32Array[]): void {
    for (const page of pages) if (page.length === PAGE_WORDS) this.free.push(page)
  }

  /** Lets go of idle pages for so many bytes; false where there are none. */
  trim(bytes: number): boolean {
    const pages = Math.min(this.free.length, Math.ceil(bytes / PAGE_BYTES))
    this.free.length -= pages
    return pages > 0
  }

  /** Room for a moment, of at least so many words with any content: the next call gives the same. */
  scratch(words: number): Int32Array {
    if (this.buffer.length < words) this.buffer = new Int32Array(Math.ceil(words * 1.25))
    return this.buffer
  }
}
