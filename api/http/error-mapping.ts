import { ClickHouseError, type ClickHouseErrorCode } from '../../clickhouse/port.js'
import { DomainError, unavailable, validationFailed } from '../../management/domain-errors.js'
import { isPostgresDown } from '../../postgres/driver/errors.js'
import { TimeoutError } from '../../runtime/concurrency/with-timeout.js'
import { fromDomainError, HttpError } from './http-error.js'

/** Stores that do not answer in time are 503, everything unexpected is 500. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error
  if (error instanceof DomainError) return fromDomainError(error)
  if (error instanceof TimeoutError)
    return fromDomainError(unavailable('The answer took too long', { retryAfterMs: 5_000, cause: error }))
  if (error instanceof ClickHouseError) return fromClickHouse(error)
  if (isPostgresDown(error))
    return fromDomainError(unavailable('The database does not answer', { cause: error }))
  return new HttpError('INTERNAL', 'Something failed inside the service', [], {}, { cause: error })
}

function fromClickHouse(failure: ClickHouseError): HttpError {
  if (failure.code === 'too_complex')
    return fromDomainError(validationFailed([{ path: '', message: LIMIT_MESSAGES[failure.code] }]))
  if (failure.code === 'query' || failure.code === 'assertion')
    return new HttpError('INTERNAL', 'Something failed inside the service', [], {}, { cause: failure })
  return fromDomainError(unavailable('The event store does not answer', { cause: failure }))
}

/** Tells what to ask for instead if a query met one of its bounds. Undefined if waiting can help. */
export function exceededLimit(error: unknown): string | undefined {
  if (!(error instanceof ClickHouseError)) return undefined
  return isLimit(error.code) ? LIMIT_MESSAGES[error.code] : undefined
}

/**
 * For a query whose limit the caller can keep by asking for less: a refusal of this field. Other errors pass.
 *
 * @throws DomainError VALIDATION_FAILED
 */
export function refuseExceeded(path: string): (error: unknown) => never {
  return (error) => {
    const message = exceededLimit(error)
    if (message !== undefined) throw validationFailed([{ path, message }])
    throw error
  }
}

const LIMIT_MESSAGES = {
  timeout:
    'reaches too far back for one query, which may take 30 seconds: ask for a shorter time or fewer steps',
  memory:
    'reaches too far back for the memory of one query: ask for a shorter time, fewer steps or no breakdown',
  rows: 'reaches too far back for one query, which may read only so many events: ask for a shorter time',
  too_complex: 'has more filters and steps than one query may have: ask for fewer',
} as const satisfies Partial<Record<ClickHouseErrorCode, string>>

const isLimit = (code: ClickHouseErrorCode): code is keyof typeof LIMIT_MESSAGES => code in LIMIT_MESSAGES
