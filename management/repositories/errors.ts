import { RepositoryError } from '../../repositories/errors.js'
import { errorMessage } from '../../runtime/errors.js'
import { DomainError, unavailable } from '../domain-errors.js'

/** What needs a repository is refused while there is none. */
export function repositoryNotConnected(): DomainError {
  return new DomainError(
    'REPOSITORY_NOT_CONNECTED',
    'The workspace has no repository connected: an operator connects one with `svc admin repository connect`',
  )
}

/** What a request is told of a repository that cannot be asked now, or not at all; anything else stays as it is. */
export function repositoryDomainError(error: unknown): unknown {
  if (error instanceof Error && error.name === 'UnsealError') return unusable(error)
  if (!(error instanceof RepositoryError)) return error
  if (!error.retryable) return unusable(error)
  const seconds = Math.min(3_600, Math.ceil((error.retryAfterMs ?? 2_000) / 1_000))
  return unavailable(`The repository does not answer: ${error.message}`, seconds, error)
}

function unusable(error: Error): DomainError {
  return new DomainError(
    'REPOSITORY_NOT_CONNECTED',
    `The repository cannot be used: ${errorMessage(error)}`,
    [],
    {
      cause: error,
    },
  )
}
