import type { Counter, Histogram } from 'prom-client'
import { waitForInFlightInserts } from '../../clickhouse/in-flight-inserts.js'
import { type ClickHouse, ClickHouseError, type EventBlock } from '../../clickhouse/port.js'
import { shardSuffix, shardsOf } from '../../clickhouse/shards.js'
import type { EventLog } from '../../log/port.js'
import type { Sql } from '../../postgres/driver/client.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'
import { withSpan } from '../../runtime/tracing.js'
import { type Block, OUTCOME } from '../blocks/block.js'
import { refuseRow } from '../blocks/read-rows.js'
import { amendIntent, commitBlock, type Intent, type PartitionLease, writeIntent } from './checkpoint.js'
import type { FaultPoint } from './fault-point.js'
import { findInsertedRows, type InsertedRows, lacksRows, type RowRange, receiptOf } from './inserted-rows.js'

/*
 * The last stage inserts each block into ClickHouse exactly once.
 *
 * `log_partitions` in Postgres is the checkpoint. It holds the epoch of the owner, the offset below which
 * everything is stored, and at most one open intent: "the records from done_offset up to open_to may be in
 * ClickHouse under open_token". For each block, in this order:
 *
 *   1  One UPDATE under the owner's epoch commits the previous block and writes the intent of this one, with
 *      its dead letters.
 *   2  The insert runs under the intent's token, without effect if that is known, per month part, views too.
 *   3  The block's ids are remembered. The commit comes with the next block, or after a pause (`commit`).
 *
 * A new owner raises the epoch and replays an open intent: the same records under the stored token, with the
 * dead letters that were written with it. Deduplication then counts only rows below done_offset as stored, so
 * the block comes out as before.
 *
 * Why no failure loses or doubles an event:
 *
 * - Killed before the intent: nothing was written. The records are read again from done_offset.
 * - Killed between intent and insert: the token is unknown, so the replay inserts the block.
 * - Killed during the insert, with one of two months stored: each part has its token, so the replay adds what
 *   is missing. The same holds between the table and the vocabulary.
 * - Killed between insert and commit: the replay has no effect. The intent's counts are added once.
 * - Frozen between intent and insert while another owner went on: the late insert has a known token, and the
 *   epoch refuses the next intent (`FencedError`). ClickHouse knows tokens for the last 10,000 parts; an
 *   owner frozen for longer than `staleAfterMs` acquires its partition again before it inserts.
 * - ClickHouse unreachable, hanging or too late: the attempt fails and the intent stays open. `assigned`
 *   replays it, possibly beside a late insert. Of two inserts with one token one has effect.
 * - Postgres fails before or in step 1: the UPDATE happened or not, and `assigned` reads which. An UPDATE
 *   that arrives late is fenced by the epoch that `assigned` raised.
 * - Postgres fails in the commit: it is repeated. Adding the counts empties them, so nothing counts twice.
 *
 * - ClickHouse is killed between noting the token of a block and keeping its rows: after a repeated insert
 *   the rows are looked up. If some are missing, the block counts as refused. The views get what they lack.
 *
 * Every intent gets a new token that is never used for other content, because ClickHouse would drop that
 * silently. If ClickHouse refuses the content for good, an intent for the first half of its records replaces
 * it, and so on. A single refused record is inserted row by row, each row with its own token, and refused
 * rows become dead letters of the same intent. Rows that a refused attempt left in the table are looked up by
 * their log position and not inserted again. The vocabulary may lack them and is counted again
 * (vocabulary-repair.ts). Power cuts are handled in unclean-shutdown.ts.
 */

/** Suffixes of tokens: how the intent came to be. */
export const PART = ':part'
export const ROWS = ':rows'

/** Whether an intent replaced a refused one. Then some of its rows may be in the table under another. */
export function mayBePartlyInserted(token: string): boolean {
  return token.endsWith(PART) || token.endsWith(ROWS)
}

export interface OpenIntent extends Intent {
  /** `refused`: ClickHouse will never accept it, and it must be replaced. */
  state: 'written' | 'inserted' | 'refused'
  /** When Postgres confirmed it, by performance.now(). */
  readonly confirmedAt: number
}

export interface LeasedPartition extends PartitionLease {
  position: number
  /** Everything below is committed. */
  committed: number
  open: OpenIntent | undefined
  /**
   * Rows below this offset may be in the table without an intent: a block was stored in part and refused, and
   * its parts follow. Until then an intent of a part is open, which tells the next owner so.
   */
  partlyStoredBelow: number
  /** Whether it ended, so that the partition may have another owner. */
  isLost: boolean
}

export interface BlockWriterDependencies {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly log: EventLog
  readonly logger: Logger
  readonly metrics: BlockMetrics
  readonly faultPoint: FaultPoint
  readonly newId: () => string
  readonly timing: BlockWriterTiming
}

export interface BlockMetrics {
  readonly rowsStored: Counter
  readonly rowsDuplicate: Counter
  readonly rowsDeadLettered: Counter
  readonly insertSeconds: Histogram
  readonly blockRows: Histogram
  readonly delaySeconds: Histogram
}

export interface BlockWriterTiming {
  readonly postgresMs: number
  readonly insertMs: number
  /** An intent confirmed longer ago is not acted on. */
  readonly staleAfterMs: number
}

/** The intent is too old: this process was frozen, and another one may own the partition. */
class StaleIntentError extends Error {
  override readonly name = 'StaleIntentError'
}

/** Step 1. Commits the open intent, or replaces it if it was refused. */
export async function writeBlockIntent(
  deps: BlockWriterDependencies,
  lease: LeasedPartition,
  block: Block,
  kind: '' | typeof PART | typeof ROWS,
): Promise<void> {
  const { sql, metrics, timing, newId } = deps
  const id = `${newId()}${shardSuffix(deps.clickhouse)}`
  const token = `${lease.logId}:${lease.partition}:${block.from}-${block.to}:${id}${kind}`
  const { byKey, ...counts } = block.counts()
  const intent = { to: block.to, token, counts }
  const replaces = lease.open?.state === 'refused' ? lease.open.to : undefined
  await deps.faultPoint('consumer:before-intent')
  const written = writeIntent(
    sql,
    lease,
    block.from,
    { ...intent, byKey },
    block.deadLetters,
    replaces,
    newId,
  )
  await withTimeout(timing.postgresMs, 'Postgres, writing an intent', written)
  lease.open = { ...intent, state: 'written', confirmedAt: performance.now() }
  lease.committed = block.from
  metrics.blockRows.observe(block.rowCount)
  await deps.faultPoint('consumer:intent-written')
  await trimLog(deps, lease.partition, block.from)
}

/**
 * Steps 2 and 3, except for remembering the ids, which the caller does.
 *
 * @param isRepeated whether an earlier attempt may have inserted the block
 */
export async function insertBlock(
  deps: BlockWriterDependencies,
  lease: LeasedPartition,
  block: Block,
  isRepeated: boolean,
): Promise<string | undefined> {
  const open = openIntent(lease)
  const refused = open.token.endsWith(ROWS)
    ? await insertRowByRow(deps, lease, block, open)
    : await insertRows(deps, lease, open, block.chunks(), open.token)
  const refusal =
    refused ??
    (isRepeated
      ? await lossOf(deps.clickhouse, block, () =>
          findInsertedRows(deps.clickhouse, rowRangeOf(lease, block)),
        )
      : undefined)
  if (refusal !== undefined) {
    open.state = 'refused'
    return refusal
  }
  await deps.faultPoint('consumer:inserted')
  lease.position = block.to
  const { counts } = openIntent(lease)
  openIntent(lease).state = 'inserted'
  deps.metrics.rowsStored.inc(counts.stored)
  deps.metrics.rowsDuplicate.inc(counts.duplicates)
  deps.metrics.rowsDeadLettered.inc(counts.dead)
  return undefined
}

/**
 * Says so if the table lacks rows of a block whose token it knows. ClickHouse notes a token before the rows
 * are safe, and a kill in between may lose them. Replicas keep both in Keeper together.
 */
export async function lossOf(
  clickhouse: ClickHouse,
  block: Block,
  find: () => Promise<InsertedRows>,
): Promise<string | undefined> {
  if (clickhouse.schema.cluster !== undefined) return undefined
  const isLost = async () => lacksRows(block, await find())
  if (!(await isLost())) return undefined
  // The insert of an earlier attempt may still be under way.
  for (const shard of shardsOf(clickhouse)) await waitForInFlightInserts(shard)
  return (await isLost()) ? 'ClickHouse knows the token of the block, and lacks its rows' : undefined
}

export function rowRangeOf(
  { logId, partition }: LeasedPartition,
  { from, to, records }: Pick<Block, 'from' | 'to' | 'records'>,
): RowRange {
  return { logId, logPartition: partition, from, to, ...receiptOf(records) }
}

/** Commits the last block if it is stored. False if there is nothing to commit. */
export async function commit(deps: BlockWriterDependencies, lease: LeasedPartition): Promise<boolean> {
  const { open } = lease
  if (open?.state !== 'inserted') return false
  const committed = commitBlock(deps.sql, lease, open.to)
  await withTimeout(deps.timing.postgresMs, 'Postgres, committing a block', committed)
  lease.open = undefined
  lease.committed = open.to
  await deps.faultPoint('consumer:marked')
  await trimLog(deps, lease.partition, open.to)
  return true
}

/** Trims what is committed from the log. A failure costs space, not data. */
export async function trimLog(
  { log, logger }: Pick<BlockWriterDependencies, 'log' | 'logger'>,
  partition: number,
  offset: number,
): Promise<void> {
  try {
    await log.trim(partition, offset)
  } catch (error) {
    logger.warn({ err: error, partition, offset }, 'Trimming the log failed; it keeps stored records for now')
  }
}

function openIntent(lease: LeasedPartition): OpenIntent {
  if (lease.open === undefined) throw new Error('a block needs an intent before it is inserted')
  return lease.open
}

/** Inserts rows under a token. Returns why ClickHouse will never accept them; throws if a retry may help. */
export async function insertRows(
  deps: BlockWriterDependencies,
  lease: LeasedPartition,
  open: OpenIntent,
  rows: Pick<EventBlock, 'chunks' | 'rowCount' | 'workspaceIds'>,
  token: string,
): Promise<string | undefined> {
  if (rows.rowCount === 0) return undefined
  const { timing, clickhouse, metrics } = deps
  const age = performance.now() - open.confirmedAt
  if (age > timing.staleAfterMs)
    throw new StaleIntentError(`the intent is ${Math.round(age)} ms old: acquiring the partition again`)
  const end = metrics.insertSeconds.startTimer()
  try {
    const attributes = { 'svc.rows': rows.rowCount, 'svc.insert_token': token }
    await withSpan('insert into ClickHouse', { kind: 'client', attributes }, () =>
      withTimeout(
        2 * timing.insertMs,
        'ClickHouse, inserting a block',
        clickhouse.insertEvents(
          { ...rows, logId: lease.logId, logPartition: lease.partition, token },
          deadlineSignal(timing.insertMs),
        ),
      ),
    )
    end()
    return undefined
  } catch (error) {
    if (!(await isContentRefused(deps, lease, token, error))) throw error
    deps.logger.error(
      { err: error, partition: lease.partition, to: open.to, rows: rows.rowCount },
      'ClickHouse refuses a block; searching for the rows it rejects',
    )
    return errorMessage(error)
  }
}

/**
 * Whether ClickHouse refuses the rows themselves. If it refuses an empty block as well, the schema or the
 * permissions are wrong, and no event may become a dead letter for that.
 */
async function isContentRefused(
  deps: BlockWriterDependencies,
  lease: LeasedPartition,
  token: string,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof ClickHouseError) || error.code !== 'query') return false
  const nothing = { logId: lease.logId, logPartition: lease.partition, chunks: [], rowCount: 0 }
  try {
    await withTimeout(
      deps.timing.insertMs,
      'ClickHouse, inserting an empty block',
      deps.clickhouse.insertEvents({ ...nothing, token: `${token}:nothing` }),
    )
    return true
  } catch {
    // An empty block is refused as well, so the content is not at fault.
    return false
  }
}

/** Inserts the rows of a refused record one by one. Rows refused again become dead letters. */
async function insertRowByRow(
  deps: BlockWriterDependencies,
  lease: LeasedPartition,
  block: Block,
  open: OpenIntent,
): Promise<undefined> {
  const dead = block.deadLetters.length
  for (const record of block.records)
    for (let row = record.firstRow; row < record.endRow; row++) {
      if (block.outcomes[row] !== OUTCOME.ok) continue
      const chunk = record.payload.subarray(block.starts[row], block.ends[row])
      // Many rows take long. Amending the intent confirms the lease again.
      if (performance.now() - openIntent(lease).confirmedAt > deps.timing.staleAfterMs / 2)
        await amendOpenIntent(deps, lease, block, dead)
      const refusal = await insertRows(
        deps,
        lease,
        openIntent(lease),
        { chunks: [chunk], rowCount: 1 },
        `${open.token}:${row - record.firstRow}`,
      )
      if (refusal !== undefined) refuseRow(block, record, row, refusal)
    }
  if (block.deadLetters.length > dead) await amendOpenIntent(deps, lease, block, dead)
  return undefined
}

async function amendOpenIntent(
  deps: BlockWriterDependencies,
  lease: LeasedPartition,
  block: Block,
  already: number,
): Promise<void> {
  const { byKey, ...counts } = block.counts()
  const intent = { ...openIntent(lease), counts }
  const letters = block.deadLetters.slice(already)
  const amended = amendIntent(deps.sql, lease, { ...intent, byKey }, letters, deps.newId)
  await withTimeout(deps.timing.postgresMs, 'Postgres, amending an intent', amended)
  lease.open = { ...intent, confirmedAt: performance.now() }
}
