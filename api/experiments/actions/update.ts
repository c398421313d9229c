import { updateExperiment } from '../../../management/experiments/operations/update.js'
import { defineOperation } from '../../http/route.js'
import { exampleExperiment } from '../examples.js'
import { Experiment, experimentParams as params, UpdateExperiment } from '../schemas.js'
import { toExperiment } from '../view.js'

export const updateRoute = defineOperation({
  method: 'PATCH',
  path: '/experiments/{id}',
  operationId: 'updateExperiment',
  tag: 'Experiments',
  summary: 'Change an experiment',
  description:
    'Name, mechanism, notes, hypothesis and priority while it is `proposed`; traffic splits and conversion targets while it is `proposed`, `approved` or `pr_failed`. A change that changes nothing is answered alike and leaves no audit entry.',
  scope: 'experiments.manage',
  params,
  body: UpdateExperiment,
  bodyExample: { conversionTargets: [{ eventName: 'order_paid', windowHours: 72 }] },
  responses: {
    200: { description: 'The experiment as it is now', schema: Experiment, example: exampleExperiment },
  },
  errors: ['NOT_EDITABLE'],
  operation: updateExperiment,
  input: ({ params, body }) => ({ reference: params.id, changes: body }),
  answer: (row) => ({ status: 200, body: toExperiment(row) }),
})
