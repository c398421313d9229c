import { type ErrorTable, ServiceError } from '../runtime/errors.js'

/** Errors of a repository's host. */
export const REPOSITORY_ERRORS = {
  /** The request is never possible: a branch name, a path, a pull request without a change. */
  invalid: { retryable: false },
  /** There is no such repository, or the token does not see it. */
  not_found: { retryable: false },
  /** A branch, commit, object or pull request no longer exists. */
  gone: { retryable: false },
  /** The repository has no commit yet. */
  empty: { retryable: false },
  /** Something else is in the way, such as another branch of the same name. */
  conflict: { retryable: false },
  /** Rules of the repository refuse it. */
  protected: { retryable: false },
  /** The token is unknown, has expired, or lacks the permission. For a local repository, file permissions. */
  unauthorised: { retryable: false },
  /** Git is missing or too old, or the repository is archived or of a kind that svc does not support. */
  unsupported: { retryable: false },
  /** Larger than the host or this service allows. */
  too_large: { retryable: false },
  /** The host refuses requests for a while. `retryAfterMs` is set if it tells for how long. */
  rate_limited: { retryable: true },
  unavailable: { retryable: true },
  timeout: { retryable: true },
  disk_full: { retryable: true },
  /** Another process holds a lock file of the local repository. */
  locked: { retryable: true },
  /** The caller has gone, or this process stops. */
  cancelled: { retryable: true },
} as const satisfies ErrorTable

export type RepositoryErrorCode = keyof typeof REPOSITORY_ERRORS

/** The message tells people what is wrong and how to fix it. It never contains a token. */
export class RepositoryError extends ServiceError<RepositoryErrorCode> {
  constructor(
    code: RepositoryErrorCode,
    message: string,
    options: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { ...options, code, ...REPOSITORY_ERRORS[code] })
  }
}

/** The error for an aborted signal: `timeout` if the time was over, `cancelled` if the caller has gone. */
export function abortedError(signal: AbortSignal, what: string): RepositoryError {
  const late = signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
  return late
    ? new RepositoryError('timeout', `${what} took too long`)
    : new RepositoryError('cancelled', `${what} was cancelled by its caller`)
}
