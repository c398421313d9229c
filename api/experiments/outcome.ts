import type { Move, Status } from '../../domain/lifecycle.js'
import type { Transaction } from '../../postgres/client.js'
import { writeLearning } from '../learnings/write.js'
import { type MoveFields, moveExperiment } from './store.js'
import type { ExperimentRow } from './types.js'

export interface Outcome {
  readonly move: Extract<Move, 'conclude' | 'decideAtOnce' | 'settle' | 'ship'>
  readonly to: Extract<Status, 'shipped' | 'rejected' | 'concluded'>
  readonly fields: MoveFields
}

/**
 * Settles an experiment for good, and writes down what was learned from it in the same transaction. Undefined where another request or the clock was
 * faster: then nothing is written.
 */
export async function settleExperiment(
  tx: Transaction,
  newId: () => string,
  workspaceId: string,
  id: string,
  outcome: Outcome,
  at: Date,
): Promise<ExperimentRow | undefined> {
  const { move, to } = outcome
  const fields: MoveFields =
    to === 'rejected' ? { ...outcome.fields, rejectedStage: 'outcome' } : outcome.fields
  const row = await moveExperiment(tx, workspaceId, id, move, to, at, fields)
  if (row === undefined) return undefined
  await writeLearning(tx, {
    id: newId(),
    workspaceId,
    experiment: row,
    decision: LEARNED[to],
    variant: to === 'shipped' ? row.decisionVariant : null,
    reason: to === 'concluded' ? null : row.decisionReason,
    at,
  })
  return row
}

const LEARNED = { shipped: 'ship', rejected: 'reject', concluded: 'conclude' } as const
