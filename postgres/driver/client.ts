import postgres from 'postgres'
import { backoffMs } from '../../runtime/backoff.js'
import { ARRAY_TYPES } from './array-types.js'
import { guardTransactions } from './guarded-transactions.js'
import { watchedSockets } from './watched-socket.js'

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
  /** The server ends a statement that takes longer; a connection that is silent for a little longer than that is given up. 30 s by default. */
  readonly statementMs?: number
}

const CONNECT_SECONDS = 5
const PAUSES = { initialIntervalMs: 50, maxIntervalMs: 1_000 } as const
/** A silent connection is given up so much later than a statement, and not before a connection can be made. */
const SILENCE_MS = 1_500
/** A transaction whose client is silently gone keeps its locks as long as a statement may take, within these bounds. */
const IDLE_TRANSACTION_MS = { least: 2_000, most: 10_000 } as const

export function connectPostgres(options: PostgresOptions): Sql {
  const { statementMs = 30_000 } = options
  // The driver takes a maker of sockets, which its types leave out.
  const settings = {
    max: options.maxConnections,
    connect_timeout: CONNECT_SECONDS,
    idle_timeout: 60,
    // Seconds before the next try after failed ones. The driver's own goes up to 20, for which a Postgres that is back would stay unused.
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
