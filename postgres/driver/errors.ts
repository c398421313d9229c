import postgres from 'postgres'
import { isCertificateError } from '../../runtime/certificate-error.js'
import { type ErrorTable, ServiceError } from '../../runtime/errors.js'

/** Errors of a statement. */
export const DATABASE_ERRORS = {
  /** No connection could be made, so nothing reached the server. */
  unreachable: { retryable: true },
  /** The connection broke during the statement. Whether it was executed is unknown. */
  lost: { retryable: true },
  /**
   * The server cannot now: it starts or stops, is read-only, has no connection left, or a statement ran out
   * of time.
   */
  unavailable: { retryable: true },
  /** The server cannot write, because its disk is full. */
  disk_full: { retryable: true },
  /** Another transaction was in the way, and this one is rolled back. */
  conflict: { retryable: true },
  /** The login, the database, a right or the certificate is refused. */
  denied: { retryable: false },
  /** The server refused the statement itself. */
  statement: { retryable: false },
} as const satisfies ErrorTable

export type DatabaseErrorCode = keyof typeof DATABASE_ERRORS

export class DatabaseError extends ServiceError<DatabaseErrorCode> {
  /** SQLSTATE, or what the driver or the system calls the failure, for example `ECONNREFUSED`. */
  readonly sqlState: string
  /** Whether the server certainly kept nothing of the statement. */
  readonly undone: boolean

  constructor(
    code: DatabaseErrorCode,
    message: string,
    options: { readonly sqlState: string; readonly undone: boolean; readonly cause: unknown },
  ) {
    super(message, { code, ...DATABASE_ERRORS[code], cause: options.cause })
    this.sqlState = options.sqlState
    this.undone = options.undone
  }
}

/** Codes of the driver and the system for a connection that cannot be made, or that broke. */
const CONNECTION_CODES: Readonly<Record<string, 'unreachable' | 'lost'>> = {
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

/** SQLSTATEs by prefix, the first match counts. Source: Postgres documentation, appendix A. */
const STATE_CODES: readonly (readonly [prefix: string, DatabaseErrorCode])[] = [
  ['40001', 'conflict'],
  ['40P01', 'conflict'],
  ['55P03', 'conflict'],
  ['53100', 'disk_full'],
  ['25006', 'unavailable'],
  ['08', 'unavailable'],
  ['53', 'unavailable'],
  ['57', 'unavailable'],
  ['28', 'denied'],
  ['3D000', 'denied'],
  ['42501', 'denied'],
]

/**
 * Classifies what the driver threw. Statements throw the driver's errors as they are, because they are sent
 * from tagged templates everywhere; callers that have to decide come here.
 *
 * @returns undefined if the error is not from Postgres or the connection to it
 */
export function toDatabaseError(error: unknown): DatabaseError | undefined {
  if (error instanceof DatabaseError) return error
  if (!(error instanceof Error && 'code' in error)) return undefined
  const sqlState = String(error.code)
  const message = error.message || sqlState
  if (error instanceof postgres.PostgresError) {
    const code = STATE_CODES.find(([prefix]) => sqlState.startsWith(prefix))?.[1] ?? 'statement'
    return new DatabaseError(code, message, { sqlState, undone: true, cause: error })
  }
  if (isCertificateError(error))
    return new DatabaseError('denied', message, { sqlState, undone: true, cause: error })
  const code = CONNECTION_CODES[sqlState]
  // A missing socket of the machine, and not any other missing file.
  const isOtherFile = sqlState === 'ENOENT' && 'syscall' in error && error.syscall !== 'connect'
  if (code === undefined || isOtherFile) return undefined
  return new DatabaseError(code, message, { sqlState, undone: code === 'unreachable', cause: error })
}

/** Whether Postgres cannot answer now, and the same statement can succeed later. */
export function isPostgresDown(error: unknown): boolean {
  return toDatabaseError(error)?.retryable ?? false
}

/** Whether a unique constraint refused a row. */
export function isUniqueViolation(error: unknown): boolean {
  return toDatabaseError(error)?.sqlState === '23505'
}
