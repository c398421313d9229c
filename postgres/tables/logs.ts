import type { Sql } from '../driver/client.js'

/** Announced when a log is closed, opened again or drained, and when a writer leaves. */
export const LOG_CHANNEL = 'svc_logs'

/** `open`: gateways append; `closing`: nobody does any more, and what is in it is being stored; `drained`: all of it is. */
export type LogState = 'open' | 'closing' | 'drained'

export interface LogSummary {
  readonly id: string
  readonly state: LogState
  readonly partitions: number
  readonly identityPartitions: number
  /** Events stored from it, dropped as duplicates, and kept as dead letters. */
  readonly events: { readonly stored: number; readonly duplicates: number; readonly deadLetters: number }
  /** Gateways that may append to it. */
  readonly writers: number
  /** What its end waits for; null where it is not closing, or nobody has looked yet. */
  readonly problem: string | null
  readonly createdAt: Date
  readonly closingAt: Date | null
  readonly drainedAt: Date | null
}

interface LogRow {
  id: string
  partitions: number
  identity_partitions: number
  created_at: Date
  closing_at: Date | null
  drained_at: Date | null
  drain_problem: string | null
  stored: string
  duplicates: string
  dead: string
  writers: string
}

/** All logs this database has met, oldest first: all but the last are drained. */
export async function listLogs(sql: Sql): Promise<LogSummary[]> {
  const rows = await sql<LogRow[]>`
    select l.*, p.stored, p.duplicates, p.dead,
      (select count(*) from log_writers w where w.log_id = l.id and w.expires_at > clock_timestamp()) as writers
    from logs l, lateral (
      select coalesce(sum(total_stored + open_stored), 0) as stored,
        coalesce(sum(total_duplicates + open_duplicates), 0) as duplicates,
        coalesce(sum(total_dead + open_dead), 0) as dead
      from log_partitions where log_id = l.id
    ) p
    order by l.created_at, l.id`
  return rows.map((row) => ({
    id: row.id,
    state: row.drained_at !== null ? 'drained' : row.closing_at !== null ? 'closing' : 'open',
    partitions: row.partitions,
    identityPartitions: row.identity_partitions,
    events: {
      stored: Number(row.stored),
      duplicates: Number(row.duplicates),
      deadLetters: Number(row.dead),
    },
    writers: Number(row.writers),
    problem: row.drain_problem,
    createdAt: row.created_at,
    closingAt: row.closing_at,
    drainedAt: row.drained_at,
  }))
}

/** Asks for the end of a log. No effect where it was asked for before. */
export async function closeLog(sql: Sql, id: string): Promise<void> {
  await sql`
    update logs set closing_at = now(), drain_problem = null
    where id = ${id} and closing_at is null and drained_at is null`
}

/** Takes that back. False where the log is drained by now: then its end stands. */
export async function reopenLog(sql: Sql, id: string): Promise<boolean> {
  const { count } = await sql`
    update logs set closing_at = null, drain_problem = null where id = ${id} and drained_at is null`
  return count === 1
}
