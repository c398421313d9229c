import type { Services } from '../../management/services.js'
import { declareExperiment } from '../../management/workflows/declare.js'
import { type ExperimentChanges, updateExperiment } from '../../management/workflows/update.js'
import { assertValid, created, defineOperation, json } from '../http/route.js'
import { closed } from '../http/schemas.js'
import { exampleExperiment } from './examples.js'
import { createRules, targetRules } from './input.js'
import { CreateExperimentSchema, ExperimentSchema, targetInputs, UpdateExperimentSchema } from './schemas.js'
import { onExperiment, PULL_REQUEST_DEADLINE_MS, toExperiment } from './view.js'

export const createRoute = defineOperation('POST /experiments', 'createExperiment', {
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
  responses: { 201: json('The experiment', ExperimentSchema, exampleExperiment) },
  errors: ['KEY_TAKEN', 'SURFACE_OVERLAP', 'PROPOSAL_FILES_MISSING', 'REPOSITORY_NOT_CONNECTED'],
  operation: declareExperiment,
  input: ({ body, services }) => {
    assertValid(createRules, body, services.now())
    return body
  },
  answer: (row) => created(toExperiment(row), `/v1/experiments/${row.id}`),
})

const update = {
  ...onExperiment,
  tag: 'Experiments',
  scope: 'experiments.manage',
  bodyExample: { conversionTargets: [{ eventName: 'order_paid', windowHours: 72 }] },
  responses: { 200: json('The current experiment', ExperimentSchema, exampleExperiment) },
  errors: ['NOT_EDITABLE'],
  operation: updateExperiment,
  bodyRules: targetRules,
  input({ params, body, services }: { params: { id: string }; body: ExperimentChanges; services: Services }) {
    assertValid(targetRules, body, services.now())
    return { reference: params.id, changes: body }
  },
} as const

export const updateRoute = defineOperation('PATCH /experiments/{id}', 'updateExperiment', {
  ...update,
  summary: 'Change an experiment',
  description:
    'Name, mechanism, notes, hypothesis and priority can change while it is `proposed`; traffic splits and conversion targets while it is `proposed`, `approved` or `pr_failed`. A request that changes nothing gets the same response and no audit entry.',
  body: UpdateExperimentSchema,
})

const TARGETS = 'PUT /experiments/{id}/conversion-targets'
export const replaceTargetsRoute = defineOperation(TARGETS, 'replaceConversionTargets', {
  ...update,
  summary: 'Replace the conversion targets',
  description: 'Allowed while it is `proposed`, `approved` or `pr_failed`.',
  body: closed({ conversionTargets: targetInputs }),
})
