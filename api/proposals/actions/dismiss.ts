import { Type } from '@sinclair/typebox'
import { DISMISSAL_REASONS, EXPERIMENT_LIMITS } from '../../../management/experiments/limits.js'
import { dismissProposal } from '../../../management/experiments/operations/dismiss.js'
import { exampleDismissed } from '../../experiments/examples.js'
import { Experiment, experimentParams as params } from '../../experiments/schemas.js'
import { toExperiment } from '../../experiments/view.js'
import { defineOperation } from '../../http/route.js'
import { closed, oneOf } from '../../http/schemas.js'

export const dismissRoute = defineOperation({
  method: 'POST',
  path: '/experiments/{id}/dismiss',
  operationId: 'dismissProposal',
  tag: 'Proposals',
  summary: 'Turn a proposal down',
  scope: 'proposals.review',
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
  operation: dismissProposal,
  input: ({ params, body }) => ({ reference: params.id, ...body }),
  answer: (row) => ({ status: 200, body: toExperiment(row) }),
})
