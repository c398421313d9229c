import { Type } from '@sinclair/typebox'
import { shipExperiment } from '../../../management/experiments/operations/ship.js'
import { defineOperation } from '../../http/route.js'
import { closed } from '../../http/schemas.js'
import { exampleShipped } from '../examples.js'
import { Experiment, experimentParams as params } from '../schemas.js'
import { toExperiment } from '../view.js'

export const shipRoute = defineOperation({
  method: 'POST',
  path: '/experiments/{id}/ship',
  operationId: 'shipExperiment',
  tag: 'Lifecycle',
  summary: 'Ship a variant at once',
  description:
    'Ends the experiment where it still runs, and writes it up as a learning: by a job, whose end the answer waits for up to two seconds.',
  scope: 'experiments.manage',
  params,
  bodyOptional: true,
  body: closed({
    variant: Type.Optional(
      Type.String({ description: 'Its key; of two variants the one that is not the control' }),
    ),
  }),
  bodyExample: { variant: 'one-page' },
  responses: {
    200: { description: 'The shipped experiment', schema: Experiment, example: exampleShipped },
  },
  errors: ['ILLEGAL_TRANSITION'],
  operation: shipExperiment,
  input: ({ params, body }) => ({ reference: params.id, ...body }),
  answer: (row) => ({ status: 200, body: toExperiment(row) }),
})
