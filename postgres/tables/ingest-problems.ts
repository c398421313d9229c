import type { Sql, Transaction } from '../driver/client.js'
import { jsonColumn } from '../driver/json-column.js'
import type { PageOfRows } from '../driver/read-page.js'

/** Why a request, or a part of it, was refused; or a warning about an accepted one. */
export interface IngestProblem {
  /** HTTP status. 202: a warning. 200: other messages of the batch were accepted. */
  readonly status: number
  readonly code: string
  /** As `events[3].event`; null if no field is to blame. */
  readonly field: string | null
  readonly message: string
  readonly eventName: string | null
  /** An excerpt of the field's value as JSON, or what it is, such as `a text of 300 characters`. */
  readonly value: string | null
}

/** Equal problems of a key. */
export interface CountedProblem extends IngestProblem {
  readonly workspaceId: string
  readonly keyId: string
  /** Equal for problems that differ only by numbers. */
  readonly kind: string
  readonly firstAt: Date
  readonly lastAt: Date
  readonly times: number
}

export const INGEST_OUTCOMES = ['refused', 'warned'] as const
export type IngestOutcome = (typeof INGEST_OUTCOMES)[number]

const MAX_KINDS = 20
const KEPT_DAYS = 7

/**
 * Adds to the problems of keys. The twenty newest kinds of refusals and of warnings of each key are kept, and
 * none from before the workspace last erased a person.
 */
export async function addIngestProblems(sql: Sql, problems: readonly CountedProblem[]): Promise<void> {
  if (problems.length === 0) return
  await sql`
    with added as (
      select * from jsonb_to_recordset(${jsonColumn(sql, problems)}) as added (
        "workspaceId" uuid, "keyId" uuid, kind text, "firstAt" timestamptz, "lastAt" timestamptz, times bigint,
        status smallint, code text, field text, message text, "eventName" text, value text)
      where not exists (
        select from erasures where workspace_id = "workspaceId" and requested_at >= "firstAt")
    ), ranked as (
      select key_id, kind,
        row_number() over (partition by key_id, status = 202 order by last_at desc, kind) as place
      from (
        select "keyId" as key_id, kind, status, "lastAt" as last_at from added
        union all
        select key_id, kind, status, last_at from ingest_problems p
        where key_id in (select "keyId" from added)
          and not exists (select from added where "keyId" = p.key_id and added.kind = p.kind)
      ) both_of_them
    ), removed as (
      delete from ingest_problems p using ranked r
      where p.key_id = r.key_id and p.kind = r.kind and r.place > ${MAX_KINDS}
    )
    insert into ingest_problems as p (workspace_id, key_id, kind, first_at, last_at, times, status, code, field,
      message, event_name, value)
    select "workspaceId", "keyId", kind, "firstAt", "lastAt", times, status, code, field, message, "eventName", value
    from added join ranked r using (kind) where r.key_id = "keyId" and r.place <= ${MAX_KINDS}
    order by "keyId", kind
    on conflict (key_id, kind) do update set
      -- After an hour without it, it is counted anew.
      first_at = case when excluded.first_at > p.last_at + interval '1 hour' then excluded.first_at else p.first_at end,
      times = excluded.times
        + case when excluded.first_at > p.last_at + interval '1 hour' then 0 else p.times end,
      last_at = greatest(p.last_at, excluded.last_at), status = excluded.status, code = excluded.code,
      field = excluded.field, message = excluded.message, event_name = excluded.event_name, value = excluded.value`
}

export type IngestProblemRow = Omit<CountedProblem, 'workspaceId' | 'kind'> & { readonly keyName: string }

/** The problems of the last seven days, newest first. */
export async function readIngestProblems(
  sql: Sql,
  workspaceId: string,
  filter: {
    readonly outcome?: IngestOutcome | undefined
    readonly keyId?: string | undefined
    readonly limit: number
    readonly offset: number
  },
): Promise<PageOfRows<IngestProblemRow>> {
  const { outcome, keyId, limit, offset } = filter
  const matching = sql`
    ingest_problems p where workspace_id = ${workspaceId} and ${isKept(sql)}
      ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}
      ${outcome === undefined ? sql`` : outcome === 'warned' ? sql`and status = 202` : sql`and status <> 202`}`
  const [[counted], rows] = await Promise.all([
    sql<{ total: number }[]>`select count(*)::int as total from ${matching}`,
    sql<IngestProblemRow[]>`
      select key_id as "keyId", (select name from api_keys where id = p.key_id) as "keyName",
        first_at as "firstAt", last_at as "lastAt", times::float8 as times, status, code, field, message,
        event_name as "eventName", value
      from ${matching} order by last_at desc, key_id, kind limit ${limit} offset ${offset}`,
  ])
  return { rows, total: counted?.total ?? 0 }
}

/** Removes all problems of a workspace, because they may name an erased person. */
export async function removeIngestProblems(tx: Sql | Transaction, workspaceId: string): Promise<void> {
  await tx`delete from ingest_problems where workspace_id = ${workspaceId}`
}

/** Removes those that no listing shows any more. */
export async function removeOldIngestProblems(sql: Sql): Promise<void> {
  await sql`delete from ingest_problems where not ${isKept(sql)}`
}

function isKept(sql: Sql) {
  return sql`(last_at > now() - make_interval(days => ${KEPT_DAYS}))`
}
