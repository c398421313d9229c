import type { Sql, Transaction } from '../driver/client.js'
import { jsonColumn } from '../driver/json-column.js'
import type { RemovedName } from './erasures.js'

/** Deduplication needs the events of this month and the last one. */
export const MIN_RETENTION_DAYS = 62

export interface Retention {
  readonly workspaceId: string
  /** How long events are kept. Null: forever. */
  readonly days: number | null
  /** Older events have been removed; null if none were. */
  readonly removedBefore: Date | null
}

/** Removal under way: events before `until` that were received up to `received`. */
export interface Removal {
  readonly until: Date
  readonly received: Date
  /** Null if an earlier version began it. */
  readonly removedNames: readonly RemovedName[] | null
}

export async function setRetention(
  tx: Transaction,
  workspaceId: string,
  days: number | null,
): Promise<Retention> {
  await tx`
    insert into retention (workspace_id, days) values (${workspaceId}, ${days})
    on conflict (workspace_id) do update set days = excluded.days`
  return findRetention(tx, workspaceId)
}

export async function findRetention(sql: Sql | Transaction, workspaceId: string): Promise<Retention> {
  const [row] = await sql<{ days: number | null; removedBefore: Date | null }[]>`
    select days, done_until::timestamp at time zone 'UTC' as "removedBefore" from retention
    where workspace_id = ${workspaceId}`
  return { workspaceId, days: row?.days ?? null, removedBefore: row?.removedBefore ?? null }
}

/** Workspaces with events that are too old by now. They wait for open erasures: see `beginRemovalBefore`. */
export async function dueRetentions(sql: Sql, now: Date): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select workspace_id as id from retention r
    where removing_until is not null or (days is not null
      and (done_until is null or done_until < (${now}::timestamptz at time zone 'UTC')::date - days)
      and not exists (select from erasures e where e.workspace_id = r.workspace_id and status in ('pending', 'running')))`
  return rows.map(({ id }) => id)
}

export async function findRemoval(sql: Sql, workspaceId: string): Promise<Removal | undefined> {
  const [row] = await sql<Removal[]>`
    select removing_until::timestamp at time zone 'UTC' as until, removing_received as received,
      removed_names as "removedNames"
    from retention
    where workspace_id = ${workspaceId} and removing_until is not null`
  return row
}

/**
 * Begins a removal. False if one has begun already, or if an erasure was open since the rows were counted:
 * both would count the same rows as removed.
 */
export async function beginRemovalBefore(
  tx: Transaction,
  workspaceId: string,
  { until, received, removedNames }: Removal,
): Promise<boolean> {
  const { count } = await tx`
    update retention
    set removing_until = (${until}::timestamptz at time zone 'UTC')::date, removing_received = ${received},
      removed_names = ${removedNames === null ? null : jsonColumn(tx, removedNames)}
    where workspace_id = ${workspaceId} and removing_until is null
      and not exists (select from erasures
        where workspace_id = ${workspaceId} and (status in ('pending', 'running') or finished_at >= ${received}))`
  return count === 1
}

/** Notes how much of the names is still to be subtracted from the vocabulary. */
export async function noteNamesOfRemoval(
  sql: Sql,
  workspaceId: string,
  removed: readonly RemovedName[],
): Promise<void> {
  await sql`update retention set removed_names = ${jsonColumn(sql, removed)} where workspace_id = ${workspaceId}`
}

export async function finishRemoval(tx: Transaction, workspaceId: string): Promise<void> {
  await tx`
    update retention set done_until = removing_until, removing_until = null, removing_received = null, removed_names = null
    where workspace_id = ${workspaceId} and removing_until is not null`
}
