import type { Sql, Transaction } from '../driver/client.js'

/** `open`: dead, whether or not a replay waits for it. */
export const LETTER_STATES = ['open', 'waiting', 'replayed', 'all'] as const
export type LetterState = (typeof LETTER_STATES)[number]

/** Selects letters; an omitted field selects all. */
export interface LetterFilter {
  /** Part of the reason, in any case. */
  readonly reason?: string | undefined
  /** Last failed at or after this time. */
  readonly since?: Date | undefined
  readonly workspaceId?: string | undefined
}

/** A dead letter as the administration shows it. */
export interface LetterSummary {
  readonly id: string
  readonly reason: string
  /** Count in the header of the record; 0 for links. */
  readonly events: number
  /** Null if the record cannot be read. */
  readonly workspaceId: string | null
  /** Position in the log; `index` is the position in the record, null for the whole record. */
  readonly log: {
    readonly id: string
    readonly partition: number
    readonly offset: number
    readonly index: number | null
  }
  readonly attempts: number
  readonly createdAt: Date
  readonly failedAt: Date
  readonly replayedAt: Date | null
  /** The replay that waits for it. */
  readonly replayId: string | null
}

export interface DeadLetterRecord extends LetterSummary {
  /** Whether it holds links instead of events; null if its log is unknown. */
  readonly holdsLinks: boolean | null
  readonly payload: Uint8Array
}

const columns = (sql: Sql) => sql`
  l.id, reason, events, workspace_id as "workspaceId", jsonb_build_object('id', log_id, 'partition', log_partition,
    'offset', log_offset, 'index', case when row_index >= 0 then row_index end) as log,
  attempts, l.created_at as "createdAt", failed_at as "failedAt", replayed_at as "replayedAt", replay_id as "replayId"`

/** Newest failures first. */
export async function listDeadLetters(
  sql: Sql,
  filter: LetterFilter & { readonly state: LetterState },
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly letters: LetterSummary[]; readonly total: number }> {
  const { state } = filter
  const where = sql`
    where ${matches(sql, filter)} and (${state} = 'all'
      or (${state} = 'open' and replayed_at is null)
      or (${state} = 'waiting' and replay_id is not null)
      or (${state} = 'replayed' and replayed_at is not null))`
  const letters = await sql<LetterSummary[]>`
    select ${columns(sql)} from dead_letters l ${where} order by failed_at desc, id desc limit ${page.limit} offset ${page.offset}`
  const [counted] = await sql<{ total: number }[]>`select count(*)::int as total from dead_letters ${where}`
  return { letters: [...letters], total: counted?.total ?? 0 }
}

export async function findDeadLetter(sql: Sql, id: string): Promise<DeadLetterRecord | undefined> {
  const [letter] = await sql<DeadLetterRecord[]>`
    select ${columns(sql)}, payload, l.log_partition >= logs.partitions as "holdsLinks"
    from dead_letters l left join logs on logs.id = l.log_id where l.id = ${id}`
  return letter
}

/** Events of the letters that are not replayed, by `log:partition`. */
export async function countOpenLetters(sql: Sql | Transaction): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ at: string; events: number }[]>`
    select log_id || ':' || log_partition as at, sum(events)::float8 as events
    from dead_letters where replayed_at is null group by log_id, log_partition`
  return new Map(rows.map(({ at, events }) => [at, events]))
}

/** The SQL condition of a filter. */
export function matches(sql: Sql | Transaction, { reason, since, workspaceId }: LetterFilter) {
  return sql`
    (${reason ?? null}::text is null or position(lower(${reason ?? null}::text) in lower(reason)) > 0)
    and (${since ?? null}::timestamptz is null or failed_at >= ${since ?? null}::timestamptz)
    and (${workspaceId ?? null}::uuid is null or workspace_id = ${workspaceId ?? null}::uuid)`
}
