import postgres from 'postgres'

/**
 * The Postgres connection, the same for a server of one's own and the embedded one: only the address differs.
 * `bigint` columns arrive as strings, `timestamptz` as Date, `jsonb` parsed.
 */
export type Sql = postgres.Sql
export type Transaction = postgres.TransactionSql

export interface PostgresOptions {
  readonly url: string
  /** Shown in pg_stat_activity. */
  readonly applicationName: string
  readonly maxConnections: number
}

export function connectPostgres(options: PostgresOptions): Sql {
  return postgres(options.url, {
    max: options.maxConnections,
    connect_timeout: 5,
    idle_timeout: 60,
    // Seconds before the next try after failed ones. The driver's own goes up to 20, for which a Postgres that is back would stay unused.
    backoff: (failures) => Math.min(0.05 * 2 ** failures, 1),
    onnotice: () => {},
    connection: { application_name: options.applicationName, statement_timeout: 30_000 },
  })
}
