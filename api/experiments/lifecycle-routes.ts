import { Type } from '@sinclair/typebox'
import { EXPERIMENT_LIMITS } from '../../management/experiments/index.js'
import { decideExperiment, endExperiment, shipExperiment } from '../../management/workflows/decide.js'
import { startExperiment } from '../../management/workflows/start.js'
import { pauseExperiment, resumeExperiment } from '../../management/workflows/transition.js'
import { checkScope } from '../http/authenticator.js'
import { accepted, defineOperation, json } from '../http/route.js'
import { closed, flag, named, textUpTo, unionBy } from '../http/schemas.js'
import { exampleEnded, examplePaused, exampleRunning, exampleSettling, exampleShipped } from './examples.js'
import { ExperimentSchema } from './schemas.js'
import { onExperiment, statusLocation, toExperiment } from './view.js'

/** Fields that the routes of an immediate change of status share. */
const lifecycle = {
  ...onExperiment,
  tag: 'Lifecycle',
  scope: 'experiments.manage',
  bodyOptional: true,
  errors: ['ILLEGAL_TRANSITION'],
} as const

const withoutFields = {
  ...lifecycle,
  body: closed({}),
  bodyExample: {},
  input: ({ params }: { readonly params: { readonly id: string } }) => ({ reference: params.id }),
}

export const startRoute = defineOperation('POST /experiments/{id}/start', 'startExperiment', {
  ...withoutFields,
  summary: 'Start an experiment',
  description:
    'Allowed from `approved`, `ready`, and `pr_open` with a merged pull request. Refused unless the workspace has received the primary target’s event, or if that cannot be checked within 2 s.',
  responses: { 200: json('The running experiment', ExperimentSchema, exampleRunning) },
  errors: ['ILLEGAL_TRANSITION', 'EVENT_HISTORY_UNAVAILABLE'],
  operation: startExperiment,
})

export const pauseRoute = defineOperation('POST /experiments/{id}/pause', 'pauseExperiment', {
  ...withoutFields,
  summary: 'Pause a running experiment',
  description: 'Visitors see the control; measuring goes on.',
  responses: { 200: json('The paused experiment', ExperimentSchema, examplePaused) },
  operation: pauseExperiment,
})

export const resumeRoute = defineOperation('POST /experiments/{id}/resume', 'resumeExperiment', {
  ...withoutFields,
  summary: 'Resume a paused experiment',
  responses: { 200: json('The running experiment', ExperimentSchema, exampleRunning) },
  operation: resumeExperiment,
})

export const endRoute = defineOperation('POST /experiments/{id}/end', 'endExperiment', {
  ...lifecycle,
  summary: 'End an experiment',
  description:
    'Allowed from `running` and `paused`. With `conclude`, also from `ended`: a learning is written without a decision, which also needs the scope `experiments.decide`.',
  body: closed({
    conclude: flag('Write a learning and leave the experiment undecided'),
  }),
  bodyExample: { conclude: false },
  responses: { 200: json('The ended experiment', ExperimentSchema, exampleEnded) },
  operation: endExperiment,
  input: ({ params, body, credential }) => {
    const conclude = body.conclude === true
    if (conclude) checkScope(credential, { scope: 'experiments.decide' })
    return { reference: params.id, conclude }
  },
})

export const shipRoute = defineOperation('POST /experiments/{id}/ship', 'shipExperiment', {
  ...lifecycle,
  summary: 'Ship a variant at once',
  description:
    'Ends the experiment if it is running and writes a learning in the background. The response waits up to two seconds for it.',
  body: closed({
    variant: Type.Optional(
      Type.String({ description: 'Key of the variant. Defaults to the treatment if there are two variants' }),
    ),
  }),
  bodyExample: { variant: 'one-page' },
  responses: { 200: json('The shipped experiment', ExperimentSchema, exampleShipped) },
  operation: shipExperiment,
  input: ({ params, body }) => ({ reference: params.id, ...body }),
})

const LONGEST_RETRY_SECONDS = 3_600

const reason = Type.Optional(textUpTo(EXPERIMENT_LIMITS.decisionReason, 'Becomes part of the learning'))
const force = flag('Do not wait for late conversions')

type Decision =
  | { readonly outcome: 'ship'; readonly variant: string; readonly reason?: string; readonly force?: boolean }
  | { readonly outcome: 'reject'; readonly reason?: string; readonly force?: boolean }

const DecisionBody = named(
  'Decision',
  unionBy<Decision>('outcome', [
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
  ]),
)

export const decideRoute = defineOperation('POST /experiments/{id}/decide', 'decideExperiment', {
  ...onExperiment,
  tag: 'Lifecycle',
  summary: 'Decide an ended experiment',
  description:
    'The experiment settles until late conversions are in (hours after its end, a setting of the service), then becomes `shipped` or `rejected`, and a learning is written. `force` skips the wait, also while it settles already.',
  scope: 'experiments.decide',
  body: DecisionBody,
  bodyExample: { outcome: 'ship', variant: 'one-page', reason: 'More orders, no more refunds' },
  responses: { 202: json('The decision is recorded; poll the status', ExperimentSchema, exampleSettling) },
  errors: ['ILLEGAL_TRANSITION'],
  operation: decideExperiment,
  input: ({ params, body }) => ({ reference: params.id, ...body }),
  answer: (row, now) => accepted(toExperiment(row), statusLocation(row), retryAfter(row.settlesAt, now)),
})

/** Seconds until the outcome may be known. */
function retryAfter(settlesAt: Date | null, now: number): number {
  const seconds = Math.ceil(((settlesAt?.getTime() ?? now) - now) / 1_000)
  return Math.min(Math.max(seconds, 1), LONGEST_RETRY_SECONDS)
}
