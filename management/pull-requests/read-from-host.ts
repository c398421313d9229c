import { RepositoryError } from '../../repositories/errors.js'
import type { PullRequest as HostPullRequest } from '../../repositories/port.js'
import { manifestPath } from '../../variants/manifest.js'
import type { ConnectedRepository } from '../repositories/index.js'
import { type PullRequestRow, pullRequestBranch } from './store.js'

/**
 * The state of a pull request. For one that brings an experiment in, its manifest decides: it is merged if
 * the manifest is in the base branch as svc wrote it, however it came there, and closed if a merge brought
 * the manifest and it is gone since. Rejects with RepositoryError.
 */
export async function readFromHost(
  { host }: Pick<ConnectedRepository, 'host'>,
  row: PullRequestRow,
  signal?: AbortSignal,
): Promise<HostPullRequest> {
  const { branch, number, commit, head, operation, purpose } = row
  const known = { branch, number, commit: commit ?? '', head: head ?? undefined, operation }
  if (purpose !== 'pr' || commit === null) return host.pullRequest(known, signal)
  const manifest = manifestPath(branch.slice(pullRequestBranch('', 'pr').length))
  const blobAt = async (at: string) => (await host.entries(at, [manifest], signal)).get(manifest)?.id
  const [seen, now] = await Promise.all([host.pullRequest(known, signal), host.head(signal).then(blobAt)])
  if (now !== undefined && seen.state === 'merged') return seen
  if (now !== undefined) {
    const written = await blobAt(commit).catch(unknownIfGone)
    return now === written ? { ...seen, state: 'merged' } : seen
  }
  if (seen.state !== 'merged' || seen.mergeCommit === undefined) return seen
  if ((await blobAt(seen.mergeCommit).catch(unknownIfGone)) === undefined) return seen
  // The merge may have come after the head was read.
  const still = await blobAt(await host.head(signal))
  return still === undefined ? { ...seen, state: 'closed' } : seen
}

/** Hosts drop commits that no branch has. */
function unknownIfGone(error: unknown): undefined {
  if (error instanceof RepositoryError && ['gone', 'not_found'].includes(error.code)) return undefined
  throw error
}
