import { type ErrorTable, ServiceError } from '../runtime/errors.js'

/** What goes wrong with the host of a repository. */
export const REPOSITORY_ERRORS = {
  /** The request is impossible anywhere: a branch name, a path, a pull request without a change. */
  invalid: { retryable: false },
  /** There is no such repository, or the token does not see it. */
  not_found: { retryable: false },
  /** A branch, a commit, an object or a pull request is not there any more. */
  gone: { retryable: false },
  /** The repository has no commit yet. */
  empty: { retryable: false },
  /** Something of other people is in the way, such as a branch of the same name. */
  conflict: { retryable: false },
  /** Rules of the repository refuse it. */
  protected: { retryable: false },
  /** The token is unknown, has expired, or may not do this. For a local repository, the rights of files. */
  unauthorised: { retryable: false },
  /** Git is missing or too old, the repository is archived or of a kind that svc cannot work with. */
  unsupported: { retryable: false },
  /** The host, or a bound of this service, refuses that much. */
  too_large: { retryable: false },
  rate_limited: { retryable: true },
  unavailable: { retryable: true },
  timeout: { retryable: true },
  disk_full: { retryable: true },
  locked: { retryable: true },
  cancelled: { retryable: true },
} as const satisfies ErrorTable

export type RepositoryErrorCode = keyof typeof REPOSITORY_ERRORS

/** The message is for people: it says what is wrong and how to mend it, and never holds a token. */
export class RepositoryError extends ServiceError<RepositoryErrorCode> {
  constructor(
    code: RepositoryErrorCode,
    message: string,
    options: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { ...options, code, ...REPOSITORY_ERRORS[code] })
  }
}

/** The error for an aborted signal: `timeout` if its time was over, `cancelled` if its caller has gone. */
export function abortedError(signal: AbortSignal, what: string): RepositoryError {
  const late = signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
  return late
    ? new RepositoryError('timeout', `${what} took too long`)
    : new RepositoryError('cancelled', `${what} was cancelled by its caller`)
}
