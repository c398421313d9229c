import { RepositoryError } from '../../repositories/errors.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { errorMessage } from '../../runtime/errors.js'
import { UnsealError } from '../../runtime/sealed-secret.js'
import { DomainError, unavailable } from '../domain-errors.js'
import type { ConnectedRepository, Repositories } from './connected-repositories.js'

/** How long a request may read from the repository. */
const ASK_MS = 10_000
const MAX_RETRY_MS = 3_600_000

/**
 * Runs `ask` with the repository of a workspace, or with undefined if none is connected.
 *
 * @throws DomainError if the repository cannot be used or does not answer within ten seconds
 */
export async function askRepository<Result>(
  {
    services,
    workspaceId,
    signal,
  }: {
    readonly services: { readonly repositories: Repositories }
    readonly workspaceId: string
    readonly signal: AbortSignal
  },
  ask: (repository: ConnectedRepository | undefined, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  try {
    const repository = await services.repositories.of(workspaceId)
    return await ask(repository, deadlineSignal(ASK_MS, signal))
  } catch (error) {
    throw repositoryDomainError(error)
  }
}

export function repositoryNotConnected(): DomainError {
  return new DomainError(
    'REPOSITORY_NOT_CONNECTED',
    'The workspace has no repository connected: an operator connects one with `svc admin repository connect`',
  )
}

/** An error of a repository as a request shows it. Other errors are returned unchanged. */
export function repositoryDomainError(error: unknown): unknown {
  if (error instanceof UnsealError) return unusable(error)
  if (!(error instanceof RepositoryError)) return error
  if (!error.retryable) return unusable(error)
  const retryAfterMs = Math.min(error.retryAfterMs ?? 2_000, MAX_RETRY_MS)
  return unavailable(`The repository does not answer: ${error.message}`, { retryAfterMs, cause: error })
}

function unusable(error: Error): DomainError {
  return new DomainError(
    'REPOSITORY_NOT_CONNECTED',
    `The repository cannot be used: ${errorMessage(error)}`,
    [],
    { cause: error },
  )
}
