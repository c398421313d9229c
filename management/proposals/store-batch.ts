import { pluralize } from '../../domain/text/format.js'
import { refusalOf } from '../../generators/filter.js'
import type { AskedQuestion, Candidate, FileRecord, IdeaRecord, Refusal } from '../../generators/port.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { auditByService } from '../audit.js'
import { lockPending, type Snapshot } from '../experiments/index.js'
import type { Services } from '../services.js'
import { insertProposal, type NewProposal, retirePending } from './proposals.js'
import { lockRun, succeedRun } from './runs.js'
import { readWorkspaceContext } from './workspace-context.js'

/** A batch before it is stored. */
export interface GeneratedBatch {
  readonly generated: number
  readonly proposals: readonly WritableProposal[]
  readonly dropped: readonly Dropped[]
  readonly ideas: readonly IdeaRecord[]
  readonly files: readonly FileRecord[]
  readonly questions: readonly AskedQuestion[]
}

export interface WritableProposal {
  readonly candidate: Candidate
  readonly proposal: Omit<NewProposal, 'experimentRunId' | 'snapshot'>
  /** The commit that its changes were composed at. */
  readonly snapshot: Snapshot
}

export interface Dropped {
  readonly reason: string
  readonly count: number
}

/**
 * Stores the proposals of a batch, finishes its run and retires the proposals that it replaces, in one
 * transaction. Ideas that the team approved or dismissed meanwhile are dropped. An empty batch replaces
 * nothing.
 */
export async function storeBatch(
  tx: Transaction,
  services: Services,
  { workspaceId, runId }: { readonly workspaceId: string; readonly runId: string },
  batch: GeneratedBatch,
): Promise<void> {
  const run = await lockRun(tx, runId)
  if (run === undefined) return
  const { generated, proposals, dropped, files, questions } = batch
  const counts = new Map<string, number>()
  const drop = ({ reason, count }: Dropped) => counts.set(reason, (counts.get(reason) ?? 0) + count)
  dropped.forEach(drop)
  // Lock before reading the context, so that an earlier approval is seen.
  if (run.replaces) await lockPending(tx, workspaceId, runId)
  const memory = await readWorkspaceContext(tx, workspaceId, { withPending: !run.replaces })
  const refused = new Map<string, Refusal>()
  const surviving = proposals.filter(({ candidate }) => {
    const refusal = refusalOf(candidate, { ...memory, focus: null })
    if (refusal === null) return true
    drop({ reason: refusal.reason, count: 1 })
    refused.set(candidate.name, refusal)
    return false
  })
  const ideas = batch.ideas.map((idea) => withRefusal(idea, refused.get(idea.name)))
  if (run.replaces && surviving.length > 0)
    await retirePending(tx, services, workspaceId, { runId, personId: run.personId })
  for (const { proposal, snapshot } of surviving)
    await insertProposal(tx, services, workspaceId, { ...proposal, snapshot, experimentRunId: runId })
  const counted = [...counts].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count)
  await succeedRun(
    tx,
    runId,
    {
      generated,
      survived: surviving.length,
      dropped: counted,
      ideas,
      files: [...files],
      questions: [...questions],
    },
    new Date(services.now()),
  )
  await auditByService(tx, services, workspaceId, {
    action: 'experiment.generated',
    resourceId: runId,
    summary: `Stored ${pluralize(surviving.length, 'proposal')} of a generation run`,
  })
}

/** The outcome of an idea that was kept until now. */
export const withRefusal = (idea: IdeaRecord, refusal: Refusal | undefined): IdeaRecord =>
  refusal === undefined || idea.outcome === 'dropped' ? idea : { ...idea, ...refusal, outcome: 'dropped' }
