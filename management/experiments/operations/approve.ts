import type { Operation } from '../../operation.js'
import { sendPullRequest } from '../../pull-requests/job.js'
import { checkProposal, snapshotStale } from '../../pull-requests/prepare.js'
import type { ConnectedRepository } from '../../repositories/connected.js'
import { auditLabel } from '../audit-label.js'
import { refuseOverlap } from '../overlap.js'
import {
  findExperiment,
  findExperimentWithChanges,
  lockExperiment,
  requireLegal,
  writeSnapshot,
} from '../store.js'
import type { ExperimentRow, Snapshot } from '../types.js'
import { askRepository, PULL_REQUEST_MS } from './pull-request.js'
import { type ExperimentReference, transition } from './transition.js'

export interface ApproveInput extends ExperimentReference {
  /** Share a surface with an experiment in flight. */
  readonly acknowledgeOverlap?: boolean
}

/** What the repository said of a proposal. */
interface Checked {
  readonly repository: ConnectedRepository | undefined
  readonly row: ExperimentRow
  /** Undefined where nothing of it had to be asked. */
  readonly snapshot: Snapshot | undefined
}

/**
 * Approves a proposal, and has its pull request written where there is a repository. Throws ILLEGAL_TRANSITION, PROPOSAL_FILES_MISSING, PROPOSAL_SNAPSHOT_STALE,
 * SURFACE_OVERLAP, in this order.
 */
export const approveProposal: Operation<ApproveInput, ExperimentRow, Checked> = {
  action: 'experiment.approve',
  waitMs: PULL_REQUEST_MS,

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
    const { workspaceId, services } = caller
    const row = await lockExperiment(tx, workspaceId, checked.id)
    requireLegal(row, 'approve', 'approve')
    // A revision may have given it other changes.
    if (repository !== undefined && row.updatedAt.getTime() !== checked.updatedAt.getTime())
      throw snapshotStale([
        { path: 'status', message: 'the proposal was changed meanwhile: look at it again' },
      ])
    if (!acknowledgeOverlap) await refuseOverlap(tx, workspaceId, row.surfaces, row.id)
    const outcome = repository === undefined ? 'withoutRepository' : 'writing'
    const result = await transition(tx, caller, row, 'approve', { name: 'approve', outcome })
    const audit = { resourceId: row.id, summary: `Approved ${auditLabel(row)}` }
    if (repository === undefined) return { result, audit }
    if (snapshot !== undefined) await writeSnapshot(tx, row.id, snapshot)
    const awaits = await sendPullRequest(tx, services, repository, {
      workspaceId,
      experimentId: row.id,
      purpose: 'pr',
      key: row.key,
      baseCommit: snapshot?.commit ?? null,
      personId: caller.credential.person.id,
    })
    return awaits === undefined ? { result, audit } : { result, audit, awaits, subjectId: row.id }
  },

  reread: findExperiment,
}
