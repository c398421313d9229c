import { deadlineSignal } from '../../../runtime/concurrency/deadline-signal.js'
import type { Caller } from '../../operation.js'
import type { ConnectedRepository } from '../../repositories/connected.js'
import { repositoryDomainError } from '../../repositories/errors.js'

/** How long an answer waits for a pull request to be written, what was asked of the repository before included. Source: API.md section 3. */
export const PULL_REQUEST_MS = 20_000
/** So much of it the repository may take to be looked at. */
const LOOK_MS = 10_000

/** Asks the repository of a workspace, undefined where there is none, for a bounded time. Throws DomainError. */
export async function askRepository<Result>(
  { services, workspaceId, signal }: Caller,
  ask: (repository: ConnectedRepository | undefined, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  try {
    const repository = await services.repositories.of(workspaceId)
    return await ask(repository, deadlineSignal(LOOK_MS, signal))
  } catch (error) {
    throw repositoryDomainError(error)
  }
}
