import { ROW } from '../../domain/row.js'
import type { StoredRecord } from '../../log/port.js'
import { type Block, type BlockRecord, OUTCOME } from '../blocks/block.js'
import { correctRows } from '../blocks/correct-rows.js'
import { deduplicateRows, rememberRows } from '../blocks/deduplicate-rows.js'
import { type DeadPositions, NO_DEAD_POSITIONS, readRecords, readRows } from '../blocks/read-records.js'
import type { Deduplicator, MonthIds } from '../dedup/deduplicator.js'
import {
  type BlockWriterDependencies,
  insertBlock,
  type LeasedPartition,
  PART,
  type RefusedInsert,
  ROWS,
  writeBlockIntent,
} from '../partitions/block-writer.js'
import { repairVocabulary } from '../partitions/vocabulary-repair.js'

/*
 * What happens to events on their way from the log to the table:
 *
 *   read → correct → deduplicate → link → store
 *
 * Every row ends as stored, as a duplicate or as a dead letter with a reason; an exception means that infrastructure failed, and the same records
 * come again. Linking has partitions of its own in the log (identity.ts), so that pairs are applied in the order of their acceptance whatever
 * happens to the rows.
 */

export interface PipelineDependencies extends BlockWriterDependencies {
  readonly deduplicator: Deduplicator
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A block that went through the first stages. */
export interface PreparedBlock {
  readonly block: Block
  readonly months: ReadonlyMap<number, MonthIds>
}

/** Rows that are in the table from a refused attempt, as `offset:request index`. */
export type InsertedRows = ReadonlySet<string>
export const NONE_INSERTED: InsertedRows = new Set()

/** What an earlier attempt on the same records has left. */
interface KnownRows {
  readonly dead: DeadPositions
  readonly inserted: InsertedRows
}
const FIRST_TIME: KnownRows = { dead: NO_DEAD_POSITIONS, inserted: NONE_INSERTED }

/** read → correct → deduplicate: decides what becomes of each row of the records from offset `from` up to `to`. */
export async function prepareBlock(
  deps: Pick<PipelineDependencies, 'deduplicator'>,
  partition: number,
  records: readonly StoredRecord[],
  range: { readonly from: number; readonly to: number },
  known: KnownRows = FIRST_TIME,
): Promise<PreparedBlock> {
  const block = readRecords(records, range.from, range.to, known.dead)
  const months = await deps.deduplicator.idsOf(partition, monthsOf(block), range.from)
  for (const { pending } of months.values()) pending.reset(block.rowLimit)
  // Record by record, so that its bytes are near.
  for (const record of block.records) {
    readRows(block, record, known.dead)
    const ids = months.get(record.month)
    if (ids === undefined) continue
    correctRows(block, record)
    if (known.inserted.size > 0) markInserted(block, record, known.inserted)
    deduplicateRows(block, record, ids)
  }
  await deps.deduplicator.resolveDoubtful(block, partition, months, range.from, known !== FIRST_TIME)
  return { block, months }
}

/** store: one block. Returns why ClickHouse refuses it, where it does. */
export async function storeBlock(
  deps: PipelineDependencies,
  lease: LeasedPartition,
  prepared: PreparedBlock,
): Promise<RefusedInsert | undefined> {
  const { block, months } = prepared
  const refusal = await insertBlock(deps, lease, block)
  if (refusal !== undefined) return refusal
  for (const record of block.records) {
    const ids = months.get(record.month)
    if (ids !== undefined) rememberRows(block, record, ids.seen)
  }
  await deps.deduplicator.evict(new Set(months.values()))
  const oldest = oldestReceivedAt(block)
  if (oldest !== undefined) deps.metrics.delaySeconds.observe(Math.max(0, deps.now() - oldest) / 1_000)
  return undefined
}

/** All stages for the records of one block, which ends at offset `to`, that nobody announced before. */
export async function processRecords(
  deps: PipelineDependencies,
  lease: LeasedPartition,
  records: readonly StoredRecord[],
  to: number,
): Promise<void> {
  const range = { from: lease.position, to }
  const prepared = await prepareBlock(deps, lease.partition, records, range)
  await writeBlockIntent(deps, lease, prepared.block, '')
  const refusal = await storeBlock(deps, lease, prepared)
  if (refusal !== undefined) await processRefusedRecords(deps, lease, records, to, NO_DEAD_POSITIONS)
}

/**
 * ClickHouse will not take these records in one block: they are stored half by half, down to the single record, and that row by row. The open intent
 * is theirs and refused; it is replaced by that of the first half.
 */
export async function processRefusedRecords(
  deps: PipelineDependencies,
  lease: LeasedPartition,
  records: readonly StoredRecord[],
  to: number,
  dead: DeadPositions,
): Promise<void> {
  const inserted = await findInsertedRows(deps, lease, records)
  if (inserted.size > 0)
    deps.logger.error(
      { partition: lease.partition, rows: inserted.size },
      'a refused block had been stored in part: its rows are kept',
    )
  const from = lease.position
  const known = { dead, inserted }
  // The last element comes first.
  const work = halves(records).reverse()
  for (let part = work.pop(); part !== undefined; part = work.pop()) {
    const range = { from: lease.position, to: part.at(-1) === records.at(-1) ? to : endOf(part) }
    const prepared = await prepareBlock(deps, lease.partition, part, range, known)
    await writeBlockIntent(deps, lease, prepared.block, part.length === 1 ? ROWS : PART)
    const refusal = await storeBlock(deps, lease, prepared)
    if (refusal !== undefined) work.push(...halves(part).reverse())
  }
  if (inserted.size > 0) await tryRepairVocabulary(deps, lease, { from, to })
}

/** Some rows of these records were in the table before: the attempt that put them there may have ended before the vocabulary. */
export async function tryRepairVocabulary(
  { clickhouse, logger }: PipelineDependencies,
  { logId, partition }: LeasedPartition,
  range: { readonly from: number; readonly to: number },
): Promise<void> {
  try {
    await repairVocabulary(clickhouse, { logId, logPartition: partition, ...range })
  } catch (error) {
    logger.error({ err: error, partition, ...range }, 'the vocabulary may count the rows of a block short')
  }
}

/** The rows of these records that are in the table. */
export async function findInsertedRows(
  deps: PipelineDependencies,
  lease: LeasedPartition,
  records: readonly StoredRecord[],
): Promise<InsertedRows> {
  const { rows } = await deps.clickhouse.query<{ place: string }>(
    `SELECT concat(toString(log_offset), ':', toString(request_index)) AS place FROM events
    WHERE log_id = {log:UUID} AND log_partition = {partition:UInt32} AND log_offset >= {from:UInt64} AND log_offset < {to:UInt64}`,
    {
      params: { log: lease.logId, partition: lease.partition, from: lease.position, to: endOf(records) },
      readYourWrites: true,
    },
  )
  return new Set(rows.map((row) => row.place))
}

function halves(records: readonly StoredRecord[]): (readonly StoredRecord[])[] {
  if (records.length < 2) return [records]
  const middle = records.length >>> 1
  return [records.slice(0, middle), records.slice(middle)]
}

/** The offset after the last record. */
export function endOf(records: readonly StoredRecord[]): number {
  const last = records.at(-1)
  if (last === undefined) throw new RangeError('a block has at least one record')
  return last.offset + 1
}

function monthsOf(block: Block): Set<number> {
  const months = new Set<number>()
  for (const record of block.records) if (record.header !== undefined) months.add(record.month)
  return months
}

function markInserted(block: Block, record: BlockRecord, inserted: InsertedRows): void {
  for (let row = record.firstRow; row < record.endRow; row++) {
    const index = record.view.getUint16((block.starts[row] ?? 0) + ROW.requestIndex, true)
    if (block.outcomes[row] === OUTCOME.ok && inserted.has(`${record.offset}:${index}`))
      block.outcomes[row] = OUTCOME.inserted
  }
}

function oldestReceivedAt(block: Block): number | undefined {
  let oldest: number | undefined
  for (const { header } of block.records)
    if (header !== undefined && (oldest === undefined || header.receivedAt < oldest))
      oldest = header.receivedAt
  return oldest
}
