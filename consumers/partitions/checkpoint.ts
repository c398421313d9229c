import type { DeadLetter } from '../../domain/dead-letter.js'
import type { KeyCounts } from '../../domain/key-counts.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { jsonColumn } from '../../postgres/driver/json-column.js'
import { insertDeadLetters } from '../../postgres/tables/dead-letters.js'
import { addCommitted, openLedger, openLedgerRows } from '../../postgres/tables/key-ledger.js'
import type { BlockCounts } from '../blocks/block.js'

/* All SQL that writes `log_partitions`. block-writer.ts describes the protocol. */

/** Another process owns the partition. Nothing more may be written under this epoch. */
export class FencedError extends Error {
  override readonly name = 'FencedError'
}

/** A block whose rows may be in ClickHouse under the token. */
export interface Intent {
  readonly to: number
  readonly token: string
  readonly counts: BlockCounts
}

/** An intent that is written now, with the counts of each key. */
export interface CountedIntent extends Intent {
  readonly byKey: readonly KeyCounts[]
}

class DrainedError extends Error {
  override readonly name = 'DrainedError'
}

interface CheckpointRow {
  epoch: string
  done_offset: string
  open_to: string | null
  open_token: string | null
  open_stored: string
  open_duplicates: string
  open_dead: string
}

/**
 * Makes the caller the owner, fences every earlier one, and keeps the log from being drained meanwhile.
 *
 * @throws DrainedError
 */
export async function acquirePartition(sql: Sql, logId: string, partition: number) {
  const [row] = await sql<CheckpointRow[]>`
    with log as (select id from logs where id = ${logId} and drained_at is null for share)
    insert into log_partitions as p (log_id, log_partition, epoch, ledger_offset, ledger_since)
    select id, ${partition}::integer, 1, 0, '-infinity' from log
    on conflict (log_id, log_partition) do update set epoch = p.epoch + 1, ledger_offset = p.done_offset,
      ledger_since = case when p.ledger_offset = p.done_offset
        and p.open_token is not distinct from p.open_ledger->>'token' then p.ledger_since else now() end
    returning epoch, done_offset, open_to, open_token, open_stored, open_duplicates, open_dead`
  if (row === undefined)
    throw new DrainedError(
      `the log ${logId} is drained or not registered: start with the log that follows it`,
    )
  const open: Intent | undefined =
    row.open_to === null || row.open_token === null
      ? undefined
      : {
          to: Number(row.open_to),
          token: row.open_token,
          counts: {
            stored: Number(row.open_stored),
            duplicates: Number(row.open_duplicates),
            dead: Number(row.open_dead),
          },
        }
  return { epoch: Number(row.epoch), doneOffset: Number(row.done_offset), open }
}

export interface PartitionLease {
  readonly logId: string
  readonly partition: number
  readonly epoch: number
}

/**
 * Commits the previous block, or replaces its intent, and writes the next intent, in one transaction.
 *
 * @param replaces if set, ClickHouse refused the open intent up to this offset, and it is not committed
 * @throws FencedError
 */
export async function writeIntent(
  sql: Sql,
  lease: PartitionLease,
  from: number,
  { to, token, counts, byKey }: CountedIntent,
  deadLetters: readonly DeadLetter[],
  replaces: number | undefined,
  newId: () => string,
): Promise<void> {
  const done = replaces === undefined
  const update = (db: Sql | Transaction) => db`
    with ${openBlock(db, lease)}, committed as (update log_partitions p set
      done_offset = ${from},
      total_stored = total_stored + case when ${done} then open_stored else 0 end,
      total_duplicates = total_duplicates + case when ${done} then open_duplicates else 0 end,
      total_dead = total_dead + case when ${done} then open_dead else 0 end,
      open_to = ${to}, open_token = ${token},
      open_stored = ${counts.stored}, open_duplicates = ${counts.duplicates}, open_dead = ${counts.dead},
      open_ledger = ${jsonColumn(db, openLedger(token, byKey))}, ledger_offset = ${from}
    from before where p.log_id = before.log_id and p.log_partition = before.log_partition
      and epoch = ${lease.epoch} and coalesce(open_to, done_offset) = ${replaces ?? from}
    returning p.log_partition, case when ${done} then before.rows end as rows
    ), added as (${addCommitted(db)})
    select from committed`
  if (deadLetters.length === 0) {
    const { count } = await update(sql)
    if (count !== 1) throw fenced(lease)
    return
  }
  await sql.begin(async (tx) => {
    const { count } = await update(tx)
    if (count !== 1) throw fenced(lease)
    await insertDeadLetters(tx, lease.logId, lease.partition, deadLetters, newId)
  })
}

/** Corrects the counts of the open intent after some of its rows became dead letters. The token stays. */
export async function amendIntent(
  sql: Sql,
  lease: PartitionLease,
  intent: CountedIntent,
  deadLetters: readonly DeadLetter[],
  newId: () => string,
): Promise<void> {
  const { token, counts, byKey } = intent
  await sql.begin(async (tx) => {
    const { count } = await tx`
      update log_partitions set
        open_stored = ${counts.stored}, open_duplicates = ${counts.duplicates}, open_dead = ${counts.dead},
        open_ledger = ${jsonColumn(tx, openLedger(token, byKey))}
      where log_id = ${lease.logId} and log_partition = ${lease.partition} and epoch = ${lease.epoch} and open_token = ${token}`
    if (count !== 1) throw fenced(lease)
    await insertDeadLetters(tx, lease.logId, lease.partition, deadLetters, newId)
  })
}

/** Commits the block that ends at `to` without another intent. Repeating it has no effect. */
export async function commitBlock(sql: Sql, lease: PartitionLease, to: number): Promise<void> {
  const { count } = await sql`
    with ${openBlock(sql, lease)}, committed as (update log_partitions p set
      done_offset = ${to},
      total_stored = total_stored + open_stored,
      total_duplicates = total_duplicates + open_duplicates,
      total_dead = total_dead + open_dead,
      open_to = null, open_token = null, open_stored = 0, open_duplicates = 0, open_dead = 0,
      open_ledger = null, ledger_offset = ${to}
    from before where p.log_id = before.log_id and p.log_partition = before.log_partition
      and epoch = ${lease.epoch} and coalesce(open_to, done_offset) = ${to}
    returning p.log_partition, before.rows
    ), added as (${addCommitted(sql)})
    select from committed`
  if (count !== 1) throw fenced(lease)
}

/** The relation `before`: a partition as it is now, with the counts of its open block by key. */
const openBlock = (sql: Sql | Transaction, { logId, partition }: PartitionLease) => sql`
  before as (
    select log_id, log_partition, ${openLedgerRows(sql)} as rows from log_partitions
    where log_id = ${logId} and log_partition = ${partition} for update)`

/** Records of one log partition, from offset `from` up to but excluding `to`. */
export interface RecordRange {
  readonly logId: string
  readonly logPartition: number
  readonly from: number
  readonly to: number
}

export async function openIntentRanges(sql: Sql): Promise<readonly RecordRange[]> {
  return sql<RecordRange[]>`
    select log_id as "logId", log_partition as "logPartition", done_offset::float8 as "from", open_to::float8 as "to"
    from log_partitions where open_token is not null`
}

/** Appends a suffix to the token of every open intent. Only while no owner is alive. */
export async function renameIntentTokens(sql: Sql, ending: string): Promise<void> {
  await sql`
    update log_partitions set open_token = open_token || ${ending}::text,
      open_ledger = case when open_ledger->>'token' = open_token
        then open_ledger || jsonb_build_object('token', open_token || ${ending}::text) end
    where open_token is not null`
}

/** Holds up whatever would begin or end a block, a replay or a group of links, until the transaction ends. */
export async function lockPartitions(tx: Transaction): Promise<void> {
  await tx`lock table log_partitions in exclusive mode`
}

/** Moves the position over offsets that hold nothing to store. Repeating it has no effect. */
export async function advancePosition(
  sql: Sql,
  lease: PartitionLease,
  from: number,
  to: number,
): Promise<void> {
  const { count } = await sql`
    update log_partitions set done_offset = ${to}, ledger_offset = ${to}
    where log_id = ${lease.logId} and log_partition = ${lease.partition} and epoch = ${lease.epoch}
      and open_to is null and done_offset in (${from}, ${to})`
  if (count !== 1) throw fenced(lease)
}

/**
 * Commits records that the same transaction applies. Not repeatable, because it adds to the totals.
 *
 * @throws FencedError
 */
export async function commitRecords(
  tx: Transaction,
  lease: PartitionLease,
  { from, to, dead }: { readonly from: number; readonly to: number; readonly dead: number },
): Promise<void> {
  const { count } = await tx`
    update log_partitions set done_offset = ${to}, total_dead = total_dead + ${dead}
    where log_id = ${lease.logId} and log_partition = ${lease.partition} and epoch = ${lease.epoch} and done_offset = ${from}`
  if (count !== 1) throw fenced(lease)
}

/**
 * Locks a partition that has no open block and whose position is `position`.
 *
 * @throws FencedError if it has another owner
 */
export async function lockLease(tx: Transaction, lease: PartitionLease, position: number): Promise<void> {
  const { count } = await tx`
    select from log_partitions
    where log_id = ${lease.logId} and log_partition = ${lease.partition} and epoch = ${lease.epoch}
      and done_offset = ${position} and open_to is null for update`
  if (count !== 1) throw fenced(lease)
}

/** Adds to the totals of a partition after dead letters were replayed or split. Needs no lease. */
export async function addToTotals(
  tx: Transaction,
  { logId, partition }: Pick<PartitionLease, 'logId' | 'partition'>,
  { stored = 0, duplicates = 0, dead }: Partial<BlockCounts> & Pick<BlockCounts, 'dead'>,
): Promise<void> {
  await tx`
    update log_partitions set total_stored = total_stored + ${stored},
      total_duplicates = total_duplicates + ${duplicates}, total_dead = total_dead + ${dead}
    where log_id = ${logId} and log_partition = ${partition}`
}

/** How many partitions of a log are not committed up to their end; `ends` is indexed by partition. */
export async function countBehind(tx: Transaction, logId: string, ends: readonly number[]): Promise<number> {
  const rows = await tx<{ log_partition: number; done_offset: string; open_to: string | null }[]>`
    select log_partition, done_offset, open_to from log_partitions where log_id = ${logId}`
  let behind = 0
  for (const [partition, end] of ends.entries()) {
    const row = rows.find(({ log_partition }) => log_partition === partition)
    if (Number(row?.done_offset ?? 0) < end || (row !== undefined && row.open_to !== null)) behind++
  }
  return behind
}

export async function fenceAll(tx: Transaction, logId: string): Promise<void> {
  await tx`update log_partitions set epoch = epoch + 1 where log_id = ${logId}`
}

/** How far a partition is stored, and what became of the events below that offset. */
export interface PartitionTotals extends BlockCounts {
  readonly logId: string
  readonly partition: number
  /** Partitions of links hold no events. */
  readonly holdsEvents: boolean
  readonly doneOffset: number
  readonly openTo: number | null
}

/** All partitions of all logs. Rows of an open intent are not counted. */
export async function readPartitionTotals(sql: Sql | Transaction): Promise<readonly PartitionTotals[]> {
  return sql<PartitionTotals[]>`
    select log_id as "logId", log_partition as partition, log_partition < partitions as "holdsEvents",
      done_offset::float8 as "doneOffset", open_to::float8 as "openTo", total_stored::float8 as stored,
      total_duplicates::float8 as duplicates, total_dead::float8 as dead
    from log_partitions join logs on id = log_id order by created_at, log_id, log_partition`
}

/** Fences all owners of a log and gives up its open blocks: their records are lost. */
export async function abandonPartitions(tx: Transaction, logId: string): Promise<void> {
  await tx`
    update log_partitions set epoch = epoch + 1, open_to = null, open_token = null, open_stored = 0,
      open_duplicates = 0, open_dead = 0, open_ledger = null
    where log_id = ${logId}`
}

export async function readTotals(sql: Sql, logId: string): Promise<BlockCounts> {
  const [row] = await sql<{ stored: string; duplicates: string; dead: string }[]>`
    select coalesce(sum(total_stored + open_stored), 0) as stored,
      coalesce(sum(total_duplicates + open_duplicates), 0) as duplicates,
      coalesce(sum(total_dead + open_dead), 0) as dead
    from log_partitions where log_id = ${logId}`
  return { stored: Number(row?.stored), duplicates: Number(row?.duplicates), dead: Number(row?.dead) }
}

function fenced(lease: PartitionLease): FencedError {
  return new FencedError(
    `partition ${lease.partition} of log ${lease.logId} has another owner since epoch ${lease.epoch}`,
  )
}
