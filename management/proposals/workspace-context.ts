import type { Status } from '../../domain/lifecycle.js'
import type { Dismissal, Lesson, PastIdea, Request, Running, TeamNote } from '../../generators/port.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { approvedLearnings } from '../learnings/index.js'
import { findPast, listPast, type PastExperiment } from './proposals.js'

/** What a workspace knows that proposals are held against. */
export type WorkspaceContext = Pick<Request, 'notes' | 'dismissals' | 'lessons' | 'inFlight'>

/** Those whose code is in the repository, or will be. */
const UNDER_WAY: readonly Status[] = [
  'approved',
  'generating_pr',
  'pr_open',
  'ready',
  'running',
  'paused',
  'ended',
  'settling',
]
/** The newest so many of each kind are remembered. */
const MOST = 2_000

export interface ContextOptions {
  /** Pending proposals stand in the way of their like; those that are to be replaced do not. */
  readonly withPending: boolean
  /** An experiment that is not held against itself. */
  readonly exceptId?: string
}

/** Dismissals with their notes, approved learnings and what is under way, as they are now. */
export async function readWorkspaceContext(
  sql: Sql | Transaction,
  workspaceId: string,
  { withPending, exceptId }: ContextOptions,
): Promise<WorkspaceContext> {
  const inFlight = await listPast(
    sql,
    workspaceId,
    withPending ? [...UNDER_WAY, 'proposed'] : UNDER_WAY,
    MOST,
  )
  const dismissed = await listPast(sql, workspaceId, ['dismissed'], MOST)
  const learnings = await approvedLearnings(sql, workspaceId, MOST)
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
      (one): Dismissal => ({
        ...ideaOf(one),
        reasons: one.dismissal?.reasons ?? [],
      }),
    ),
    notes: dismissed.flatMap(notesOf),
    lessons: learnings.flatMap(({ experimentId, decision }): Lesson[] => {
      const one = byId.get(experimentId)
      return one === undefined ? [] : [{ ...ideaOf(one), key: one.key, outcome: OUTCOMES[decision] }]
    }),
  }
}

const OUTCOMES = { ship: 'won', reject: 'lost', conclude: 'unclear' } as const

function ideaOf({ mechanism, surfaces, idea, texts }: PastExperiment): PastIdea {
  return {
    mechanism: mechanism === '' ? null : mechanism,
    surfaces,
    alternatives: idea?.alternatives ?? texts,
    ...(idea === null ? {} : { ruleId: idea.ruleId }),
  }
}

/** Words that point at the proposal they were said of. */
const POINTS_AT =
  /\b(this|that|these|those|here|dies(?:e[mnrs]?|es)?|hier|ce(?:t|tte|s)?|ici|est[eao]s?|aquí)\b/iu

/** A note of a dismissal speaks of the place it was said of, and, unless it points there, of whatever it names. */
function notesOf({ dismissal, surfaces }: PastExperiment): TeamNote[] {
  const text = dismissal?.note ?? ''
  if (text === '') return []
  const here = surfaces.length === 0 ? [] : [{ text, surfaces }]
  return POINTS_AT.test(text) ? here : [...here, { text }]
}
