import { Type } from '@sinclair/typebox'
import { EXPERIMENT_LIMITS, type ExperimentRow } from '../../management/experiments/index.js'
import { decideExperiment, endExperiment, shipExperiment } from '../../management/workflows/decide.js'
import { startExperiment } from '../../management/workflows/start.js'
import { pauseExperiment, resumeExperiment } from '../../management/workflows/transition.js'
import { checkScope } from '../http/authenticator.js'
import { defineOperation } from '../http/route.js'
import { closed, named } from '../http/schemas.js'
import { exampleEnded, examplePaused, exampleRunning, exampleSettling, exampleShipped } from './examples.js'
import { ExperimentSchema, experimentParams as params } from './schemas.js'
import { lockExperimentState, statusLocation, toExperiment } from './view.js'

/** What the routes that change the status at once have in common. */
const lifecycle = {
  method: 'POST',
  tag: 'Lifecycle',
  scope: 'experiments.manage',
  params,
  bodyOptional: true,
  errors: ['ILLEGAL_TRANSITION'],
  lockState: lockExperimentState,
  answer: (row: ExperimentRow) => ({ status: 200, body: toExperiment(row) }),
} as const

const withoutFields = {
  ...lifecycle,
  body: closed({}),
  bodyExample: {},
  input: ({ params }: { readonly params: { readonly id: string } }) => ({ reference: params.id }),
}

export const startRoute = defineOperation({
  ...withoutFields,
  path: '/experiments/{id}/start',
  operationId: 'startExperiment',
  summary: 'Start an experiment',
  description:
    'Allowed from `approved`, `ready`, and `pr_open` with a merged pull request. Refused unless the workspace has received the primary target’s event, or if that cannot be checked within 2 s.',
  responses: {
    200: { description: 'The running experiment', schema: ExperimentSchema, example: exampleRunning },
  },
  errors: ['ILLEGAL_TRANSITION', 'EVENT_HISTORY_UNAVAILABLE'],
  operation: startExperiment,
})

export const pauseRoute = defineOperation({
  ...withoutFields,
  path: '/experiments/{id}/pause',
  operationId: 'pauseExperiment',
  summary: 'Pause a running experiment',
  description: 'Visitors see the control; measuring goes on.',
  responses: {
    200: { description: 'The paused experiment', schema: ExperimentSchema, example: examplePaused },
  },
  operation: pauseExperiment,
})

export const resumeRoute = defineOperation({
  ...withoutFields,
  path: '/experiments/{id}/resume',
  operationId: 'resumeExperiment',
  summary: 'Resume a paused experiment',
  responses: {
    200: { description: 'The running experiment', schema: ExperimentSchema, example: exampleRunning },
  },
  operation: resumeExperiment,
})

export const endRoute = defineOperation({
  ...lifecycle,
  path: '/experiments/{id}/end',
  operationId: 'endExperiment',
  summary: 'End an experiment',
  description:
    'Allowed from `running` and `paused`. With `conclude`, also from `ended`: a learning is written without a decision, which also needs the scope `experiments.decide`.',
  body: closed({
    conclude: Type.Optional(
      Type.Boolean({ default: false, description: 'Write a learning and leave the experiment undecided' }),
    ),
  }),
  bodyExample: { conclude: false },
  responses: {
    200: { description: 'The ended experiment', schema: ExperimentSchema, example: exampleEnded },
  },
  operation: endExperiment,
  input: ({ params, body, credential }) => {
    const conclude = body.conclude === true
    if (conclude) checkScope(credential, { scope: 'experiments.decide' })
    return { reference: params.id, conclude }
  },
})

export const shipRoute = defineOperation({
  ...lifecycle,
  path: '/experiments/{id}/ship',
  operationId: 'shipExperiment',
  summary: 'Ship a variant at once',
  description:
    'Ends the experiment if it is running and writes a learning in the background. The response waits up to two seconds for it.',
  body: closed({
    variant: Type.Optional(
      Type.String({ description: 'Key of the variant. Defaults to the treatment if there are two variants' }),
    ),
  }),
  bodyExample: { variant: 'one-page' },
  responses: {
    200: { description: 'The shipped experiment', schema: ExperimentSchema, example: exampleShipped },
  },
  operation: shipExperiment,
  input: ({ params, body }) => ({ reference: params.id, ...body }),
})

const LONGEST_RETRY_SECONDS = 3_600

const reason = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: EXPERIMENT_LIMITS.decisionReason,
    description: 'Becomes part of the learning',
  }),
)
const force = Type.Optional(Type.Boolean({ default: false, description: 'Do not wait for late conversions' }))

type Decision =
  | { readonly outcome: 'ship'; readonly variant: string; readonly reason?: string; readonly force?: boolean }
  | { readonly outcome: 'reject'; readonly reason?: string; readonly force?: boolean }

const DecisionBody = named(
  'Decision',
  Type.Unsafe<Decision>({
    type: 'object',
    required: ['outcome'],
    discriminator: { propertyName: 'outcome' },
    oneOf: [
      named(
        'ShipDecision',
        closed({
          outcome: Type.String({ enum: ['ship'] }),
          variant: Type.String({ description: 'Key of the variant to ship' }),
          reason,
          force,
        }),
      ),
      named('RejectDecision', closed({ outcome: Type.String({ enum: ['reject'] }), reason, force })),
    ],
  }),
)

export const decideRoute = defineOperation({
  method: 'POST',
  path: '/experiments/{id}/decide',
  operationId: 'decideExperiment',
  tag: 'Lifecycle',
  summary: 'Decide an ended experiment',
  description:
    'The experiment settles until late conversions are in (hours after its end, a setting of the service), then becomes `shipped` or `rejected`, and a learning is written. `force` skips the wait, also while it settles already.',
  scope: 'experiments.decide',
  params,
  body: DecisionBody,
  bodyExample: { outcome: 'ship', variant: 'one-page', reason: 'More orders, no more refunds' },
  responses: {
    202: {
      description: 'The decision is recorded; poll the status',
      schema: ExperimentSchema,
      example: exampleSettling,
    },
  },
  errors: ['ILLEGAL_TRANSITION'],
  lockState: lockExperimentState,
  operation: decideExperiment,
  input: ({ params, body }) => ({ reference: params.id, ...body }),
  answer: (row, now) => ({
    status: 202,
    body: toExperiment(row),
    headers: { Location: statusLocation(row), 'Retry-After': String(retryAfter(row.settlesAt, now)) },
  }),
})

/** Seconds until the outcome may be known. */
function retryAfter(settlesAt: Date | null, now: number): number {
  const seconds = Math.ceil(((settlesAt?.getTime() ?? now) - now) / 1_000)
  return Math.min(Math.max(seconds, 1), LONGEST_RETRY_SECONDS)
}
