import { startExperiment } from '../../../management/experiments/operations/start.js'
import { defineOperation } from '../../http/route.js'
import { closed } from '../../http/schemas.js'
import { exampleRunning } from '../examples.js'
import { Experiment, experimentParams as params } from '../schemas.js'
import { toExperiment } from '../view.js'

export const startRoute = defineOperation({
  method: 'POST',
  path: '/experiments/{id}/start',
  operationId: 'startExperiment',
  tag: 'Lifecycle',
  summary: 'Start an experiment',
  description:
    'From `approved`, `ready`, or `pr_open` where the pull request is merged. Refused unless the workspace has received the primary target’s event, and where that cannot be found out within 2 s.',
  scope: 'experiments.manage',
  params,
  bodyOptional: true,
  body: closed({}),
  bodyExample: {},
  responses: {
    200: { description: 'The running experiment', schema: Experiment, example: exampleRunning },
  },
  errors: ['ILLEGAL_TRANSITION', 'EVENT_HISTORY_UNAVAILABLE'],
  operation: startExperiment,
  input: ({ params }) => ({ reference: params.id }),
  answer: (row) => ({ status: 200, body: toExperiment(row) }),
})
