import { Type } from '@sinclair/typebox'
import { EXPERIMENT_LIMITS } from '../../../management/experiments/limits.js'
import { refineProposal } from '../../../management/proposals/operations/refine.js'
import { exampleRefinement } from '../../experiments/examples.js'
import { experimentParams as params } from '../../experiments/schemas.js'
import { defineOperation } from '../../http/route.js'
import { closed } from '../../http/schemas.js'
import { Refinement } from '../schemas.js'

export const refineRoute = defineOperation({
  method: 'POST',
  path: '/experiments/{id}/refine',
  operationId: 'refineProposal',
  tag: 'Proposals',
  summary: 'Have a proposal rewritten',
  description:
    'In the background; what fails leaves it as it is. An approval or a dismissal in between stands, and the revision fails; an edit in between stands, and the revision is made from it.',
  scope: 'proposals.review',
  params,
  body: closed({
    instructions: Type.String({
      maxLength: EXPERIMENT_LIMITS.instructions,
      // One character at least, and blank ones ask for nothing.
      pattern: '\\S',
    }),
  }),
  bodyExample: { instructions: exampleRefinement.instructions },
  responses: {
    202: { description: 'The revision', schema: Refinement, example: exampleRefinement },
  },
  errors: ['ILLEGAL_TRANSITION', 'REPOSITORY_NOT_CONNECTED', 'REFINE_IN_FLIGHT'],
  operation: refineProposal,
  input: ({ params, body }) => ({ reference: params.id, ...body }),
  answer: ({ refinement, experimentId }) => ({
    status: 202,
    body: refinement,
    headers: { Location: `/v1/experiments/${experimentId}/refine`, 'Retry-After': '1' },
  }),
})
