import { pauseExperiment } from '../../../management/experiments/operations/pause.js'
import { defineOperation } from '../../http/route.js'
import { closed } from '../../http/schemas.js'
import { examplePaused } from '../examples.js'
import { Experiment, experimentParams as params } from '../schemas.js'
import { toExperiment } from '../view.js'

export const pauseRoute = defineOperation({
  method: 'POST',
  path: '/experiments/{id}/pause',
  operationId: 'pauseExperiment',
  tag: 'Lifecycle',
  summary: 'Pause a running experiment',
  description: 'Pausing stops serving variants, not measuring.',
  scope: 'experiments.manage',
  params,
  bodyOptional: true,
  body: closed({}),
  bodyExample: {},
  responses: { 200: { description: 'The paused experiment', schema: Experiment, example: examplePaused } },
  errors: ['ILLEGAL_TRANSITION'],
  operation: pauseExperiment,
  input: ({ params }) => ({ reference: params.id }),
  answer: (row) => ({ status: 200, body: toExperiment(row) }),
})
