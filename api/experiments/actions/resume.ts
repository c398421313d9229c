import { resumeExperiment } from '../../../management/experiments/operations/resume.js'
import { defineOperation } from '../../http/route.js'
import { closed } from '../../http/schemas.js'
import { exampleRunning } from '../examples.js'
import { Experiment, experimentParams as params } from '../schemas.js'
import { toExperiment } from '../view.js'

export const resumeRoute = defineOperation({
  method: 'POST',
  path: '/experiments/{id}/resume',
  operationId: 'resumeExperiment',
  tag: 'Lifecycle',
  summary: 'Resume a paused experiment',
  scope: 'experiments.manage',
  params,
  bodyOptional: true,
  body: closed({}),
  bodyExample: {},
  responses: {
    200: { description: 'The running experiment', schema: Experiment, example: exampleRunning },
  },
  errors: ['ILLEGAL_TRANSITION'],
  operation: resumeExperiment,
  input: ({ params }) => ({ reference: params.id }),
  answer: (row) => ({ status: 200, body: toExperiment(row) }),
})
