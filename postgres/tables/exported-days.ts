import type { Sql, Transaction } from '../driver/client.js'

/** A UTC day of receipt, `YYYY-MM-DD`, that waits to be written. */
export interface DueDay {
  readonly day: string
  /** Fulfilled by what is read from now on. */
  readonly requested: number
  /** Objects that may exist. */
  readonly parts: number
}

export interface ExportedDay {
  readonly day: string
  readonly events: number
  readonly parts: number
  /** Null if it was never written as a whole. */
  readonly writtenAt: Date | null
  /** Whether it waits to be written, for the first time or again. */
  readonly due: boolean
  readonly error: string | null
}

/**
 * Adds the days before `end` to every workspace: those after the newest one known, at first the last `days`
 * of them.
 */
export async function addSettledDays(sql: Sql, end: string, days: number): Promise<void> {
  await sql`
    insert into exported_days (workspace_id, day)
    select w.id, d::date from workspaces w
    cross join lateral (
      select coalesce(max(day) + 1, greatest((w.created_at at time zone 'UTC')::date, ${end}::date - ${days}::integer)) as day
      from exported_days where workspace_id = w.id
    ) as first
    cross join lateral generate_series(first.day::timestamp, ${end}::date - interval '1 day', interval '1 day') as d
    on conflict do nothing`
}

export async function hasExportedDays(sql: Sql, workspaceId: string): Promise<boolean> {
  const found = await sql`select from exported_days where workspace_id = ${workspaceId} limit 1`
  return found.length > 0
}

/** Asks for days that were written or are being written to be written again. */
export async function requestDaysAgain(
  tx: Transaction,
  workspaceId: string,
  days: readonly string[],
): Promise<void> {
  await tx`
    update exported_days set ${again(tx)} where workspace_id = ${workspaceId} and day = any(${[...days]}::date[])`
}

/**
 * Asks for the days from one to before another since the workspace was created. Returns how many. Days
 * between the newest one known and these are added, too: `addSettledDays` goes on after the newest.
 */
export async function requestDays(
  tx: Transaction,
  workspaceId: string,
  from: string,
  to: string,
): Promise<number> {
  await tx`
    insert into exported_days (workspace_id, day)
    select ${workspaceId}, d::date from (select max(day) + 1 as day from exported_days where workspace_id = ${workspaceId}) as first
    cross join lateral generate_series(first.day::timestamp, ${from}::date - interval '1 day', interval '1 day') as d
    on conflict do nothing`
  const { count } = await tx`
    insert into exported_days (workspace_id, day)
    select id, d::date from workspaces
    cross join lateral generate_series(
      greatest(${from}::date, (created_at at time zone 'UTC')::date)::timestamp, ${to}::date - interval '1 day', interval '1 day') as d
    where id = ${workspaceId}
    on conflict (workspace_id, day) do update set ${again(tx)}`
  return count
}

const again = (tx: Transaction) => tx`
  requested = exported_days.requested + 1,
  requested_at = case when exported_days.requested > exported_days.written then exported_days.requested_at else now() end`

/** Workspaces with days that wait to be written. */
export async function dueExports(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select distinct workspace_id as id from exported_days where requested > written`
  return rows.map(({ id }) => id)
}

/** The oldest day of a workspace before `end` that waits to be written. */
export async function nextDueDay(sql: Sql, workspaceId: string, end: string): Promise<DueDay | undefined> {
  const [row] = await sql<DueDay[]>`
    select day::text, requested, parts from exported_days
    where workspace_id = ${workspaceId} and requested > written and day < ${end}::date order by day limit 1`
  return row
}

/** Notes that a day may have so many objects, before the last of them is written. */
export async function noteParts(sql: Sql, workspaceId: string, day: string, parts: number): Promise<void> {
  await sql`
    update exported_days set parts = greatest(parts, ${parts}) where workspace_id = ${workspaceId} and day = ${day}::date`
}

export async function noteExportError(
  sql: Sql,
  workspaceId: string,
  day: string,
  error: string,
): Promise<void> {
  await sql`update exported_days set error = ${error} where workspace_id = ${workspaceId} and day = ${day}::date`
}

/** The day stays due if it was asked for again meanwhile. */
export async function finishExportedDay(
  sql: Sql,
  workspaceId: string,
  { day, requested }: DueDay,
  { parts, events }: { readonly parts: number; readonly events: number },
): Promise<void> {
  await sql`
    update exported_days set written = ${requested}, written_at = now(), parts = ${parts}, events = ${events}, error = null
    where workspace_id = ${workspaceId} and day = ${day}::date and written < ${requested}`
}

/** The newest days of a workspace, newest first. */
export function listExportedDays(sql: Sql, workspaceId: string, limit: number): Promise<ExportedDay[]> {
  return sql<ExportedDay[]>`
    select day::text, events::float8, parts, written_at as "writtenAt", requested > written as due, error
    from exported_days where workspace_id = ${workspaceId} order by exported_days.day desc limit ${limit}`
}

export interface ExportState {
  /** The newest day that is written; null if none is. */
  readonly writtenThrough: string | null
  readonly dueDays: number
  /** Of the oldest day that waits and has failed. */
  readonly failing: { readonly day: string; readonly error: string } | null
}

export async function exportState(sql: Sql, workspaceId: string): Promise<ExportState> {
  const [row] = await sql<ExportState[]>`
    select
      (max(day) filter (where written > 0))::text as "writtenThrough",
      count(*) filter (where requested > written)::integer as "dueDays",
      (select jsonb_build_object('day', day, 'error', error) from exported_days
        where workspace_id = ${workspaceId} and requested > written and error is not null order by day limit 1) as failing
    from exported_days where workspace_id = ${workspaceId}`
  return row ?? { writtenThrough: null, dueDays: 0, failing: null }
}

/** How long the oldest day has waited to be written, of all workspaces; 0 if none waits. Seconds. */
export async function exportLagSeconds(sql: Sql): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select coalesce(extract(epoch from now() - min(requested_at)), 0)::float8 as seconds
    from exported_days where requested > written`
  return row?.seconds ?? 0
}
