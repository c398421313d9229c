const PAGE_BYTES = 2 * 1024 * 1024

/**
 * Memory for the copies of one batch after the other. Taken anew each time it would be some hundred megabytes a second, which the collector answers with a whole collection every few batches, on
 * several threads: a tenth of what a consumer costs.
 */
export class CopyBufferPool {
  private pages: Uint8Array[] = []
  private page = 0
  private used = 0

  /** A copy that stands until `reuse` or `release`. */
  copy(value: Uint8Array): Uint8Array {
    if (value.length > PAGE_BYTES) return new Uint8Array(value)
    if (this.used + value.length > PAGE_BYTES) {
      this.page++
      this.used = 0
    }
    const page = this.pages[this.page] ?? new Uint8Array(PAGE_BYTES)
    this.pages[this.page] = page
    const copy = page.subarray(this.used, this.used + value.length)
    copy.set(value)
    this.used += value.length
    return copy
  }

  /** What has been copied so far may be written over. */
  reuse(): void {
    this.page = 0
    this.used = 0
  }

  /** The same, and all but a page goes back. */
  release(): void {
    this.reuse()
    this.pages.length = Math.min(this.pages.length, 1)
  }
}
