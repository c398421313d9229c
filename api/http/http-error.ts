import type { DomainError, DomainErrorCode, ErrorDetail } from '../../management/domain-errors.js'
import { ServiceError } from '../../runtime/errors.js'

interface ErrorKind {
  readonly status: number
  /** Whether the same request, unchanged, can succeed later. */
  readonly retryable: boolean
  readonly meaning: string
}

const permanent = (status: number, meaning: string): ErrorKind => ({ status, retryable: false, meaning })
const retryable = (status: number, meaning: string): ErrorKind => ({ status, retryable: true, meaning })

/** Codes of the management API and their statuses. */
export const ERRORS = {
  VALIDATION_FAILED: permanent(
    400,
    'A field, parameter or header is wrong, missing or unknown; `details` lists every one, up to 100',
  ),
  MALFORMED_JSON: permanent(400, 'The body is not JSON in UTF-8'),
  UNAUTHENTICATED: permanent(
    401,
    'The key is missing, malformed, unknown, revoked or expired, or is a key for sending events (`tsk_secret_`, `tsk_live_`)',
  ),
  MISSING_PERMISSION: permanent(
    403,
    'The key, or its person, lacks what `details[].path` names: a scope, or `owner`',
  ),
  API_KEY_NOT_ALLOWED_HERE: permanent(
    403,
    'API keys are not accepted on this path: use the session token of a person',
  ),
  CROSS_SITE_REQUEST: permanent(
    403,
    'The session cookie came without the header `X-Svc-Console`, or from a page of another site',
  ),
  WORKSPACE_MISMATCH: permanent(403, 'The header `X-Workspace-Id` names another workspace than the key’s'),
  NOT_FOUND: permanent(404, 'The workspace has no such resource, or there is no such route'),
  METHOD_NOT_ALLOWED: permanent(405, 'The path does not accept this method: see the header `Allow`'),
  ILLEGAL_TRANSITION: permanent(409, 'The action is not allowed in the current status'),
  NOT_EDITABLE: permanent(409, 'The field cannot be changed in the current status'),
  SURFACE_OVERLAP: permanent(
    409,
    'Shares a surface with an experiment in flight; send `acknowledgeOverlap` to run both',
  ),
  PROPOSAL_FILES_MISSING: permanent(409, 'A file that the plan edits is gone from the repository'),
  PROPOSAL_SNAPSHOT_STALE: permanent(409, 'Code that the proposal relies on changed after it was written'),
  GENERATION_IN_FLIGHT: retryable(409, 'The workspace already generates a batch'),
  REFINE_IN_FLIGHT: retryable(409, 'The proposal is already being revised'),
  EVENT_HISTORY_UNAVAILABLE: retryable(
    409,
    'The primary event was never received, or that cannot be checked right now',
  ),
  REPOSITORY_NOT_CONNECTED: permanent(409, 'The workspace has no repository connected'),
  KEY_TAKEN: permanent(409, 'Another experiment of the workspace has the key'),
  NAME_TAKEN: permanent(409, 'The name is already used in the workspace'),
  EMAIL_TAKEN: permanent(409, 'The workspace has a person with this email already'),
  LAST_OWNER: permanent(409, 'The last owner of a workspace can be neither removed nor demoted'),
  IDEMPOTENCY_IN_FLIGHT: retryable(
    409,
    'The first request with this Idempotency-Key is still in progress after 20 s',
  ),
  PRECONDITION_FAILED: permanent(
    412,
    '`If-Match` names another ETag than the current one: nothing was changed',
  ),
  PAYLOAD_TOO_LARGE: permanent(413, 'The body is larger than 1 MiB'),
  UNSUPPORTED_MEDIA_TYPE: permanent(415, 'The body must be uncompressed `application/json`'),
  IDEMPOTENCY_KEY_REUSED: permanent(422, 'The Idempotency-Key was used with another body'),
  RATE_LIMITED: retryable(429, 'Too many requests: see the header `Retry-After`'),
  INTERNAL: permanent(500, 'A bug of the service: report the `requestId`'),
  UNAVAILABLE: retryable(503, 'A store does not answer in time: see the header `Retry-After`'),
} satisfies Record<DomainErrorCode, ErrorKind> & Record<string, ErrorKind>

export type ErrorCode = keyof typeof ERRORS
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[]

/** An error that the request handler answers with: an error of the domain, or one of HTTP itself. */
export class HttpError extends ServiceError<ErrorCode> {
  readonly status: number

  constructor(
    code: ErrorCode,
    message: string,
    readonly details: readonly ErrorDetail[] = [],
    /** Headers of the response in addition to the common ones. */
    readonly headers: Readonly<Record<string, string>> = {},
    options?: ErrorOptions,
  ) {
    const { status, retryable } = ERRORS[code]
    super(message, { ...options, code, retryable })
    this.status = status
  }
}

export function fromDomainError(error: DomainError): HttpError {
  const { code, message, details, retryAfterMs, cause } = error
  const headers = retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1_000)) }
  return new HttpError(code, message, details, headers, { cause })
}
