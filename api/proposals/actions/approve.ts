import { Type } from '@sinclair/typebox'
import { approveProposal } from '../../../management/experiments/operations/approve.js'
import { exampleExperiment } from '../../experiments/examples.js'
import { Experiment, experimentParams as params } from '../../experiments/schemas.js'
import { PULL_REQUEST_DEADLINE_MS, toExperiment } from '../../experiments/view.js'
import { defineOperation } from '../../http/route.js'
import { closed } from '../../http/schemas.js'

export const approveRoute = defineOperation({
  method: 'POST',
  path: '/experiments/{id}/approve',
  operationId: 'approveProposal',
  tag: 'Proposals',
  summary: 'Approve a proposal',
  description:
    'Its pull request is written, within 20 s mostly: `pr_open`, or `pr_failed`; else it is `generating_pr`. Without a repository connected it becomes `approved`, and can be started.',
  deadlineMs: PULL_REQUEST_DEADLINE_MS,
  scope: 'proposals.review',
  params,
  body: closed({
    acknowledgeOverlap: Type.Optional(
      Type.Boolean({ default: false, description: 'Share a surface with an experiment in flight' }),
    ),
  }),
  bodyOptional: true,
  bodyExample: { acknowledgeOverlap: true },
  responses: { 200: { description: 'The experiment', schema: Experiment, example: exampleExperiment } },
  errors: [
    'ILLEGAL_TRANSITION',
    'PROPOSAL_FILES_MISSING',
    'PROPOSAL_SNAPSHOT_STALE',
    'SURFACE_OVERLAP',
    'REPOSITORY_NOT_CONNECTED',
  ],
  operation: approveProposal,
  input: ({ params, body }) => ({ reference: params.id, ...body }),
  answer: (row) => ({ status: 200, body: toExperiment(row) }),
})
