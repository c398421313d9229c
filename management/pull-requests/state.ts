import type { Transaction } from '../../postgres/driver/client.js'
import type { PullRequest } from '../../repositories/port.js'
import { lockExperimentById, pullRequestEnded } from '../experiments/pull-request-moves.js'
import type { ConnectedRepository } from '../repositories/connected.js'
import type { Services } from '../services.js'
import { markEnded, type PullRequestRow } from './store.js'

/** How a pull request stands, by its host. Rejects with RepositoryError. */
export function askHost(
  { host }: ConnectedRepository,
  row: PullRequestRow,
  signal?: AbortSignal,
): Promise<PullRequest> {
  const { branch, number, commit, head, operation } = row
  return host.pullRequest(
    { branch, number, commit: commit ?? '', head: head ?? undefined, operation },
    signal,
  )
}

/** Notes what the host said of an open pull request, and moves its experiment. */
export async function noteEnd(
  tx: Transaction,
  services: Pick<Services, 'now' | 'newId'>,
  row: PullRequestRow,
  said: PullRequest,
): Promise<void> {
  const { state, head, mergeCommit } = said
  if (state === 'open') return
  await lockExperimentById(tx, row.workspaceId, row.experimentId)
  const ended = await markEnded(tx, row, { state, head, mergeCommit }, new Date(services.now()))
  if (ended !== undefined) await pullRequestEnded(tx, services, row, row.purpose, ended)
}
