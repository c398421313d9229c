import type { Action, Transition } from '../../domain/lifecycle.js'
import type { Transaction } from '../../postgres/driver/client.js'
import {
  auditLabel,
  type ExperimentReference,
  type ExperimentRow,
  findExperiment,
  illegalTransition,
  lockExperiment,
  requireLegal,
  requireVariant,
  type TransitionFields,
} from '../experiments/index.js'
import type { Caller, Operation, RecordedOperation } from '../operation.js'
import { sendOutcomeJob, transitionToOutcome } from './outcome.js'
import { transition } from './transition.js'

/** How long a request waits for the learning to be written. */
const LEARNING_WAIT_MS = 2_000
const HOUR_MS = 3_600_000

export interface EndInput extends ExperimentReference {
  /** Write the learning and leave the experiment undecided for good. */
  readonly conclude: boolean
}

/** Throws ILLEGAL_TRANSITION. */
export const endExperiment: Operation<EndInput, ExperimentRow> = {
  action: 'experiment.end',
  waitMs: LEARNING_WAIT_MS,

  async record(tx, caller, { reference, conclude }) {
    const row = await lockExperiment(tx, caller.workspaceId, reference)
    if (!conclude)
      return {
        result: await transition(tx, caller, row, 'end', { name: 'end' }, (at) => ({ endedAt: at })),
        audit: { resourceId: row.id, summary: `Ended ${auditLabel(row)}` },
      }
    requireLegal(row, 'conclude', 'end')
    const at = new Date(caller.services.now())
    const summary = `Concluded ${auditLabel(row)}`
    const fields = { endedAt: row.endedAt ?? at }
    return recordOutcome(tx, caller, row, 'end', { name: 'conclude' }, at, fields, summary)
  },

  reread: findExperiment,
}

export type DecideInput = ExperimentReference & {
  /** Goes into the learning. */
  readonly reason?: string
  /** Do not wait for late conversions. */
  readonly force?: boolean
} & ({ readonly outcome: 'ship'; readonly variant: string } | { readonly outcome: 'reject' })

/**
 * Decides an ended experiment, which then settles until late conversions are in. `force` settles it at once
 * and keeps the outcome of an earlier decision. Throws ILLEGAL_TRANSITION, VALIDATION_FAILED.
 */
export const decideExperiment: Operation<DecideInput, ExperimentRow> = {
  action: 'experiment.decide',
  waitMs: LEARNING_WAIT_MS,

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
      // Fixed now, so that a later change of the settling time does not move it.
      settlesAt: force ? at : new Date(endedAt.getTime() + services.settlingHours * HOUR_MS),
    }
    const what = variant === null ? 'reject' : `ship ${variant} of`
    const summary = `Decided to ${what} ${auditLabel(row)}${force ? ' at once' : ''}`
    if (force)
      return recordOutcome(tx, caller, row, 'decide', { name: 'decideAtOnce', outcome }, at, fields, summary)
    const decided = await transition(tx, caller, row, 'decide', { name: 'decide' }, () => fields)
    const waitMs = (decided.settlesAt?.getTime() ?? 0) - services.now()
    await sendOutcomeJob(tx, services.jobs, workspaceId, row.id, waitMs)
    return { result: decided, audit: { resourceId: row.id, summary } }
  },

  reread: findExperiment,
}

function refuseOtherDecision(row: ExperimentRow, outcome: 'ship' | 'reject', variant: string | null): void {
  if (row.status !== 'settling') return
  if (row.decisionOutcome === outcome && row.decisionVariant === variant) return
  const decided = row.decisionVariant === null ? 'reject it' : `ship ${row.decisionVariant}`
  throw illegalTransition(row, 'decide', `The decision to ${decided} can be forced but not changed`)
}

export interface ShipInput extends ExperimentReference {
  /** The key of a variant. Defaults to the one that is not the control, if there are two. */
  readonly variant?: string
}

/** Ships a variant at once and ends a running experiment. Throws ILLEGAL_TRANSITION, VALIDATION_FAILED. */
export const shipExperiment: Operation<ShipInput, ExperimentRow> = {
  action: 'experiment.ship',
  waitMs: LEARNING_WAIT_MS,

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
    return recordOutcome(tx, caller, row, 'ship', { name: 'ship' }, at, fields, summary)
  },

  reread: findExperiment,
}

/** The request waits for the job that writes the learning. */
async function recordOutcome(
  tx: Transaction,
  { services, workspaceId }: Caller,
  row: ExperimentRow,
  action: Action,
  step: Extract<Transition, { name: 'conclude' | 'decideAtOnce' | 'ship' }>,
  at: Date,
  fields: TransitionFields,
  summary: string,
): Promise<RecordedOperation<ExperimentRow>> {
  const settled = await transitionToOutcome(tx, workspaceId, row.id, step, at, fields)
  if (settled === undefined) throw illegalTransition(row, action)
  return {
    result: settled,
    audit: { resourceId: row.id, summary },
    awaits: await sendOutcomeJob(tx, services.jobs, workspaceId, row.id, 0),
    subjectId: row.id,
  }
}
