import type { Action, Transition } from '../../domain/lifecycle.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { inWords } from '../audit.js'
import {
  auditLabel,
  type Dismissal,
  type ExperimentReference,
  type ExperimentRow,
  illegalTransition,
  lockExperiment,
  requireLegal,
  type TransitionFields,
  transitionExperiment,
} from '../experiments/index.js'
import type { Caller, Operation } from '../operation.js'

/** Moves a locked experiment. Throws ILLEGAL_TRANSITION. */
export async function transition(
  tx: Transaction,
  { services, workspaceId }: Caller,
  row: ExperimentRow,
  action: Action,
  step: Transition,
  fields: (at: Date) => TransitionFields = () => ({}),
): Promise<ExperimentRow> {
  requireLegal(row, step.name, action)
  const at = new Date(services.now())
  const moved = await transitionExperiment(tx, workspaceId, row.id, step, at, fields(at))
  if (moved === undefined) throw illegalTransition(row, action)
  return moved
}

/** An operation that only changes the status. */
function transitionOperation(
  action: Action,
  step: Transition,
  done: string,
): Operation<ExperimentReference, ExperimentRow> {
  return {
    action: `experiment.${action}`,
    async record(tx, caller, { reference }) {
      const row = await lockExperiment(tx, caller.workspaceId, reference)
      return {
        result: await transition(tx, caller, row, action, step),
        audit: { resourceId: row.id, summary: `${done} ${auditLabel(row)}` },
      }
    },
  }
}

/** A paused experiment serves no variants. Its events are still measured. */
export const pauseExperiment = transitionOperation('pause', { name: 'pause' }, 'Paused')

export const resumeExperiment = transitionOperation('resume', { name: 'resume' }, 'Resumed')

export interface DismissInput extends ExperimentReference {
  readonly reasons: Dismissal['reasons']
  /** Later proposals and pull requests read it. */
  readonly note?: string
}

/** Dismisses a proposal and records by whom and why. Throws ILLEGAL_TRANSITION. */
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
      audit: { resourceId: row.id, summary: `Dismissed ${auditLabel(row)}: ${inWords(reasons)}` },
    }
  },
}
