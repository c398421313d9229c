import { Type } from '@sinclair/typebox'
import {
  findLearning,
  hashOfEvidence,
  INTERPRETATION_LENGTH,
  LEARNING_DECISIONS,
  listLearnings,
  lockLearning,
  REVIEW_STATUSES,
  updateLearning,
} from '../../management/learnings/index.js'
import { exampleExperiment } from '../experiments/examples.js'
import { readTime } from '../http/read-time.js'
import { defineOperation, defineRoute, json, page, pageOf } from '../http/route.js'
import { closed, named, nullable, oneOf, paging, textUpTo, time, uuid } from '../http/schemas.js'

const params = closed({ id: uuid('The learning') })
const decision = oneOf(LEARNING_DECISIONS)
const reviewStatus = oneOf(REVIEW_STATUSES, { description: '`draft` until approved' })
const interpretation = Type.String({
  maxLength: INTERPRETATION_LENGTH,
  description: "The team's interpretation of the evidence",
})

const Learning = named(
  'Learning',
  closed({
    id: uuid('The learning'),
    experimentId: uuid('The experiment it was learned from'),
    experimentKey: Type.String(),
    title: Type.String(),
    decision,
    variant: nullable(Type.String(), { description: 'The key of the variant that was shipped' }),
    reviewStatus,
    interpretation,
    evidence: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'Frozen at the decision: the experiment as it ended, the decision, and its results (null if none were computed)',
    }),
    evidenceHash: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'SHA-256 in hex of `evidence` as canonical JSON (RFC 8785)',
    }),
    createdAt: time('When it was decided'),
    updatedAt: time('When it last changed'),
  }),
)

const exampleEvidence = {
  experiment: {
    id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e',
    key: 'shorter-checkout',
    name: 'Shorter checkout',
    mechanism: '',
    hypothesis: '',
    variants: exampleExperiment.variants,
    conversionTargets: exampleExperiment.conversionTargets,
    startedAt: '2026-11-21T10:00:00.000Z',
    endedAt: '2026-12-05T10:00:00.000Z',
  },
  decision: {
    outcome: 'ship',
    variant: 'one-page',
    reason: 'More orders, no more refunds',
    decidedAt: '2026-12-05T12:00:00.000Z',
  },
  results: null,
}

const exampleLearning = {
  id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d64',
  experimentId: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e',
  experimentKey: 'shorter-checkout',
  title: 'Shorter checkout: shipped One page',
  decision: 'ship',
  variant: 'one-page',
  reviewStatus: 'draft',
  interpretation: 'More orders, no more refunds',
  evidence: exampleEvidence,
  evidenceHash: hashOfEvidence(exampleEvidence),
  createdAt: '2026-12-06T10:00:00.000Z',
  updatedAt: '2026-12-06T10:00:00.000Z',
}

export const learningRoutes = [
  defineRoute('GET /learnings', 'listLearnings', {
    tag: 'Learnings',
    summary: 'List learnings, newest first',
    query: closed({
      search: Type.Optional(
        textUpTo(200, "Literal text in title, interpretation or the experiment's key; case does not matter"),
      ),
      decision: Type.Optional(decision),
      reviewStatus: Type.Optional(oneOf(REVIEW_STATUSES)),
      from: Type.Optional(time('Only what was created then or later')),
      to: Type.Optional(time('Only what was created before')),
      ...paging(100, 25),
    }),
    responses: { 200: pageOf('A page of learnings', 'LearningPage', Learning, exampleLearning, 25) },
    async handler({ query, services, workspaceId }) {
      const { rows, total } = await listLearnings(services.sql, workspaceId, {
        ...query,
        from: readTime(query.from),
        to: readTime(query.to),
      })
      return page(query, rows, total)
    },
  }),

  defineRoute('GET /learnings/{id}', 'getLearning', {
    tag: 'Learnings',
    summary: 'Get a learning with its frozen evidence',
    params,
    etag: true,
    responses: { 200: json('The learning', Learning, exampleLearning) },
    async handler({ params, services, workspaceId }) {
      return { status: 200, body: await findLearning(services.sql, workspaceId, params.id) }
    },
  }),

  defineOperation('PATCH /learnings/{id}', 'updateLearning', {
    tag: 'Learnings',
    summary: 'Change the interpretation or the review status of a learning',
    description: 'The evidence cannot change. A request that changes nothing leaves no audit entry.',
    scope: 'experiments.decide',
    params,
    body: closed({
      interpretation: Type.Optional(interpretation),
      reviewStatus: Type.Optional(oneOf(REVIEW_STATUSES)),
    }),
    bodyExample: { reviewStatus: 'approved' },
    responses: {
      200: json('The current learning', Learning, { ...exampleLearning, reviewStatus: 'approved' }),
    },
    lockState: (tx, workspaceId, { id }) => lockLearning(tx, workspaceId, id),
    operation: updateLearning,
    input: ({ params, body }) => ({ id: params.id, changes: body }),
    answer: (row) => ({ status: 200, body: row }),
  }),
]
