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
  /**
   * The reason that a closing log is not drained yet; null if it is not closing, or was not looked at yet.
   */
  readonly problem: string | null
  readonly createdAt: Date
  readonly closingAt: Date | null
  readonly drainedAt: Date | null
}

const writers = (sql: Sql) => sql`(
  select count(*)::int from log_writers w where w.log_id = l.id and w.expires_at > clock_timestamp()) as writers`

/** All logs that this database has seen, oldest first. All but the last are drained. */
export async function listLogs(sql: Sql): Promise<LogSummary[]> {
  return sql<LogSummary[]>`
    select l.id, case when drained_at is not null then 'drained' when closing_at is not null then 'closing' else 'open' end as state,
      l.partitions, identity_partitions as "identityPartitions", p.events, ${writers(sql)}, drain_problem as problem,
      created_at as "createdAt", closing_at as "closingAt", drained_at as "drainedAt"
    from logs l, lateral (
      select jsonb_build_object('stored', coalesce(sum(total_stored + open_stored), 0),
        'duplicates', coalesce(sum(total_duplicates + open_duplicates), 0),
        'deadLetters', coalesce(sum(total_dead + open_dead), 0)) as events
      from log_partitions where log_id = l.id
    ) p
    order by created_at, l.id`
}

/** Asks for the end of a log. False if it was asked for before. */
export async function closeLog(sql: Sql | Transaction, id: string): Promise<boolean> {
  const { count } = await sql`
    update logs set closing_at = now(), drain_problem = null
    where id = ${id} and closing_at is null and drained_at is null`
  return count === 1
}

/** Opens a closing log again. False if it is drained by now, which is final. */
export async function reopenLog(sql: Sql | Transaction, id: string): Promise<boolean> {
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

/** The log that was registered last. */
export async function currentLog(sql: Sql | Transaction): Promise<RegisteredLog | undefined> {
  const [log] = await sql<RegisteredLog[]>`
    select id, partitions, identity_partitions as "identityPartitions", drained_at is not null as drained
    from logs order by created_at desc, id desc limit 1`
  return log
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
  const [state] = await sql<{ closingAt: Date | null; drained: boolean; writers: number }[]>`
    select closing_at as "closingAt", drained_at is not null as drained, ${writers(sql)} from logs l where id = ${id}`
  return state
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
  const [counts] = await tx<{ links: number; replays: number }[]>`
    select (select count(*)::int from link_outbox) as links,
      (select count(*)::int from dead_letter_replays where state <> 'done') as replays`
  return counts ?? { links: 0, replays: 0 }
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
