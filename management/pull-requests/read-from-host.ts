import type { PullRequest as HostPullRequest } from '../../repositories/port.js'
import type { ConnectedRepository } from '../repositories/index.js'
import type { PullRequestRow } from './store.js'

/** The state of a pull request at its host. Rejects with RepositoryError. */
export function readFromHost(
  { host }: ConnectedRepository,
  row: PullRequestRow,
  signal?: AbortSignal,
): Promise<HostPullRequest> {
  const { branch, number, commit, head, operation } = row
  return host.pullRequest(
    { branch, number, commit: commit ?? '', head: head ?? undefined, operation },
    signal,
  )
}
