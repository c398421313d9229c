import type { Sql, Transaction } from '../driver/client.js'

/** Notified when a log is closed, opened again or drained, and when a writer leaves. */
export const LOG_CHANNEL = 'svc_logs'

/**
 * `open`: gateways append. `closing`: none does, and the rest is being stored. `drained`: all of it is
 * stored.
 */
export type LogState = 'open' | 'closing' | 'drained'

export interface LogSummary {
  readonly id: string
  readonly state: LogState
  readonly partitions: number
  readonly identityPartitions: number
  /** Events stored from it, dropped as duplicates, and stored as dead letters. */
  readonly events: { readonly stored: number; readonly duplicates: number; readonly deadLetters: number }
  /** Gateways that may append to it. */
  readonly writers: number
  /** What the end of a closing log waits for; null if it is not closing, or was not looked at yet. */
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

/** All logs that this database has seen, oldest first. All but the last are drained. */
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

/** Asks for the end of a log. No effect if it was asked for before. */
export async function closeLog(sql: Sql, id: string): Promise<void> {
  await sql`
    update logs set closing_at = now(), drain_problem = null
    where id = ${id} and closing_at is null and drained_at is null`
}

/** Opens a closing log again. False if it is drained by now, which is final. */
export async function reopenLog(sql: Sql, id: string): Promise<boolean> {
  const { count } = await sql`
    update logs set closing_at = null, drain_problem = null where id = ${id} and drained_at is null`
  return count === 1
}

/**
 * Locks the table against other registrations and returns the log of this id and those that are not drained.
 */
export async function lockForRegistration(tx: Transaction, id: string): Promise<readonly RegisteredLog[]> {
  await tx`lock table logs in share row exclusive mode`
  return tx<RegisteredLog[]>`
    select id, partitions, identity_partitions as "identityPartitions", drained_at is not null as drained
    from logs where drained_at is null or id = ${id}`
}

export interface RegisteredLog {
  readonly id: string
  readonly partitions: number
  readonly identityPartitions: number
  readonly drained: boolean
}

export async function insertLog(tx: Transaction, log: Omit<RegisteredLog, 'drained'>): Promise<void> {
  await tx`
    insert into logs (id, partitions, identity_partitions)
    values (${log.id}, ${log.partitions}, ${log.identityPartitions})`
}

/** The number of event partitions of every log, by its id. */
export async function eventPartitions(tx: Transaction): Promise<ReadonlyMap<string, number>> {
  const rows = await tx<{ id: string; partitions: number }[]>`select id, partitions from logs`
  return new Map(rows.map(({ id, partitions }) => [id, partitions]))
}

/** Keeps a log from being drained until the transaction ends. False if it is drained already. */
export async function holdOpen(tx: Transaction, id: string): Promise<boolean> {
  const { count } = await tx`select from logs where id = ${id} and drained_at is null for share`
  return count > 0
}

/** Whether a log was asked to end, and how many gateways may still append to it. */
export async function drainState(
  sql: Sql,
  id: string,
): Promise<
  { readonly closingAt: Date | null; readonly drained: boolean; readonly writers: number } | undefined
> {
  const [row] = await sql<{ closing_at: Date | null; drained_at: Date | null; writers: string }[]>`
    select closing_at, drained_at,
      (select count(*) from log_writers w where w.log_id = l.id and w.expires_at > clock_timestamp()) as writers
    from logs l where id = ${id}`
  if (row === undefined) return undefined
  return { closingAt: row.closing_at, drained: row.drained_at !== null, writers: Number(row.writers) }
}

/** Locks a log that is closing since this time. False if it was opened again, or drained. */
export async function lockClosing(tx: Transaction, id: string, closingAt: Date): Promise<boolean> {
  const { count } = await tx`
    select from logs where id = ${id} and closing_at = ${closingAt} and drained_at is null for update`
  return count === 1
}

/** Links and replays of dead letters that are still under way, of any log. */
export async function countUnfinished(
  tx: Transaction,
): Promise<{ readonly links: number; readonly replays: number }> {
  const [row] = await tx<{ links: string; replays: string }[]>`
    select (select count(*) from link_outbox) as links,
      (select count(*) from dead_letter_replays where state <> 'done') as replays`
  return { links: Number(row?.links), replays: Number(row?.replays) }
}

export async function markDrained(tx: Transaction, id: string): Promise<void> {
  await tx`update logs set drained_at = now(), drain_problem = null where id = ${id}`
}

/** Shows what the end of a closing log waits for. */
export async function noteDrainProblem(sql: Sql | Transaction, id: string, problem: string): Promise<void> {
  await sql`
    update logs set drain_problem = ${problem}
    where id = ${id} and closing_at is not null and drained_at is null and drain_problem is distinct from ${problem}`
}
