import { ClickHouseError } from './port.js'

type Kind = Pick<ClickHouseError, 'code' | 'retryable'>

/** What ClickHouse's own names for errors mean to the service. Every other name is a refusal of the statement. */
const KINDS: Readonly<Record<string, Kind>> = {
  TIMEOUT_EXCEEDED: { code: 'timeout', retryable: false },
  TOO_SLOW: { code: 'timeout', retryable: false },
  MEMORY_LIMIT_EXCEEDED: { code: 'memory', retryable: true },
  CANNOT_ALLOCATE_MEMORY: { code: 'memory', retryable: true },
  TOO_MANY_ROWS: { code: 'rows', retryable: false },
  TOO_MANY_BYTES: { code: 'rows', retryable: false },
  TOO_MANY_ROWS_OR_BYTES: { code: 'rows', retryable: false },
  SET_SIZE_LIMIT_EXCEEDED: { code: 'rows', retryable: false },
  QUERY_WAS_CANCELLED: { code: 'cancelled', retryable: true },
  QUERY_WAS_CANCELLED_BY_CLIENT: { code: 'cancelled', retryable: true },
  ABORTED: { code: 'unavailable', retryable: true },
  NETWORK_ERROR: { code: 'unavailable', retryable: true },
  SOCKET_TIMEOUT: { code: 'unavailable', retryable: true },
  ALL_CONNECTION_TRIES_FAILED: { code: 'unavailable', retryable: true },
  TOO_MANY_SIMULTANEOUS_QUERIES: { code: 'unavailable', retryable: true },
  TOO_MANY_PARTS: { code: 'unavailable', retryable: true },
  TABLE_IS_READ_ONLY: { code: 'unavailable', retryable: true },
  // Someone has to grant something first: until then the store is as good as down, and no row is at fault.
  AUTHENTICATION_FAILED: { code: 'unavailable', retryable: true },
  REQUIRED_PASSWORD: { code: 'unavailable', retryable: true },
  UNKNOWN_USER: { code: 'unavailable', retryable: true },
  ACCESS_DENIED: { code: 'unavailable', retryable: true },
  QUOTA_EXCEEDED: { code: 'unavailable', retryable: true },
  NO_ZOOKEEPER: { code: 'unavailable', retryable: true },
  KEEPER_EXCEPTION: { code: 'unavailable', retryable: true },
  UNKNOWN_STATUS_OF_INSERT: { code: 'unavailable', retryable: true },
  TOO_FEW_LIVE_REPLICAS: { code: 'unavailable', retryable: true },
  UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE: { code: 'unavailable', retryable: true },
  // Of replicas, Keeper and a server under pressure: none of them says anything of the rows, and each may be over at the next attempt.
  UNEXPECTED_ZOOKEEPER_ERROR: { code: 'unavailable', retryable: true },
  DUPLICATE_DATA_PART: { code: 'unavailable', retryable: true },
  PART_IS_TEMPORARILY_LOCKED: { code: 'unavailable', retryable: true },
  REPLICA_IS_NOT_IN_QUORUM: { code: 'unavailable', retryable: true },
  NO_ACTIVE_REPLICAS: { code: 'unavailable', retryable: true },
  NO_REPLICA_HAS_PART: { code: 'unavailable', retryable: true },
  ALL_REPLICAS_LOST: { code: 'unavailable', retryable: true },
  TABLE_IS_DROPPED: { code: 'unavailable', retryable: true },
  DEADLOCK_AVOIDED: { code: 'unavailable', retryable: true },
  CANNOT_SCHEDULE_TASK: { code: 'unavailable', retryable: true },
  SERVER_OVERLOADED: { code: 'unavailable', retryable: true },
  SYSTEM_ERROR: { code: 'unavailable', retryable: true },
  CANNOT_OPEN_FILE: { code: 'unavailable', retryable: true },
  S3_ERROR: { code: 'unavailable', retryable: true },
  POCO_EXCEPTION: { code: 'unavailable', retryable: true },
  STD_EXCEPTION: { code: 'unavailable', retryable: true },
  NOT_ENOUGH_SPACE: { code: 'unavailable', retryable: true },
  CANNOT_WRITE_TO_FILE_DESCRIPTOR: { code: 'unavailable', retryable: true },
  CANNOT_FSYNC: { code: 'unavailable', retryable: true },
}

/** Turns whatever a ClickHouse client threw into the port's error; anything that is no answer of ClickHouse is `unavailable`. */
export function toClickHouseError(error: unknown): ClickHouseError {
  if (error instanceof ClickHouseError) return error
  const message = error instanceof Error ? error.message.trim() : String(error)
  if (!isAnswer(error)) return new ClickHouseError(message, 'unavailable', true, { cause: error })
  const kind = KINDS[error.type] ?? { code: 'query', retryable: false }
  return new ClickHouseError(`${error.type}: ${message}`, kind.code, kind.retryable, { cause: error })
}

/** Whether an error is ClickHouse's own. By its fields and not its class, which exists twice: in the client and in what the embedded engine brings along. */
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
  return new ClickHouseError('the query was cancelled by its caller', 'cancelled', true)
}

/** What an aborted signal means: its time was over, or its caller has gone. */
export function abortedError(signal: AbortSignal): ClickHouseError {
  const late = signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
  return late
    ? new ClickHouseError('ClickHouse does not answer in time', 'unavailable', true)
    : cancelledError()
}

/** Runs a promise and throws the port's error in place of any other. */
export async function withClickHouseErrors<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (error) {
    throw toClickHouseError(error)
  }
}

export function closedError(): ClickHouseError {
  return new ClickHouseError('the connection to ClickHouse is closed', 'unavailable', false)
}
