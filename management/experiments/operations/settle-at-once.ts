import type { Action, Transition } from '../../../domain/lifecycle.js'
import type { Transaction } from '../../../postgres/driver/client.js'
import type { Caller, RecordedOperation } from '../../operation.js'
import { sendOutcomeJob, transitionToOutcome } from '../outcome.js'
import { illegalTransition, type TransitionFields } from '../store.js'
import type { ExperimentRow } from '../types.js'

/**
 * Records the outcome of a locked experiment and has it written up. The answer waits for the job that does so. Throws ILLEGAL_TRANSITION.
 *
 * @param summary for the audit trail
 */
export async function settleAtOnce(
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
