import type { Operation } from '../../operation.js'
import { auditLabel } from '../audit-label.js'
import { lockExperiment } from '../store.js'
import type { Dismissal, ExperimentRow } from '../types.js'
import { type ExperimentReference, transition } from './transition.js'

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
    const dismissed = await transition(tx, caller, row, 'dismiss', { name: 'dismiss' }, (at) => ({
      dismissal: {
        reasons,
        note: note ?? null,
        dismissedAt: at.toISOString(),
        personId: caller.credential.person.id,
      },
    }))
    return {
      result: dismissed,
      audit: { resourceId: row.id, summary: `Dismissed ${auditLabel(row)}: ${reasons.join(', ')}` },
    }
  },
}
