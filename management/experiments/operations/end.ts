import type { Operation } from '../../operation.js'
import { auditLabel } from '../audit-label.js'
import { WRITE_UP_MS } from '../outcome.js'
import { findExperiment, lockExperiment, requireLegal } from '../store.js'
import type { ExperimentRow } from '../types.js'
import { settleAtOnce } from './settle-at-once.js'
import { type ExperimentReference, transition } from './transition.js'

export interface EndInput extends ExperimentReference {
  /** Write it up and leave it undecided for good. */
  readonly conclude: boolean
}

/** Throws ILLEGAL_TRANSITION. */
export const endExperiment: Operation<EndInput, ExperimentRow> = {
  action: 'experiment.end',
  waitMs: WRITE_UP_MS,

  async record(tx, caller, { reference, conclude }) {
    const row = await lockExperiment(tx, caller.workspaceId, reference)
    if (!conclude)
      return {
        result: await transition(tx, caller, row, 'end', { name: 'end' }, (at) => ({ endedAt: at })),
        audit: { resourceId: row.id, summary: `Ended ${auditLabel(row)}` },
      }
    requireLegal(row, 'conclude', 'end')
    const at = new Date(caller.services.now())
    const fields = { endedAt: row.endedAt ?? at }
    return settleAtOnce(
      tx,
      caller,
      row,
      'end',
      { name: 'conclude' },
      at,
      fields,
      `Concluded ${auditLabel(row)}`,
    )
  },

  reread: findExperiment,
}
