import type { Transaction } from '../../postgres/driver/client.js'
import { checkProposal, snapshotStale } from '../code-changes/index.js'
import {
  auditLabel,
  type ExperimentReference,
  type ExperimentRow,
  findExperiment,
  findExperimentWithChanges,
  lockExperiment,
  type PlannedExperiment,
  refuseOverlap,
  requireLegal,
  type Snapshot,
  writeSnapshot,
} from '../experiments/index.js'
import type { Caller, Operation, RecordedOperation } from '../operation.js'
import { sendPullRequest } from '../pull-requests/index.js'
import { askRepository, type ConnectedRepository, repositoryNotConnected } from '../repositories/index.js'
import { transition } from './transition.js'

/** How long a request waits for its pull request, checks included. */
export const PULL_REQUEST_WAIT_MS = 20_000

export interface ApproveInput extends ExperimentReference {
  /** Share a surface with an experiment in flight. */
  readonly acknowledgeOverlap?: boolean
}

interface Checked {
  readonly repository: ConnectedRepository | undefined
  readonly row: PlannedExperiment
  /** Undefined without a repository and for proposals without changes. */
  readonly snapshot: Snapshot | undefined
}

/**
 * Approves a proposal and sends its pull request if the workspace has a repository.
 *
 * @throws DomainError in this order: ILLEGAL_TRANSITION, PROPOSAL_FILES_MISSING, PROPOSAL_SNAPSHOT_STALE,
 * SURFACE_OVERLAP
 */
export const approveProposal: Operation<ApproveInput, ExperimentRow, Checked> = {
  action: 'experiment.approve',
  waitMs: PULL_REQUEST_WAIT_MS,

  async prepare(caller, { reference }) {
    const row = await findExperimentWithChanges(caller.services.sql, caller.workspaceId, reference)
    requireLegal(row, 'approve', 'approve')
    return askRepository(caller, async (repository, signal) => ({
      repository,
      row,
      snapshot:
        repository === undefined || row.changes.length === 0
          ? undefined
          : await checkProposal(repository, row, row.snapshot, signal),
    }))
  },

  async record(tx, caller, { acknowledgeOverlap = false }, { repository, snapshot, row: checked }) {
    const { workspaceId } = caller
    const row = await lockExperiment(tx, workspaceId, checked.id)
    requireLegal(row, 'approve', 'approve')
    // A revision may have changed the files since they were checked.
    if (repository !== undefined && row.updatedAt.getTime() !== checked.updatedAt.getTime())
      throw snapshotStale([
        { path: 'status', message: 'the proposal was changed in the meantime: look at it again' },
      ])
    if (!acknowledgeOverlap)
      await refuseOverlap(tx, workspaceId, { ...checked, surfaces: row.surfaces }, row.id)
    const outcome = repository === undefined ? 'withoutRepository' : 'writing'
    const result = await transition(tx, caller, row, 'approve', { name: 'approve', outcome })
    const summary = `Approved ${auditLabel(row)}`
    if (snapshot !== undefined) await writeSnapshot(tx, row.id, snapshot)
    return recordWithPullRequest(tx, caller, result, summary, repository, snapshot?.commit ?? null)
  },

  reread: findExperiment,
}

/** Sends the pull request of an approved experiment. Throws ILLEGAL_TRANSITION, REPOSITORY_NOT_CONNECTED. */
export const generatePullRequest: Operation<
  ExperimentReference,
  ExperimentRow,
  ConnectedRepository | undefined
> = {
  action: 'experiment.generate-pr',

  async prepare(caller, { reference }) {
    const row = await findExperiment(caller.services.sql, caller.workspaceId, reference)
    requireLegal(row, 'generatePr', 'generate-pr')
    return askRepository(caller, async (repository) => repository)
  },

  async record(tx, caller, { reference }, repository) {
    const row = await lockExperiment(tx, caller.workspaceId, reference)
    requireLegal(row, 'generatePr', 'generate-pr')
    if (repository === undefined) throw repositoryNotConnected()
    const result = await transition(tx, caller, row, 'generate-pr', { name: 'generatePr' })
    const summary = `Asked for the pull request of ${auditLabel(row)}`
    // No commit was reviewed yet, so the branch starts at the head when the job runs.
    return recordWithPullRequest(tx, caller, result, summary, repository, null)
  },
}

/** Sends the pull request, if there is a repository. The operation completes with its job. */
export async function recordWithPullRequest(
  tx: Transaction,
  { workspaceId, services, credential }: Caller,
  result: ExperimentRow,
  summary: string,
  repository: ConnectedRepository | undefined,
  baseCommit: string | null,
): Promise<RecordedOperation<ExperimentRow>> {
  const { id, key } = result
  const audit = { resourceId: id, summary }
  const awaits =
    repository &&
    (await sendPullRequest(tx, services, repository, {
      workspaceId,
      experimentId: id,
      purpose: 'pr',
      key,
      baseCommit,
      personId: credential.person.id,
    }))
  return awaits === undefined ? { result, audit } : { result, audit, awaits, subjectId: id }
}
