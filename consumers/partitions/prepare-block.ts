import { Block, OUTCOME } from '../blocks/block.js'
import { correctRows } from '../blocks/correct-rows.js'
import { deduplicateRows, orderRows, readHashes, rememberRows } from '../blocks/deduplicate-rows.js'
import type { ParsedRecord } from '../blocks/parse-record.js'
import { type DeadPositions, NO_DEAD_POSITIONS, readRows } from '../blocks/read-rows.js'
import type { Deduplicator, MonthIds } from '../dedup/deduplicator.js'
import type { OrderedHashes } from '../dedup/table-order.js'
import type { BlockWriterDependencies } from './block-writer.js'
import { holdsRow, type InsertedRows, NONE_INSERTED } from './inserted-rows.js'

export interface PipelineDependencies extends BlockWriterDependencies {
  readonly deduplicator: Deduplicator
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A block whose rows have their outcomes, with the ids of its months. */
export interface PreparedBlock {
  readonly block: Block
  readonly months: ReadonlyMap<number, MonthIds>
  /** By month. */
  readonly hashes: ReadonlyMap<number, OrderedHashes>
}

interface KnownRows {
  readonly dead: DeadPositions
  readonly inserted: InsertedRows
}
const FIRST_TIME: KnownRows = { dead: NO_DEAD_POSITIONS, inserted: NONE_INSERTED }

/** Reads, corrects and deduplicates the records from offset `from` up to `to`: each row gets its outcome. */
export async function prepareBlock(
  deduplicator: Deduplicator,
  partition: number,
  records: readonly ParsedRecord[],
  range: { readonly from: number; readonly to: number },
  known: KnownRows = FIRST_TIME,
): Promise<PreparedBlock> {
  const block = new Block(range.from, range.to, records)
  const months = await deduplicator.idsOf(partition, monthsOf(block), range.from)
  // All that reads one record before the next, while its bytes are in the processor's cache.
  for (const record of block.records) {
    readRows(block, record, known.dead)
    correctRows(block, record)
    if (known.inserted.size > 0) markInserted(block, record, known.inserted)
    readHashes(block, record)
  }
  const ordered = new Map<number, OrderedHashes>()
  for (const [month, ids] of months) {
    const hashes = orderRows(block, month)
    deduplicateRows(block, hashes, ids)
    ordered.set(month, hashes)
  }
  const repeated = known !== FIRST_TIME
  const duplicates = await deduplicator.findDuplicates(block.hashes, partition, months, range.from, repeated)
  for (const row of duplicates) block.outcomes[row] = OUTCOME.duplicate
  return { block, months, hashes: ordered }
}

/**
 * Adds the ids of a stored block to the sets of their months.
 *
 * @param isReplay whether they are dead letters, whose offsets are earlier
 */
export async function rememberBlock(
  deduplicator: Deduplicator,
  { block, months, hashes }: PreparedBlock,
  isReplay = false,
): Promise<void> {
  for (const [month, { seen }] of months) {
    const ordered = hashes.get(month)
    if (ordered !== undefined) rememberRows(block, ordered, seen)
    if (isReplay) seen.hasReplays = true
    seen.storedBelow = Math.max(seen.storedBelow, block.to)
  }
  await deduplicator.evict(new Set(months.values()))
}

function monthsOf(block: Block): Set<number> {
  const months = new Set<number>()
  for (const record of block.records) if (record.events !== undefined) months.add(record.month)
  return months
}

function markInserted(block: Block, record: ParsedRecord, inserted: InsertedRows): void {
  for (let row = record.firstRow; row < record.endRow; row++)
    if (block.outcomes[row] === OUTCOME.ok && holdsRow(inserted, block, record, row))
      block.outcomes[row] = OUTCOME.inserted
}

/** Gives the rows of a block the outcome that the table shows: stored, or a duplicate. */
export function markStored(block: Block, stored: InsertedRows): void {
  for (const record of block.records)
    for (let row = record.firstRow; row < record.endRow; row++)
      if (block.outcomes[row] !== OUTCOME.dead)
        block.outcomes[row] = holdsRow(stored, block, record, row) ? OUTCOME.inserted : OUTCOME.duplicate
}
