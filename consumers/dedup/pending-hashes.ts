import { sortKey } from './sorted-ids.js'

const WORDS = 4

/**
 * The hashes of one block and month that are not stored yet. Holds row numbers only, in a table sized once
 * per use; the hashes are the caller's.
 */
export class PendingHashes {
  private rows = new Int32Array(0)
  private count = 0
  private shift = 0

  get bytes(): number {
    return this.rows.byteLength
  }

  reset(most: number): void {
    this.count = 0
    let slots = 1024
    while (slots < most * 2) slots *= 2
    if (slots > this.rows.length || slots * 16 < this.rows.length) this.rows = new Int32Array(slots)
    else this.rows.fill(0)
    this.shift = Math.clz32(this.rows.length) + 1
  }

  /** Adds the hash of a row, words at `row * 4`. False if an equal one was there. */
  add(hashes: Int32Array, row: number): boolean {
    const { rows } = this
    const mask = rows.length - 1
    if (this.count * 2 > mask) throw new RangeError('more hashes than the block was said to have')
    const at = row * WORDS
    const w0 = hashes[at] as number
    const w1 = hashes[at + 1] as number
    const w2 = hashes[at + 2] as number
    const w3 = hashes[at + 3] as number
    // By table first, so that rows in that order stay in one part of the slots.
    let slot = sortKey(w2, w3) >>> this.shift
    for (;;) {
      const other = rows[slot] as number
      if (other === 0) break
      const from = (other - 1) * WORDS
      if (
        hashes[from] === w0 &&
        hashes[from + 1] === w1 &&
        hashes[from + 2] === w2 &&
        hashes[from + 3] === w3
      )
        return false
      slot = (slot + 1) & mask
    }
    rows[slot] = row + 1
    this.count++
    return true
  }
}
