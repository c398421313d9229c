import { declareExperiment } from '../../management/workflows/declare.js'
import { updateExperiment } from '../../management/workflows/update.js'
import { assertValid, defineOperation } from '../http/route.js'
import { closed } from '../http/schemas.js'
import { exampleExperiment } from './examples.js'
import { createRules } from './input.js'
import {
  CreateExperimentSchema,
  ExperimentSchema,
  experimentParams as params,
  targetInputs,
  UpdateExperimentSchema,
} from './schemas.js'
import { lockExperimentState, PULL_REQUEST_DEADLINE_MS, toExperiment } from './view.js'

export const createRoute = defineOperation({
  method: 'POST',
  path: '/experiments',
  operationId: 'createExperiment',
  tag: 'Experiments',
  summary: 'Declare an experiment',
  description:
    'The experiment is approved at once, and its pull request is written. The response waits up to 20 s for `pr_open` or `pr_failed`; after that the status is `generating_pr`. Without a connected repository there is no pull request: the experiment stays `approved` and can be started.',
  deadlineMs: PULL_REQUEST_DEADLINE_MS,
  scope: 'experiments.manage',
  body: CreateExperimentSchema,
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
  responses: { 201: { description: 'The experiment', schema: ExperimentSchema, example: exampleExperiment } },
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

export const updateRoute = defineOperation({
  method: 'PATCH',
  path: '/experiments/{id}',
  operationId: 'updateExperiment',
  tag: 'Experiments',
  summary: 'Change an experiment',
  description:
    'Name, mechanism, notes, hypothesis and priority can change while it is `proposed`; traffic splits and conversion targets while it is `proposed`, `approved` or `pr_failed`. A request that changes nothing gets the same response and no audit entry.',
  scope: 'experiments.manage',
  params,
  body: UpdateExperimentSchema,
  bodyExample: { conversionTargets: [{ eventName: 'order_paid', windowHours: 72 }] },
  responses: {
    200: { description: 'The current experiment', schema: ExperimentSchema, example: exampleExperiment },
  },
  errors: ['NOT_EDITABLE'],
  lockState: lockExperimentState,
  operation: updateExperiment,
  input: ({ params, body }) => ({ reference: params.id, changes: body }),
  answer: (row) => ({ status: 200, body: toExperiment(row) }),
})

export const replaceTargetsRoute = defineOperation({
  method: 'PUT',
  path: '/experiments/{id}/conversion-targets',
  operationId: 'replaceConversionTargets',
  tag: 'Experiments',
  summary: 'Replace the conversion targets',
  description: 'Allowed while it is `proposed`, `approved` or `pr_failed`.',
  scope: 'experiments.manage',
  params,
  body: closed({ conversionTargets: targetInputs }),
  bodyExample: { conversionTargets: [{ eventName: 'order_paid', windowHours: 72 }] },
  responses: {
    200: { description: 'The current experiment', schema: ExperimentSchema, example: exampleExperiment },
  },
  errors: ['NOT_EDITABLE'],
  lockState: lockExperimentState,
  operation: updateExperiment,
  input: ({ params, body }) => ({ reference: params.id, changes: body }),
  answer: (row) => ({ status: 200, body: toExperiment(row) }),
})
