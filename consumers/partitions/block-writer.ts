import type { Counter, Histogram } from 'prom-client'
import { type ClickHouse, ClickHouseError, type EventBlock } from '../../clickhouse/port.js'
import type { EventLog } from '../../log/port.js'
import type { Sql } from '../../postgres/driver/client.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'
import { type Block, OUTCOME } from '../blocks/block.js'
import { refuseRow } from '../blocks/read-rows.js'
import { amendIntent, commitBlock, type Intent, type PartitionLease, writeIntent } from './checkpoint.js'
import type { FaultPoint } from './fault-point.js'

/*
 * Last stage: each block exactly once into ClickHouse.
 *
 * `log_partitions` in Postgres is the checkpoint: the epoch of the owner, the offset below which everything is stored, and at most one
 * open intent: "the records from done_offset up to open_to may be in ClickHouse under open_token". For each block, in this order:
 *
 *   1  one UPDATE, only under the owner's epoch: the block before is done, this one is the intent; its dead letters with it
 *   2  the insert, under the intent's token: without effect where the token is known, month by month, views included
 *   3  its ids are remembered, and it counts as done in memory; the mark comes with the next block, or after a pause (`commit`)
 *
 * A new owner raises the epoch and carries an open intent out again: the same records, under the stored token, with the dead letters that were
 * written with it. Its deduplication counts only rows below done_offset as stored, so the block comes out as it did.
 *
 * What can happen, and why nothing is lost or doubled:
 *
 * - Killed before the intent: nothing was written; the records are read again from done_offset.
 * - Killed between intent and insert: the token is unknown, so carrying it out again inserts the block.
 * - Killed in the insert, one of two months in: the token is kept for each part; what is in stays, what is missing comes. The
 *   same holds between the table and the vocabulary.
 * - Killed between insert and mark: carried out again without effect, then marked; its counts stand in the intent and are added once.
 * - Frozen between intent and insert while another owner carried it out and went on: on waking the insert has a known token and does
 *   nothing, and the next intent is refused by the epoch (`FencedError`). Tokens are known for the last 10,000 parts; a sleeper of more than
 *   `staleAfterMs` does not insert at all but asks for its partition again.
 * - ClickHouse unreachable, hanging, or answering after the time-out: the attempt is given up with an exception and the intent stays open. The log
 *   asks `assigned` again, which carries it out again, beside a late insert if need be: of two with one token one has effect.
 * - ClickHouse refuses the content for good: below.
 * - Postgres gone before or in step 1: the UPDATE happened or did not; `assigned` reads which. An UPDATE that is carried out late is fenced by the
 *   epoch that `assigned` has raised.
 * - Postgres gone in the mark: it is repeated, which adds nothing twice, since adding the counts empties them.
 * - Postgres gone in `assigned`: nothing is read before it answers.
 *
 * A token is made anew for every intent and never used for another content: ClickHouse would drop that silently. So where the content is
 * refused for good, the intent is replaced by one for the first half of its records under a new token, and so on; a single refused record goes row by
 * row, each row with a token of its own, and refused rows become dead letters in the same intent. Rows that a refused
 * attempt left in the table (one of two months) are looked up by their place in the log and not inserted again; the vocabulary, which may lack
 * them, is counted again (vocabulary-repair.ts). A power cut is handled elsewhere (unclean-shutdown.ts).
 */

/** What a token says of its intent. */
export const PART = ':part'
export const ROWS = ':rows'

/** Whether an intent replaced a refused one, so that some of its rows may be in the table under another token. */
export function mayBePartlyInserted(token: string): boolean {
  return token.endsWith(PART) || token.endsWith(ROWS)
}

export interface OpenIntent extends Intent {
  /** `refused`: ClickHouse will never take it; it must be replaced. */
  state: 'written' | 'inserted' | 'refused'
  /** When Postgres confirmed it, on the monotonic clock. */
  readonly confirmedAt: number
}

/** A partition while this process owns it. */
export interface LeasedPartition extends PartitionLease {
  /** First offset of the next block. */
  position: number
  open: OpenIntent | undefined
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

/** Why ClickHouse will not take a block, however often it is sent. */
export interface RefusedInsert {
  readonly reason: string
}

/** Too long has passed since the intent was confirmed: this process was frozen, and another may own the partition. */
class StaleIntentError extends Error {
  override readonly name = 'StaleIntentError'
}

/** Step 1. Where the open intent was refused it is replaced, else it is marked done. */
export async function writeBlockIntent(
  deps: BlockWriterDependencies,
  lease: LeasedPartition,
  block: Block,
  kind: '' | typeof PART | typeof ROWS,
): Promise<void> {
  const { sql, metrics, timing, newId } = deps
  const token = `${lease.logId}:${lease.partition}:${block.from}-${block.to}:${newId()}${kind}`
  const intent = { to: block.to, token, counts: block.counts() }
  const replaces = lease.open?.state === 'refused' ? lease.open.to : undefined
  await deps.faultPoint('consumer:before-intent')
  await withTimeout(
    timing.postgresMs,
    'Postgres, writing an intent',
    writeIntent(
      sql,
      lease,
      { from: block.from, intent, deadLetters: block.deadLetters, replacesUpTo: replaces },
      newId,
    ),
  )
  lease.open = { ...intent, state: 'written', confirmedAt: performance.now() }
  metrics.blockRows.observe(block.rowCount)
  await deps.faultPoint('consumer:intent-written')
  await trimLog(deps, lease, block.from)
}

/** Steps 2 and 3 without the remembering of ids, which is the caller's. */
export async function insertBlock(
  deps: BlockWriterDependencies,
  lease: LeasedPartition,
  block: Block,
): Promise<RefusedInsert | undefined> {
  const open = openIntent(lease)
  const refusal = open.token.endsWith(ROWS)
    ? await insertRowByRow(deps, lease, block, open)
    : await insertRows(deps, lease, open, block.chunks(), open.token)
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

/** Marks the last block as done where that is all there is to do. */
export async function commit(deps: BlockWriterDependencies, lease: LeasedPartition): Promise<void> {
  const { open } = lease
  if (open?.state !== 'inserted') return
  await withTimeout(
    deps.timing.postgresMs,
    'Postgres, marking a block',
    commitBlock(deps.sql, lease, open.to),
  )
  lease.open = undefined
  await deps.faultPoint('consumer:marked')
  await trimLog(deps, lease, open.to)
}

/** Lets the log forget what is marked as done. Its failure costs space, not data. */
async function trimLog(deps: BlockWriterDependencies, lease: LeasedPartition, offset: number): Promise<void> {
  try {
    await deps.log.trim(lease.partition, offset)
  } catch (error) {
    deps.logger.warn({ err: error, partition: lease.partition, offset }, 'the log could not be trimmed')
  }
}

function openIntent(lease: LeasedPartition): OpenIntent {
  if (lease.open === undefined) throw new Error('a block is inserted only after it was announced')
  return lease.open
}

/** Inserts rows under a token. Returns why ClickHouse will never take them, where that is so; throws where it may another time. */
export async function insertRows(
  deps: BlockWriterDependencies,
  lease: LeasedPartition,
  open: OpenIntent,
  rows: Pick<EventBlock, 'chunks' | 'rowCount' | 'workspaceIds'>,
  token: string,
): Promise<RefusedInsert | undefined> {
  if (rows.rowCount === 0) return undefined
  const { timing, clickhouse, metrics } = deps
  const age = performance.now() - open.confirmedAt
  if (age > timing.staleAfterMs)
    throw new StaleIntentError(`the intent is ${Math.round(age)} ms old: the partition is asked for again`)
  const end = metrics.insertSeconds.startTimer()
  try {
    await withTimeout(
      2 * timing.insertMs,
      'ClickHouse, inserting a block',
      clickhouse.insertEvents(
        { ...rows, logId: lease.logId, logPartition: lease.partition, token },
        deadlineSignal(timing.insertMs),
      ),
    )
    end()
    return undefined
  } catch (error) {
    if (!(await isContentRefused(deps, lease, token, error))) throw error
    deps.logger.error(
      { err: error, partition: lease.partition, to: open.to, rows: rows.rowCount },
      'ClickHouse refuses a block: looking for the rows it will not take',
    )
    return { reason: errorMessage(error) }
  }
}

/**
 * Whether it is the rows that ClickHouse refuses. Where it refuses a block without rows as well, the schema or the
 * permissions are wrong, and no event must become a dead letter for that.
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
      'ClickHouse, inserting nothing',
      deps.clickhouse.insertEvents({ ...nothing, token: `${token}:nothing` }),
    )
    return true
  } catch {
    // Not even an empty block is accepted: the content is not at fault.
    return false
  }
}

/** Inserts the rows of a refused record one at a time; those refused again become dead letters of the same intent. */
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
      // The rows take their time: the ownership is confirmed anew, by amending the intent with what it says.
      if (performance.now() - openIntent(lease).confirmedAt > deps.timing.staleAfterMs / 2)
        await amendOpenIntent(deps, lease, block, dead)
      const refusal = await insertRows(
        deps,
        lease,
        openIntent(lease),
        { chunks: [chunk], rowCount: 1 },
        `${open.token}:${row - record.firstRow}`,
      )
      if (refusal !== undefined) refuseRow(block, record, row, refusal.reason)
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
  const intent = { ...openIntent(lease), counts: block.counts() }
  const letters = block.deadLetters.slice(already)
  await withTimeout(
    deps.timing.postgresMs,
    'Postgres, amending an intent',
    amendIntent(deps.sql, lease, intent, letters, deps.newId),
  )
  lease.open = { ...intent, confirmedAt: performance.now() }
}
