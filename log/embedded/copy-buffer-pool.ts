const PAGE_BYTES = 2 * 1024 * 1024

/**
 * Reused memory for the copies of one batch after the other. Allocating hundreds of megabytes a second would
 * make the collector run every few batches and cost a tenth of the consumer.
 */
export class CopyBufferPool {
  private pages: Uint8Array[] = []
  private page = 0
  private used = 0

  /** A copy that is valid until `reuse` or `release`. */
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

  /** Allows the copies so far to be overwritten. */
  reuse(): void {
    this.page = 0
    this.used = 0
  }

  /** Also frees all pages but one. */
  release(): void {
    this.reuse()
    this.pages.length = Math.min(this.pages.length, 1)
  }
}
