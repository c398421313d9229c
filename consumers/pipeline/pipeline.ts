import { ROW } from '../../domain/row.js'
import type { StoredRecord } from '../../log/port.js'
import type { MonthIds, SeenIds } from '../dedup/seen-ids.js'
import { recountNames } from '../partition/recount.js'
import {
  announceBlock,
  insertBlock,
  type Ownership,
  PART,
  type RefusedInsert,
  ROWS,
  type StoreDependencies,
} from '../partition/store.js'
import { type Block, type BlockRecord, OUTCOME } from './block.js'
import { correctRows } from './correct.js'
import { deduplicateRows, rememberRows } from './deduplicate.js'
import { type KnownDead, NONE_DEAD, readRecords, readRows } from './read.js'

/*
 * What happens to events on their way from the log to the table:
 *
 *   read → correct → deduplicate → link → store
 *
 * Every row ends as stored, as a duplicate or as a dead letter with a reason; an exception means that infrastructure failed, and the same records
 * come again. Linking has partitions of its own in the log (identity.ts), so that pairs are applied in the order of their acceptance whatever
 * happens to the rows.
 */

export interface PipelineDependencies extends StoreDependencies {
  readonly seen: SeenIds
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A block that went through the first stages. */
export interface PreparedBlock {
  readonly block: Block
  readonly months: ReadonlyMap<number, MonthIds>
}

/** Rows that are in the table from a refused attempt, as `offset:request index`. */
export type PresentRows = ReadonlySet<string>
export const NONE_PRESENT: PresentRows = new Set()

/** What an earlier attempt on the same records has left. */
interface KnownRows {
  readonly dead: KnownDead
  readonly present: PresentRows
}
const FIRST_TIME: KnownRows = { dead: NONE_DEAD, present: NONE_PRESENT }

/** read → correct → deduplicate: decides what becomes of each row of the records from offset `from` up to `to`. */
export async function prepareBlock(
  deps: Pick<PipelineDependencies, 'seen'>,
  partition: number,
  records: readonly StoredRecord[],
  range: { readonly from: number; readonly to: number },
  known: KnownRows = FIRST_TIME,
): Promise<PreparedBlock> {
  const block = readRecords(records, range.from, range.to, known.dead)
  const months = await deps.seen.open(partition, monthsOf(block), range.from)
  for (const { pending } of months.values()) pending.reset(block.rowLimit)
  // Record by record, so that its bytes are near.
  for (const record of block.records) {
    readRows(block, record, known.dead)
    const ids = months.get(record.month)
    if (ids === undefined) continue
    correctRows(block, record)
    if (known.present.size > 0) markPresent(block, record, known.present)
    deduplicateRows(block, record, ids)
  }
  await deps.seen.decide(block, partition, months, range.from, known !== FIRST_TIME)
  return { block, months }
}

/** store: one block. Returns why ClickHouse refuses it, where it does. */
export async function storeBlock(
  deps: PipelineDependencies,
  own: Ownership,
  prepared: PreparedBlock,
): Promise<RefusedInsert | undefined> {
  const { block, months } = prepared
  const refusal = await insertBlock(deps, own, block)
  if (refusal !== undefined) return refusal
  for (const record of block.records) {
    const ids = months.get(record.month)
    if (ids !== undefined) rememberRows(block, record, ids.seen)
  }
  await deps.seen.shrink(new Set(months.values()))
  const oldest = oldestReceipt(block)
  if (oldest !== undefined) deps.metrics.delaySeconds.observe(Math.max(0, deps.now() - oldest) / 1_000)
  return undefined
}

/** All stages for the records of one block, which ends at offset `to`, that nobody announced before. */
export async function processRecords(
  deps: PipelineDependencies,
  own: Ownership,
  records: readonly StoredRecord[],
  to: number,
): Promise<void> {
  const range = { from: own.position, to }
  const prepared = await prepareBlock(deps, own.partition, records, range)
  await announceBlock(deps, own, prepared.block, '')
  const refusal = await storeBlock(deps, own, prepared)
  if (refusal !== undefined) await processRefused(deps, own, records, to, NONE_DEAD)
}

/**
 * ClickHouse will not take these records in one block: they are stored half by half, down to the single record, and that row by row. The open intent
 * is theirs and refused; it is replaced by that of the first half.
 */
export async function processRefused(
  deps: PipelineDependencies,
  own: Ownership,
  records: readonly StoredRecord[],
  to: number,
  dead: KnownDead,
): Promise<void> {
  const present = await presentRows(deps, own, records)
  if (present.size > 0)
    deps.logger.error(
      { partition: own.partition, rows: present.size },
      'a refused block had been stored in part: its rows are kept',
    )
  const from = own.position
  const known = { dead, present }
  // The last element comes first.
  const work = halves(records).reverse()
  for (let part = work.pop(); part !== undefined; part = work.pop()) {
    const range = { from: own.position, to: part.at(-1) === records.at(-1) ? to : endOf(part) }
    const prepared = await prepareBlock(deps, own.partition, part, range, known)
    await announceBlock(deps, own, prepared.block, part.length === 1 ? ROWS : PART)
    const refusal = await storeBlock(deps, own, prepared)
    if (refusal !== undefined) work.push(...halves(part).reverse())
  }
  if (present.size > 0) await makeNamesWhole(deps, own, { from, to })
}

/** Some rows of these records were in the table before: the attempt that put them there may have ended before the vocabulary. */
export async function makeNamesWhole(
  { clickhouse, logger }: PipelineDependencies,
  { logId, partition }: Ownership,
  range: { readonly from: number; readonly to: number },
): Promise<void> {
  try {
    await recountNames(clickhouse, { logId, logPartition: partition, ...range })
  } catch (error) {
    logger.error({ err: error, partition, ...range }, 'the vocabulary may count the rows of a block short')
  }
}

/** The rows of these records that are in the table. */
export async function presentRows(
  deps: PipelineDependencies,
  own: Ownership,
  records: readonly StoredRecord[],
): Promise<PresentRows> {
  const { rows } = await deps.clickhouse.query<{ place: string }>(
    `SELECT concat(toString(log_offset), ':', toString(request_index)) AS place FROM events
    WHERE log_id = {log:UUID} AND log_partition = {partition:UInt32} AND log_offset >= {from:UInt64} AND log_offset < {to:UInt64}`,
    {
      params: { log: own.logId, partition: own.partition, from: own.position, to: endOf(records) },
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

function markPresent(block: Block, record: BlockRecord, present: PresentRows): void {
  for (let row = record.firstRow; row < record.endRow; row++) {
    const index = record.view.getUint16((block.starts[row] ?? 0) + ROW.requestIndex, true)
    if (block.outcomes[row] === OUTCOME.ok && present.has(`${record.offset}:${index}`))
      block.outcomes[row] = OUTCOME.present
  }
}

function oldestReceipt(block: Block): number | undefined {
  let oldest: number | undefined
  for (const { header } of block.records)
    if (header !== undefined && (oldest === undefined || header.receivedAt < oldest))
      oldest = header.receivedAt
  return oldest
}
