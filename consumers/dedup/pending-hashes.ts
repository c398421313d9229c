const WORDS = 4

/**
 * The hashes of one block that are not stored yet, each with its month. Holds row numbers only, in a table
 * sized once per block; the hashes are the block's.
 */
export class PendingHashes {
  private rows = new Int32Array(0)
  private months = new Int32Array(0)
  private count = 0

  get bytes(): number {
    return this.rows.byteLength + this.months.byteLength
  }

  reset(most: number): void {
    this.count = 0
    let slots = 1024
    while (slots < most * 2) slots *= 2
    if (slots > this.rows.length || slots * 16 < this.rows.length) {
      this.rows = new Int32Array(slots)
      this.months = new Int32Array(slots)
    } else this.rows.fill(0)
  }

  /** Adds the hash of a row, words at `row * 4`. False if an equal one of the month was there. */
  add(hashes: Int32Array, row: number, month: number): boolean {
    const { rows, months } = this
    const mask = rows.length - 1
    if (this.count * 2 > mask) throw new RangeError('more hashes than the block was said to have')
    const at = row * WORDS
    const w0 = hashes[at] as number
    const w1 = hashes[at + 1] as number
    const w2 = hashes[at + 2] as number
    const w3 = hashes[at + 3] as number
    let slot = w2 & mask
    for (;;) {
      const other = rows[slot] as number
      if (other === 0) break
      const from = (other - 1) * WORDS
      if (
        hashes[from] === w0 &&
        hashes[from + 1] === w1 &&
        hashes[from + 2] === w2 &&
        hashes[from + 3] === w3 &&
        months[slot] === month
      )
        return false
      slot = (slot + 1) & mask
    }
    rows[slot] = row + 1
    months[slot] = month
    this.count++
    return true
  }
}
