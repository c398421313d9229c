import { Type } from '@sinclair/typebox'
import { DISMISSAL_REASONS, EXPERIMENT_LIMITS, findExperiment } from '../../management/experiments/index.js'
import { findRefinement, generateProposals, refineProposal } from '../../management/proposals/index.js'
import { approveProposal, generatePullRequest } from '../../management/workflows/approve.js'
import { dismissProposal } from '../../management/workflows/transition.js'
import { exampleDismissed, exampleExperiment, exampleRefinement } from '../experiments/examples.js'
import { ExperimentSchema, experimentParams as params } from '../experiments/schemas.js'
import { onExperiment, PULL_REQUEST_DEADLINE_MS, statusLocation, toExperiment } from '../experiments/view.js'
import { accepted, defineOperation, defineRoute, json, type Route } from '../http/route.js'
import { closed, flag, named, nullable, oneOf, textUpTo, time, uuid } from '../http/schemas.js'

const Refinement = named(
  'Refinement',
  closed({
    id: uuid('The revision'),
    status: oneOf(['queued', 'running', 'done', 'failed']),
    instructions: Type.String(),
    error: nullable(Type.String(), { description: 'Why it failed' }),
    createdAt: time('When it was asked for'),
    finishedAt: nullable(time('When it was done or failed')),
  }),
)

const generateRoute = defineOperation('POST /experiments/generate', 'generateProposals', {
  tag: 'Proposals',
  summary: 'Generate a batch of proposals',
  description:
    'Runs in the background, one batch per workspace at a time. The run shows its progress and what was dropped and why. Ideas that resemble a pending proposal are dropped, unless `replace` is true.',
  scope: 'proposals.review',
  body: closed({
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 5 })),
    focus: Type.Optional(textUpTo(EXPERIMENT_LIMITS.focus, 'Topic of the proposals')),
    replace: flag('Dismiss the pending proposals when the batch is stored'),
  }),
  bodyOptional: true,
  bodyExample: { count: 3, focus: 'checkout' },
  responses: {
    202: json(
      'The generation run',
      named('GenerationAccepted', closed({ runId: uuid('The run'), status: oneOf(['queued', 'running']) })),
      { runId: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d63', status: 'queued' },
    ),
  },
  errors: ['REPOSITORY_NOT_CONNECTED', 'GENERATION_IN_FLIGHT'],
  operation: generateProposals,
  input: ({ body }) => body,
  answer: (run) => accepted(run, `/v1/experiment-runs/${run.runId}`),
})

const approveRoute = defineOperation('POST /experiments/{id}/approve', 'approveProposal', {
  ...onExperiment,
  tag: 'Proposals',
  summary: 'Approve a proposal',
  description:
    'The pull request is written. The response waits up to 20 s for `pr_open` or `pr_failed`; after that the status is `generating_pr`. Without a connected repository the experiment becomes `approved` and can be started.',
  deadlineMs: PULL_REQUEST_DEADLINE_MS,
  scope: 'proposals.review',
  body: closed({
    acknowledgeOverlap: flag('Allow sharing a surface with an experiment in flight'),
  }),
  bodyOptional: true,
  bodyExample: { acknowledgeOverlap: true },
  responses: { 200: json('The experiment', ExperimentSchema, exampleExperiment) },
  errors: [
    'ILLEGAL_TRANSITION',
    'PROPOSAL_FILES_MISSING',
    'PROPOSAL_SNAPSHOT_STALE',
    'SURFACE_OVERLAP',
    'REPOSITORY_NOT_CONNECTED',
  ],
  operation: approveProposal,
  input: ({ params, body }) => ({ reference: params.id, ...body }),
})

const dismissRoute = defineOperation('POST /experiments/{id}/dismiss', 'dismissProposal', {
  ...onExperiment,
  tag: 'Proposals',
  summary: 'Dismiss a proposal',
  scope: 'proposals.review',
  body: closed({
    reasons: Type.Array(oneOf(DISMISSAL_REASONS), {
      minItems: 1,
      maxItems: DISMISSAL_REASONS.length,
      uniqueItems: true,
    }),
    note: Type.Optional(
      textUpTo(
        EXPERIMENT_LIMITS.dismissalNote,
        'For the team; later proposals and pull requests take it into account',
      ),
    ),
  }),
  bodyExample: { reasons: ['low_impact'], note: 'Few visitors see this page' },
  responses: { 200: json('The dismissed proposal', ExperimentSchema, exampleDismissed) },
  errors: ['ILLEGAL_TRANSITION'],
  operation: dismissProposal,
  input: ({ params, body }) => ({ reference: params.id, ...body }),
})

const refineRoute = defineOperation('POST /experiments/{id}/refine', 'refineProposal', {
  ...onExperiment,
  tag: 'Proposals',
  summary: 'Revise a proposal',
  description:
    'Runs in the background; a failed revision changes nothing. If the proposal is approved or dismissed meanwhile, the revision fails; if it is edited, the revision starts from the edit.',
  scope: 'proposals.review',
  body: closed({
    instructions: Type.String({
      maxLength: EXPERIMENT_LIMITS.instructions,
      // At least one character that is not blank.
      pattern: '\\S',
    }),
  }),
  bodyExample: { instructions: exampleRefinement.instructions },
  responses: { 202: json('The revision', Refinement, exampleRefinement) },
  errors: ['ILLEGAL_TRANSITION', 'REPOSITORY_NOT_CONNECTED', 'REFINE_IN_FLIGHT'],
  operation: refineProposal,
  input: ({ params, body }) => ({ reference: params.id, ...body }),
  answer: ({ refinement, experimentId }) => accepted(refinement, `/v1/experiments/${experimentId}/refine`),
})

const refinementRoute = defineRoute('GET /experiments/{id}/refine', 'getRefinement', {
  tag: 'Proposals',
  summary: 'Get the latest revision of a proposal',
  params,
  etag: true,
  responses: {
    200: json('The latest revision, or null if there is none', nullable(Refinement), exampleRefinement),
  },
  async handler({ params, services, workspaceId }) {
    const { id } = await findExperiment(services.sql, workspaceId, params.id)
    return { status: 200, body: await findRefinement(services.sql, workspaceId, id) }
  },
})

const generatePrRoute = defineOperation('POST /experiments/{id}/generate-pr', 'generatePullRequest', {
  ...onExperiment,
  tag: 'Proposals',
  summary: 'Write the pull request of an approved experiment',
  scope: 'experiments.manage',
  responses: {
    202: json('The experiment; its pull request is being written', ExperimentSchema, {
      ...exampleExperiment,
      status: 'generating_pr',
    }),
  },
  errors: ['ILLEGAL_TRANSITION', 'REPOSITORY_NOT_CONNECTED'],
  operation: generatePullRequest,
  input: ({ params }) => ({ reference: params.id }),
  answer: (row) => accepted(toExperiment(row), statusLocation(row)),
})

export const proposalRoutes: readonly Route[] = [
  generateRoute,
  approveRoute,
  dismissRoute,
  refineRoute,
  refinementRoute,
  generatePrRoute,
]
