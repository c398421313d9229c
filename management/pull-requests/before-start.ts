import type { Transaction } from '../../postgres/driver/client.js'
import type { PullRequest } from '../../repositories/port.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { repositoryDomainError } from '../repositories/errors.js'
import type { Services } from '../services.js'
import { isOf } from './job.js'
import { askHost, noteEnd } from './state.js'
import { findPullRequest, type PullRequestRow } from './store.js'

/** How long the host has to answer somebody who waits. */
const ASK_MS = 2_500

/** A pull request that is merged, and not noted so yet. */
export interface Merged {
  readonly row: PullRequestRow
  readonly said: PullRequest
}

/** Asks the host whether the pull request of an experiment is merged; undefined where it is not. Throws DomainError where the host does not say. */
export async function askedToStart(
  services: Services,
  workspaceId: string,
  experimentId: string,
  signal: AbortSignal,
): Promise<Merged | undefined> {
  const row = await findPullRequest(services.sql, experimentId, 'pr')
  if (row === undefined) return undefined
  try {
    const repository = await services.repositories.of(workspaceId)
    if (repository === undefined || !isOf(row, repository)) return undefined
    const both = deadlineSignal(ASK_MS, signal)
    const said = await withTimeout(ASK_MS, 'the repository', askHost(repository, row, both))
    return said.state === 'merged' ? { row, said } : undefined
  } catch (error) {
    throw repositoryDomainError(error)
  }
}

/** Notes it with the start, for the trail and for whoever looks at the pull request. */
export async function noteMerge(tx: Transaction, services: Services, { row, said }: Merged): Promise<void> {
  await noteEnd(tx, services, row, said)
}
