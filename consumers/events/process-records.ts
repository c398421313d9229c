import type { StoredRecord } from '../../log/port.js'
import { withSpan } from '../../runtime/tracing.js'
import type { Block } from '../blocks/block.js'
import type { ParsedRecord } from '../blocks/parse-record.js'
import { type DeadPositions, NO_DEAD_POSITIONS } from '../blocks/read-rows.js'
import {
  insertBlock,
  type LeasedPartition,
  PART,
  ROWS,
  rowRangeOf,
  writeBlockIntent,
} from '../partitions/block-writer.js'
import { tryRepairVocabulary } from '../partitions/complete-views.js'
import { findInsertedRows, type InsertedRows, NONE_INSERTED } from '../partitions/inserted-rows.js'
import {
  type PipelineDependencies,
  type PreparedBlock,
  prepareBlock,
  rememberBlock,
} from '../partitions/prepare-block.js'

/*
 * The way of an event from the log to the table:
 *
 *   read → correct → deduplicate → store
 *
 * Every row ends as stored, as a duplicate or as a dead letter with a reason. An exception means that
 * infrastructure failed, and the same records are delivered again. Links have their own partitions
 * (identity-consumer.ts), so they are applied in the order of acceptance, whatever happens to the rows.
 */

/**
 * Inserts one block and remembers its ids. Returns why ClickHouse refuses it, if it does.
 *
 * @param isRepeated whether an earlier attempt may have inserted the block
 */
export async function storeBlock(
  deps: PipelineDependencies,
  lease: LeasedPartition,
  prepared: PreparedBlock,
  isRepeated = false,
): Promise<string | undefined> {
  const { block } = prepared
  const refusal = await insertBlock(deps, lease, block, isRepeated)
  if (refusal !== undefined) return refusal
  await rememberBlock(deps.deduplicator, prepared)
  const oldest = oldestReceivedAt(block)
  if (oldest !== undefined) deps.metrics.delaySeconds.observe(Math.max(0, deps.now() - oldest) / 1_000)
  return undefined
}

/** All stages for the records of one block, which ends at offset `to` and has no intent yet. */
export async function processRecords(
  deps: PipelineDependencies,
  lease: LeasedPartition,
  records: readonly ParsedRecord[],
  to: number,
): Promise<void> {
  const range = { from: lease.position, to }
  const attributes = {
    'svc.log.id': lease.logId,
    'svc.log.partition': lease.partition,
    'svc.log.from': range.from,
    'svc.log.to': to,
  }
  await withSpan('process a block', { kind: 'consumer', attributes }, async () => {
    const { deduplicator } = deps
    const isPart = range.from < lease.partlyStoredBelow
    const inserted = isPart ? await insertedRowsOf(deps, lease, records) : NONE_INSERTED
    const known = isPart ? { dead: NO_DEAD_POSITIONS, inserted } : undefined
    const prepared = await prepareBlock(deduplicator, lease.partition, records, range, known)
    const replayed = deduplicator.lettersReplayed(lease.partition)
    await writeBlockIntent(deps, lease, prepared.block, isPart ? PART : '')
    const refusal = await storeBlock(deps, lease, prepared)
    if (refusal !== undefined) await processRefusedRecords(deps, lease, records, to, NO_DEAD_POSITIONS)
    else if (inserted.size > 0) await tryRepairVocabulary(deps, rowRangeOf(lease, prepared.block))
    // The intent has committed what came before it.
    await deduplicator.committed(lease.partition, range.from, replayed)
  })
}

/**
 * ClickHouse refuses these records as one block. Stores them half by half, down to the single record, and
 * that row by row. The intent of the first half replaces the open, refused one.
 */
export async function processRefusedRecords(
  deps: PipelineDependencies,
  lease: LeasedPartition,
  records: readonly ParsedRecord[],
  to: number,
  dead: DeadPositions,
): Promise<void> {
  // A half may be refused in part as the whole was, by another shard or view.
  const inserted = await insertedRowsOf(deps, lease, records)
  if (inserted.size > 0)
    deps.logger.error(
      { partition: lease.partition, rows: inserted.size },
      'A refused block was stored in part; its rows stay',
    )
  const from = lease.position
  if (inserted.size > 0) lease.partlyStoredBelow = Math.max(lease.partlyStoredBelow, to)
  const known = { dead, inserted }
  for (const part of halves(records)) {
    const range = { from: lease.position, to: part.at(-1) === records.at(-1) ? to : endOf(part) }
    const prepared = await prepareBlock(deps.deduplicator, lease.partition, part, range, known)
    await writeBlockIntent(deps, lease, prepared.block, part.length === 1 ? ROWS : PART)
    const refusal = await storeBlock(deps, lease, prepared)
    if (refusal !== undefined) await processRefusedRecords(deps, lease, part, range.to, dead)
  }
  if (inserted.size > 0) await tryRepairVocabulary(deps, rowRangeOf(lease, { from, to, records }))
}

export function insertedRowsOf(
  { clickhouse }: PipelineDependencies,
  lease: LeasedPartition,
  records: readonly ParsedRecord[],
): Promise<InsertedRows> {
  return findInsertedRows(
    clickhouse,
    rowRangeOf(lease, { from: lease.position, to: endOf(records), records }),
  )
}

function halves(records: readonly ParsedRecord[]): (readonly ParsedRecord[])[] {
  if (records.length < 2) return [records]
  const middle = records.length >>> 1
  return [records.slice(0, middle), records.slice(middle)]
}

export function endOf(records: readonly StoredRecord[]): number {
  const last = records.at(-1)
  if (last === undefined) throw new RangeError('a block has at least one record')
  return last.offset + 1
}

function oldestReceivedAt(block: Block): number | undefined {
  let oldest: number | undefined
  for (const { events } of block.records)
    if (events !== undefined && (oldest === undefined || events.receivedAt < oldest))
      oldest = events.receivedAt
  return oldest
}
