import { Type } from '@sinclair/typebox'
import { EXPERIMENT_LIMITS } from '../../../management/experiments/limits.js'
import { decideExperiment } from '../../../management/experiments/operations/decide.js'
import { defineOperation } from '../../http/route.js'
import { closed, named } from '../../http/schemas.js'
import { exampleSettling } from '../examples.js'
import { Experiment, experimentParams as params } from '../schemas.js'
import { statusLocation, toExperiment } from '../view.js'

const LONGEST_RETRY_SECONDS = 3_600

const reason = Type.Optional(
  Type.String({ minLength: 1, maxLength: EXPERIMENT_LIMITS.decisionReason, description: 'For the learning' }),
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
          variant: Type.String({ description: 'The key of the variant that stays' }),
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
    'It settles until late conversions are in, so many hours after its end as the service is set to, then becomes `shipped` or `rejected` and is written up as a learning. With `force` it does at once, also while it settles already.',
  scope: 'experiments.decide',
  params,
  body: DecisionBody,
  bodyExample: { outcome: 'ship', variant: 'one-page', reason: 'More orders, no more refunds' },
  responses: {
    202: {
      description: 'The decision is recorded; poll the status',
      schema: Experiment,
      example: exampleSettling,
    },
  },
  errors: ['ILLEGAL_TRANSITION'],
  operation: decideExperiment,
  input: ({ params, body }) => ({ reference: params.id, ...body }),
  answer: (row, now) => ({
    status: 202,
    body: toExperiment(row),
    headers: { Location: statusLocation(row), 'Retry-After': String(retryAfter(row.settlesAt, now)) },
  }),
})

/** Seconds until the outcome can be there. */
function retryAfter(settlesAt: Date | null, now: number): number {
  const seconds = Math.ceil(((settlesAt?.getTime() ?? now) - now) / 1_000)
  return Math.min(Math.max(seconds, 1), LONGEST_RETRY_SECONDS)
}
