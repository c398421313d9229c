import { Type } from '@sinclair/typebox'
import { sendOutcomeJob, settleExperiment } from '../../management/experiments/outcome.js'
import {
  illegalTransition,
  lockExperiment,
  type MoveFields,
  moveExperiment,
  requireLegal,
} from '../../management/experiments/store.js'
import type { ExperimentRow } from '../../management/experiments/types.js'
import { requireVariant } from '../../management/experiments/winner.js'
import { EXPERIMENT_LIMITS } from '../../management/experiments/words.js'
import type { Services } from '../../management/services.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { defineRoute, type Written } from '../frame/route.js'
import { closed, named } from '../frame/schemas.js'
import { exampleSettling } from './examples.js'
import { Experiment, experimentParams as params } from './schemas.js'
import { nameOf, statusLocation, toExperiment } from './view.js'
import { writtenUp } from './written-up.js'

const HOUR_MS = 3_600_000
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

export const decideRoute = defineRoute({
  method: 'POST',
  path: '/experiments/{id}/decide',
  operationId: 'decideExperiment',
  tag: 'Lifecycle',
  summary: 'Decide an ended experiment',
  description:
    'It settles until late conversions are in, so many hours after its end as the service is set to, then becomes `shipped` or `rejected` and is written up as a learning. With `force` it does at once, also while it settles already.',
  scope: 'experiments.decide',
  audit: 'experiment.decide',
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
  handler({ params, body, services, workspaceId, write }) {
    const record = async (tx: Transaction, row: ExperimentRow): Promise<Written> => {
      const move = body.force === true ? 'decideAtOnce' : 'decide'
      requireLegal(row, move, 'decide')
      const variant = body.outcome === 'ship' ? requireVariant(row, body.variant).key : null
      const decided = await decide(tx, services, workspaceId, row, body, variant)
      if (decided === undefined) throw illegalTransition(row, 'decide')
      const what = variant === null ? 'reject' : `ship ${variant} of`
      return {
        answer: {
          status: 202,
          body: toExperiment(decided),
          headers: {
            Location: statusLocation(decided),
            'Retry-After': String(retryAfter(decided.settlesAt, services.now())),
          },
        },
        audit: {
          resourceId: row.id,
          summary: `Decided to ${what} ${nameOf(row)}${body.force === true ? ' at once' : ''}`,
        },
      }
    }
    if (body.force === true) return writtenUp({ services, write, workspaceId }, params.id, record)
    return write(async (tx) => record(tx, await lockExperiment(tx, workspaceId, params.id)))
  },
})

async function decide(
  tx: Transaction,
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
  body: Decision,
  variant: string | null,
): Promise<ExperimentRow | undefined> {
  const at = new Date(services.now())
  const endedAt = row.endedAt ?? at
  const fields: MoveFields = {
    decisionOutcome: body.outcome,
    decisionVariant: variant,
    decisionReason: body.reason ?? null,
    decidedAt: at,
    // Fixed now: another setting later does not move it.
    settlesAt: body.force === true ? at : new Date(endedAt.getTime() + services.settlingHours * HOUR_MS),
  }
  const { jobs } = services
  if (body.force === true) {
    const to = body.outcome === 'ship' ? 'shipped' : 'rejected'
    return settleExperiment(tx, jobs, workspaceId, row.id, { move: 'decideAtOnce', to, fields }, at)
  }
  const decided = await moveExperiment(tx, workspaceId, row.id, 'decide', 'settling', at, fields)
  if (decided === undefined) return undefined
  const waitMs = (decided.settlesAt?.getTime() ?? 0) - services.now()
  await sendOutcomeJob(tx, jobs, workspaceId, row.id, waitMs)
  return decided
}

/** Seconds until the outcome can be there. */
function retryAfter(settlesAt: Date | null, now: number): number {
  const seconds = Math.ceil(((settlesAt?.getTime() ?? now) - now) / 1_000)
  return Math.min(Math.max(seconds, 1), LONGEST_RETRY_SECONDS)
}
