import type { Operation } from '../../operation.js'
import { auditLabel } from '../audit-label.js'
import { WRITE_UP_MS } from '../outcome.js'
import { findExperiment, lockExperiment, requireLegal } from '../store.js'
import type { ExperimentRow } from '../types.js'
import { requireVariant } from '../winner.js'
import { settleAtOnce } from './settle-at-once.js'
import type { ExperimentReference } from './transition.js'

export interface ShipInput extends ExperimentReference {
  /** The key of a variant; of two the one that is not the control. */
  readonly variant?: string
}

/** Ships a variant at once, and ends the experiment where it still runs. Throws ILLEGAL_TRANSITION, VALIDATION_FAILED. */
export const shipExperiment: Operation<ShipInput, ExperimentRow> = {
  action: 'experiment.ship',
  waitMs: WRITE_UP_MS,

  async record(tx, caller, { reference, variant: wanted }) {
    const row = await lockExperiment(tx, caller.workspaceId, reference)
    requireLegal(row, 'ship', 'ship')
    const variant = requireVariant(row, wanted)
    const at = new Date(caller.services.now())
    const fields = {
      decisionOutcome: 'ship',
      decisionVariant: variant.key,
      decisionReason: null,
      decidedAt: at,
      decisionPersonId: caller.credential.person.id,
      settlesAt: at,
      endedAt: row.endedAt ?? at,
    } as const
    const summary = `Shipped ${variant.key} of ${auditLabel(row)}`
    return settleAtOnce(tx, caller, row, 'ship', { name: 'ship' }, at, fields, summary)
  },

  reread: findExperiment,
}
