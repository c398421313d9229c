/**
 * What went wrong with a repository's host.
 *
 * - `invalid`: what was asked can be done nowhere (a branch name, a path, a pull request without a change).
 * - `not_found`: there is no such repository, or the token does not see it.
 * - `gone`: a branch, a commit, an object or a pull request is not there any more.
 * - `empty`: the repository has no commit yet.
 * - `conflict`: something of other people's stands in the way, such as a branch of the same name.
 * - `protected`: rules of the repository refuse it.
 * - `unauthorised`: the token is unknown, has expired, or may not do this; for a local one, the rights of files.
 * - `unsupported`: git is missing or too old, the repository is archived or of a kind that cannot be worked with.
 * - `too_large`: the host, or a bound of this service, refuses that much.
 * - `rate_limited`, `unavailable`, `timeout`, `disk_full`, `locked`, `cancelled`: may be over at the next attempt.
 */
export type RepositoryErrorCode = keyof typeof RETRYABLE

/** Whether the same call can succeed later unchanged, by kind. */
const RETRYABLE = {
  invalid: false,
  not_found: false,
  gone: false,
  empty: false,
  conflict: false,
  protected: false,
  unauthorised: false,
  unsupported: false,
  too_large: false,
  rate_limited: true,
  unavailable: true,
  timeout: true,
  disk_full: true,
  locked: true,
  cancelled: true,
} as const satisfies Readonly<Record<string, boolean>>

/** A refusal or failure of a repository's host. The message is for people: it says what is wrong and how to mend it, and never holds a token. */
export class RepositoryError extends Error {
  override readonly name = 'RepositoryError'
  readonly retryable: boolean
  /** Not before so many milliseconds from now, where the host said so. */
  readonly retryAfterMs: number | undefined

  constructor(
    readonly code: RepositoryErrorCode,
    message: string,
    options: { readonly retryAfterMs?: number | undefined } = {},
  ) {
    super(message)
    this.retryable = RETRYABLE[code]
    this.retryAfterMs = options.retryAfterMs
  }
}

/** What an aborted signal means: its time was over, or its caller has gone. */
export function abortedError(signal: AbortSignal, what: string): RepositoryError {
  const late = signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
  return late
    ? new RepositoryError('timeout', `${what} took too long`)
    : new RepositoryError('cancelled', `${what} was cancelled by its caller`)
}
