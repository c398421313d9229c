import type { Sql, Transaction } from '../driver/client.js'
import { jsonColumn } from '../driver/json-column.js'
import { type PageOfRows, readPage } from '../driver/read-page.js'

/** Notified by the database when persons are added to or removed from `erased_persons`. */
export const ERASURE_CHANNEL = 'svc_erasures'

export type ErasureStatus = 'pending' | 'running' | 'done' | 'failed'

/** Counts of what was removed. */
export interface ErasureReceipt {
  /** Without exposures. */
  readonly events: number
  readonly links: number
  readonly exposures: number
  /** Events in dead letters. */
  readonly deadLetters: number
}

export interface ErasureView {
  readonly id: string
  readonly status: ErasureStatus
  readonly requestedAt: Date
  readonly finishedAt: Date | null
  /** Null until it is done. */
  readonly receipt: ErasureReceipt | null
  /** Why it does not get on, or has failed. */
  readonly error: string | null
}

/** Rows of a name that are removed from a shard. */
export interface RemovedName {
  readonly name: string
  readonly shard: number
  /** 0 once they are subtracted from the vocabulary. */
  readonly events: number
}

/** An erasure as its job sees it. */
export interface ErasureWork {
  readonly id: string
  readonly workspaceId: string
  readonly status: ErasureStatus
  readonly step: string
  /** Null if an anonymous id is erased, the only one in `anonymousIds` then. */
  readonly userId: string | null
  readonly anonymousIds: readonly string[]
  /** Signed 64-bit integers as text. */
  readonly personKeys: readonly string[]
  readonly eventNames: readonly string[]
  /** Null until they are counted, and in an erasure that an earlier version began. */
  readonly removedNames: readonly RemovedName[] | null
  readonly requestedAt: Date
}

const view = (sql: Sql | Transaction) => sql`
  id, status, requested_at as "requestedAt", finished_at as "finishedAt", error,
  case when status = 'done' then jsonb_build_object('events', events, 'links', links, 'exposures', exposures,
    'deadLetters', dead_letters) end as receipt`

/** Adds an erasure. From now on links of these persons that come later wait (`withheld_links`). */
export async function insertErasure(
  tx: Transaction,
  erasure: Pick<ErasureWork, 'id' | 'workspaceId' | 'userId' | 'anonymousIds' | 'personKeys' | 'requestedAt'>,
): Promise<ErasureView> {
  const { id, workspaceId, userId, anonymousIds, personKeys, requestedAt } = erasure
  await tx`
    insert into erasures (id, workspace_id, user_id, anonymous_ids, person_keys, requested_at)
    values (${id}, ${workspaceId}, ${userId}, ${[...anonymousIds]}, ${[...personKeys]}::bigint[], ${requestedAt})`
  await addErasedPersons(tx, erasure)
  const [row] = await tx<ErasureView[]>`select ${view(tx)} from erasures where id = ${id}`
  if (row === undefined) throw new Error('an erasure that was just written is missing')
  return row
}

/** Holds up whatever would begin or end the removal of rows, until the transaction ends. */
export async function lockRemovals(tx: Transaction): Promise<void> {
  await tx`lock table erasures, retention in exclusive mode`
}

/**
 * Waits for a snapshot that has locked `erasures`. Comes first in a transaction that locks what a consumer
 * waits for and writes its erasure later, because the snapshot waits for consumers.
 */
export async function waitForSnapshot(tx: Transaction): Promise<void> {
  await tx`lock table erasures in row exclusive mode`
}

/** Marks persons as erased until the month has ended, and two days more for backlogs. */
export async function addErasedPersons(
  tx: Transaction,
  { workspaceId, personKeys, requestedAt }: Pick<ErasureWork, 'workspaceId' | 'personKeys' | 'requestedAt'>,
): Promise<void> {
  await waitForSnapshot(tx)
  await tx`
    insert into erased_persons as p (workspace_id, person_key, erased_at, expires_at)
    select ${workspaceId}, key, ${requestedAt},
      (date_trunc('month', ${requestedAt}::timestamptz at time zone 'UTC') + interval '1 month 2 days') at time zone 'UTC'
    from unnest(${[...personKeys]}::bigint[]) as key
    on conflict (workspace_id, person_key) do update
    set erased_at = greatest(p.erased_at, excluded.erased_at), expires_at = greatest(p.expires_at, excluded.expires_at)`
}

/** Forgets erased persons whose month has ended. */
export async function expireErasedPersons(sql: Sql, now: Date): Promise<void> {
  // Only if there is any, because the statement notifies every gateway.
  const [due] = await sql`select from erased_persons where expires_at <= ${now} limit 1`
  if (due !== undefined) await sql`delete from erased_persons where expires_at <= ${now}`
}

/** The keys of all erased persons, signed 64-bit integers as text. */
export async function erasedPersonKeys(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ key: string }[]>`select person_key as key from erased_persons`
  return rows.map(({ key }) => key)
}

export function listErasures(
  sql: Sql,
  workspaceId: string,
  page: { readonly limit: number; readonly offset: number },
): Promise<PageOfRows<ErasureView>> {
  return readPage(sql, view(sql), sql`erasures where workspace_id = ${workspaceId}`, 'requested_at', page)
}

export async function findErasure(
  sql: Sql | Transaction,
  workspaceId: string,
  id: string,
): Promise<ErasureView | undefined> {
  const [row] = await sql<ErasureView[]>`
    select ${view(sql)} from erasures where workspace_id = ${workspaceId} and id = ${id}`
  return row
}

/** Whether an erasure removes rows of a workspace just now, or counts them and the days to export again. */
export async function isErasingRows(sql: Sql, workspaceId: string): Promise<boolean> {
  const erasing = await sql`
    select from erasures where workspace_id = ${workspaceId} and status in ('pending', 'running')
      and step in ('count', 'events') limit 1`
  return erasing.length > 0
}

export async function readErasureWork(sql: Sql, id: string): Promise<ErasureWork | undefined> {
  const [row] = await sql<ErasureWork[]>`
    select id, workspace_id as "workspaceId", status, step, user_id as "userId", anonymous_ids as "anonymousIds",
      person_keys as "personKeys", event_names as "eventNames", removed_names as "removedNames",
      requested_at as "requestedAt"
    from erasures where id = ${id}`
  return row
}

/** The findings of a finished step. Those left out stay as before. */
export interface ErasureProgress {
  readonly anonymousIds?: readonly string[]
  readonly personKeys?: readonly string[]
  readonly eventNames?: readonly string[]
  readonly removedNames?: readonly RemovedName[]
  readonly receipt?: Partial<ErasureReceipt>
}

/** Ends a step. No effect if it has ended before. */
export async function advanceErasure(
  sql: Sql | Transaction,
  { id, step }: Pick<ErasureWork, 'id' | 'step'>,
  next: string,
  { anonymousIds, personKeys, eventNames, removedNames, receipt = {} }: ErasureProgress = {},
): Promise<boolean> {
  const { events = null, exposures = null, links = null, deadLetters = null } = receipt
  const { count } = await sql`
    update erasures set status = 'running', step = ${next}, error = null,
      anonymous_ids = coalesce(${anonymousIds === undefined ? null : [...anonymousIds]}::text[], anonymous_ids),
      person_keys = coalesce(${personKeys === undefined ? null : [...personKeys]}::bigint[], person_keys),
      event_names = coalesce(${eventNames === undefined ? null : [...eventNames]}::text[], event_names),
      removed_names = coalesce(${removedNames === undefined ? null : jsonColumn(sql, removedNames)}::jsonb, removed_names),
      events = coalesce(${events}, events), exposures = coalesce(${exposures}, exposures),
      links = coalesce(${links}, links), dead_letters = coalesce(${deadLetters}, dead_letters)
    where id = ${id} and step = ${step}`
  return count === 1
}

/** Forgets who is erased. */
export async function emptyErasure(sql: Sql | Transaction, id: string): Promise<void> {
  await sql`
    update erasures
    set user_id = null, anonymous_ids = '{}', person_keys = '{}', event_names = '{}', removed_names = null
    where id = ${id}`
}

/** Notes how much of the names is still to be subtracted from the vocabulary. */
export async function noteNamesOfErasure(
  sql: Sql,
  id: string,
  removed: readonly RemovedName[],
): Promise<void> {
  await sql`update erasures set removed_names = ${jsonColumn(sql, removed)} where id = ${id} and step = 'names'`
}

/**
 * Whether another erasure or retention of the workspace has counted rows that may not be removed yet: this
 * erasure would count them, too. Retention does not begin while an erasure is open.
 */
export async function isOtherRemovalUnderWay(
  sql: Sql,
  { id, workspaceId }: Pick<ErasureWork, 'id' | 'workspaceId'>,
): Promise<boolean> {
  const erasures = await sql`
    select from erasures where workspace_id = ${workspaceId} and id <> ${id} and status in ('pending', 'running')
      and step in ('events', 'names') limit 1`
  // The lock waits for a retention that begins just now, and has not seen this erasure. A condition on its
  // progress would be read before the lock.
  const [retention] = await sql<{ isUnderWay: boolean }[]>`
    select removing_until is not null as "isUnderWay" from retention where workspace_id = ${workspaceId} for share`
  return erasures.length > 0 || retention?.isUnderWay === true
}

export async function noteErasureError(sql: Sql, id: string, error: string): Promise<void> {
  await sql`update erasures set error = ${error} where id = ${id} and status in ('pending', 'running')`
}

export async function finishErasure(
  tx: Transaction,
  id: string,
  at: Date,
  error: string | null = null,
): Promise<void> {
  await emptyErasure(tx, id)
  await tx`
    update erasures set status = ${error === null ? 'done' : 'failed'}, finished_at = ${at}, error = ${error}
    where id = ${id} and status in ('pending', 'running')`
}

/** Events of a partition that were stored, or dead letters, and were removed. */
export interface RemovedEvents {
  readonly logId: string
  readonly partition: number
  readonly events: number
  /** Events in dead letters. */
  readonly deadLetters: number
}

/** Counts events that are removed now. */
export async function addRemovedEvents(
  tx: Transaction,
  removed: readonly (Pick<RemovedEvents, 'logId' | 'partition'> & Partial<RemovedEvents>)[],
): Promise<void> {
  for (const { logId, partition, events = 0, deadLetters = 0 } of removed)
    await tx`
      insert into removed_events as r (log_id, log_partition, events, dead_letters)
      values (${logId}, ${partition}, ${events}, ${deadLetters})
      on conflict (log_id, log_partition) do update
      set events = r.events + excluded.events, dead_letters = r.dead_letters + excluded.dead_letters`
}

export interface Removals {
  /** Events that were stored and removed again, by `log:partition`. */
  readonly events: ReadonlyMap<string, number>
  /** Events of dead letters that were removed. */
  readonly deadLetters: number
  /** Whether events that are counted here may not have been removed yet. */
  readonly underWay: boolean
}

/** The rows that erasures and retention have removed, of all workspaces. */
export async function readRemovals(sql: Sql | Transaction): Promise<Removals> {
  const rows = await sql<{ at: string; events: number; deadLetters: number }[]>`
    select log_id || ':' || log_partition as at, events::float8 as events, dead_letters::float8 as "deadLetters"
    from removed_events`
  const [state] = await sql<{ underWay: boolean }[]>`
    select exists (select from erasures where status in ('pending', 'running'))
      or exists (select from retention where removing_until is not null) as "underWay"`
  return {
    events: new Map(rows.map(({ at, events }) => [at, events])),
    deadLetters: rows.reduce((sum, { deadLetters }) => sum + deadLetters, 0),
    underWay: state?.underWay ?? false,
  }
}
