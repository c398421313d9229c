import type { Operation } from '../../operation.js'
import { nameOf } from '../name-of.js'
import { refuseOverlap } from '../overlap.js'
import { lockExperiment, requireLegal } from '../store.js'
import type { ExperimentRow } from '../types.js'
import { type ExperimentReference, moveOn } from './move-on.js'

export interface ApproveInput extends ExperimentReference {
  /** Share a surface with an experiment in flight. */
  readonly acknowledgeOverlap?: boolean
}

/** Approves a proposal. Throws ILLEGAL_TRANSITION, SURFACE_OVERLAP. */
export const approveProposal: Operation<ApproveInput, ExperimentRow> = {
  action: 'experiment.approve',

  async record(tx, caller, { reference, acknowledgeOverlap = false }) {
    const row = await lockExperiment(tx, caller.workspaceId, reference)
    requireLegal(row, 'approve', 'approve')
    if (!acknowledgeOverlap) await refuseOverlap(tx, caller.workspaceId, row.surfaces, row.id)
    const step = { move: 'approve', outcome: 'withoutRepository' } as const
    return {
      result: await moveOn(tx, caller, row, 'approve', step),
      audit: { resourceId: row.id, summary: `Approved ${nameOf(row)}` },
    }
  },
}
