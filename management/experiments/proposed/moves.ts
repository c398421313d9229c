import type { Transaction } from '../../../postgres/driver/client.js'
import { auditByService } from '../../audit/by-service.js'
import type { Services } from '../../services.js'
import { auditLabel } from '../audit-label.js'
import {
  lockExperiment,
  lockExperimentById,
  type NewExperiment,
  type Rewritten,
  requireLegal,
  rewriteExperiment,
  transitionExperiment,
} from '../store.js'
import type { ExperimentRow } from '../types.js'
import { insertWithUniqueKey } from '../unique-key.js'
import { type Idea, lockPending, writeIdea } from './store.js'

export { auditLabel } from '../audit-label.js'
export { findExperimentWithChanges, type PlannedExperiment } from '../store.js'
export { findPast, type Idea, listPast, lockPending, type PastExperiment } from './store.js'

type Clocked = Pick<Services, 'now' | 'newId'>

/** A proposal as a generator made it. */
export type NewProposal = Omit<
  NewExperiment,
  'id' | 'key' | 'kind' | 'testType' | 'status' | 'origin' | 'at'
> & { readonly idea: Idea }

export async function insertProposal(
  tx: Transaction,
  services: Clocked,
  workspaceId: string,
  { idea, ...proposal }: NewProposal,
): Promise<ExperimentRow> {
  const row = await insertWithUniqueKey(tx, services, workspaceId, {
    ...proposal,
    id: services.newId(),
    kind: 'experiment',
    testType: 'dom',
    status: 'proposed',
    origin: 'generated',
    at: new Date(services.now()),
  })
  await writeIdea(tx, row.id, idea)
  return row
}

/**
 * Dismisses the proposals that a batch takes the place of.
 *
 * @param runId the batch, whose own proposals stay
 * @returns how many
 */
export async function retirePending(
  tx: Transaction,
  services: Clocked,
  workspaceId: string,
  { runId, personId }: { readonly runId: string; readonly personId: string },
): Promise<number> {
  const at = new Date(services.now())
  let retired = 0
  for (const { id } of await lockPending(tx, workspaceId, runId)) {
    const moved = await transitionExperiment(tx, workspaceId, id, { name: 'dismiss' }, at, {
      dismissal: { reasons: ['replaced'], note: null, dismissedAt: at.toISOString(), personId },
    })
    if (moved === undefined) continue
    retired++
    await auditByService(tx, services, workspaceId, {
      action: 'experiment.replaced',
      resourceId: id,
      summary: `${auditLabel(moved)} was replaced by a new batch`,
    })
  }
  return retired
}

/** A proposal that an action is asked of, held against other writers until the transaction ends. Throws NOT_FOUND, ILLEGAL_TRANSITION. */
export async function requireProposal(
  tx: Transaction,
  workspaceId: string,
  reference: string,
  action: 'refine',
): Promise<ExperimentRow> {
  const row = await lockExperiment(tx, workspaceId, reference)
  requireLegal(row, action, action)
  return row
}

/** A proposal held against other writers until the transaction ends; undefined where it is none any more. */
export async function lockProposal(
  tx: Transaction,
  workspaceId: string,
  id: string,
): Promise<ExperimentRow | undefined> {
  const row = await lockExperimentById(tx, workspaceId, id)
  return row?.status === 'proposed' ? row : undefined
}

export type RevisedProposal = Rewritten & { readonly idea: Idea }

/** Puts a revision in the place of what a locked proposal was. */
export async function rewriteProposal(
  tx: Transaction,
  { now }: Pick<Services, 'now'>,
  workspaceId: string,
  before: ExperimentRow,
  { idea, ...rewritten }: RevisedProposal,
): Promise<void> {
  await rewriteExperiment(tx, workspaceId, before, rewritten, new Date(now()))
  await writeIdea(tx, before.id, idea)
}
