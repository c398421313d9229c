import type { Action, Step } from '../../../domain/lifecycle.js'
import type { Transaction } from '../../../postgres/driver/client.js'
import type { Caller, Operation } from '../../operation.js'
import { nameOf } from '../name-of.js'
import { illegalTransition, lockExperiment, type MoveFields, moveExperiment, requireLegal } from '../store.js'
import type { ExperimentRow } from '../types.js'

/** Moves a locked experiment. Throws ILLEGAL_TRANSITION, which names the action that was asked for. */
export async function moveOn(
  tx: Transaction,
  { services, workspaceId }: Caller,
  row: ExperimentRow,
  action: Action,
  step: Step,
  fields: (at: Date) => MoveFields = () => ({}),
): Promise<ExperimentRow> {
  requireLegal(row, step.move, action)
  const at = new Date(services.now())
  const moved = await moveExperiment(tx, workspaceId, row.id, step, at, fields(at))
  if (moved === undefined) throw illegalTransition(row, action)
  return moved
}

export interface ExperimentReference {
  /** An id or a key. */
  readonly reference: string
}

/** An operation that is one move and nothing else. */
export function moveOperation(
  action: Action,
  step: Step,
  done: string,
): Operation<ExperimentReference, ExperimentRow> {
  return {
    action: `experiment.${action}`,
    async record(tx, caller, { reference }) {
      const row = await lockExperiment(tx, caller.workspaceId, reference)
      return {
        result: await moveOn(tx, caller, row, action, step),
        audit: { resourceId: row.id, summary: `${done} ${nameOf(row)}` },
      }
    },
  }
}
