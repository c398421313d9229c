import { Type } from '@sinclair/typebox'
import { refineProposal } from '../../../management/experiments/operations/refine.js'
import { EXPERIMENT_LIMITS } from '../../../management/experiments/words.js'
import { exampleRefinement } from '../../experiments/examples.js'
import { experimentParams as params } from '../../experiments/schemas.js'
import { defineOperation } from '../../frame/route.js'
import { closed } from '../../frame/schemas.js'
import { Refinement } from '../schemas.js'

export const refineRoute = defineOperation({
  method: 'POST',
  path: '/experiments/{id}/refine',
  operationId: 'refineProposal',
  tag: 'Proposals',
  summary: 'Have a proposal rewritten',
  scope: 'proposals.review',
  params,
  body: closed({
    instructions: Type.String({ minLength: 1, maxLength: EXPERIMENT_LIMITS.instructions }),
  }),
  bodyExample: { instructions: exampleRefinement.instructions },
  responses: {
    202: { description: 'The revision', schema: Refinement, example: exampleRefinement },
  },
  errors: ['ILLEGAL_TRANSITION', 'REPOSITORY_NOT_CONNECTED', 'REFINE_IN_FLIGHT'],
  operation: refineProposal,
  input: ({ params, body }) => ({ reference: params.id, ...body }),
  answer: (refinement) => ({ status: 202, body: refinement }),
})
