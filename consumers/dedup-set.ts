/**
 * How many tables one set is cut into. Each grows alone, so no addition waits for more than a 256th of the set: a millisecond at ten
 * million ids. More tables would not stay in the processor's cache.
 */
const TABLES = 256
const FIRST_SLOTS = 64
/** Above this part of its slots in use a table grows; long probes cost more than the memory saved. */
const FULLEST = 0.8
const GROWTH = 1.5
const WORDS = 4
const BYTES_PER_SLOT = WORDS * 4
/** What an empty typed array costs beside its contents, roughly. */
const TABLE_OVERHEAD_BYTES = 160

const TWO_32 = 2 ** 32

/**
 * An exact set of 128-bit hashes in typed arrays: open addressing with linear probing, sixteen bytes a slot. A hash is four
 * signed 32-bit words, lowest first, as they stand in a row; the all-zero hash means "none" and must not be added. Signed, since V8 holds
 * such numbers without allocating.
 *
 * The highest words choose table and slot: the lowest one chose the partition already, and is the same modulo its count for
 * all that meet here.
 */
export class DedupSet {
  private readonly tables: Int32Array[] = []
  private readonly used = new Uint32Array(TABLES)
  private count = 0
  private slots = 0

  constructor() {
    for (let i = 0; i < TABLES; i++) this.tables.push(EMPTY)
  }

  get size(): number {
    return this.count
  }

  /** Memory held, bytes. */
  get bytes(): number {
    return this.slots * BYTES_PER_SLOT + TABLES * TABLE_OVERHEAD_BYTES
  }

  has(w0: number, w1: number, w2: number, w3: number): boolean {
    const table = this.tables[w3 >>> 24] as Int32Array
    const words = table.length
    if (words === 0) return false
    let at = slotOf(w2, words)
    for (;;) {
      const s0 = table[at] as number
      const s1 = table[at + 1] as number
      const s2 = table[at + 2] as number
      const s3 = table[at + 3] as number
      if (s0 === w0 && s1 === w1 && s2 === w2 && s3 === w3) return true
      if ((s0 | s1 | s2 | s3) === 0) return false
      at += WORDS
      if (at === words) at = 0
    }
  }

  /** Adds a hash; false when it was there. */
  add(w0: number, w1: number, w2: number, w3: number): boolean {
    const index = w3 >>> 24
    let table = this.tables[index] as Int32Array
    const used = this.used[index] as number
    if ((used + 1) * WORDS > table.length * FULLEST) {
      if (this.has(w0, w1, w2, w3)) return false
      table = this.grow(index)
    }
    const words = table.length
    let at = slotOf(w2, words)
    for (;;) {
      const s0 = table[at] as number
      const s1 = table[at + 1] as number
      const s2 = table[at + 2] as number
      const s3 = table[at + 3] as number
      if (s0 === w0 && s1 === w1 && s2 === w2 && s3 === w3) return false
      if ((s0 | s1 | s2 | s3) === 0) break
      at += WORDS
      if (at === words) at = 0
    }
    table[at] = w0
    table[at + 1] = w1
    table[at + 2] = w2
    table[at + 3] = w3
    this.used[index] = used + 1
    this.count++
    return true
  }

  private grow(index: number): Int32Array {
    const old = this.tables[index] as Int32Array
    const oldSlots = old.length / WORDS
    const slots = oldSlots === 0 ? FIRST_SLOTS : Math.ceil(oldSlots * GROWTH)
    const table = new Int32Array(slots * WORDS)
    const words = table.length
    for (let from = 0; from < old.length; from += WORDS) {
      const w0 = old[from] as number
      const w1 = old[from + 1] as number
      const w2 = old[from + 2] as number
      const w3 = old[from + 3] as number
      if ((w0 | w1 | w2 | w3) === 0) continue
      let at = slotOf(w2, words)
      while (
        ((table[at] as number) |
          (table[at + 1] as number) |
          (table[at + 2] as number) |
          (table[at + 3] as number)) !==
        0
      ) {
        at += WORDS
        if (at === words) at = 0
      }
      table[at] = w0
      table[at + 1] = w1
      table[at + 2] = w2
      table[at + 3] = w3
    }
    this.tables[index] = table
    this.slots += slots - oldSlots
    return table
  }
}

const EMPTY = new Int32Array(0)

/** The first word of the slot where a search begins: the word scaled to the table, so that any number of slots will do. */
function slotOf(word: number, words: number): number {
  return Math.floor(((word >>> 0) / TWO_32) * (words / WORDS)) * WORDS
}

/**
 * The hashes of one block that are not stored yet. It holds the numbers of the rows only, in a table of a fixed size for each block: the
 * hashes themselves are the block's.
 */
export class PendingHashes {
  private rows = new Int32Array(0)
  private count = 0

  /** Forgets everything and makes room for so many hashes. */
  reset(most: number): void {
    this.count = 0
    let slots = 1024
    while (slots < most * 2) slots *= 2
    if (slots > this.rows.length || slots * 16 < this.rows.length) this.rows = new Int32Array(slots)
    else this.rows.fill(0)
  }

  /** Adds the hash of a row, its words at `row * 4` of `hashes`; false when an equal one was there. */
  add(hashes: Int32Array, row: number): boolean {
    const { rows } = this
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
