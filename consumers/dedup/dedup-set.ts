import { BlockedBloomFilter } from './bloom-filter.js'
import { HashSet } from './hash-set.js'
import { PagePool } from './page-pool.js'

/** Each table grows or becomes a filter alone, so no addition waits for more than a 256th of the set. */
export const TABLES = 256
const OVERHEAD_BYTES = 12 * 1024
/** A new filter has room for so many times the ids it starts with. */
const FILTER_ROOM = 2

/** Rows that `prefetch` handles in one call. */
export const PREFETCH_ROWS = 128

/** A set's knowledge of an id. `maybe`: only ClickHouse can tell. */
export const SEEN = { no: 0, yes: 1, maybe: 2 } as const
export type Seen = (typeof SEEN)[keyof typeof SEEN]

/**
 * A set of 128-bit hashes, as four signed 32-bit words, lowest first, as in a row. Signed, because V8 holds
 * such numbers without allocating. The all-zero hash means "none" and must not be added. Never answers `no`
 * for a hash that was added.
 *
 * Each table has one of three forms. Under memory pressure it changes in this order:
 *
 *   exact    three words, plus the highest byte of the fourth, which chooses the table: 104 bits.
 *            The chance that two of 50 million ids agree in them is 6 in 10^17.
 *   filter   a tenth of the size or less; answers `maybe` for what was added and for few others
 *   nothing  answers `maybe` for every hash
 */
export class DedupSet {
  private readonly tables: (HashSet | undefined)[] = []
  private readonly filters: (BlockedBloomFilter | undefined)[] = []
  private readonly counts = new Uint32Array(TABLES)
  /** Hashes whose three stored words are zero, by their fourth word. */
  private readonly bare = new Set<number>()
  private expected = 0
  protected touched = 0
  private reserved = 0
  private nextExact = 0
  private nextFilter = 0

  constructor(private readonly pool: PagePool = new PagePool()) {
    for (let i = 0; i < TABLES; i++) {
      this.tables.push(new HashSet(pool))
      this.filters.push(undefined)
    }
  }

  /** Hashes added. Approximate once a table is not exact, because repeated additions count again. */
  get size(): number {
    let size = this.bare.size
    for (const count of this.counts) size += count
    return size
  }

  /** Lower bound of the hashes, remembered or not. */
  get known(): number {
    return Math.max(this.size, this.reserved)
  }

  get bytes(): number {
    let bytes = OVERHEAD_BYTES
    for (let i = 0; i < TABLES; i++) bytes += (this.tables[i]?.bytes ?? 0) + (this.filters[i]?.bytes ?? 0)
    return bytes
  }

  forms(): { readonly exact: number; readonly filter: number; readonly nothing: number } {
    const exact = this.tables.filter((table) => table !== undefined).length
    const filter = this.filters.filter((one) => one !== undefined).length
    return { exact, filter, nothing: TABLES - exact - filter }
  }

  /** Whether it knows nothing, so that filling it is of no use. */
  get isBlind(): boolean {
    const { exact, filter } = this.forms()
    return exact + filter === 0
  }

  has(w0: number, w1: number, w2: number, w3: number): Seen {
    const table = this.tables[w3 >>> 24]
    if (table !== undefined) {
      if ((w0 | w1 | w2) === 0) return this.bare.has(w3) ? SEEN.yes : SEEN.no
      return table.has(w0, w1, w2) ? SEEN.yes : SEEN.no
    }
    const filter = this.filters[w3 >>> 24]
    return filter === undefined || filter.has(w0, w1, w2) ? SEEN.maybe : SEEN.no
  }

  /**
   * Loads the memory that `has` and `add` will read for some rows' hashes, words at `row * 4`. The reads here
   * do not depend on each other, so the processor waits for many cache misses at once.
   */
  prefetch(hashes: Int32Array, fromRow: number, endRow: number): void {
    let touched = 0
    for (let at = fromRow * 4; at < endRow * 4; at += 4) {
      const table = this.tables[(hashes[at + 3] as number) >>> 24]
      if (table !== undefined) touched ^= table.prefetch(hashes[at + 2] as number)
    }
    // Stored, or the compiler would remove the reads.
    this.touched = touched
  }

  add(w0: number, w1: number, w2: number, w3: number): void {
    const index = w3 >>> 24
    const table = this.tables[index]
    if (table !== undefined) {
      if ((w0 | w1 | w2) === 0) this.bare.add(w3)
      else if (table.add(w0, w1, w2)) this.counts[index] = table.size
      return
    }
    this.filters[index]?.add(w0, w1, w2)
    this.counts[index] = (this.counts[index] as number) + 1
  }

  reserve(hashes: number): void {
    // Tables differ in size: four standard deviations.
    const each = hashes / TABLES
    this.reserved = hashes
    this.expected = Math.ceil(each + 4 * Math.sqrt(each))
    for (const table of this.tables) table?.reserve(this.expected)
  }

  /** Whether every hash is known exactly. */
  get isExact(): boolean {
    return this.tables.every((table) => table !== undefined)
  }

  /** The ids of an exact table, three words each, in any order. */
  idsOfTable(index: number): Int32Array {
    const bare = [...this.bare].filter((w3) => w3 >>> 24 === index)
    const table = this.tables[index]
    // Bare hashes are zeros, as the array is.
    const ids = new Int32Array(((table?.size ?? 0) + bare.length) * 3)
    let end = 0
    table?.forEach((w0, w1, w2) => {
      ids[end] = w0
      ids[end + 1] = w1
      ids[end + 2] = w2
      end += 3
    })
    return ids
  }

  /** Turns one exact table into a filter. False if none is exact. */
  compact(): boolean {
    for (; this.nextExact < TABLES; this.nextExact++) {
      const index = this.nextExact
      const table = this.tables[index]
      if (table === undefined) continue
      const filter = new BlockedBloomFilter(this.pool, Math.max(table.size * FILTER_ROOM, this.expected))
      table.forEach((w0, w1, w2) => {
        filter.add(w0, w1, w2)
      })
      for (const w3 of this.bare) if (w3 >>> 24 === index) filter.add(0, 0, 0)
      table.release()
      this.tables[index] = undefined
      this.filters[index] = filter
      return true
    }
    return false
  }

  /** Folds one filter, or drops it if it would let too much pass. False if there is no filter. */
  downsample(): boolean {
    for (let tried = 0; tried < TABLES; tried++) {
      const index = this.nextFilter++ % TABLES
      const filter = this.filters[index]
      if (filter === undefined) continue
      if (!filter.fold()) {
        filter.release()
        this.filters[index] = undefined
      }
      return true
    }
    return false
  }

  release(): void {
    for (let i = 0; i < TABLES; i++) {
      this.tables[i]?.release()
      this.filters[i]?.release()
      this.tables[i] = undefined
      this.filters[i] = undefined
    }
  }
}
