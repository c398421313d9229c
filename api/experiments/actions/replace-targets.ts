import { updateExperiment } from '../../../management/experiments/operations/update.js'
import { defineOperation } from '../../http/route.js'
import { closed } from '../../http/schemas.js'
import { exampleExperiment } from '../examples.js'
import { Experiment, experimentParams as params, targetInputs } from '../schemas.js'
import { toExperiment } from '../view.js'

export const replaceTargetsRoute = defineOperation({
  method: 'PUT',
  path: '/experiments/{id}/conversion-targets',
  operationId: 'replaceConversionTargets',
  tag: 'Experiments',
  summary: 'Replace the conversion targets',
  description: 'While it is `proposed`, `approved` or `pr_failed`.',
  scope: 'experiments.manage',
  params,
  body: closed({ conversionTargets: targetInputs }),
  bodyExample: { conversionTargets: [{ eventName: 'order_paid', windowHours: 72 }] },
  responses: {
    200: { description: 'The experiment as it is now', schema: Experiment, example: exampleExperiment },
  },
  errors: ['NOT_EDITABLE'],
  operation: updateExperiment,
  input: ({ params, body }) => ({ reference: params.id, changes: body }),
  answer: (row) => ({ status: 200, body: toExperiment(row) }),
})
