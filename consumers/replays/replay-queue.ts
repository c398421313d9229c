import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { FencedError, type PartitionLease } from '../partitions/checkpoint.js'
import type { RecordRange } from '../partitions/vocabulary-repair.js'
import { insertDeadLetters, reasonText } from './dead-letter.js'

/** Letters taken at a time, and their bytes: they are held in memory several times. */
const TAKEN_LETTERS = 500
const TAKEN_BYTES = 16 * 1024 * 1024

/** A dead letter that a replay waits for. */
export interface QueuedLetter {
  readonly id: string
  readonly replayId: string
  readonly logId: string
  readonly partition: number
  readonly offset: number
  /** Position in the record; -1 for the whole of it. */
  readonly rowIndex: number
  readonly workspaceId: string | undefined
  readonly reason: string
  readonly attempts: number
  readonly createdAt: Date
  readonly events: number
  readonly payload: Uint8Array
}

/** A letter whose rows may be in ClickHouse. */
export interface IntendedLetter extends QueuedLetter {
  readonly token: string
  /** Positions in its record of the rows to insert. */
  readonly rows: readonly number[]
  readonly duplicates: number
}

interface LetterRow {
  id: string
  replay_id: string
  log_id: string
  log_partition: number
  log_offset: string
  row_index: number
  workspace_id: string | null
  reason: string
  attempts: number
  created_at: Date
  events: number
  payload: Buffer
  replay_token: string | null
  replay_rows: number[] | null
  replay_duplicates: number | null
}

/** The next letters for the owner of a partition, all of one partition of one log, in its order. */
export async function nextQueued(sql: Sql, partition: number): Promise<QueuedLetter[]> {
  const rows = await sql<LetterRow[]>`
    with next as (
      select id, octet_length(payload) as bytes, log_id, log_partition, log_offset, row_index from dead_letters
      where replay_id is not null and replay_partition = ${partition} and replay_token is null
      order by log_id, log_partition, log_offset, row_index limit ${TAKEN_LETTERS}
    ), fitting as (
      select id, bytes, sum(bytes) over (order by log_id, log_partition, log_offset, row_index) as upto from next
    )
    select l.* from dead_letters l join fitting f using (id)
    where f.upto <= ${TAKEN_BYTES} or f.upto = f.bytes
    order by log_id, log_partition, log_offset, row_index`
  const [first] = rows
  return rows
    .filter((row) => row.log_id === first?.log_id && row.log_partition === first.log_partition)
    .map(letterOf)
}

/** What was announced for the letters of a partition and is not finished: of one token, since nothing else is stored before it is. */
export async function lettersOfOpenReplay(sql: Sql, partition: number): Promise<IntendedLetter[]> {
  const rows = await sql<LetterRow[]>`
    select * from dead_letters
    where replay_id is not null and replay_partition = ${partition} and replay_token is not null
    order by log_id, log_partition, log_offset, row_index`
  const letters = rows.map(intendedLetterOf)
  if (letters.some((letter) => letter.token !== letters[0]?.token))
    throw new Error(`partition ${partition} has two announced replays`)
  return letters
}

/** Letters that nobody has looked at yet; they are locked until the transaction ends, and other processes take others. */
export async function lockUnrouted(tx: Transaction, letters: number): Promise<QueuedLetter[]> {
  const rows = await tx<LetterRow[]>`
    select * from dead_letters where replay_id is not null and replay_partition is null
    order by id limit ${letters} for update skip locked`
  return rows.map(letterOf)
}

/**
 * Notes which rows of the letters are about to be inserted under a token. Only as the owner of the partition, and only while no block of the log
 * is open there: what the letters' rows are compared with must not change.
 *
 * @throws FencedError
 */
export async function writeReplayIntent(
  sql: Sql,
  lease: PartitionLease,
  position: number,
  letters: readonly IntendedLetter[],
): Promise<void> {
  await sql.begin(async (tx) => {
    const owned = await tx`
      select from log_partitions
      where log_id = ${lease.logId} and log_partition = ${lease.partition} and epoch = ${lease.epoch}
        and done_offset = ${position} and open_to is null for update`
    if (owned.count !== 1)
      throw new FencedError(`partition ${lease.partition} of log ${lease.logId} has another owner`)
    const { count } = await tx`
      update dead_letters l set replay_token = u.token, replay_rows = u.positions::smallint[], replay_duplicates = u.duplicates
      from unnest(${letters.map(({ id }) => id)}::uuid[], ${letters.map(({ token }) => token)}::text[],
        ${letters.map(({ rows }) => `{${rows.join(',')}}`)}::text[],
        ${letters.map(({ duplicates }) => duplicates)}::integer[]) as u (letter, token, positions, duplicates)
      where l.id = u.letter and l.replay_id is not null and l.replay_token is null`
    if (count !== letters.length) throw new Error('letters are no longer as they were read')
  })
}

/** ClickHouse will never take what was announced: the letters wait again. */
export async function withdrawReplayIntent(sql: Sql, token: string): Promise<void> {
  await sql`
    update dead_letters set replay_token = null, replay_rows = null, replay_duplicates = null
    where replay_token = ${token} and replay_id is not null`
}

/** The records of all announced replays, of every partition. */
export async function openReplayRanges(sql: Sql): Promise<readonly RecordRange[]> {
  return sql<RecordRange[]>`
    select distinct log_id as "logId", log_partition as "logPartition", log_offset::float8 as "from", log_offset::float8 + 1 as "to"
    from dead_letters where replay_token is not null`
}

/** Withdraws every announced replay: its letters are looked up and announced anew. Only while no partition has an owner that lives. */
export async function withdrawAllReplayIntents(sql: Sql): Promise<void> {
  await sql`
    update dead_letters set replay_token = null, replay_rows = null, replay_duplicates = null
    where replay_token is not null`
}

/** Events of a letter, by what became of them. */
export interface LetterCounts {
  readonly id: string
  readonly stored: number
  readonly duplicates: number
}

/**
 * The letters of a token are replayed: they are marked, and their events move in the ledger, in one transaction that has no effect the second time.
 *
 * @throws FencedError where another process has done it
 */
export async function commitReplay(
  sql: Sql,
  token: string,
  letters: readonly QueuedLetter[],
  counts: readonly LetterCounts[],
): Promise<void> {
  await sql.begin(async (tx) => {
    const { count } = await tx`update dead_letters set replay_token = null where replay_token = ${token}`
    if (count !== letters.length) throw new FencedError('another process has finished the replay')
    const [first] = letters
    if (first === undefined) return
    await closeLetters(
      tx,
      letters.map(({ id }) => id),
    )
    let stored = 0
    let duplicates = 0
    let dead = 0
    const byReplay = new Map<string, { letters: number; stored: number; duplicates: number }>()
    for (const [i, letter] of letters.entries()) {
      const { stored: its = 0, duplicates: twice = 0 } = counts[i] ?? {}
      stored += its
      duplicates += twice
      dead += letter.events
      const replay = byReplay.get(letter.replayId) ?? { letters: 0, stored: 0, duplicates: 0 }
      replay.letters++
      replay.stored += its
      replay.duplicates += twice
      byReplay.set(letter.replayId, replay)
    }
    await tx`
      update log_partitions set total_stored = total_stored + ${stored},
        total_duplicates = total_duplicates + ${duplicates}, total_dead = total_dead - ${dead}
      where log_id = ${first.logId} and log_partition = ${first.partition}`
    for (const [id, replay] of byReplay)
      await tx`
        update dead_letter_replays set replayed = replayed + ${replay.letters}, events_stored = events_stored + ${replay.stored},
          events_duplicate = events_duplicate + ${replay.duplicates}, problem = null
        where id = ${id}`
  })
}

/** A letter could not be stored this time either: it is a dead letter again, with this reason. No effect where it waits no longer. */
export async function failLetter(
  sql: Sql | Transaction,
  letter: QueuedLetter,
  reason: string,
): Promise<void> {
  await sql`
    with again as (
      update dead_letters set reason = ${reasonText(reason)}, attempts = attempts + 1, failed_at = now(),
        replay_id = null, replay_partition = null
      where id = ${letter.id} and replay_id = ${letter.replayId} and replay_token is null
      returning id)
    update dead_letter_replays set failed = failed + 1, problem = null
    where id = ${letter.replayId} and exists (select from again)`
}

/** One row of a record as a record. */
export interface RowRecord {
  readonly payload: Uint8Array
  readonly partition: number
}

/**
 * Puts the rows of a whole record in its place, each a letter of the same replay, so that each has an end of its own. No effect where it waits
 * no longer.
 */
export async function splitLetter(
  tx: Transaction,
  letter: QueuedLetter,
  rows: readonly RowRecord[],
  newId: () => string,
): Promise<void> {
  const { count } = await tx`
    select from dead_letters where id = ${letter.id} and replay_id = ${letter.replayId} and replay_token is null for update`
  if (count !== 1) return
  await closeLetters(tx, [letter.id])
  const { logId, partition, offset, workspaceId, reason } = letter
  await insertDeadLetters(
    tx,
    logId,
    partition,
    rows.map(({ payload }, rowIndex) => ({ offset, rowIndex, workspaceId, reason, events: 1, payload })),
    newId,
  )
  const at = rows.map((row) => row.partition)
  const updated = await tx`
    update dead_letters l set replay_id = ${letter.replayId}, attempts = ${letter.attempts}, created_at = ${letter.createdAt},
      replay_partition = (${at}::integer[])[l.row_index + 1]
    where log_id = ${logId} and log_partition = ${partition} and log_offset = ${offset} and row_index >= 0
      and replay_id is null and replayed_at is null`
  if (updated.count !== rows.length)
    throw new Error(`the record at ${partition}:${offset} has letters of its rows beside its own`)
  await tx`update dead_letter_replays set letters = letters + ${rows.length - 1} where id = ${letter.replayId}`
  // The ledger counts what the letters say.
  await tx`
    update log_partitions set total_dead = total_dead + ${rows.length - letter.events}
    where log_id = ${logId} and log_partition = ${partition}`
}

/** Letters that are done with. */
export async function closeLetters(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx`
    update dead_letters set replayed_at = now(), replay_id = null, replay_partition = null,
      replay_token = null, replay_rows = null, replay_duplicates = null
    where id = any(${[...ids]}::uuid[])`
}

function letterOf(row: LetterRow): QueuedLetter {
  return {
    id: row.id,
    replayId: row.replay_id,
    logId: row.log_id,
    partition: row.log_partition,
    offset: Number(row.log_offset),
    rowIndex: row.row_index,
    workspaceId: row.workspace_id ?? undefined,
    reason: row.reason,
    attempts: row.attempts,
    createdAt: row.created_at,
    events: row.events,
    payload: row.payload,
  }
}

function intendedLetterOf(row: LetterRow): IntendedLetter {
  return {
    ...letterOf(row),
    token: row.replay_token ?? '',
    rows: row.replay_rows ?? [],
    duplicates: row.replay_duplicates ?? 0,
  }
}
