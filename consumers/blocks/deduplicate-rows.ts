import { ROW } from '../../domain/row.js'
import { PREFETCH_ROWS, SEEN } from '../dedup/dedup-set.js'
import type { MonthIds } from '../dedup/deduplicator.js'
import type { IdSet } from '../dedup/id-set.js'
import { type Block, OUTCOME } from './block.js'
import type { ParsedRecord } from './parse-record.js'

/**
 * Third stage: drops rows whose insertId was stored in the month they were received, or came earlier in the
 * block. Hashes that pass are only pending until the block is stored (`rememberRows`), or a failed insert
 * would lose the events. Rows that memory cannot decide are doubtful and count as new until ClickHouse
 * answers (`Deduplicator.findDuplicates`). An equal row later in the block is a duplicate either way.
 */
export function deduplicateRows(
  block: Block,
  record: ParsedRecord,
  { seen, pending, doubtful }: MonthIds,
): void {
  const { view, firstRow, endRow } = record
  const { starts, hashes, outcomes } = block
  for (let row = firstRow; row < endRow; row++) {
    const from = (starts[row] as number) + ROW.insertHash
    const at = row * 4
    hashes[at] = view.getInt32(from, true)
    hashes[at + 1] = view.getInt32(from + 4, true)
    hashes[at + 2] = view.getInt32(from + 8, true)
    hashes[at + 3] = view.getInt32(from + 12, true)
  }
  for (let row = firstRow, touched = firstRow; row < endRow; row++) {
    if (row === touched) {
      touched = Math.min(row + PREFETCH_ROWS, endRow)
      seen.prefetchAll(hashes, row, touched)
    }
    const outcome = outcomes[row]
    if (outcome === OUTCOME.dead) continue
    const at = row * 4
    const w0 = hashes[at] as number
    const w1 = hashes[at + 1] as number
    const w2 = hashes[at + 2] as number
    const w3 = hashes[at + 3] as number
    if ((w0 | w1 | w2 | w3) === 0) continue
    if (outcome === OUTCOME.inserted) {
      pending.add(hashes, row, record.month)
      continue
    }
    const known = seen.has(w0, w1, w2, w3)
    if (known === SEEN.yes || !pending.add(hashes, row, record.month)) outcomes[row] = OUTCOME.duplicate
    else if (known === SEEN.maybe) doubtful.push(row)
  }
}

/** Adds the ids of a record's stored rows to the set of its month. */
export function rememberRows(block: Block, record: ParsedRecord, seen: IdSet): void {
  const { hashes, outcomes } = block
  const { firstRow, endRow } = record
  let newest = -1
  for (let row = firstRow, touched = firstRow; row < endRow; row++) {
    if (row === touched) {
      touched = Math.min(row + PREFETCH_ROWS, endRow)
      seen.prefetch(hashes, row, touched)
    }
    const outcome = outcomes[row]
    if (outcome !== OUTCOME.ok && outcome !== OUTCOME.inserted) continue
    const at = row * 4
    const w0 = hashes[at] as number
    const w1 = hashes[at + 1] as number
    const w2 = hashes[at + 2] as number
    const w3 = hashes[at + 3] as number
    if ((w0 | w1 | w2 | w3) === 0) continue
    seen.add(w0, w1, w2, w3)
    newest = at
  }
  if (newest >= 0 && record.events !== undefined)
    seen.newest = { words: [...hashes.subarray(newest, newest + 4)], receivedAt: record.events.receivedAt }
}
