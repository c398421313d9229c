import type { Action, Step } from '../../../domain/lifecycle.js'
import type { Transaction } from '../../../postgres/driver/client.js'
import type { Caller, Recorded } from '../../operation.js'
import { moveToOutcome, sendOutcomeJob } from '../outcome.js'
import { illegalTransition, type MoveFields } from '../store.js'
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
  step: Extract<Step, { move: 'conclude' | 'decideAtOnce' | 'ship' }>,
  at: Date,
  fields: MoveFields,
  summary: string,
): Promise<Recorded<ExperimentRow>> {
  const settled = await moveToOutcome(tx, workspaceId, row.id, step, at, fields)
  if (settled === undefined) throw illegalTransition(row, action)
  return {
    result: settled,
    audit: { resourceId: row.id, summary },
    awaits: await sendOutcomeJob(tx, services.jobs, workspaceId, row.id, 0),
    subjectId: row.id,
  }
}
