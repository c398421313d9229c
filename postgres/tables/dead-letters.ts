import type { DeadLetter } from '../../domain/dead-letter.js'
import { pluralize } from '../../domain/text/format.js'
import type { Sql, Transaction } from '../driver/client.js'
import { auditByOperator } from './audit-entries.js'
import { type LetterFilter, matches } from './dead-letter-list.js'

/*
 * Writes to `dead_letters` and `dead_letter_replays`. Consumers add letters and replay them; the command line
 * lists them (dead-letter-list.ts) and asks for replays.
 */

/** Notified by the database when a replay is asked for. */
export const REPLAY_CHANNEL = 'svc_dead_letter_replays'

/** Bounds of one page of queued letters, since memory holds them several times. */
const MAX_PAGE_LETTERS = 500
const MAX_PAGE_BYTES = 16 * 1024 * 1024
const MAX_REASON_LENGTH = 2_000

/** A dead letter that a replay waits for. */
export interface QueuedLetter {
  readonly id: string
  readonly replayId: string
  readonly logId: string
  readonly partition: number
  readonly offset: number
  /** Position in the record; -1 for the whole of it. */
  readonly rowIndex: number
  readonly workspaceId: string | null
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

const letterColumns = (sql: Sql | Transaction) => sql`
  l.id, replay_id as "replayId", l.log_id as "logId", l.log_partition as partition, l.log_offset::float8 as "offset",
  l.row_index as "rowIndex", workspace_id as "workspaceId", reason, attempts, created_at as "createdAt", events, payload`

/** The next letters for the owner of a partition, all of one partition of one log, in its order. */
export async function nextQueued(sql: Sql, partition: number): Promise<QueuedLetter[]> {
  const letters = await sql<QueuedLetter[]>`
    with next as (
      select id, octet_length(payload) as bytes, log_id, log_partition, log_offset, row_index from dead_letters
      where replay_id is not null and replay_partition = ${partition} and replay_token is null
      order by log_id, log_partition, log_offset, row_index limit ${MAX_PAGE_LETTERS}
    ), fitting as (
      select id, bytes, sum(bytes) over (order by log_id, log_partition, log_offset, row_index) as upto from next
    )
    select ${letterColumns(sql)} from dead_letters l join fitting f using (id)
    where f.upto <= ${MAX_PAGE_BYTES} or f.upto = f.bytes
    order by log_id, log_partition, log_offset, row_index`
  const [first] = letters
  return letters.filter(({ logId, partition }) => logId === first?.logId && partition === first.partition)
}

/**
 * The intent to store letters of a partition that is not finished: of one token, since nothing else is
 * stored before it is.
 */
export async function lettersOfOpenReplay(sql: Sql, partition: number): Promise<IntendedLetter[]> {
  const letters = await sql<IntendedLetter[]>`
    select ${letterColumns(sql)}, replay_token as token, coalesce(replay_rows, '{}') as rows,
      coalesce(replay_duplicates, 0) as duplicates
    from dead_letters l
    where replay_id is not null and replay_partition = ${partition} and replay_token is not null
    order by log_id, log_partition, log_offset, row_index`
  if (letters.some((letter) => letter.token !== letters[0]?.token))
    throw new Error(`partition ${partition} has two announced replays`)
  return letters
}

/**
 * Letters that were not looked at yet; they are locked until the transaction ends, and other processes take
 * others.
 */
export async function lockUnrouted(tx: Transaction, letters: number): Promise<QueuedLetter[]> {
  return tx<QueuedLetter[]>`
    select ${letterColumns(tx)} from dead_letters l where replay_id is not null and replay_partition is null
    order by id limit ${letters} for update skip locked`
}

/** A replay, and how far it has come. */
export interface ReplayView {
  readonly id: string
  readonly state: 'requested' | 'running' | 'done'
  readonly letters: number
  readonly replayed: number
  readonly failed: number
  readonly eventsStored: number
  readonly eventsDuplicate: number
  /** Why it does not get on at the moment. */
  readonly problem: string | null
  readonly requestedAt: Date
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
}

/** Writes dead letters of a partition; one that is there already stays as it is. */
export async function insertDeadLetters(
  tx: Transaction,
  logId: string,
  partition: number,
  letters: readonly DeadLetter[],
  newId: () => string,
): Promise<void> {
  for (const letter of letters)
    await tx`
      insert into dead_letters (id, log_id, log_partition, log_offset, row_index, workspace_id, reason, events, payload)
      values (${newId()}, ${logId}, ${partition}, ${letter.offset}, ${letter.rowIndex}, ${letter.workspaceId ?? null},
        ${storableReason(letter.reason)}, ${letter.events}, ${Buffer.from(letter.payload)})
      on conflict (log_id, log_partition, log_offset, row_index) do nothing`
}

/** Engines quote the rows they refuse, and a Postgres text cannot hold NUL. */
function storableReason(reason: string): string {
  return reason.slice(0, MAX_REASON_LENGTH).replaceAll('\0', '\ufffd')
}

/** The dead letters of a range of offsets, as `offset:index`. */
export async function deadPositions(
  sql: Sql,
  logId: string,
  partition: number,
  from: number,
  to: number,
): Promise<Set<string>> {
  const rows = await sql<{ log_offset: string; row_index: number }[]>`
    select log_offset, row_index from dead_letters
    where log_id = ${logId} and log_partition = ${partition} and log_offset >= ${from} and log_offset < ${to}`
  return new Set(rows.map((row) => `${row.log_offset}:${row.row_index}`))
}

export interface ReplayRequest {
  /** Undefined if no letter was left to replay. */
  readonly replay: ReplayView | undefined
  /**
   * Of the ids that were named: those of no letter, those replayed before, and those another replay
   * waits for.
   */
  readonly unknown: string[]
  readonly replayedBefore: string[]
  readonly waiting: string[]
}

/**
 * Asks the running consumers to replay letters: those named, or all that match. If an id is unknown, none
 * is replayed.
 */
export async function requestReplay(
  sql: Sql,
  replayId: string,
  letters: { readonly ids: readonly string[] } | { readonly filter: LetterFilter },
): Promise<ReplayRequest> {
  return sql.begin(async (tx) => {
    const named = 'ids' in letters ? [...new Set(letters.ids)] : []
    const known = await tx<{ id: string; replayed_at: Date | null; replay_id: string | null }[]>`
      select id, replayed_at, replay_id from dead_letters where id = any(${named}::uuid[]) order by id for update`
    const ids = new Set(known.map(({ id }) => id))
    const outcome = {
      unknown: named.filter((id) => !ids.has(id)),
      replayedBefore: known.filter((row) => row.replayed_at !== null).map(({ id }) => id),
      waiting: known.filter((row) => row.replay_id !== null).map(({ id }) => id),
    }
    if (outcome.unknown.length > 0) return { ...outcome, replay: undefined }
    await tx`savepoint before_replay`
    await tx`insert into dead_letter_replays (id) values (${replayId})`
    const meant = 'ids' in letters ? tx`id = any(${named}::uuid[])` : matches(tx, letters.filter)
    const { count } = await tx`
      update dead_letters set replay_id = ${replayId}
      where id in (
        select id from dead_letters where replayed_at is null and replay_id is null and ${meant} order by id for update)
        and replayed_at is null and replay_id is null`
    if (count === 0) {
      await tx`rollback to savepoint before_replay`
      return { ...outcome, replay: undefined }
    }
    await tx`update dead_letter_replays set letters = ${count} where id = ${replayId}`
    const replay = await findReplay(tx, replayId)
    if (replay !== undefined) await auditReplay(tx, replay)
    return { ...outcome, replay }
  })
}

/** Letters without a workspace have no entry. */
async function auditReplay(tx: Transaction, { id, requestedAt }: ReplayView): Promise<void> {
  const workspaces = await tx<{ id: string; letters: number }[]>`
    select w.id, l.letters from workspaces w join (
      select workspace_id, count(*)::int as letters from dead_letters where replay_id = ${id} group by workspace_id
    ) l on l.workspace_id = w.id`
  for (const { id: workspaceId, letters } of workspaces)
    await auditByOperator(tx, requestedAt, workspaceId, {
      action: 'dead-letters.replay',
      resourceId: id,
      summary: `Asked for the replay of ${pluralize(letters, 'dead letter')}`,
    })
}

export async function findReplay(sql: Sql | Transaction, id: string): Promise<ReplayView | undefined> {
  const [replay] = await sql<ReplayView[]>`
    select id, state, letters, replayed, failed, events_stored::float8 as "eventsStored",
      events_duplicate::float8 as "eventsDuplicate", problem, requested_at as "requestedAt", started_at as "startedAt",
      finished_at as "finishedAt"
    from dead_letter_replays where id = ${id}`
  return replay
}

/**
 * Queues the unrouted letters of a log that is not drained for their own partitions. Returns their number.
 */
export async function routeToOwnPartitions(sql: Sql, logId: string, partitions: number): Promise<number> {
  const { count } = await sql`
    with log as (select id from logs where id = ${logId} and drained_at is null for share)
    update dead_letters set replay_partition = log_partition from log
    where replay_id is not null and replay_partition is null and log_id = log.id and log_partition < ${partitions}`
  return count
}

/** Queues a letter for a partition. */
export async function routeLetter(tx: Transaction, id: string, partition: number): Promise<void> {
  await tx`update dead_letters set replay_partition = ${partition} where id = ${id}`
}

/**
 * Marks the letters whose rows are about to be inserted under a token. Throws if one of them no longer waits,
 * or if an erasure has taken rows out of it since it was read.
 */
export async function markIntended(tx: Transaction, letters: readonly IntendedLetter[]): Promise<void> {
  const { count } = await tx`
    update dead_letters l set replay_token = u.token, replay_rows = u.positions::smallint[], replay_duplicates = u.duplicates
    from unnest(${letters.map(({ id }) => id)}::uuid[], ${letters.map(({ token }) => token)}::text[],
      ${letters.map(({ rows }) => `{${rows.join(',')}}`)}::text[],
      ${letters.map(({ duplicates }) => duplicates)}::integer[], ${letters.map(({ payload }) => payload.length)}::integer[])
      as u (letter, token, positions, duplicates, bytes)
    where l.id = u.letter and l.replay_id is not null and l.replay_token is null and octet_length(l.payload) = u.bytes`
  if (count !== letters.length) throw new Error('letters are no longer as they were read')
}

/** ClickHouse will never take what was announced: the letters wait again. */
export async function withdrawReplayIntent(sql: Sql, token: string): Promise<void> {
  await sql`update dead_letters set ${withoutIntent(sql)} where replay_token = ${token} and replay_id is not null`
}

const withoutIntent = (sql: Sql | Transaction) =>
  sql`replay_token = null, replay_rows = null, replay_duplicates = null`

/** The records of all announced replays, of every partition. */
export async function openReplayRanges(sql: Sql): Promise<readonly OpenReplayRange[]> {
  return sql<OpenReplayRange[]>`
    select distinct log_id as "logId", log_partition as "logPartition", log_offset::float8 as "from", log_offset::float8 + 1 as "to"
    from dead_letters where replay_token is not null`
}

/**
 * Withdraws every announced replay: its letters are looked up and announced anew. Only while no partition has
 * an owner that lives.
 */
export async function withdrawAllReplayIntents(sql: Sql): Promise<void> {
  await sql`update dead_letters set ${withoutIntent(sql)} where replay_token is not null`
}

interface OpenReplayRange {
  readonly logId: string
  readonly logPartition: number
  readonly from: number
  readonly to: number
}

/** Takes the token from its letters. Returns their number: 0 if another process has done so. */
export async function clearIntent(tx: Transaction, token: string): Promise<number> {
  const { count } = await tx`update dead_letters set replay_token = null where replay_token = ${token}`
  return count
}

/** Letters that are done with. */
export async function closeLetters(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx`
    update dead_letters set replayed_at = now(), replay_id = null, replay_partition = null, ${withoutIntent(tx)}
    where id = any(${[...ids]}::uuid[])`
}

/** Adds letters that were replayed to the counts of their replay. */
export async function countReplayed(
  tx: Transaction,
  replayId: string,
  counts: { readonly letters: number; readonly stored: number; readonly duplicates: number },
): Promise<void> {
  await tx`
    update dead_letter_replays set replayed = replayed + ${counts.letters}, events_stored = events_stored + ${counts.stored},
      events_duplicate = events_duplicate + ${counts.duplicates}, problem = null
    where id = ${replayId}`
}

/**
 * Counts by which a consumer sees that ids were learnt apart from the log. Neither falls: erasures that
 * removed letters, whose ids were never stored, and letters that were replayed.
 */
export async function countLetterChanges(sql: Sql): Promise<{ erasures: number; replayed: number }> {
  const [row] = await sql<{ erasures: number; replayed: number }[]>`
    select (select count(*)::int from erasures where dead_letters > 0) as erasures,
      (select coalesce(sum(replayed), 0)::float8 from dead_letter_replays) as replayed`
  return row ?? { erasures: 0, replayed: 0 }
}

/** Whether a letter still waits as it was read. An erasure shortens what it takes rows out of. */
const waitsAsRead = (sql: Sql | Transaction, { id, replayId, payload }: QueuedLetter) => sql`
  id = ${id} and replay_id = ${replayId} and replay_token is null and octet_length(payload) = ${payload.length}`

/**
 * A letter could not be stored this time either: it is a dead letter again, with this reason. No effect if it
 * waits no longer, or has changed.
 */
export async function failLetter(
  sql: Sql | Transaction,
  letter: QueuedLetter,
  reason: string,
): Promise<void> {
  await sql`
    with again as (
      update dead_letters set reason = ${storableReason(reason)}, attempts = attempts + 1, failed_at = now(),
        replay_id = null, replay_partition = null
      where ${waitsAsRead(sql, letter)}
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
 * Replaces the letter of a whole record by one letter for each row, in the same replay, so that each row ends
 * by itself.
 *
 * @returns how many dead events the letters count more than before; undefined if the letter no longer waits,
 * or has changed
 */
export async function splitLetter(
  tx: Transaction,
  letter: QueuedLetter,
  rows: readonly RowRecord[],
  newId: () => string,
): Promise<number | undefined> {
  const { count } = await tx`select from dead_letters where ${waitsAsRead(tx, letter)} for update`
  if (count !== 1) return undefined
  await closeLetters(tx, [letter.id])
  const { logId, partition, offset, reason } = letter
  const workspaceId = letter.workspaceId ?? undefined
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
  return rows.length - letter.events
}

/** Starts the replays that were asked for. Returns whether any replay is open. */
export async function startRequestedReplays(sql: Sql): Promise<boolean> {
  const open = await sql<{ state: string }[]>`select state from dead_letter_replays where state <> 'done'`
  if (open.some(({ state }) => state === 'requested'))
    await sql`update dead_letter_replays set state = 'running', started_at = now() where state = 'requested'`
  return open.length > 0
}

/** Ends the replays that no letter waits for. Returns their number. */
export async function finishReplays(sql: Sql): Promise<number> {
  const { count } = await sql`
    update dead_letter_replays r set state = 'done', finished_at = now(), problem = null
    where state = 'running' and not exists (select from dead_letters where replay_id = r.id)`
  return count
}

/** Shows why the running replays do not advance. */
export async function noteReplayProblem(sql: Sql, problem: string): Promise<void> {
  await sql`update dead_letter_replays set problem = ${storableReason(problem)} where state = 'running'`
}

/** A dead letter that may hold rows of a person. */
export interface LetterOfWorkspace {
  readonly id: string
  readonly logId: string
  readonly partition: number
  readonly offset: number
  readonly rowIndex: number
  readonly payload: Uint8Array
  readonly events: number
  readonly replayed: boolean
  /** A replay, or an open block, still decides by it. */
  readonly busy: boolean
}

/**
 * The letters of a workspace, and those that tell none, after another one. In the order of the log, so that
 * the letters that replace one follow it.
 */
export async function lettersOfWorkspace(
  tx: Transaction,
  workspaceId: string,
  after: LetterOfWorkspace | undefined,
  limit: number,
): Promise<readonly LetterOfWorkspace[]> {
  const further =
    after === undefined
      ? tx`true`
      : tx`(l.log_id, l.log_partition, l.log_offset, l.row_index)
          > (${after.logId}::uuid, ${after.partition}::integer, ${after.offset}::bigint, ${after.rowIndex}::integer)`
  return tx<LetterOfWorkspace[]>`
    select l.id, l.log_id as "logId", l.log_partition as partition, l.log_offset::float8 as "offset",
      l.row_index as "rowIndex", payload, events, replayed_at is not null as replayed,
      replay_token is not null or l.log_offset >= coalesce(p.done_offset, 0) as busy
    from dead_letters l left join log_partitions p on p.log_id = l.log_id and p.log_partition = l.log_partition
    where (workspace_id = ${workspaceId} or workspace_id is null) and ${further}
    order by l.log_id, l.log_partition, l.log_offset, l.row_index limit ${limit}`
}

/**
 * Replaces what a letter holds after rows were taken out of it, or removes it if no row is left.
 *
 * @returns false if a replay has taken it up or ended it since it was read; then it stays as it is
 */
export async function shrinkLetter(
  tx: Transaction,
  letter: LetterOfWorkspace,
  left: { readonly payload: Uint8Array | undefined; readonly removed: number },
): Promise<boolean> {
  const asRead = tx`
    id = ${letter.id} and replay_token is null and (replayed_at is not null) = ${letter.replayed}
      and octet_length(payload) = ${letter.payload.length}`
  const { count } =
    left.payload === undefined
      ? await tx`delete from dead_letters where ${asRead}`
      : await tx`
          update dead_letters set payload = ${Buffer.from(left.payload)}, events = ${letter.events - left.removed}
          where ${asRead}`
  return count === 1
}

/** Takes texts out of the reasons of a workspace's letters, because engines quote the rows they refuse. */
export async function redactReasons(
  tx: Transaction,
  workspaceId: string,
  texts: readonly string[],
): Promise<void> {
  for (const text of texts)
    await tx`
      update dead_letters set reason = replace(reason, ${text}, '…')
      where (workspace_id = ${workspaceId} or workspace_id is null) and position(${text} in reason) > 0`
}

/** Removes a workspace's letters that came before a time and that no replay waits for. */
export async function deleteLettersBefore(
  tx: Transaction,
  workspaceId: string,
  before: Date,
): Promise<readonly { readonly logId: string; readonly partition: number; readonly deadLetters: number }[]> {
  return tx<{ logId: string; partition: number; deadLetters: number }[]>`
    with removed as (
      delete from dead_letters where workspace_id = ${workspaceId} and created_at < ${before} and replay_id is null
      returning log_id, log_partition, case when replayed_at is null then events else 0 end as events
    )
    select log_id as "logId", log_partition as partition, sum(events)::float8 as "deadLetters"
    from removed group by log_id, log_partition`
}
