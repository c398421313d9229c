import type { Status } from '../../domain/lifecycle.js'
import type { VerdictCode } from '../../domain/statistics/index.js'
import type { DismissedIdea, Lesson, PastIdea, Request, Running, TeamNote } from '../../generators/port.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { approvedLearnings, type LearningDecision } from '../learnings/index.js'
import { findPast, listPast, type PastExperiment } from './proposals.js'

/** The history of a workspace that new ideas are compared with. */
export type WorkspaceContext = Pick<Request, 'notes' | 'dismissals' | 'lessons' | 'inFlight'>

/** Statuses of experiments whose code is in the repository, or will be. */
const ACTIVE: readonly Status[] = [
  'approved',
  'generating_pr',
  'pr_open',
  'ready',
  'running',
  'paused',
  'ended',
  'settling',
]
/** Upper bound for each kind. The newest are read. */
const MAX_REMEMBERED = 2_000

export interface ContextOptions {
  /** Whether pending proposals count. They do not if the batch replaces them. */
  readonly withPending: boolean
  /** An experiment to leave out, because it is being revised. */
  readonly exceptId?: string
}

/** Reads active experiments, dismissals with their notes, and approved learnings. */
export async function readWorkspaceContext(
  sql: Sql | Transaction,
  workspaceId: string,
  { withPending, exceptId }: ContextOptions,
): Promise<WorkspaceContext> {
  const inFlight = await listPast(
    sql,
    workspaceId,
    withPending ? [...ACTIVE, 'proposed'] : ACTIVE,
    MAX_REMEMBERED,
  )
  const dismissed = await listPast(sql, workspaceId, ['dismissed'], MAX_REMEMBERED)
  const learnings = await approvedLearnings(sql, workspaceId, MAX_REMEMBERED)
  const learnt = await findPast(
    sql,
    workspaceId,
    learnings.map(({ experimentId }) => experimentId),
  )
  const byId = new Map(learnt.map((one) => [one.id, one]))
  return {
    inFlight: inFlight
      .filter(({ id }) => id !== exceptId)
      .map((one): Running => ({ ...ideaOf(one), key: one.key })),
    dismissals: dismissed.map(
      (one): DismissedIdea => ({
        ...ideaOf(one),
        reasons: one.dismissal?.reasons ?? [],
      }),
    ),
    notes: dismissed.flatMap(notesOf),
    lessons: learnings.flatMap(({ experimentId, decision, interpretation, verdict }): Lesson[] => {
      const one = byId.get(experimentId)
      if (one === undefined) return []
      return [
        { ...ideaOf(one), key: one.key, outcome: outcomeOf(decision, verdict), writeUp: interpretation },
      ]
    }),
  }
}

const AGAINST: readonly (VerdictCode | null)[] = ['loser', 'harmed', 'no_difference']

/** A decision teaches only as much as the results say: a person may ship or reject for other reasons. */
function outcomeOf(decision: LearningDecision, verdict: VerdictCode | null): Lesson['outcome'] {
  if (decision === 'ship' && verdict === 'winner') return 'won'
  return decision === 'reject' && AGAINST.includes(verdict) ? 'lost' : 'unclear'
}

function ideaOf({ mechanism, surfaces, idea, texts, finds }: PastExperiment): PastIdea {
  return {
    mechanism: mechanism === '' ? null : mechanism,
    surfaces,
    alternatives: idea?.alternatives ?? texts,
    finds,
    ...(idea === null ? {} : { ruleId: idea.ruleId }),
  }
}

/** Words by which a note refers to its own proposal. */
const POINTS_AT =
  /\b(this|that|these|those|here|dies(?:e[mnrs]?|es)?|hier|ce(?:t|tte|s)?|ici|est[eao]s?|aquí)\b/iu

/** A note applies to its proposal's surfaces and, unless it points at the proposal, to all that it names. */
function notesOf({ dismissal, surfaces, finds }: PastExperiment): TeamNote[] {
  const text = dismissal?.note ?? ''
  if (text === '') return []
  const here = surfaces.length === 0 ? [] : [{ text, surfaces, finds }]
  return POINTS_AT.test(text) ? here : [...here, { text }]
}
