import { TABLES } from './dedup-set.js'

/** Hashes of rows, four words each, with the row of each. */
export interface OrderedHashes {
  readonly rows: Uint32Array
  readonly hashes: Int32Array
}

/**
 * Orders rows by the table that their hash belongs to, and leaves them in order within a table. Of sets, of
 * filters of runs and of pending hashes a table is a few pages, which stay in the processor's cache while its
 * rows are looked up.
 *
 * @param hashes words at `row * 4`
 */
export function orderByTable(hashes: Int32Array, rows: Uint32Array): OrderedHashes {
  const ends = new Uint32Array(TABLES + 1)
  for (const row of rows) {
    const table = (hashes[row * 4 + 3] as number) >>> 24
    ends[table + 1] = (ends[table + 1] as number) + 1
  }
  for (let table = 0; table < TABLES; table++)
    ends[table + 1] = (ends[table + 1] as number) + (ends[table] as number)
  const ordered = { rows: new Uint32Array(rows.length), hashes: new Int32Array(rows.length * 4) }
  for (const row of rows) {
    const from = row * 4
    const w3 = hashes[from + 3] as number
    const table = w3 >>> 24
    const place = ends[table] as number
    ends[table] = place + 1
    ordered.rows[place] = row
    const to = place * 4
    ordered.hashes[to] = hashes[from] as number
    ordered.hashes[to + 1] = hashes[from + 1] as number
    ordered.hashes[to + 2] = hashes[from + 2] as number
    ordered.hashes[to + 3] = w3
  }
  return ordered
}
