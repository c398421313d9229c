import postgres from 'postgres'

/** What the driver calls a connection that cannot be made or broke. */
const CONNECTION_CODES = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/**
 * SQLSTATEs of a server that cannot answer now: connection exceptions, lack of resources, operator intervention (shutdown, starting up, a statement
 * past its time), read-only after a fail-over, and conflicts that a retry mends.
 */
const RETRYABLE_STATE = /^(08|53|57|25006|40001|40P01|55P03)/

/** Whether Postgres cannot answer now, and the same can succeed later unchanged. */
export function isPostgresDown(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return RETRYABLE_STATE.test(error.code)
  if (!(error instanceof Error) || !('code' in error)) return false
  // A socket of the machine that is not there, and not any other file.
  if (error.code === 'ENOENT' && 'syscall' in error && error.syscall !== 'connect') return false
  return CONNECTION_CODES.has(String(error.code))
}

/** Whether a row was refused because of one that is there. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '23505'
}
