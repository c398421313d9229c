import { declareExperiment } from '../../../management/experiments/operations/declare.js'
import { assertValid, defineOperation } from '../../http/route.js'
import { exampleExperiment } from '../examples.js'
import { createRules } from '../input.js'
import { CreateExperiment, Experiment } from '../schemas.js'
import { PULL_REQUEST_DEADLINE_MS, toExperiment } from '../view.js'

export const createRoute = defineOperation({
  method: 'POST',
  path: '/experiments',
  operationId: 'createExperiment',
  tag: 'Experiments',
  summary: 'Declare an experiment',
  description:
    'It is approved as it comes, and its pull request is written, within 20 s mostly: `pr_open`, or `pr_failed`; else it is `generating_pr`. While the workspace has no repository connected there is no pull request: it stays `approved` and can be started.',
  deadlineMs: PULL_REQUEST_DEADLINE_MS,
  scope: 'experiments.manage',
  body: CreateExperiment,
  bodyRules: createRules,
  bodyExample: {
    name: 'Shorter checkout',
    variants: [
      { displayName: 'Three pages', trafficSplit: 50 },
      { displayName: 'One page', trafficSplit: 50 },
    ],
    conversionTargets: [{ eventName: 'order_paid', name: 'Paid', windowHours: 72 }],
    surfaces: [{ path: 'src/checkout.html', anchor: '#pay' }],
    priority: 'high',
  },
  responses: { 201: { description: 'The experiment', schema: Experiment, example: exampleExperiment } },
  errors: ['KEY_TAKEN', 'SURFACE_OVERLAP', 'PROPOSAL_FILES_MISSING', 'REPOSITORY_NOT_CONNECTED'],
  operation: declareExperiment,
  input: ({ body, services }) => {
    assertValid(createRules, body, services.now())
    return body
  },
  answer: (row) => ({
    status: 201,
    body: toExperiment(row),
    headers: { Location: `/v1/experiments/${row.id}` },
  }),
})
