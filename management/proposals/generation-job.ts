import { type Static, Type } from '@sinclair/typebox'
import { listEventNames } from '../../clickhouse/queries/vocabulary.js'
import type { AskedQuestion, Candidate, KnownEvent, Refusal } from '../../generators/port.js'
import { readHiddenNames } from '../../postgres/tables/hidden-event-names.js'
import { auditByService } from '../audit.js'
import { composeAt } from '../code-changes/index.js'
import { defineJob, type JobAttempt } from '../jobs/definition.js'
import { permanent } from '../jobs/failure.js'
import type { ConnectedRepository } from '../repositories/index.js'
import type { Services } from '../services.js'
import { proposalOf } from './candidate.js'
import { figuresOf } from './figures.js'
import type { GenerationStep } from './generating/messages.js'
import { generateInWorker } from './generating/worker-client.js'
import { codeAtHead } from './repository-code.js'
import { beginRun, failRun, type RunStep, refusedLately, writeProgress } from './runs.js'
import { type GeneratedBatch, storeBatch, type WritableProposal, withRefusal } from './store-batch.js'
import { readWorkspaceContext } from './workspace-context.js'

/** A batch is retried for a shorter time than a pull request, because a person waits for it. */
export const GENERATION_RETRY = { maxElapsedMs: 60_000, maxIntervalMs: 15_000 }

const payload = Type.Object({ workspaceId: Type.String(), runId: Type.String() })
type Payload = Static<typeof payload>

/** Generates a batch of proposals. Stores nothing before its end, so a crash starts it again. */
export const generationJob = defineJob({
  name: 'generation',
  payload,
  concurrency: 4,
  serialBy: 'workspaceId',
  retry: GENERATION_RETRY,
  effect: generate,
  async conclude(tx, { services, payload }, thought) {
    if (thought !== undefined) await storeBatch(tx, services, payload, thought)
  },
  async failed(tx, { services, payload: { workspaceId, runId } }, reason) {
    await failRun(tx, runId, reason, new Date(services.now()))
    await auditByService(tx, services, workspaceId, {
      action: 'experiment.generation-failed',
      resourceId: runId,
      summary: `A generation run failed: ${reason}`,
    })
  },
})

/** Share of the progress at which each step begins and ends. */
const SPANS: Readonly<Record<RunStep, readonly [number, number]>> = {
  read: [0, 0.05],
  understand: [0.05, 0.75],
  propose: [0.75, 0.85],
  ground: [0.85, 0.92],
  filter: [0.92, 0.94],
  store: [0.94, 1],
}

async function generate({
  services,
  payload,
  signal,
  attempt,
}: JobAttempt<Payload>): Promise<GeneratedBatch | undefined> {
  const { workspaceId, runId } = payload
  const { sql, generator } = services
  const run = await beginRun(sql, runId, new Date(services.now()))
  if (run === undefined) return undefined
  const repository = await services.repositories.of(workspaceId)
  if (repository === undefined) throw permanent('the workspace has no repository connected any more')
  const code = await codeAtHead(repository, signal)
  const { commit, files, rules } = code
  await writeProgress(sql, runId, 'read', SPANS.read[1], commit)
  const memory = await readWorkspaceContext(sql, workspaceId, { withPending: !run.replaces })
  const vocabulary = await vocabularyOf(services, workspaceId, signal)
  // Rules have no use for them.
  const forModel =
    generator.kind === 'rules'
      ? {}
      : {
          figures: await figuresOf(services, workspaceId, vocabulary, signal),
          refusedBefore: await refusedLately(sql, workspaceId),
        }
  const progress = progressWriter(services, runId)
  try {
    const batch = await generateInWorker(
      {
        kind: 'batch',
        generator,
        rules,
        request: {
          ...memory,
          ...forModel,
          vocabulary,
          focus: run.focus,
          count: run.requested,
          locale: null,
        },
      },
      {
        host: repository.host,
        files,
        signal,
        attempt,
        onStep: progress.note,
        onQuestion: observerOf(services),
      },
    )
    if (generator.kind === 'llm') services.modelMetrics?.observeIdeas(batch.ideas)
    const { written, refused } = await writable(repository, commit, batch.proposals, signal)
    progress.note('store', 0)
    const dropped = refused.size === 0 ? [] : [{ reason: 'not_grounded', count: refused.size }]
    return {
      ...batch,
      proposals: written,
      dropped: [...code.dropped, ...batch.dropped, ...dropped],
      ideas: batch.ideas.map((idea) => withRefusal(idea, refused.get(idea.name))),
    }
  } finally {
    await progress.flushed()
  }
}

/** Counts questions to the model. */
export const observerOf =
  ({ modelMetrics }: Pick<Services, 'modelMetrics'>) =>
  (question: AskedQuestion): void =>
    modelMetrics?.observeQuestion(question)

const MAX_NAMES = 1_000

/** The most frequent event names of the workspace, without exposures. */
export async function vocabularyOf(
  { clickhouse, sql }: Pick<Services, 'clickhouse' | 'sql'>,
  workspaceId: string,
  signal: AbortSignal,
): Promise<KnownEvent[]> {
  const hidden = await readHiddenNames(sql, workspaceId)
  const wanted = { workspaceId, hidden, limit: MAX_NAMES, offset: 0, signal }
  const { rows } = await listEventNames(clickhouse, wanted)
  return rows
    .filter(({ eventName }) => eventName !== '$exposure')
    .map(({ eventName, count }) => ({ eventName, count }))
}

/** Writes progress in order, the latest of each step. Failures are ignored: progress decides nothing. */
function progressWriter({ sql, logger }: Services, runId: string) {
  const waiting: (readonly [RunStep, number])[] = []
  let noting: Promise<void> | undefined
  const noteAll = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      await writeProgress(sql, runId, ...next)
  }
  return {
    note(step: GenerationStep | 'store', share: number): void {
      const [from, to] = SPANS[step]
      if (waiting.at(-1)?.[0] === step) waiting.pop()
      waiting.push([step, from + (to - from) * share])
      noting ??= noteAll()
        .catch((error) => logger.debug({ err: error }, 'Progress of a generation run not written'))
        .finally(() => {
          noting = undefined
        })
    },
    async flushed(): Promise<void> {
      await noting
    },
  }
}

const MAX_COMPOSING = 2

/** Leaves out candidates whose pull requests cannot be written at a commit. */
async function writable(
  repository: ConnectedRepository,
  commit: string,
  candidates: readonly Candidate[],
  signal: AbortSignal,
): Promise<{ readonly written: WritableProposal[]; readonly refused: ReadonlyMap<string, Refusal> }> {
  const written: WritableProposal[] = []
  const refused = new Map<string, Refusal>()
  // A few at a time, because each one reads from the repository.
  for (let from = 0; from < candidates.length; from += MAX_COMPOSING) {
    const some = candidates.slice(from, from + MAX_COMPOSING)
    const tried = await Promise.all(some.map((candidate) => writtenAt(repository, commit, candidate, signal)))
    for (const [index, { name }] of some.entries()) {
      const one = tried[index]
      if (one === undefined) continue
      if ('reason' in one) refused.set(name, one)
      else written.push(one)
    }
  }
  return { written, refused }
}

const UNWRITTEN: Refusal = { reason: 'not_grounded', message: 'Its pull request could not be written.' }

/** Why its pull request could not be written, if it could not. */
async function writtenAt(
  repository: ConnectedRepository,
  commit: string,
  candidate: Candidate,
  signal: AbortSignal,
): Promise<WritableProposal | Refusal> {
  const proposal = proposalOf(candidate)
  if (proposal === null) return UNWRITTEN
  const { variants, changes } = proposal
  // The real key is made when the proposal is stored. It does not matter here.
  const plan = { key: 'proposal', variants, changes }
  const { composed, snapshot } = await composeAt(repository, commit, plan, signal)
  return composed.ok
    ? { candidate, proposal, snapshot }
    : { reason: 'not_grounded', message: composed.problems[0]?.message ?? UNWRITTEN.message }
}
