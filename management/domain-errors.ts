import { type ErrorTable, ServiceError } from '../runtime/errors.js'

/** One offending place of a request. */
export interface ErrorDetail {
  /** A JSON pointer into the body, or `query.limit`, `header.Idempotency-Key`, `path.id`. */
  readonly path: string
  readonly message: string
}

/** Why the product refuses something, whatever the transport. */
const DOMAIN_ERRORS = {
  VALIDATION_FAILED: { retryable: false },
  MISSING_PERMISSION: { retryable: false },
  NOT_FOUND: { retryable: false },
  ILLEGAL_TRANSITION: { retryable: false },
  NOT_EDITABLE: { retryable: false },
  SURFACE_OVERLAP: { retryable: false },
  PROPOSAL_FILES_MISSING: { retryable: false },
  PROPOSAL_SNAPSHOT_STALE: { retryable: false },
  GENERATION_IN_FLIGHT: { retryable: true },
  REFINE_IN_FLIGHT: { retryable: true },
  EVENT_HISTORY_UNAVAILABLE: { retryable: false },
  REPOSITORY_NOT_CONNECTED: { retryable: false },
  KEY_TAKEN: { retryable: false },
  NAME_TAKEN: { retryable: false },
  EMAIL_TAKEN: { retryable: false },
  LAST_OWNER: { retryable: false },
  RATE_LIMITED: { retryable: true },
  UNAVAILABLE: { retryable: true },
} as const satisfies ErrorTable

export type DomainErrorCode = keyof typeof DOMAIN_ERRORS

export const MAX_DETAILS = 100

export interface DomainErrorOptions {
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

/** A refusal by the product's rules. The caller decides how to show it. */
export class DomainError extends ServiceError<DomainErrorCode> {
  /** At most `MAX_DETAILS`. */
  readonly details: readonly ErrorDetail[]

  constructor(
    code: DomainErrorCode,
    message: string,
    details: readonly ErrorDetail[] = [],
    options: DomainErrorOptions = {},
  ) {
    super(message, { ...options, code, ...DOMAIN_ERRORS[code] })
    this.details = details.slice(0, MAX_DETAILS)
  }
}

export function validationFailed(details: readonly ErrorDetail[]): DomainError {
  const first = details[0]
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : ''
  const message =
    first === undefined
      ? 'The request is not valid'
      : `${first.path === '' ? 'the body' : first.path} ${first.message}${more}`
  return new DomainError('VALIDATION_FAILED', message, details)
}

export function notFound(what: string): DomainError {
  return new DomainError('NOT_FOUND', `No such ${what} in this workspace`)
}

export function ownerRequired(): DomainError {
  return new DomainError('MISSING_PERMISSION', 'Only an owner of the workspace may do this', [
    { path: 'owner', message: 'is required: ask an owner of the workspace' },
  ])
}

/** @throws DomainError NOT_FOUND if there is no such row */
export function found<Row>(row: Row | undefined, what: string): Row {
  if (row === undefined) throw notFound(what)
  return row
}

/** Something that the answer needs does not answer now. `retryAfterMs` defaults to two seconds. */
export function unavailable(message: string, options: DomainErrorOptions = {}): DomainError {
  return new DomainError('UNAVAILABLE', message, [], { retryAfterMs: 2_000, ...options })
}
