import type { Operation } from '../../operation.js'
import { nameOf } from '../name-of.js'
import { WRITE_UP_MS } from '../outcome.js'
import { findExperiment, lockExperiment, requireLegal } from '../store.js'
import type { ExperimentRow } from '../types.js'
import { type ExperimentReference, moveOn } from './move-on.js'
import { settleAtOnce } from './settle-at-once.js'

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
        result: await moveOn(tx, caller, row, 'end', { move: 'end' }, (at) => ({ endedAt: at })),
        audit: { resourceId: row.id, summary: `Ended ${nameOf(row)}` },
      }
    requireLegal(row, 'conclude', 'end')
    const at = new Date(caller.services.now())
    const fields = { endedAt: row.endedAt ?? at }
    return settleAtOnce(tx, caller, row, 'end', { move: 'conclude' }, at, fields, `Concluded ${nameOf(row)}`)
  },

  reread: findExperiment,
}
