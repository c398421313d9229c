import { Type } from '@sinclair/typebox'
import { EXPERIMENT_LIMITS } from '../../../management/experiments/limits.js'
import { generateProposals } from '../../../management/proposals/operations/generate.js'
import { defineOperation } from '../../http/route.js'
import { closed, named, oneOf, uuid } from '../../http/schemas.js'

export const generateRoute = defineOperation({
  method: 'POST',
  path: '/experiments/generate',
  operationId: 'generateProposals',
  tag: 'Proposals',
  summary: 'Generate a batch of proposals',
  description:
    'In the background, one batch a workspace at a time: the run says how far it is, and what was dropped and why. Pending proposals stand in the way of their like, unless they are to be replaced.',
  scope: 'proposals.review',
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
  operation: generateProposals,
  input: ({ body }) => body,
  answer: (run) => ({
    status: 202,
    body: run,
    headers: { Location: `/v1/experiment-runs/${run.runId}`, 'Retry-After': '1' },
  }),
})
