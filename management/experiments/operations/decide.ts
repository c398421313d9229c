import type { Operation } from '../../operation.js'
import { auditLabel } from '../audit-label.js'
import { sendOutcomeJob, WRITE_UP_MS } from '../outcome.js'
import {
  findExperiment,
  illegalTransition,
  lockExperiment,
  requireLegal,
  type TransitionFields,
} from '../store.js'
import type { ExperimentRow } from '../types.js'
import { requireVariant } from '../winner.js'
import { settleAtOnce } from './settle-at-once.js'
import { type ExperimentReference, transition } from './transition.js'

const HOUR_MS = 3_600_000

export type DecideInput = ExperimentReference & {
  /** For the learning. */
  readonly reason?: string
  /** Do not wait for late conversions. */
  readonly force?: boolean
} & ({ readonly outcome: 'ship'; readonly variant: string } | { readonly outcome: 'reject' })

/**
 * Decides an ended experiment: it settles until late conversions are in. With `force` it does at once; what was decided already then stays, the reason too
 * unless a new one comes. Throws ILLEGAL_TRANSITION, VALIDATION_FAILED.
 */
export const decideExperiment: Operation<DecideInput, ExperimentRow> = {
  action: 'experiment.decide',
  waitMs: WRITE_UP_MS,

  async record(tx, caller, input) {
    const { services, workspaceId } = caller
    const row = await lockExperiment(tx, workspaceId, input.reference)
    const { outcome, force = false } = input
    requireLegal(row, force ? 'decideAtOnce' : 'decide', 'decide')
    const variant = input.outcome === 'ship' ? requireVariant(row, input.variant).key : null
    refuseOtherDecision(row, outcome, variant)
    const at = new Date(services.now())
    const endedAt = row.endedAt ?? at
    const fields: TransitionFields = {
      decisionOutcome: outcome,
      decisionVariant: variant,
      decisionReason: input.reason ?? row.decisionReason,
      decidedAt: at,
      decisionPersonId: caller.credential.person.id,
      // Fixed now: another setting later does not move it.
      settlesAt: force ? at : new Date(endedAt.getTime() + services.settlingHours * HOUR_MS),
    }
    const what = variant === null ? 'reject' : `ship ${variant} of`
    const summary = `Decided to ${what} ${auditLabel(row)}${force ? ' at once' : ''}`
    if (force)
      return settleAtOnce(tx, caller, row, 'decide', { name: 'decideAtOnce', outcome }, at, fields, summary)
    const decided = await transition(tx, caller, row, 'decide', { name: 'decide' }, () => fields)
    const waitMs = (decided.settlesAt?.getTime() ?? 0) - services.now()
    await sendOutcomeJob(tx, services.jobs, workspaceId, row.id, waitMs)
    return { result: decided, audit: { resourceId: row.id, summary } }
  },

  reread: findExperiment,
}

/** What settles is decided: forcing it changes when, and not what. */
function refuseOtherDecision(row: ExperimentRow, outcome: 'ship' | 'reject', variant: string | null): void {
  if (row.status !== 'settling') return
  if (row.decisionOutcome === outcome && row.decisionVariant === variant) return
  const decided = row.decisionVariant === null ? 'reject it' : `ship ${row.decisionVariant}`
  throw illegalTransition(row, 'decide', `what was decided, to ${decided}, can be forced and not changed`)
}
