import { Type } from '@sinclair/typebox'
import type { Action, Move, Status } from '../../domain/lifecycle.js'
import { eventHistoryOf } from '../../management/experiments/event-history.js'
import { settleExperiment } from '../../management/experiments/outcome.js'
import {
  findExperiment,
  illegalTransition,
  lockExperiment,
  type MoveFields,
  moveExperiment,
  requireLegal,
} from '../../management/experiments/store.js'
import type { ExperimentRow } from '../../management/experiments/types.js'
import { requireVariant } from '../../management/experiments/winner.js'
import type { Services } from '../../management/services.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { checkScope } from '../frame/authorise.js'
import { ApiError } from '../frame/errors.js'
import { defineRoute, type Written } from '../frame/route.js'
import { closed } from '../frame/schemas.js'
import { decideRoute } from './decide-route.js'
import { exampleEnded, examplePaused, exampleRunning, exampleShipped } from './examples.js'
import { Experiment, experimentParams as params } from './schemas.js'
import { nameOf, toExperiment } from './view.js'
import { writtenUp } from './written-up.js'

const HISTORY_MS = 2_000

const nothing = closed({})

const common = {
  method: 'POST',
  tag: 'Lifecycle',
  scope: 'experiments.manage',
  params,
  bodyOptional: true,
} as const

/** What a simple action does: a move to one status. */
async function carryOut(
  tx: Transaction,
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
  step: {
    readonly move: Move
    readonly action: Action
    readonly to: Status
    readonly done: string
    readonly fields: (at: Date) => MoveFields
  },
): Promise<Written> {
  requireLegal(row, step.move, step.action)
  const at = new Date(services.now())
  const moved = await moveExperiment(tx, workspaceId, row.id, step.move, step.to, at, step.fields(at))
  if (moved === undefined) throw illegalTransition(row, step.action)
  return {
    answer: { status: 200, body: toExperiment(moved) },
    audit: { resourceId: row.id, summary: `${step.done} ${nameOf(row)}` },
  }
}

export const lifecycleRoutes = [
  defineRoute({
    ...common,
    path: '/experiments/{id}/start',
    operationId: 'startExperiment',
    summary: 'Start an experiment',
    description:
      'From `approved`, `ready`, or `pr_open` where the pull request is merged. Refused unless the workspace has received the primary target’s event, and where that cannot be found out within 2 s.',
    audit: 'experiment.start',
    body: nothing,
    bodyExample: {},
    responses: {
      200: { description: 'The running experiment', schema: Experiment, example: exampleRunning },
    },
    errors: ['ILLEGAL_TRANSITION', 'EVENT_HISTORY_UNAVAILABLE'],
    async handler({ params, services, workspaceId, signal, write }) {
      const before = await findExperiment(services.sql, workspaceId, params.id)
      requireLegal(before, 'start', 'start')
      // Asked outside the transaction, which must not wait for another store.
      const eventName = primaryEvent(before)
      const history = await eventHistoryOf(services, workspaceId, eventName, HISTORY_MS, signal)
      if (!history.received) throw eventHistoryUnavailable(history.message)
      return write(async (tx) => {
        const row = await lockExperiment(tx, workspaceId, before.id)
        if (row.status === before.status && primaryEvent(row) !== eventName)
          throw eventHistoryUnavailable('The primary target was changed meanwhile')
        return carryOut(tx, services, workspaceId, row, {
          move: 'start',
          action: 'start',
          to: 'running',
          done: 'Started',
          fields: (at) => ({ startedAt: at }),
        })
      })
    },
  }),

  defineRoute({
    ...common,
    path: '/experiments/{id}/pause',
    operationId: 'pauseExperiment',
    summary: 'Pause a running experiment',
    description: 'Pausing stops serving variants, not measuring.',
    audit: 'experiment.pause',
    body: nothing,
    bodyExample: {},
    responses: { 200: { description: 'The paused experiment', schema: Experiment, example: examplePaused } },
    errors: ['ILLEGAL_TRANSITION'],
    handler({ params, services, workspaceId, write }) {
      return write(async (tx) => {
        const row = await lockExperiment(tx, workspaceId, params.id)
        const step = { move: 'pause', action: 'pause', to: 'paused', done: 'Paused' } as const
        return carryOut(tx, services, workspaceId, row, { ...step, fields: () => ({}) })
      })
    },
  }),

  defineRoute({
    ...common,
    path: '/experiments/{id}/resume',
    operationId: 'resumeExperiment',
    summary: 'Resume a paused experiment',
    audit: 'experiment.resume',
    body: nothing,
    bodyExample: {},
    responses: {
      200: { description: 'The running experiment', schema: Experiment, example: exampleRunning },
    },
    errors: ['ILLEGAL_TRANSITION'],
    handler({ params, services, workspaceId, write }) {
      return write(async (tx) => {
        const row = await lockExperiment(tx, workspaceId, params.id)
        const step = { move: 'resume', action: 'resume', to: 'running', done: 'Resumed' } as const
        return carryOut(tx, services, workspaceId, row, { ...step, fields: () => ({}) })
      })
    },
  }),

  defineRoute({
    ...common,
    path: '/experiments/{id}/end',
    operationId: 'endExperiment',
    summary: 'End an experiment',
    description:
      'From `running` and `paused`. With `conclude`, from `ended` too: it is written up as a learning without a decision, which takes the scope `experiments.decide` as well.',
    audit: 'experiment.end',
    body: closed({
      conclude: Type.Optional(
        Type.Boolean({ default: false, description: 'Write it up and leave it undecided for good' }),
      ),
    }),
    bodyExample: { conclude: false },
    responses: { 200: { description: 'The ended experiment', schema: Experiment, example: exampleEnded } },
    errors: ['ILLEGAL_TRANSITION'],
    async handler({ params, body, credential, services, workspaceId, write }) {
      if (body.conclude === true) {
        checkScope(credential, { scope: 'experiments.decide' })
        return writtenUp({ services, write, workspaceId }, params.id, (tx, row) =>
          conclude(tx, services, workspaceId, row),
        )
      }
      return write(async (tx) => {
        const row = await lockExperiment(tx, workspaceId, params.id)
        return carryOut(tx, services, workspaceId, row, {
          move: 'end',
          action: 'end',
          to: 'ended',
          done: 'Ended',
          fields: (at) => ({ endedAt: at }),
        })
      })
    },
  }),

  defineRoute({
    ...common,
    path: '/experiments/{id}/ship',
    operationId: 'shipExperiment',
    summary: 'Ship a variant at once',
    description:
      'Ends the experiment where it still runs, and writes it up as a learning: by a job, whose end the answer waits for up to two seconds.',
    audit: 'experiment.ship',
    body: closed({
      variant: Type.Optional(
        Type.String({ description: 'Its key; of two variants the one that is not the control' }),
      ),
    }),
    bodyExample: { variant: 'one-page' },
    responses: {
      200: { description: 'The shipped experiment', schema: Experiment, example: exampleShipped },
    },
    errors: ['ILLEGAL_TRANSITION'],
    handler({ params, body, services, workspaceId, write }) {
      return writtenUp({ services, write, workspaceId }, params.id, (tx, row) =>
        ship(tx, services, workspaceId, row, body.variant),
      )
    },
  }),

  decideRoute,
]

async function ship(
  tx: Transaction,
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
  wanted: string | undefined,
): Promise<Written> {
  requireLegal(row, 'ship', 'ship')
  const variant = requireVariant(row, wanted)
  const at = new Date(services.now())
  const fields: MoveFields = {
    decisionOutcome: 'ship',
    decisionVariant: variant.key,
    decisionReason: null,
    decidedAt: at,
    settlesAt: at,
    endedAt: row.endedAt ?? at,
  }
  const outcome = { move: 'ship', to: 'shipped', fields } as const
  const shipped = await settleExperiment(tx, services.jobs, workspaceId, row.id, outcome, at)
  if (shipped === undefined) throw illegalTransition(row, 'ship')
  return {
    answer: { status: 200, body: toExperiment(shipped) },
    audit: { resourceId: row.id, summary: `Shipped ${variant.key} of ${nameOf(row)}` },
  }
}

async function conclude(
  tx: Transaction,
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
): Promise<Written> {
  requireLegal(row, 'conclude', 'end')
  const at = new Date(services.now())
  const outcome = { move: 'conclude', to: 'concluded', fields: { endedAt: row.endedAt ?? at } } as const
  const concluded = await settleExperiment(tx, services.jobs, workspaceId, row.id, outcome, at)
  if (concluded === undefined) throw illegalTransition(row, 'end')
  return {
    answer: { status: 200, body: toExperiment(concluded) },
    audit: { resourceId: row.id, summary: `Concluded ${nameOf(row)}` },
  }
}

function primaryEvent(row: ExperimentRow): string {
  return row.conversionTargets[0]?.eventName ?? ''
}

function eventHistoryUnavailable(reason: string): ApiError {
  return new ApiError(
    'EVENT_HISTORY_UNAVAILABLE',
    `${reason}: an experiment starts where it can be measured`,
    [{ path: '/conversionTargets/0/eventName', message: reason }],
  )
}
