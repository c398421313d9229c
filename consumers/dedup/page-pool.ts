/** Words of a page: 4,096 slots of a `HashSet`, or 1,536 blocks of a `BlockedBloomFilter`. */
export const PAGE_WORDS = 12_288
export const PAGE_BYTES = PAGE_WORDS * 4

/**
 * Pages of memory for the id sets. Released pages are reused, so growing and dropping make no garbage: V8
 * collects typed arrays so late that a second set would be allocated beside a dropped one.
 */
export class PagePool {
  private readonly free: Int32Array[] = []
  private buffer = new Int32Array(0)

  get idleBytes(): number {
    return this.free.length * PAGE_BYTES + this.buffer.byteLength
  }

  acquire(): Int32Array {
    const page = this.free.pop()
    if (page === undefined) return new Int32Array(PAGE_WORDS)
    page.fill(0)
    return page
  }

  /** Arrays of another length than a page are left to V8. The caller must not use a released page again. */
  release(pages: readonly Int32Array[]): void {
    for (const page of pages) if (page.length === PAGE_WORDS) this.free.push(page)
  }

  /** Frees idle pages of about so many bytes. False if none wait. */
  trim(bytes: number): boolean {
    const pages = Math.max(0, Math.min(this.free.length, Math.ceil(bytes / PAGE_BYTES)))
    this.free.length -= pages
    return pages > 0
  }

  /** A temporary buffer of at least so many words, with any content. The next call returns the same one. */
  scratch(words: number): Int32Array {
    if (this.buffer.length < words) this.buffer = new Int32Array(Math.ceil(words * 1.25))
    return this.buffer
  }
}
