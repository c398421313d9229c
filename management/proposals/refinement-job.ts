import { type Static, Type } from '@sinclair/typebox'
import type { Status } from '../../domain/lifecycle.js'
import type { Proposal, RevisedCandidate } from '../../generators/port.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { auditByService } from '../audit.js'
import { composeAt } from '../code-changes/index.js'
import { findExperimentWithChanges, type PlannedExperiment, STATUS_TEXTS } from '../experiments/index.js'
import { defineJob, type JobAttempt } from '../jobs/definition.js'
import { JobError, permanent } from '../jobs/failure.js'
import type { ConnectedRepository } from '../repositories/index.js'
import type { Services } from '../services.js'
import { notesAfter, proposalOf } from './candidate.js'
import { generateInWorker } from './generating/worker-client.js'
import { GENERATION_RETRY, observerOf, vocabularyOf } from './generation-job.js'
import { findPast, type Idea, lockProposal, type RevisedProposal, rewriteProposal } from './proposals.js'
import { beginRefinement, finishRefinement } from './refinements.js'
import { codeAtHead } from './repository-code.js'
import { readWorkspaceContext } from './workspace-context.js'

const payload = Type.Object({
  workspaceId: Type.String(),
  experimentId: Type.String(),
  refinementId: Type.String(),
})
type Payload = Static<typeof payload>

/** The revised proposal, or why it stays as it is. */
type Outcome =
  | { readonly ok: true; readonly revised: RevisedProposal; readonly basedOn: Date }
  | { readonly ok: false; readonly message: string }

/**
 * Rewrites a proposal by instructions. If the team approves or dismisses it meanwhile, the revision fails. If
 * the team edits it, the revision starts again from the edit. A failure leaves the proposal as it is.
 */
export const refinementJob = defineJob({
  name: 'refinement',
  payload,
  concurrency: 4,
  serialBy: 'experimentId',
  retry: GENERATION_RETRY,
  effect: revise,
  async conclude(tx, { services, payload }, outcome) {
    if (outcome === undefined) return
    const error = outcome.ok ? await replace(tx, services, payload, outcome) : outcome.message
    await finish(tx, services, payload, error)
  },
  async failed(tx, { services, payload }, reason) {
    await finish(tx, services, payload, reason)
  },
})

/** @param error why it failed, or null if the proposal was rewritten */
async function finish(
  tx: Transaction,
  services: Services,
  { workspaceId, experimentId, refinementId }: Payload,
  error: string | null,
): Promise<void> {
  await finishRefinement(tx, refinementId, error, new Date(services.now()))
  await auditByService(tx, services, workspaceId, {
    action: error === null ? 'experiment.refined' : 'experiment.refinement-failed',
    resourceId: experimentId,
    summary: error === null ? 'Rewrote a proposal' : `A revision of a proposal failed: ${error}`,
  })
}

const settledMeanwhile = (status: Status): string =>
  `the proposal was not rewritten, because in the meantime it ${STATUS_TEXTS[status]}`

/** An error for people, or null if the proposal was rewritten. */
async function replace(
  tx: Transaction,
  services: Services,
  { workspaceId, experimentId }: Payload,
  { revised, basedOn }: Outcome & { readonly ok: true },
): Promise<string | null> {
  const row = await lockProposal(tx, workspaceId, experimentId)
  if (row === undefined)
    return settledMeanwhile((await findExperimentWithChanges(tx, workspaceId, experimentId)).status)
  if (row.updatedAt.getTime() !== basedOn.getTime())
    throw new JobError('the proposal was edited in the meantime', { retryable: true })
  await rewriteProposal(tx, services, workspaceId, row, revised)
  return null
}

async function revise({
  services,
  payload: { workspaceId, experimentId, refinementId },
  signal,
  attempt,
}: JobAttempt<Payload>): Promise<Outcome | undefined> {
  const { sql, generator } = services
  const instructions = await beginRefinement(sql, refinementId)
  if (instructions === undefined) return undefined
  const row = await findExperimentWithChanges(sql, workspaceId, experimentId)
  if (row.status !== 'proposed') return { ok: false, message: settledMeanwhile(row.status) }
  const [past] = await findPast(sql, workspaceId, [experimentId])
  const idea = past?.idea ?? null
  const current = asProposed(row, idea)
  if (current === undefined) return { ok: false, message: 'only proposals that edit files can be rewritten' }
  const repository = await services.repositories.of(workspaceId)
  if (repository === undefined) throw permanent('the workspace has no repository connected any more')
  const { commit, files, rules } = await codeAtHead(repository, signal)
  const memory = await readWorkspaceContext(sql, workspaceId, { withPending: true, exceptId: experimentId })
  const vocabulary = await vocabularyOf(services, workspaceId, signal)
  const revised = await generateInWorker(
    {
      kind: 'revision',
      generator,
      rules,
      request: { ...memory, vocabulary, proposal: current, instructions, locale: null },
    },
    { host: repository.host, files, signal, attempt, onStep: () => {}, onQuestion: observerOf(services) },
  )
  if (!revised.ok) return revised
  return tried(repository, commit, { row, idea }, revised.candidate, signal)
}

/** The proposal as generators see it. Undefined unless all its changes are edits. */
function asProposed(row: PlannedExperiment, idea: Idea | null): Proposal | undefined {
  const files = row.changes.map(({ path, edits }) => ({
    path,
    edits: (edits ?? []).map((edit) => ({ ...edit })),
  }))
  if (files.length === 0 || row.changes.some(({ edits }) => edits === undefined)) return undefined
  const { name, mechanism, hypothesis, surfaces, conversionTargets, priority } = row
  return {
    name,
    mechanism: mechanism === '' ? null : mechanism,
    hypothesis,
    surfaces,
    files,
    variants: row.variants.map((variant, index) => ({ ...variant, isControl: index === 0 })),
    conversionTargets,
    priority,
    ...(idea === null
      ? {}
      : {
          ruleId: idea.ruleId,
          topics: idea.topics,
          reasons: idea.reasons,
          eventToSend: idea.eventToSend,
        }),
  }
}

/** Composes the revision at its commit, to see that its pull request can be written. */
async function tried(
  repository: ConnectedRepository,
  commit: string,
  { row, idea: before }: { readonly row: PlannedExperiment; readonly idea: Idea | null },
  candidate: RevisedCandidate,
  signal: AbortSignal,
): Promise<Outcome> {
  const proposal = proposalOf(candidate)
  if (proposal === null)
    return { ok: false, message: 'the revised texts would be longer than an experiment allows' }
  const { priority: _, ...rewritten } = proposal
  const { variants, changes, idea } = rewritten
  const { composed, snapshot } = await composeAt(
    repository,
    commit,
    { key: row.key, variants, changes },
    signal,
  )
  if (!composed.ok) {
    const [first] = [...composed.missing, ...composed.problems]
    return { ok: false, message: `the revised changes do not fit the repository: ${first?.message ?? ''}` }
  }
  const revised = { ...rewritten, notes: notesAfter(row.notes, before, idea), snapshot }
  return { ok: true, revised, basedOn: row.updatedAt }
}
