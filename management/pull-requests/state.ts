import type { Transaction } from '../../postgres/driver/client.js'
import type { PullRequest as HostPullRequest } from '../../repositories/port.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { lockExperimentIfExists, transitionExperiment } from '../experiments/index.js'
import { repositoryDomainError } from '../repositories/index.js'
import type { Services } from '../services.js'
import { readFromHost } from './read-from-host.js'
import { auditPullRequest, recordShown } from './record.js'
import { sendRepair } from './repair-job.js'
import { sendRewrites } from './rewrite-job.js'
import { findPullRequest, isIn, markEnded, type PullRequestRow } from './store.js'

/** Records a merged or closed pull request once, and moves its experiment if that is legal. */
export async function recordEnd(
  tx: Transaction,
  services: Pick<Services, 'now' | 'newId' | 'jobs'>,
  row: PullRequestRow,
  { state, head, mergeCommit }: HostPullRequest,
): Promise<void> {
  if (state === 'open') return
  const { workspaceId, experimentId } = row
  const experiment = await lockExperimentIfExists(tx, workspaceId, experimentId)
  const at = new Date(services.now())
  const ended = await markEnded(tx, row, { state, head, mergeCommit }, at)
  if (ended === undefined || experiment === undefined) return
  await recordShown(tx, experimentId, row.purpose, ended, at)
  const lacksCode = row.purpose === 'cleanup' && state === 'merged'
  await sendRewrites(tx, services, row, lacksCode ? ['pr', 'cleanup', 'repair'] : ['cleanup', 'repair'])
  if (state === 'merged') await sendRepair(tx, services, workspaceId)
  const end = state === 'merged' ? 'merged' : 'closed'
  if (row.purpose !== 'pr') return auditPullRequest(tx, services, row, experiment, end)
  const moved =
    end === 'merged'
      ? await transitionExperiment(tx, workspaceId, experimentId, { name: 'prMerged' }, at)
      : await transitionExperiment(tx, workspaceId, experimentId, { name: 'prClosed' }, at, {
          rejectedStage: 'pr',
        })
  if (moved !== undefined) await auditPullRequest(tx, services, row, experiment, end)
}

/** How long a request waits for the host. */
const ASK_MS = 5_000

/** A merge that the host reports and that is not recorded yet. */
export interface UnrecordedMerge {
  readonly row: PullRequestRow
  readonly seen: HostPullRequest
}

/** Undefined if the host reports no merge. Throws DomainError if it does not answer. */
export async function findUnrecordedMerge(
  services: Services,
  workspaceId: string,
  experimentId: string,
  signal: AbortSignal,
): Promise<UnrecordedMerge | undefined> {
  const row = await findPullRequest(services.sql, experimentId, 'pr')
  if (row === undefined) return undefined
  try {
    const repository = await services.repositories.of(workspaceId)
    if (repository === undefined || !isIn(row, repository.settings)) return undefined
    const both = deadlineSignal(ASK_MS, signal)
    const seen = await withTimeout(ASK_MS, 'the repository', readFromHost(repository, row, both))
    return seen.state === 'merged' ? { row, seen } : undefined
  } catch (error) {
    throw repositoryDomainError(error)
  }
}
