import { ROW } from '../../domain/row.js'
import { PREFETCH_ROWS, SEEN } from '../dedup/dedup-set.js'
import type { MonthIds } from '../dedup/deduplicator.js'
import type { IdSet } from '../dedup/id-set.js'
import { type OrderedHashes, orderByTable } from '../dedup/table-order.js'
import { type Block, OUTCOME } from './block.js'
import type { ParsedRecord } from './parse-record.js'

/** Copies the hashes of a record's rows into the block. */
export function readHashes({ starts, hashes }: Block, { view, firstRow, endRow }: ParsedRecord): void {
  for (let row = firstRow; row < endRow; row++) {
    const from = (starts[row] as number) + ROW.insertHash
    const at = row * 4
    hashes[at] = view.getInt32(from, true)
    hashes[at + 1] = view.getInt32(from + 4, true)
    hashes[at + 2] = view.getInt32(from + 8, true)
    hashes[at + 3] = view.getInt32(from + 12, true)
  }
}

/** The rows of a month that have an insertId and are no dead letters, by the table of their hash. */
export function orderRows({ records, rowCount, hashes, outcomes }: Block, month: number): OrderedHashes {
  const rows = new Uint32Array(rowCount)
  let count = 0
  for (const record of records) {
    if (record.month !== month) continue
    for (let row = record.firstRow; row < record.endRow; row++) {
      if (outcomes[row] === OUTCOME.dead) continue
      const at = row * 4
      const bits = (hashes[at] as number) | (hashes[at + 1] as number) | (hashes[at + 2] as number)
      if ((bits | (hashes[at + 3] as number)) !== 0) rows[count++] = row
    }
  }
  return orderByTable(hashes, rows.subarray(0, count))
}

/**
 * Third stage: drops rows of a month whose insertId was stored in it, or came earlier in the block. Hashes
 * that pass are only pending until the block is stored (`rememberRows`), or a failure would lose events.
 * Rows that memory cannot decide are doubtful and count as new until ClickHouse answers
 * (`Deduplicator.findDuplicates`). An equal row later in the block is a duplicate either way.
 */
export function deduplicateRows(
  { outcomes }: Block,
  { rows, hashes }: OrderedHashes,
  { seen, pending, doubtful }: MonthIds,
): void {
  pending.reset(rows.length)
  for (let place = 0, touched = 0; place < rows.length; place++) {
    if (place === touched) {
      touched = Math.min(place + PREFETCH_ROWS, rows.length)
      seen.prefetchAll(hashes, place, touched)
    }
    const row = rows[place] as number
    if (outcomes[row] === OUTCOME.inserted) {
      pending.add(hashes, place)
      continue
    }
    const at = place * 4
    const known = seen.has(
      hashes[at] as number,
      hashes[at + 1] as number,
      hashes[at + 2] as number,
      hashes[at + 3] as number,
    )
    if (known === SEEN.yes || !pending.add(hashes, place)) outcomes[row] = OUTCOME.duplicate
    else if (known === SEEN.maybe) doubtful.push(row)
  }
}

/** Adds the ids of a month's stored rows to its set. */
export function rememberRows({ records, outcomes }: Block, ordered: OrderedHashes, seen: IdSet): void {
  const { rows, hashes } = ordered
  let newest = -1
  let newestAt = 0
  for (let place = 0, touched = 0; place < rows.length; place++) {
    if (place === touched) {
      touched = Math.min(place + PREFETCH_ROWS, rows.length)
      seen.prefetch(hashes, place, touched)
    }
    const row = rows[place] as number
    if (outcomes[row] !== OUTCOME.ok && outcomes[row] !== OUTCOME.inserted) continue
    const at = place * 4
    seen.add(
      hashes[at] as number,
      hashes[at + 1] as number,
      hashes[at + 2] as number,
      hashes[at + 3] as number,
    )
    if (row < newest) continue
    newest = row
    newestAt = at
  }
  const receivedAt = records.find(({ endRow }) => endRow > newest)?.events?.receivedAt
  if (newest >= 0 && receivedAt !== undefined)
    seen.newest = { words: [...hashes.subarray(newestAt, newestAt + 4)], receivedAt }
}
