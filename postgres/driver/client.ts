import postgres from 'postgres'
import { backoffMs } from '../../runtime/backoff.js'
import { ARRAY_TYPES } from './array-types.js'
import { guardTransactions } from './guarded-transactions.js'
import { watchedSockets } from './watched-socket.js'

/**
 * A Postgres connection, the same for an external and the embedded server. `bigint` columns arrive as
 * strings, `timestamptz` as Date, `jsonb` parsed.
 */
export type Sql = postgres.Sql
export type Transaction = postgres.TransactionSql

export interface PostgresOptions {
  readonly url: string
  /** Shown in pg_stat_activity. */
  readonly applicationName: string
  readonly maxConnections: number
  /**
   * Limit of one statement in milliseconds, enforced by the server. A connection that is silent for a little
   * longer is closed.
   *
   * @default 30_000
   */
  readonly statementMs?: number
}

const CONNECT_SECONDS = 5
const PAUSES = { initialIntervalMs: 50, maxIntervalMs: 1_000 } as const
/** How much longer than a statement a connection may be silent. */
const SILENCE_MS = 1_500
const MAINTENANCE_MS = 6 * 3_600_000
/**
 * A transaction whose client has vanished keeps its locks for the time of a statement, within these bounds.
 */
const IDLE_TRANSACTION_MS = { least: 2_000, most: 10_000 } as const

export function connectPostgres(options: PostgresOptions): Sql {
  const { statementMs = 30_000 } = options
  // `socket` makes sockets; the driver's types leave it out.
  const settings = {
    max: options.maxConnections,
    connect_timeout: CONNECT_SECONDS,
    idle_timeout: 60,
    // Seconds until the next attempt to connect. The driver's default grows to 20 s, in which a Postgres that
    // is back would go unused.
    backoff: (failures: number) => backoffMs(PAUSES, failures) / 1_000,
    onnotice: () => {},
    fetch_types: false,
    types: ARRAY_TYPES,
    socket: watchedSockets(Math.max(statementMs, CONNECT_SECONDS * 1_000) + SILENCE_MS),
    connection: {
      application_name: options.applicationName,
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: Math.min(
        IDLE_TRANSACTION_MS.most,
        Math.max(IDLE_TRANSACTION_MS.least, statementMs),
      ),
    },
  }
  return guardTransactions(postgres(options.url, settings) as Sql)
}

/**
 * A connection to the server of another client, for statements that may take hours. The caller ends it.
 *
 * @param lockMs how long a statement waits for a lock
 */
export function connectForMaintenance(sql: Sql, lockMs: number): Sql {
  const { connection, ...options } = sql.options
  const settings = {
    ...options,
    max: 1,
    shared: { retries: 0, typeArrayMap: {} },
    socket: watchedSockets(MAINTENANCE_MS + SILENCE_MS),
    connection: { ...connection, statement_timeout: MAINTENANCE_MS, lock_timeout: lockMs },
  }
  // The driver accepts options that it has parsed before; its types do not say so.
  return postgres(settings as unknown as postgres.Options<Record<string, never>>) as Sql
}
