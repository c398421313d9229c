/** One offending place of a request: `path` is a JSON pointer into the body, or `query.limit`, `header.Idempotency-Key`, `path.id`. */
export interface ErrorDetail {
  readonly path: string
  readonly message: string
}

/** Why the product refuses something, whoever asks and by whatever way. Source: API.md section 2. */
export type DomainErrorCode =
  | 'VALIDATION_FAILED'
  | 'MISSING_PERMISSION'
  | 'NOT_FOUND'
  | 'ILLEGAL_TRANSITION'
  | 'NOT_EDITABLE'
  | 'SURFACE_OVERLAP'
  | 'PROPOSAL_FILES_MISSING'
  | 'PROPOSAL_SNAPSHOT_STALE'
  | 'GENERATION_IN_FLIGHT'
  | 'REFINE_IN_FLIGHT'
  | 'EVENT_HISTORY_UNAVAILABLE'
  | 'REPOSITORY_NOT_CONNECTED'
  | 'KEY_TAKEN'
  | 'NAME_TAKEN'
  | 'RATE_LIMITED'
  | 'UNAVAILABLE'

export const MAX_DETAILS = 100

/** The product says no, and why. Thrown by rules and stores; how it is told is a matter of whoever asked. */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  /** At most 100. */
  readonly details: readonly ErrorDetail[]
  /** Seconds after which the same can succeed. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    readonly code: DomainErrorCode,
    message: string,
    details: readonly ErrorDetail[] = [],
    options: { readonly retryAfterSeconds?: number; readonly cause?: unknown } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : {})
    this.details = details.slice(0, MAX_DETAILS)
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** Something asked for is not valid, at the places given; the message speaks for the first. */
export function validationFailed(details: readonly ErrorDetail[]): DomainError {
  const first = details[0]
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : ''
  const message =
    first === undefined
      ? 'The request is not valid'
      : `${first.path === '' ? 'the body' : first.path} ${first.message}${more}`
  return new DomainError('VALIDATION_FAILED', message, details)
}

/** The workspace does not have it. */
export function notFound(what: string): DomainError {
  return new DomainError('NOT_FOUND', `No such ${what} in this workspace`)
}

/** Something that the answer needs does not answer now. */
export function unavailable(message: string, retryAfterSeconds = 2, cause?: unknown): DomainError {
  return new DomainError('UNAVAILABLE', message, [], { retryAfterSeconds, cause })
}
