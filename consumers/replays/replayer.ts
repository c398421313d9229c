import { shardSuffix } from '../../clickhouse/shards.js'
import { dayOf } from '../../domain/day.js'
import {
  failLetter,
  type IntendedLetter,
  lettersOfOpenReplay,
  nextQueued,
  type QueuedLetter,
  withdrawReplayIntent,
} from '../../postgres/tables/dead-letters.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { type Block, OUTCOME } from '../blocks/block.js'
import { type ParsedRecord, parseRecord } from '../blocks/parse-record.js'
import { NO_DEAD_POSITIONS, readBlock } from '../blocks/read-rows.js'
import { insertRows, type LeasedPartition, lossOf } from '../partitions/block-writer.js'
import { FencedError } from '../partitions/checkpoint.js'
import { tryCompleteViews } from '../partitions/complete-views.js'
import {
  findInsertedRowsAt,
  type InsertedRows,
  NONE_INSERTED,
  receiptOf,
} from '../partitions/inserted-rows.js'
import {
  type PipelineDependencies,
  type PreparedBlock,
  prepareBlock,
  rememberBlock,
} from '../partitions/prepare-block.js'
import { commitReplay, splitIntoRows, writeReplayIntent } from './replay-transactions.js'

/*
 * Stores dead letters exactly once, as the owner of their partition and between two blocks of the log. The
 * rows of a letter keep their log position, which identifies them. For a group of letters:
 *
 *   1  Find which rows are in the table (by position), which are duplicates (by insertId), which to insert.
 *   2  Write that decision into the letters with a token, under the owner's epoch.
 *   3  Insert the rows under the token.
 *   4  In one transaction, mark the letters as replayed and count their events as stored.
 *
 * After a failure behind 2, the decision is repeated under its token before anything else is stored in the
 * partition. The insert then has no effect if it happened, and completes the vocabulary if only the table has
 * the rows. Step 4 has no effect the second time. docs/decisions/006-dead-letter-replay.md lists the cases.
 */

export interface ParsedLetter {
  readonly letter: QueuedLetter
  readonly record: ParsedRecord
}

export function parseLetter(letter: QueuedLetter): ParsedLetter {
  return { letter, record: parseRecord(letter) }
}

export class Replayer {
  constructor(private readonly deps: PipelineDependencies) {}

  /** Repeats an open replay. Must come before anything else is stored in the partition. */
  async resume(lease: LeasedPartition): Promise<void> {
    const letters = await this.ask(
      'reading open replays',
      lettersOfOpenReplay(this.deps.sql, lease.partition),
    )
    if (letters.length === 0) return
    this.deps.logger.info({ partition: lease.partition, letters: letters.length }, 'Repeating an open replay')
    // No other process can have the epoch, so the intent counts as confirmed now.
    const confirmedAt = performance.now()
    const prepared = await this.prepare(lease, letters.map(parseRecord), NONE_INSERTED)
    for (const [i, letter] of letters.entries()) choose(prepared.block, i, letter)
    const parsed = letters.map(parseLetter)
    const refusal = await this.insertLetters(lease, letters, prepared, confirmedAt, () =>
      lossOf(this.deps.clickhouse, prepared.block, () => this.findInsertedRows(parsed)),
    )
    if (refusal !== undefined) return
    for (const { letter, record } of parsed) {
      const { logId, partition: logPartition, offset } = letter
      const range = { logId, logPartition, from: offset, to: offset + 1, ...receiptOf([record]) }
      await tryCompleteViews(this.deps, range)
    }
  }

  /** Stores the next letters of the partition, which has no open block. False if none wait. */
  async next(lease: LeasedPartition): Promise<boolean> {
    const letters = await this.ask('reading dead letters', nextQueued(this.deps.sql, lease.partition))
    const sound = await this.dropUnreadable(lease, letters.map(parseLetter))
    // A stack: the first group is popped first.
    const work = sound.length === 0 ? [] : [sound]
    for (let group = work.pop(); group !== undefined; group = work.pop()) {
      const refusal = await this.attempt(lease, group)
      const [first] = group
      if (refusal === undefined || first === undefined) continue
      if (group.length > 1) {
        const middle = group.length >>> 1
        work.push(group.slice(middle), group.slice(0, middle))
      } else await this.splitOrFail(lease, first, refusal)
    }
    return letters.length > 0
  }

  /** The letters that can be read. Records with damaged rows are split, other unreadable letters fail. */
  private async dropUnreadable(
    lease: LeasedPartition,
    letters: readonly ParsedLetter[],
  ): Promise<ParsedLetter[]> {
    const sound: ParsedLetter[] = []
    for (const parsed of letters) {
      const problem = letterProblem(parsed)
      if (problem === undefined) sound.push(parsed)
      else if (problem.divisible) await this.split(lease, parsed)
      else await this.fail(parsed.letter, problem.reason)
    }
    return sound
  }

  private async splitOrFail(lease: LeasedPartition, parsed: ParsedLetter, reason: string): Promise<void> {
    const { letter, record } = parsed
    if (letter.rowIndex < 0 && (record.events?.count ?? 0) > 1) await this.split(lease, parsed)
    else await this.fail(letter, reason)
  }

  private async attempt(
    lease: LeasedPartition,
    letters: readonly ParsedLetter[],
  ): Promise<string | undefined> {
    const inserted = await this.findInsertedRows(letters)
    const records = letters.map(({ record }) => record)
    const prepared = await this.prepare(lease, records, inserted)
    const id = `${this.deps.newId()}${shardSuffix(this.deps.clickhouse)}`
    const token = `${lease.logId}:${lease.partition}:replay:${id}`
    const intended = letters.map(({ letter }, i) => ({ ...letter, token, ...chosen(prepared.block, i) }))
    await this.ask(
      'writing the intent of a replay',
      writeReplayIntent(this.deps.sql, lease, lease.position, intended),
    )
    const confirmedAt = performance.now()
    await this.deps.faultPoint('replay:announced')
    return this.insertLetters(lease, intended, prepared, confirmedAt)
  }

  private async insertLetters(
    lease: LeasedPartition,
    letters: readonly IntendedLetter[],
    prepared: PreparedBlock,
    confirmedAt: number,
    check: () => Promise<string | undefined> = async () => undefined,
  ): Promise<string | undefined> {
    const { block } = prepared
    const [first] = letters
    if (first === undefined) return undefined
    const { token, logId, partition } = first
    const counts = letters.map(({ id, duplicates }, i) => ({
      id,
      stored: rowsOf(block, i) - duplicates,
      duplicates,
    }))
    const total = { stored: 0, duplicates: 0, dead: 0 }
    const refused = await insertRows(
      this.deps,
      // Rows keep the log they came from, even if it is an earlier one.
      { ...lease, logId, partition },
      { to: lease.position, token, counts: total, state: 'written', confirmedAt },
      block.chunks(),
      token,
    )
    const refusal = refused ?? (await check())
    if (refusal !== undefined) {
      await this.ask('withdrawing a replay', withdrawReplayIntent(this.deps.sql, token))
      return refusal
    }
    await this.deps.faultPoint('replay:inserted')
    await rememberBlock(this.deps.deduplicator, prepared, true)
    this.deps.deduplicator.noteReplayedLetters(lease.partition, undefined)
    await this.ask(
      'committing replayed letters',
      commitReplay(this.deps.sql, token, letters, counts, daysOf(letters)),
    )
    for (const { stored, duplicates } of counts) {
      this.deps.metrics.rowsStored.inc(stored)
      this.deps.metrics.rowsDuplicate.inc(duplicates)
    }
    await this.deps.faultPoint('replay:marked')
    return undefined
  }

  private async prepare(
    lease: LeasedPartition,
    records: readonly ParsedRecord[],
    inserted: InsertedRows,
  ): Promise<PreparedBlock> {
    // Ids that are read for an earlier position would lack what a later owner has stored.
    if (lease.isLost) throw new FencedError(`partition ${lease.partition} has been lost`)
    // Everything below the position counts as stored, letters of any offset included.
    const range = { from: lease.position, to: lease.position }
    const known = { dead: NO_DEAD_POSITIONS, inserted }
    return prepareBlock(this.deps.deduplicator, lease.partition, records, range, known)
  }

  /** The rows of the letters that are in the table, whichever attempt left them there. */
  private async findInsertedRows(letters: readonly ParsedLetter[]): Promise<InsertedRows> {
    const [first] = letters
    if (first === undefined) return NONE_INSERTED
    const { logId, partition } = first.letter
    return findInsertedRowsAt(
      this.deps.clickhouse,
      { logId, logPartition: partition, offsets: letters.map(({ letter }) => letter.offset) },
      receiptOf(letters.map(({ record }) => record)),
      // The log's next batch waits for this.
      deadlineSignal(this.deps.timing.insertMs),
    )
  }

  private async split(lease: LeasedPartition, { letter, record }: ParsedLetter): Promise<void> {
    // All rows go to this partition. A record whose rows belong to several was split by the router.
    const rows = (record.events?.rowsAsRecords() ?? []).map(({ payload }) => ({
      payload,
      partition: lease.partition,
    }))
    await this.ask(
      'splitting a dead letter',
      this.deps.sql.begin((tx) => splitIntoRows(tx, letter, rows, this.deps.newId)),
    )
  }

  private async fail(letter: QueuedLetter, reason: string): Promise<void> {
    await this.ask('writing a dead letter again', failLetter(this.deps.sql, letter, reason))
    this.deps.metrics.rowsDeadLettered.inc(letter.events)
  }

  private ask<T>(what: string, promise: Promise<T>): Promise<T> {
    return withTimeout(this.deps.timing.postgresMs, `Postgres, ${what}`, promise)
  }
}

/** Why a letter cannot be read, if so, and whether splitting it into rows saves some. */
export function letterProblem({
  letter,
  record,
}: ParsedLetter): { readonly reason: string; readonly divisible: boolean } | undefined {
  const block = readBlock([record], letter.offset, letter.offset + 1)
  const [first] = block.deadLetters
  if (first === undefined) return undefined
  return { reason: first.reason, divisible: letter.rowIndex < 0 && first.rowIndex >= 0 && block.rowCount > 1 }
}

function recordAt(block: Block, index: number): ParsedRecord {
  const record = block.records[index]
  if (record === undefined) throw new RangeError(`the block has no record ${index}`)
  return record
}

function rowsOf(block: Block, index: number): number {
  const { firstRow, endRow } = recordAt(block, index)
  return endRow - firstRow
}

function chosen(block: Block, index: number): { readonly rows: number[]; readonly duplicates: number } {
  const { firstRow, endRow } = recordAt(block, index)
  const rows: number[] = []
  let duplicates = 0
  for (let row = firstRow; row < endRow; row++) {
    const outcome = block.outcomes[row]
    if (outcome === OUTCOME.ok) rows.push(row - firstRow)
    else if (outcome === OUTCOME.duplicate) duplicates++
    else if (outcome !== OUTCOME.inserted) throw new Error('a letter that was read can no longer be read')
  }
  return { rows, duplicates }
}

/**
 * Restores the decision of the intent. A new decision would find its own rows stored. The other rows were
 * stored before, maybe by an attempt that did not remember their ids.
 */
function choose(block: Block, index: number, { rows }: IntendedLetter): void {
  const { firstRow, endRow } = recordAt(block, index)
  block.outcomes.fill(OUTCOME.inserted, firstRow, endRow)
  for (const row of rows) block.outcomes[firstRow + row] = OUTCOME.ok
}

/** UTC days of receipt, `YYYY-MM-DD`, by workspace. */
function daysOf(letters: readonly QueuedLetter[]): ReadonlyMap<string, readonly string[]> {
  const days = new Map<string, string[]>()
  for (const { events } of letters.map(parseRecord)) {
    if (events === undefined) continue
    const known = days.get(events.workspaceId) ?? []
    days.set(events.workspaceId, [...known, dayOf(events.receivedAt)])
  }
  return days
}
