import { isCertificateError } from '../runtime/certificate-error.js'
import { errorMessage } from '../runtime/errors.js'
import { ClickHouseError, type ClickHouseErrorCode } from './port.js'

/** ClickHouse's error names by the port's codes. Every other name is `query`. */
const TYPES: Partial<Record<ClickHouseErrorCode, readonly string[]>> = {
  timeout: ['TIMEOUT_EXCEEDED', 'TOO_SLOW'],
  memory: ['MEMORY_LIMIT_EXCEEDED', 'CANNOT_ALLOCATE_MEMORY'],
  rows: ['TOO_MANY_ROWS', 'TOO_MANY_BYTES', 'TOO_MANY_ROWS_OR_BYTES', 'SET_SIZE_LIMIT_EXCEEDED'],
  too_complex: [
    'TOO_BIG_AST',
    'TOO_DEEP_AST',
    'TOO_DEEP_RECURSION',
    'QUERY_IS_TOO_LARGE',
    'TOO_DEEP_SUBQUERIES',
  ],
  cancelled: ['QUERY_WAS_CANCELLED', 'QUERY_WAS_CANCELLED_BY_CLIENT'],
  assertion: ['FUNCTION_THROW_IF_VALUE_IS_NON_ZERO'],
  denied: ['AUTHENTICATION_FAILED', 'REQUIRED_PASSWORD', 'UNKNOWN_USER', 'ACCESS_DENIED', 'READONLY'],
  disk_full: ['NOT_ENOUGH_SPACE'],
  unavailable: [
    // Network and load.
    ...['ABORTED', 'NETWORK_ERROR', 'SOCKET_TIMEOUT', 'ALL_CONNECTION_TRIES_FAILED', 'DEADLOCK_AVOIDED'],
    ...['TOO_MANY_SIMULTANEOUS_QUERIES', 'TOO_MANY_PARTS', 'QUOTA_EXCEEDED', 'CANNOT_SCHEDULE_TASK'],
    ...['SERVER_OVERLOADED', 'SYSTEM_ERROR', 'POCO_EXCEPTION', 'STD_EXCEPTION'],
    // Replicas and Keeper.
    ...['TABLE_IS_READ_ONLY', 'NO_ZOOKEEPER', 'KEEPER_EXCEPTION', 'UNEXPECTED_ZOOKEEPER_ERROR'],
    ...['UNKNOWN_STATUS_OF_INSERT', 'TOO_FEW_LIVE_REPLICAS', 'UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE'],
    ...['DUPLICATE_DATA_PART', 'PART_IS_TEMPORARILY_LOCKED', 'REPLICA_IS_NOT_IN_QUORUM'],
    ...['NO_ACTIVE_REPLICAS', 'NO_REPLICA_HAS_PART', 'ALL_REPLICAS_LOST', 'TABLE_IS_DROPPED'],
    // Disk.
    ...['CANNOT_OPEN_FILE', 'S3_ERROR', 'CANNOT_WRITE_TO_FILE_DESCRIPTOR', 'CANNOT_FSYNC'],
    // A part that the embedded engine did not write whole, until its table is loaded anew.
    ...['CANNOT_READ_ALL_DATA', 'CORRUPTED_DATA', 'UNKNOWN_CODEC'],
  ],
}
const CODES = new Map(
  Object.entries(TYPES).flatMap(([code, types]) =>
    types.map((type) => [type, code as ClickHouseErrorCode] as const),
  ),
)

/** Maps what a ClickHouse client threw to the port's error: `unavailable` unless ClickHouse answered. */
export function toClickHouseError(error: unknown): ClickHouseError {
  if (error instanceof ClickHouseError) return error
  const message = errorMessage(error).trim()
  if (!isAnswer(error))
    return new ClickHouseError(isCertificateError(error) ? 'denied' : 'unavailable', message, {
      cause: error,
    })
  const { type } = error
  return new ClickHouseError(codeOf(type, message), `${type}: ${message}`, { type, cause: error })
}

function codeOf(type: string, message: string): ClickHouseErrorCode {
  // ClickHouse uses one name for the limits of a query, of a user and of the server (`(total)`).
  if (type === 'MEMORY_LIMIT_EXCEEDED' && /\(total\)/i.test(message)) return 'overloaded'
  // A failed write has one name for every reason, and the system's words for it.
  if (/no space left on device/i.test(message)) return 'disk_full'
  // A statement that is too long is cut off, and the rest is no syntax.
  if (type === 'SYNTAX_ERROR' && message.includes('Max query size exceeded')) return 'too_complex'
  return CODES.get(type) ?? 'query'
}

/** Whether ClickHouse answered. By fields, because client and embedded engine each have the class. */
export function isAnswer(error: unknown): error is Error & { readonly type: string } {
  return (
    error instanceof Error &&
    'type' in error &&
    typeof error.type === 'string' &&
    'code' in error &&
    /^\d+$/.test(String(error.code))
  )
}

export function cancelledError(): ClickHouseError {
  return new ClickHouseError('cancelled', 'the query was cancelled by its caller')
}

/** The error for an aborted signal: the deadline passed, or the caller has gone. */
export function abortedQueryError(signal: AbortSignal): ClickHouseError {
  const late = signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
  return late ? new ClickHouseError('unavailable', 'ClickHouse does not answer in time') : cancelledError()
}

/** Awaits a promise and throws the port's error instead of any other. */
export async function withClickHouseErrors<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (error) {
    throw toClickHouseError(error)
  }
}

export function closedError(): ClickHouseError {
  return new ClickHouseError('closed', 'the connection to ClickHouse is closed')
}
