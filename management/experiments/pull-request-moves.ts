import type { Transaction } from '../../postgres/driver/client.js'
import { auditByService } from '../audit/by-service.js'
import type { Services } from '../services.js'
import { auditLabel } from './audit-label.js'
import {
  findExperimentWithChanges,
  lockExperimentById,
  type PlannedExperiment,
  readTeamNotes,
  transitionExperiment,
  writePullRequest,
} from './store.js'
import type { PullRequest, Snapshot } from './types.js'

/** What an experiment has a pull request for. */
export type Purpose = 'pr' | 'cleanup'

/** Who it is about. */
export interface Subject {
  readonly workspaceId: string
  readonly experimentId: string
}

type Clocked = Pick<Services, 'now' | 'newId'>

export { findExperimentWithChanges, lockExperimentById, type PlannedExperiment, readTeamNotes }

/** A pull request was written: from here on it waits for people. */
export async function pullRequestOpened(
  tx: Transaction,
  services: Clocked,
  { workspaceId, experimentId }: Subject,
  purpose: Purpose,
  pullRequest: PullRequest,
  snapshot: Snapshot | undefined,
): Promise<void> {
  const at = new Date(services.now())
  if (purpose === 'pr')
    await transitionExperiment(tx, workspaceId, experimentId, { name: 'prWritten', outcome: 'opened' }, at)
  await writePullRequest(tx, experimentId, purpose, pullRequest, at, snapshot)
}

/** A pull request could not be written, for good. */
export async function pullRequestFailed(
  tx: Transaction,
  services: Clocked,
  { workspaceId, experimentId }: Subject,
  purpose: Purpose,
  pullRequest: PullRequest,
): Promise<void> {
  const at = new Date(services.now())
  if (purpose === 'pr')
    await transitionExperiment(tx, workspaceId, experimentId, { name: 'prWritten', outcome: 'failed' }, at)
  await writePullRequest(tx, experimentId, purpose, pullRequest, at)
}

/** The host says that a pull request was merged, or turned down. What has gone on meanwhile stays where it is. */
export async function pullRequestEnded(
  tx: Transaction,
  services: Clocked,
  { workspaceId, experimentId }: Subject,
  purpose: Purpose,
  pullRequest: PullRequest & { readonly state: 'merged' | 'closed' },
): Promise<void> {
  const row = await lockExperimentById(tx, workspaceId, experimentId)
  if (row === undefined) return
  const at = new Date(services.now())
  await writePullRequest(tx, experimentId, purpose, pullRequest, at)
  if (purpose === 'cleanup') return
  const merged = pullRequest.state === 'merged'
  const moved = merged
    ? await transitionExperiment(tx, workspaceId, experimentId, { name: 'prMerged' }, at)
    : await transitionExperiment(tx, workspaceId, experimentId, { name: 'prClosed' }, at, {
        rejectedStage: 'pr',
      })
  if (moved === undefined) return
  await auditByService(tx, services, workspaceId, {
    action: merged ? 'experiment.merged' : 'experiment.closed',
    resourceId: experimentId,
    summary: `The pull request of ${auditLabel(row)} was ${merged ? 'merged' : 'closed without a merge'}`,
  })
}
