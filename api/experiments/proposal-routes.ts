import { Type } from '@sinclair/typebox'
import { refuseOverlap } from '../../management/experiments/overlap.js'
import {
  findExperiment,
  illegalTransition,
  lockExperiment,
  moveExperiment,
  requireLegal,
} from '../../management/experiments/store.js'
import { DISMISSAL_REASONS, EXPERIMENT_LIMITS } from '../../management/experiments/words.js'
import { findRefinement } from '../../management/proposals/refinements.js'
import { ApiError } from '../frame/errors.js'
import { defineRoute } from '../frame/route.js'
import { closed, named, nullable, oneOf, time, uuid } from '../frame/schemas.js'
import { exampleDismissed, exampleExperiment, exampleRefinement } from './examples.js'
import { Experiment, experimentParams as params } from './schemas.js'
import { nameOf, toExperiment } from './view.js'

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

/** What needs a repository is refused while there is none. */
function repositoryNotConnected(): ApiError {
  return new ApiError(
    'REPOSITORY_NOT_CONNECTED',
    'The workspace has no repository connected, and this version cannot connect one yet',
  )
}

/** From a proposal to a pull request. */
export const proposalRoutes = [
  defineRoute({
    method: 'POST',
    path: '/experiments/generate',
    operationId: 'generateProposals',
    tag: 'Proposals',
    summary: 'Generate a batch of proposals',
    scope: 'proposals.review',
    audit: 'experiment.generate',
    body: closed({
      count: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 5 })),
      focus: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: EXPERIMENT_LIMITS.focus,
          description: 'What the proposals shall be about',
        }),
      ),
      replace: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Dismiss the proposals that are pending when the batch lands',
        }),
      ),
    }),
    bodyOptional: true,
    bodyExample: { count: 3, focus: 'checkout' },
    responses: {
      202: {
        description: 'The run that generates them',
        schema: named(
          'GenerationAccepted',
          closed({ runId: uuid('The run'), status: oneOf(['queued', 'running']) }),
        ),
        example: { runId: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d63', status: 'queued' },
      },
    },
    errors: ['REPOSITORY_NOT_CONNECTED', 'GENERATION_IN_FLIGHT'],
    async handler() {
      throw repositoryNotConnected()
    },
  }),

  defineRoute({
    method: 'POST',
    path: '/experiments/{id}/approve',
    operationId: 'approveProposal',
    tag: 'Proposals',
    summary: 'Approve a proposal',
    description: 'Without a repository connected it becomes `approved`, and can be started.',
    scope: 'proposals.review',
    audit: 'experiment.approve',
    params,
    body: closed({
      acknowledgeOverlap: Type.Optional(
        Type.Boolean({ default: false, description: 'Share a surface with an experiment in flight' }),
      ),
    }),
    bodyOptional: true,
    bodyExample: { acknowledgeOverlap: true },
    responses: { 200: { description: 'The experiment', schema: Experiment, example: exampleExperiment } },
    errors: ['ILLEGAL_TRANSITION', 'PROPOSAL_FILES_MISSING', 'PROPOSAL_SNAPSHOT_STALE', 'SURFACE_OVERLAP'],
    handler({ params, body, services, workspaceId, write }) {
      return write(async (tx) => {
        const row = await lockExperiment(tx, workspaceId, params.id)
        requireLegal(row, 'approve', 'approve')
        if (body.acknowledgeOverlap !== true) await refuseOverlap(tx, workspaceId, row.surfaces, row.id)
        const at = new Date(services.now())
        const approved = await moveExperiment(tx, workspaceId, row.id, 'approve', 'approved', at)
        if (approved === undefined) throw illegalTransition(row, 'approve')
        return {
          answer: { status: 200, body: toExperiment(approved) },
          audit: { resourceId: row.id, summary: `Approved ${nameOf(row)}` },
        }
      })
    },
  }),

  defineRoute({
    method: 'POST',
    path: '/experiments/{id}/dismiss',
    operationId: 'dismissProposal',
    tag: 'Proposals',
    summary: 'Turn a proposal down',
    scope: 'proposals.review',
    audit: 'experiment.dismiss',
    params,
    body: closed({
      reasons: Type.Array(oneOf(DISMISSAL_REASONS), {
        minItems: 1,
        maxItems: DISMISSAL_REASONS.length,
        uniqueItems: true,
      }),
      note: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: EXPERIMENT_LIMITS.dismissalNote,
          description: 'Kept for the team: later proposals and pull requests read it',
        }),
      ),
    }),
    bodyExample: { reasons: ['low_impact'], note: 'Few visitors see this page' },
    responses: {
      200: { description: 'The dismissed proposal', schema: Experiment, example: exampleDismissed },
    },
    errors: ['ILLEGAL_TRANSITION'],
    handler({ params, body, credential, services, workspaceId, write }) {
      return write(async (tx) => {
        const row = await lockExperiment(tx, workspaceId, params.id)
        requireLegal(row, 'dismiss', 'dismiss')
        const at = new Date(services.now())
        const dismissed = await moveExperiment(tx, workspaceId, row.id, 'dismiss', 'dismissed', at, {
          dismissal: {
            reasons: body.reasons,
            note: body.note ?? null,
            dismissedAt: at.toISOString(),
            personId: credential.person.id,
          },
        })
        if (dismissed === undefined) throw illegalTransition(row, 'dismiss')
        return {
          answer: { status: 200, body: toExperiment(dismissed) },
          audit: {
            resourceId: row.id,
            summary: `Dismissed ${nameOf(row)}: ${body.reasons.join(', ')}`,
          },
        }
      })
    },
  }),

  defineRoute({
    method: 'POST',
    path: '/experiments/{id}/refine',
    operationId: 'refineProposal',
    tag: 'Proposals',
    summary: 'Have a proposal rewritten',
    scope: 'proposals.review',
    audit: 'experiment.refine',
    params,
    body: closed({
      instructions: Type.String({ minLength: 1, maxLength: EXPERIMENT_LIMITS.instructions }),
    }),
    bodyExample: { instructions: exampleRefinement.instructions },
    responses: {
      202: { description: 'The revision', schema: Refinement, example: exampleRefinement },
    },
    errors: ['ILLEGAL_TRANSITION', 'REPOSITORY_NOT_CONNECTED', 'REFINE_IN_FLIGHT'],
    async handler({ params, services, workspaceId }) {
      const row = await findExperiment(services.sql, workspaceId, params.id)
      requireLegal(row, 'refine', 'refine')
      throw repositoryNotConnected()
    },
  }),

  defineRoute({
    method: 'GET',
    path: '/experiments/{id}/refine',
    operationId: 'getRefinement',
    tag: 'Proposals',
    summary: 'Get the latest revision of a proposal',
    scope: null,
    params,
    etag: true,
    responses: {
      200: {
        description: 'The latest revision, or null where there is none',
        schema: nullable(Refinement),
        example: exampleRefinement,
      },
    },
    async handler({ params, services, workspaceId }) {
      const { id } = await findExperiment(services.sql, workspaceId, params.id)
      return { status: 200, body: await findRefinement(services.sql, workspaceId, id) }
    },
  }),

  defineRoute({
    method: 'POST',
    path: '/experiments/{id}/generate-pr',
    operationId: 'generatePullRequest',
    tag: 'Proposals',
    summary: 'Write the pull request of an approved experiment',
    scope: 'experiments.manage',
    audit: 'experiment.generate-pr',
    params,
    responses: {
      202: {
        description: 'The experiment; its pull request is being written',
        schema: Experiment,
        example: { ...exampleExperiment, status: 'generating_pr' },
      },
    },
    errors: ['ILLEGAL_TRANSITION', 'REPOSITORY_NOT_CONNECTED'],
    async handler({ params, services, workspaceId }) {
      const row = await findExperiment(services.sql, workspaceId, params.id)
      requireLegal(row, 'generatePr', 'generate-pr')
      throw repositoryNotConnected()
    },
  }),
]
