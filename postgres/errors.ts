import postgres from 'postgres'

/**
 * What kind of failure a statement met:
 *
 * - `unreachable`: no connection could be made, so nothing reached the server
 * - `lost`: the connection broke while something was asked over it; whether it was done is unknown
 * - `unavailable`: the server answered that it cannot now (starting, stopping, no connection left, read-only, a statement past its time)
 * - `conflict`: another transaction was in the way, and this one is undone
 * - `denied`: the login, the database or a right is not there
 * - `statement`: the statement itself was refused
 */
export type DatabaseErrorCode = 'unreachable' | 'lost' | 'unavailable' | 'conflict' | 'denied' | 'statement'

export interface DatabaseError {
  readonly code: DatabaseErrorCode
  /** Whether the same can succeed later, unchanged. */
  readonly retryable: boolean
  /** SQLSTATE, or what the driver or the system calls it. */
  readonly sqlState: string
  /** Whether the server certainly kept nothing of the statement. */
  readonly undone: boolean
  readonly message: string
}

/** What the driver and the system call a connection that cannot be made, or one that broke. */
const CONNECTION_KINDS: Readonly<Record<string, 'unreachable' | 'lost'>> = {
  CONNECT_TIMEOUT: 'unreachable',
  CONNECTION_ENDED: 'unreachable',
  ECONNREFUSED: 'unreachable',
  ENOENT: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  CONNECTION_CLOSED: 'lost',
  CONNECTION_DESTROYED: 'lost',
  ECONNRESET: 'lost',
  EPIPE: 'lost',
  ETIMEDOUT: 'lost',
  EHOSTUNREACH: 'lost',
  ENETUNREACH: 'lost',
}

/** SQLSTATEs by their beginnings, the first that fits. Source: the table of error codes in Postgres' documentation. */
const STATE_KINDS: readonly (readonly [prefix: string, DatabaseErrorCode])[] = [
  ['40001', 'conflict'],
  ['40P01', 'conflict'],
  ['55P03', 'conflict'],
  ['25006', 'unavailable'],
  ['08', 'unavailable'],
  ['53', 'unavailable'],
  ['57', 'unavailable'],
  ['28', 'denied'],
  ['3D000', 'denied'],
  ['42501', 'denied'],
]

/** What a failure of Postgres or of the way there is, undefined for any other error. */
export function toDatabaseError(error: unknown): DatabaseError | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const code = String(error.code)
  if (error instanceof postgres.PostgresError) {
    const kind = STATE_KINDS.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'statement'
    const retryable = kind === 'conflict' || kind === 'unavailable'
    return { code: kind, retryable, sqlState: code, undone: true, message: error.message }
  }
  const kind = CONNECTION_KINDS[code]
  // A socket of the machine that is not there, and not any other file.
  const isOtherFile = code === 'ENOENT' && 'syscall' in error && error.syscall !== 'connect'
  if (kind === undefined || isOtherFile) return undefined
  return {
    code: kind,
    retryable: true,
    sqlState: code,
    undone: kind === 'unreachable',
    message: error.message || code,
  }
}

/** Whether Postgres cannot answer now, and the same can succeed later unchanged. */
export function isPostgresDown(error: unknown): boolean {
  return toDatabaseError(error)?.retryable ?? false
}

/** Whether a row was refused because of one that is there. */
export function isUniqueViolation(error: unknown): boolean {
  return toDatabaseError(error)?.sqlState === '23505'
}
