import type { Action, Transition } from '../../../domain/lifecycle.js'
import type { Transaction } from '../../../postgres/driver/client.js'
import type { Caller, Operation } from '../../operation.js'
import { auditLabel } from '../audit-label.js'
import {
  illegalTransition,
  lockExperiment,
  requireLegal,
  type TransitionFields,
  transitionExperiment,
} from '../store.js'
import type { ExperimentRow } from '../types.js'

/** Moves a locked experiment. Throws ILLEGAL_TRANSITION, which names the action that was asked for. */
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

export interface ExperimentReference {
  /** An id or a key. */
  readonly reference: string
}

/** An operation that is one move and nothing else. */
export function transitionOperation(
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
