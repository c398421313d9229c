import { Type } from '@sinclair/typebox'
import type { Proposal, Revision } from '../../generators/port.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { composeAt } from '../code-changes/index.js'
import { findExperimentWithChanges, type PlannedExperiment } from '../experiments/index.js'
import { defineJob, type Work } from '../jobs/definition.js'
import { JobError, permanent } from '../jobs/failure.js'
import type { ConnectedRepository } from '../repositories/index.js'
import { notesAfter, proposalOf } from './candidate.js'
import { reviseProposal } from './generating/think.js'
import { GENERATION_RETRY, vocabularyOf } from './generation-job.js'
import { findPast, type Idea, lockProposal, type RevisedProposal, rewriteProposal } from './proposals.js'
import { beginRefinement, finishRefinement } from './refinements.js'
import { codeAtHead } from './repository-code.js'
import { readWorkspaceContext } from './workspace-context.js'

const payload = Type.Object({
  workspaceId: Type.String(),
  experimentId: Type.String(),
  refinementId: Type.String(),
})
interface Payload {
  readonly workspaceId: string
  readonly experimentId: string
  readonly refinementId: string
}

/** What a revision came to: the proposal anew, or why it stays as it is. */
type Outcome =
  | { readonly ok: true; readonly revised: RevisedProposal; readonly basedOn: Date }
  | { readonly ok: false; readonly message: string }

/**
 * Rewrites a proposal by instructions. What a team does beside it comes first: an approval or a dismissal stands, and the revision fails; an edit stands, and the
 * revision is made again from what was edited. Whatever fails leaves the proposal as it is.
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
    await finishRefinement(tx, payload.refinementId, error, new Date(services.now()))
  },
  async failed(tx, { services, payload: { refinementId } }, reason) {
    await finishRefinement(tx, refinementId, reason, new Date(services.now()))
  },
})

const settledMeanwhile = (status: string): string =>
  `the proposal was not rewritten: it is ${status} meanwhile`

/** Why the proposal stays as it is; null where it was rewritten. */
async function replace(
  tx: Transaction,
  services: Work<Payload>['services'],
  { workspaceId, experimentId }: Payload,
  { revised, basedOn }: Outcome & { readonly ok: true },
): Promise<string | null> {
  const row = await lockProposal(tx, workspaceId, experimentId)
  if (row === undefined)
    return settledMeanwhile((await findExperimentWithChanges(tx, workspaceId, experimentId)).status)
  if (row.updatedAt.getTime() !== basedOn.getTime())
    throw new JobError('the proposal was edited meanwhile', { retryable: true })
  await rewriteProposal(tx, services, workspaceId, row, revised)
  return null
}

async function revise({
  services,
  payload: { workspaceId, experimentId, refinementId },
  signal,
  attempt,
}: Work<Payload>): Promise<Outcome | undefined> {
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
  const revised = await reviseProposal(
    {
      kind: 'revision',
      generator,
      rules,
      request: { ...memory, vocabulary, proposal: current, instructions, locale: null },
    },
    { host: repository.host, files, signal, attempt, onStep: () => {} },
  )
  if (!revised.ok) return revised
  return kept(repository, commit, { row, idea }, revised.candidate, signal)
}

/** As generators see it, with what the one that made it knew; undefined where it is no proposal of edits alone. */
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

/** A revision as it is kept, tried at the commit that it was made for. */
async function kept(
  repository: ConnectedRepository,
  commit: string,
  { row, idea: before }: { readonly row: PlannedExperiment; readonly idea: Idea | null },
  candidate: Revision,
  signal: AbortSignal,
): Promise<Outcome> {
  const proposal = proposalOf(candidate)
  if (proposal === null) return { ok: false, message: 'it would be longer than an experiment may be' }
  const { name, mechanism, hypothesis, variants, conversionTargets, surfaces, changes, idea } = proposal
  const { composed, snapshot } = await composeAt(
    repository,
    commit,
    { key: row.key, variants, changes },
    signal,
  )
  if (!composed.ok) {
    const [first] = [...composed.missing, ...composed.problems]
    return { ok: false, message: `it could not be written: ${first?.message ?? ''}` }
  }
  const revised = {
    name,
    mechanism,
    notes: notesAfter(row.notes, before, idea),
    hypothesis,
    variants,
    conversionTargets,
    surfaces,
    changes,
    idea,
    snapshot,
  }
  return { ok: true, revised, basedOn: row.updatedAt }
}
