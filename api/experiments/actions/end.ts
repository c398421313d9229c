import { Type } from '@sinclair/typebox'
import { endExperiment } from '../../../management/experiments/operations/end.js'
import { checkScope } from '../../http/authenticator.js'
import { defineOperation } from '../../http/route.js'
import { closed } from '../../http/schemas.js'
import { exampleEnded } from '../examples.js'
import { Experiment, experimentParams as params } from '../schemas.js'
import { toExperiment } from '../view.js'

export const endRoute = defineOperation({
  method: 'POST',
  path: '/experiments/{id}/end',
  operationId: 'endExperiment',
  tag: 'Lifecycle',
  summary: 'End an experiment',
  description:
    'From `running` and `paused`. With `conclude`, from `ended` too: it is written up as a learning without a decision, which takes the scope `experiments.decide` as well.',
  scope: 'experiments.manage',
  params,
  bodyOptional: true,
  body: closed({
    conclude: Type.Optional(
      Type.Boolean({ default: false, description: 'Write it up and leave it undecided for good' }),
    ),
  }),
  bodyExample: { conclude: false },
  responses: { 200: { description: 'The ended experiment', schema: Experiment, example: exampleEnded } },
  errors: ['ILLEGAL_TRANSITION'],
  operation: endExperiment,
  input: ({ params, body, credential }) => {
    const conclude = body.conclude === true
    if (conclude) checkScope(credential, { scope: 'experiments.decide' })
    return { reference: params.id, conclude }
  },
  answer: (row) => ({ status: 200, body: toExperiment(row) }),
})
