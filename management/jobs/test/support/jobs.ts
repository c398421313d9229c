import type { Sql } from '../../../../postgres/driver/client.js'

/** A row of the jobs table. A job that is done has no row. */
export interface StoredJob {
  readonly key: string
  readonly state: 'unclaimed' | 'retrying' | 'running' | 'failed'
  readonly attempt: number
  /** Seconds until it may be claimed. */
  readonly seconds: number
  readonly firstFailedAt: Date | null
  readonly lastError: string | null
}

/** The jobs of these keys, those due first at the beginning. */
export async function jobsOf(sql: Sql, ...keys: readonly string[]): Promise<StoredJob[]> {
  return [
    ...(await sql<StoredJob[]>`
    select key, case
        when failed_at is not null then 'failed' when lock_token is not null then 'running'
        when attempt > 0 then 'retrying' else 'unclaimed' end as state,
      attempt, extract(epoch from run_at - now())::float8 as seconds, first_failed_at as "firstFailedAt",
      last_error as "lastError"
    from jobs where key = any(${[...keys]}) order by run_at, key, id`),
  ]
}

/** The states of the jobs of a key. Those that are done are not listed. */
export const statesOf = async (sql: Sql, key: string): Promise<string[]> =>
  (await jobsOf(sql, key)).map(({ state }) => state)

/** Brings the next attempt of the jobs of a key forward. */
export const runNow = async (sql: Sql, key: string): Promise<void> => {
  await sql`update jobs set run_at = now() where key = ${key}`
}

/** Ends all leases, as after a minute without a sign of their worker. */
export const endLeases = async (sql: Sql): Promise<void> => {
  await sql`update jobs set locked_until = now() - interval '1 minute' where lock_token is not null`
}
