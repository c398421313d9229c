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
import { insertRows, type LeasedPartition, type RefusedInsert } from '../partitions/block-writer.js'
import { findInsertedRowsAt, type InsertedRows, NONE_INSERTED } from '../partitions/inserted-rows.js'
import {
  type PipelineDependencies,
  type PreparedBlock,
  prepareBlock,
  rememberBlock,
} from '../partitions/prepare-block.js'
import { commitReplay, splitIntoRows, writeReplayIntent } from './replay-transactions.js'

/*
 * Dead letters back into the pipeline, exactly once, by the owner of their partition and between two blocks of the log.
 *
 * A letter's rows keep their place in the log, which says who they are; the log itself is not written to. For some letters together, in this order:
 *
 *   1  which of their rows are in the table already (by place), which are duplicates (by insertId), which are to be inserted
 *   2  that is written into the letters with a token, only under the owner's epoch
 *   3  the insert under the token
 *   4  one transaction: the letters are replayed, their events counted in the ledger as stored
 *
 * Killed or failed after 2, what was written is carried out again under its token before anything else is stored in the partition: it has no effect
 * where it had been done, and it repairs the vocabulary where only the table had got it. Killed before 2, the letters are simply still waiting. 4 has no
 * effect the second time. docs/decisions/006-dead-letter-replay.md has the cases.
 */

export interface ParsedLetter {
  readonly letter: QueuedLetter
  readonly record: ParsedRecord
}

export function parseLetter(letter: QueuedLetter): ParsedLetter {
  return { letter, record: parseRecord(letter) }
}

/** Replays dead letters into the partitions of this process. */
export class Replayer {
  constructor(private readonly deps: PipelineDependencies) {}

  /** Carries out again what was announced and not finished. Before anything else is stored in the partition. */
  async resume(lease: LeasedPartition): Promise<void> {
    const letters = await this.ask(
      'reading announced replays',
      lettersOfOpenReplay(this.deps.sql, lease.partition),
    )
    if (letters.length === 0) return
    this.deps.logger.info(
      { partition: lease.partition, letters: letters.length },
      'a replay is carried out again',
    )
    // Announced just now, in a way: nobody else can have the epoch.
    const confirmedAt = performance.now()
    const prepared = await this.prepare(lease, letters.map(parseRecord), NONE_INSERTED)
    for (const [i, letter] of letters.entries()) choose(prepared.block, i, letter)
    await this.insertLetters(lease, letters, prepared, confirmedAt)
  }

  /** Takes the next letters that wait for the partition, which has no open block. False where there are none. */
  async next(lease: LeasedPartition): Promise<boolean> {
    const letters = await this.ask('reading dead letters', nextQueued(this.deps.sql, lease.partition))
    const sound = await this.dropUnreadable(lease, letters.map(parseLetter))
    // The last element comes first.
    const work = sound.length === 0 ? [] : [sound]
    for (let group = work.pop(); group !== undefined; group = work.pop()) {
      const refusal = await this.attempt(lease, group)
      const [first] = group
      if (refusal === undefined || first === undefined) continue
      if (group.length > 1) {
        const middle = group.length >>> 1
        work.push(group.slice(middle), group.slice(0, middle))
      } else await this.splitOrFail(lease, first, refusal.reason)
    }
    return letters.length > 0
  }

  /** The letters that can be read. A record with damaged rows is split; any other unreadable letter fails again. */
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
  ): Promise<RefusedInsert | undefined> {
    const inserted = await this.findInsertedRows(letters)
    const records = letters.map(({ record }) => record)
    const prepared = await this.prepare(lease, records, inserted)
    const token = `${lease.logId}:${lease.partition}:replay:${this.deps.newId()}`
    const intended = letters.map(({ letter }, i) => ({ ...letter, token, ...chosen(prepared.block, i) }))
    await this.ask('announcing a replay', writeReplayIntent(this.deps.sql, lease, lease.position, intended))
    const confirmedAt = performance.now()
    await this.deps.faultPoint('replay:announced')
    return this.insertLetters(lease, intended, prepared, confirmedAt)
  }

  /** Steps 3 and 4, of letters of one token. */
  private async insertLetters(
    lease: LeasedPartition,
    letters: readonly IntendedLetter[],
    prepared: PreparedBlock,
    confirmedAt: number,
  ): Promise<RefusedInsert | undefined> {
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
    const refusal = await insertRows(
      this.deps,
      // Rows keep the log they came by, be it an earlier one.
      { ...lease, logId, partition },
      { to: lease.position, token, counts: total, state: 'written', confirmedAt },
      block.chunks(),
      token,
    )
    if (refusal !== undefined) {
      await this.ask('withdrawing a replay', withdrawReplayIntent(this.deps.sql, token))
      return refusal
    }
    await this.deps.faultPoint('replay:inserted')
    await rememberBlock(this.deps.deduplicator, prepared)
    await this.ask('marking replayed letters', commitReplay(this.deps.sql, token, letters, counts))
    for (const { stored, duplicates } of counts) {
      this.deps.metrics.rowsStored.inc(stored)
      this.deps.metrics.rowsDuplicate.inc(duplicates)
    }
    await this.deps.faultPoint('replay:marked')
    return undefined
  }

  private prepare(
    lease: LeasedPartition,
    records: readonly ParsedRecord[],
    inserted: InsertedRows,
  ): Promise<PreparedBlock> {
    // Everything below the position counts as stored, letters of any offset included.
    const range = { from: lease.position, to: lease.position }
    return prepareBlock(this.deps.deduplicator, lease.partition, records, range, {
      dead: NO_DEAD_POSITIONS,
      inserted: inserted,
    })
  }

  /** The rows of the letters that are in the table, whatever attempt left them there. */
  private async findInsertedRows(letters: readonly ParsedLetter[]): Promise<InsertedRows> {
    const [first] = letters
    if (first === undefined) return NONE_INSERTED
    const { logId, partition } = first.letter
    const received = letters.map(({ record }) => record.events?.receivedAt ?? 0)
    return findInsertedRowsAt(
      this.deps.clickhouse,
      { logId, logPartition: partition, offsets: letters.map(({ letter }) => letter.offset) },
      { from: Math.min(...received), to: Math.max(...received) },
      // The log's next batch waits for it.
      deadlineSignal(this.deps.timing.insertMs),
    )
  }

  private async split(lease: LeasedPartition, { letter, record }: ParsedLetter): Promise<void> {
    // All rows go to this partition: a record whose rows belong to several was split when it was routed.
    const rows = (record.events?.rowsAsRecords() ?? []).map(({ payload }) => ({
      payload,
      partition: lease.partition,
    }))
    await this.ask(
      'dividing a dead letter',
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

/** Why a letter cannot be read, if so; a record of which some rows can be is divided into them. */
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

/** What the stages decided of a letter's rows. */
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

/** Puts the decision that was announced in the place of a new one, which would find its own rows stored. */
function choose(block: Block, index: number, { rows }: IntendedLetter): void {
  const { firstRow, endRow } = recordAt(block, index)
  block.outcomes.fill(OUTCOME.duplicate, firstRow, endRow)
  for (const row of rows) block.outcomes[firstRow + row] = OUTCOME.ok
}
