import { PAGE_WORDS, type PagePool } from './page-pool.js'

const WORDS = 3
const PAGE_BITS = 12
const PAGE_SLOTS = 2 ** PAGE_BITS
const PAGE_MASK = PAGE_SLOTS - 1
const FIRST_SLOTS = 16
/** Load factor above which a table grows. Growing in small steps keeps it at 13.8 to 16.6 bytes an id. */
const FULLEST = 0.87
const GROWTH = 1.2
const SMALL_GROWTH = 1.5
const TWO_32 = 2 ** 32

/**
 * An exact set of ids of three 32-bit words, not all zero: open addressing with linear probing, twelve bytes
 * a slot, in pages. The third word chooses the slot proportionally, so growing walks memory in order.
 */
export class HashSet {
  /** Full pages, except for a single smaller one while the table is small. */
  private pages: Int32Array[] = []
  private slots = 0
  private used = 0

  constructor(private readonly pool: PagePool) {}

  get size(): number {
    return this.used
  }

  get bytes(): number {
    return this.slots * WORDS * 4
  }

  has(w0: number, w1: number, w2: number): boolean {
    const { pages, slots } = this
    if (slots === 0) return false
    let slot = firstSlot(w2, slots)
    for (;;) {
      const page = pages[slot >>> PAGE_BITS] as Int32Array
      const at = (slot & PAGE_MASK) * WORDS
      const s0 = page[at] as number
      const s1 = page[at + 1] as number
      const s2 = page[at + 2] as number
      if (s0 === w0 && s1 === w1 && s2 === w2) return true
      if ((s0 | s1 | s2) === 0) return false
      if (++slot === slots) slot = 0
    }
  }

  /** Reads a word where the search for an id starts, which loads that memory. */
  prefetch(w2: number): number {
    const { pages, slots } = this
    if (slots === 0) return 0
    const slot = firstSlot(w2, slots)
    return (pages[slot >>> PAGE_BITS] as Int32Array)[(slot & PAGE_MASK) * WORDS] as number
  }

  add(w0: number, w1: number, w2: number): boolean {
    if (this.used >= this.slots * FULLEST - 1) {
      if (this.has(w0, w1, w2)) return false
      this.resize(grown(this.slots))
    }
    const { pages, slots } = this
    let slot = firstSlot(w2, slots)
    for (;;) {
      const page = pages[slot >>> PAGE_BITS] as Int32Array
      const at = (slot & PAGE_MASK) * WORDS
      const s0 = page[at] as number
      const s1 = page[at + 1] as number
      const s2 = page[at + 2] as number
      if ((s0 | s1 | s2) === 0) {
        page[at] = w0
        page[at + 1] = w1
        page[at + 2] = w2
        this.used++
        return true
      }
      if (s0 === w0 && s1 === w1 && s2 === w2) return false
      if (++slot === slots) slot = 0
    }
  }

  reserve(ids: number): void {
    const slots = whole(Math.ceil((ids + 1) / FULLEST) + 1)
    if (slots > this.slots) this.resize(slots)
  }

  forEach(visit: (w0: number, w1: number, w2: number) => void): void {
    for (const page of this.pages)
      for (let at = 0; at < page.length; at += WORDS) {
        const w0 = page[at] as number
        const w1 = page[at + 1] as number
        const w2 = page[at + 2] as number
        if ((w0 | w1 | w2) !== 0) visit(w0, w1, w2)
      }
  }

  release(): void {
    this.pool.release(this.pages)
    this.pages = []
    this.slots = 0
    this.used = 0
  }

  private resize(slots: number): void {
    const ids = this.pool.scratch(this.used * WORDS)
    let end = 0
    for (const page of this.pages)
      for (let at = 0; at < page.length; at += WORDS) {
        const w0 = page[at] as number
        const w1 = page[at + 1] as number
        const w2 = page[at + 2] as number
        if ((w0 | w1 | w2) === 0) continue
        ids[end] = w0
        ids[end + 1] = w1
        ids[end + 2] = w2
        end += WORDS
      }
    const kept = this.slots >= PAGE_SLOTS ? this.pages : []
    for (const page of kept) page.fill(0)
    if (slots < PAGE_SLOTS) kept.push(new Int32Array(slots * WORDS))
    else for (let held = kept.length; held * PAGE_SLOTS < slots; held++) kept.push(this.pool.acquire())
    this.pages = kept
    this.slots = slots
    for (let from = 0; from < end; from += WORDS) {
      const w2 = ids[from + 2] as number
      let slot = firstSlot(w2, slots)
      for (;;) {
        const page = kept[slot >>> PAGE_BITS] as Int32Array
        const at = (slot & PAGE_MASK) * WORDS
        if (((page[at] as number) | (page[at + 1] as number) | (page[at + 2] as number)) === 0) {
          page[at] = ids[from] as number
          page[at + 1] = ids[from + 1] as number
          page[at + 2] = w2
          break
        }
        if (++slot === slots) slot = 0
      }
    }
  }
}

function firstSlot(word: number, slots: number): number {
  return Math.floor(((word >>> 0) / TWO_32) * slots)
}

function grown(slots: number): number {
  if (slots < PAGE_SLOTS) return whole(Math.max(FIRST_SLOTS, Math.ceil(slots * SMALL_GROWTH)))
  return whole(Math.ceil(slots * GROWTH))
}

/** Rounds up to whole pages, except below one page. */
function whole(slots: number): number {
  return slots * WORDS <= PAGE_WORDS * 0.9 ? slots : Math.ceil(slots / PAGE_SLOTS) * PAGE_SLOTS
}
