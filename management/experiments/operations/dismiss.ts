import type { Operation } from '../../operation.js'
import { nameOf } from '../name-of.js'
import { lockExperiment } from '../store.js'
import type { Dismissal, ExperimentRow } from '../types.js'
import { type ExperimentReference, moveOn } from './move-on.js'

export interface DismissInput extends ExperimentReference {
  readonly reasons: Dismissal['reasons']
  /** For the team: later proposals and pull requests read it. */
  readonly note?: string
}

/** Turns a proposal down, and says who did and why. Throws ILLEGAL_TRANSITION. */
export const dismissProposal: Operation<DismissInput, ExperimentRow> = {
  action: 'experiment.dismiss',

  async record(tx, caller, { reference, reasons, note }) {
    const row = await lockExperiment(tx, caller.workspaceId, reference)
    const dismissed = await moveOn(tx, caller, row, 'dismiss', { move: 'dismiss' }, (at) => ({
      dismissal: {
        reasons,
        note: note ?? null,
        dismissedAt: at.toISOString(),
        personId: caller.credential.person.id,
      },
    }))
    return {
      result: dismissed,
      audit: { resourceId: row.id, summary: `Dismissed ${nameOf(row)}: ${reasons.join(', ')}` },
    }
  },
}
