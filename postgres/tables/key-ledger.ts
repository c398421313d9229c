import type { KeyCounts, KeyHour } from '../../domain/key-counts.js'
import type { Sql, Transaction } from '../driver/client.js'

/** Events that become something else, or that are found to be more or fewer. */
export interface LedgerChange extends KeyHour {
  readonly partition: number
  readonly accepted?: number
  readonly stored?: number
  readonly duplicates?: number
  readonly dead?: number
  readonly erased?: number
}

/** The key of removed events: a stored row tells its workspace, but not the key that sent it. */
const ANY_KEY = '00000000-0000-0000-0000-000000000000'
const ANY_PARTITION = -1

/** The counts of a block, as its intent carries them. */
export function openLedger(token: string, counts: readonly KeyCounts[]) {
  const rows = counts.map(({ workspaceId, keyId, hour, accepted, stored, duplicates, dead }) => [
    workspaceId,
    keyId,
    hour / 1_000,
    ...[accepted, stored, duplicates, dead],
  ])
  return { token, rows }
}

/** The rows of the open block's counts, if this version wrote its intent. Of `log_partitions`. */
export const openLedgerRows = (sql: Sql | Transaction) =>
  sql`case when open_ledger->>'token' = open_token then open_ledger->'rows' end`

/** The columns of one row of `openLedgerRows`. */
const openColumns = (sql: Sql | Transaction) => sql`
  (r->>0)::uuid as workspace_id, (r->>1)::uuid as key_id, to_timestamp((r->>2)::float8) as hour,
  (r->>3)::bigint as accepted, (r->>4)::bigint as stored, (r->>5)::bigint as duplicates, (r->>6)::bigint as dead`

/**
 * A statement that adds `rows` of the relation `committed (log_partition, rows)`, in the order of the table
 * like `addToKeyLedger`.
 */
export const addCommitted = (sql: Sql | Transaction) => sql`
  insert into key_ledger as k (log_partition, workspace_id, key_id, hour, accepted, stored, duplicates, dead)
  select log_partition, ${openColumns(sql)} from committed, jsonb_array_elements(committed.rows) as r
  order by 2, 3, 4, 1
  on conflict (workspace_id, key_id, hour, log_partition) do update set
    accepted = k.accepted + excluded.accepted, stored = k.stored + excluded.stored,
    duplicates = k.duplicates + excluded.duplicates, dead = k.dead + excluded.dead`

/** Adds changes in the order of the table, so that transactions do not wait for each other in a circle. */
export async function addToKeyLedger(tx: Transaction, changes: readonly LedgerChange[]): Promise<void> {
  if (changes.length === 0) return
  const all = (figure: 'accepted' | 'stored' | 'duplicates' | 'dead' | 'erased') =>
    changes.map((change) => change[figure] ?? 0)
  await tx`
    insert into key_ledger as k
      (workspace_id, key_id, hour, log_partition, accepted, stored, duplicates, dead, erased)
    select workspace_id, key_id, to_timestamp(hour / 1000), log_partition, sum(accepted), sum(stored),
      sum(duplicates), sum(dead), sum(erased)
    from unnest(${changes.map(({ workspaceId }) => workspaceId)}::uuid[],
      ${changes.map(({ keyId }) => keyId)}::uuid[], ${changes.map(({ hour }) => hour)}::float8[],
      ${changes.map(({ partition }) => partition)}::integer[], ${all('accepted')}::bigint[],
      ${all('stored')}::bigint[], ${all('duplicates')}::bigint[], ${all('dead')}::bigint[],
      ${all('erased')}::bigint[])
      as c (workspace_id, key_id, hour, log_partition, accepted, stored, duplicates, dead, erased)
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (workspace_id, key_id, hour, log_partition) do update set
      accepted = k.accepted + excluded.accepted, stored = k.stored + excluded.stored,
      duplicates = k.duplicates + excluded.duplicates, dead = k.dead + excluded.dead,
      erased = k.erased + excluded.erased`
}

/** Counts stored events that are removed now, by the hour of their receipt. */
export function addErasedHours(
  tx: Transaction,
  workspaceId: string,
  hours: readonly { readonly hour: number; readonly events: number }[],
): Promise<void> {
  return addToKeyLedger(
    tx,
    hours.map(({ hour, events }) => ({
      workspaceId,
      keyId: ANY_KEY,
      hour,
      partition: ANY_PARTITION,
      erased: events,
    })),
  )
}

/** Forgets the hours before a time, whose events retention has removed. */
export async function deleteLedgerBefore(tx: Transaction, workspaceId: string, before: Date): Promise<void> {
  await tx`delete from key_ledger where workspace_id = ${workspaceId} and hour < ${before}`
}

export interface LedgerCounts {
  readonly accepted: number
  readonly stored: number
  readonly deduplicated: number
  readonly deadLettered: number
  readonly erased: number
  /** Stored events that were erased since and were sent by one of several keys. */
  readonly erasedOfAnyKey: number
}

/** One hour of the ledger of a key, by its start. */
export interface LedgerHour extends LedgerCounts {
  readonly at: Date
}

export interface LedgerRange {
  readonly from: Date
  readonly to: Date
}

/** The hours within a range in which a key sent events, with the blocks that are open. */
export async function readKeyLedger(
  sql: Sql,
  workspaceId: string,
  keyId: string,
  { from, to }: LedgerRange,
): Promise<readonly LedgerHour[]> {
  return sql<LedgerHour[]>`
    with counts as (
      select key_id, hour, accepted, stored, duplicates, dead, erased from key_ledger
      where workspace_id = ${workspaceId} and hour >= ${from} and hour < ${to}
      union all
      select key_id, hour, accepted, stored, duplicates, dead, 0 from (
        select ${openColumns(sql)}
        from (select ${openLedgerRows(sql)} as rows from log_partitions where open_ledger is not null) as open,
          jsonb_array_elements(open.rows) as r) as block
      where workspace_id = ${workspaceId} and hour >= ${from} and hour < ${to}
    ), keys as (
      select key_id, hour, sum(accepted) as accepted, sum(stored) as stored, sum(duplicates) as duplicates,
        sum(dead) as dead, sum(erased) as erased
      from counts group by key_id, hour
    ), removed as (
      select r.hour, r.erased, (select count(*) from keys k where k.hour = r.hour and k.stored > 0) > 1 as shared
      from keys r where r.key_id = ${ANY_KEY}
    )
    select k.hour as at, k.accepted::float8 as accepted,
      (k.stored - case when shared or k.stored = 0 then 0 else coalesce(r.erased, 0) end)::float8 as stored,
      k.duplicates::float8 as deduplicated, k.dead::float8 as "deadLettered",
      (k.erased + case when shared or k.stored = 0 then 0 else coalesce(r.erased, 0) end)::float8 as erased,
      (case when shared and k.stored > 0 then r.erased else 0 end)::float8 as "erasedOfAnyKey"
    from keys k left join removed r on r.hour = k.hour
    where k.key_id = ${keyId} order by k.hour`
}

/** From when on the ledger has every event. Null if it always had. */
export async function ledgerSince(sql: Sql | Transaction): Promise<Date | null> {
  const [row] = await sql<{ since: Date | null }[]>`
    select nullif(max(case
      when p.ledger_since is not null then p.ledger_since
      when l.drained_at is not null then l.drained_at
      when p.done_offset = 0 and p.open_to is null then '-infinity'
      else now() end), '-infinity') as since
    from logs l join log_partitions p on p.log_id = l.id and p.log_partition < l.partitions`
  return row?.since ?? null
}

/** Stored events of a workspace by the hour of their receipt, without those that were removed again. */
export interface StoredHour {
  readonly workspaceId: string
  /** Its start, in milliseconds since 1970. */
  readonly hour: number
  readonly stored: number
}

/**
 * The events that the ledger counts as stored, without open blocks. Undefined while a consumer of an older
 * version stores events, which the ledger lacks.
 *
 * @returns the hours, and for each workspace the time before which retention has removed hours
 */
export async function readStoredHours(
  sql: Sql | Transaction,
): Promise<{ hours: readonly StoredHour[]; removedBefore: ReadonlyMap<string, number> } | undefined> {
  const [older] = await sql`
    select from logs l join log_partitions p on p.log_id = l.id and p.log_partition < l.partitions
    where l.drained_at is null and p.ledger_offset is distinct from p.done_offset limit 1`
  if (older !== undefined) return undefined
  const hours = await sql<StoredHour[]>`
    select workspace_id as "workspaceId", extract(epoch from hour)::float8 * 1000 as hour,
      (sum(stored) - coalesce(sum(erased) filter (where key_id = ${ANY_KEY}), 0))::float8 as stored
    from key_ledger group by workspace_id, hour order by workspace_id, hour`
  const removed = await sql<{ id: string; until: Date }[]>`
    select workspace_id as id, greatest(done_until, removing_until)::timestamp at time zone 'UTC' as until
    from retention where done_until is not null or removing_until is not null`
  return { hours, removedBefore: new Map(removed.map(({ id, until }) => [id, until.getTime()])) }
}
