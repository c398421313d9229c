import { isSettled } from '../../domain/lifecycle.js'
import type { Metric, Results } from '../../domain/statistics/index.js'
import {
  type ExperimentRow,
  lockExperiment,
  type PullRequest,
  type Sizing,
  type StatusRow,
  type Variant,
} from '../../management/experiments/index.js'
import { PULL_REQUEST_WAIT_MS } from '../../management/workflows/approve.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { experimentParams } from './schemas.js'

/** Names each field: copying whole rows makes a page of fifty twice as slow. */
export function toExperiment(row: ExperimentRow) {
  const { decisionOutcome, decidedAt, settlesAt } = row
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    mechanism: row.mechanism,
    notes: row.notes,
    hypothesis: row.hypothesis,
    kind: row.kind,
    testType: row.testType,
    status: row.status,
    priority: row.priority,
    origin: row.origin,
    experimentRunId: row.experimentRunId,
    variants: toShownVariants(row.variants),
    conversionTargets: row.conversionTargets.map(
      ({ eventName, name, direction, windowHours, filters, metric, role, margin }) => ({
        eventName,
        name,
        direction,
        windowHours,
        filters,
        ...(metric === undefined ? {} : { metric: toShownMetric(metric) }),
        ...(role === undefined ? {} : { role }),
        ...(margin === undefined ? {} : { margin }),
      }),
    ),
    sizing: toShownSizing(row.sizing),
    surfaces: row.surfaces,
    pullRequest: toShownPullRequest(row.pullRequest),
    cleanupPullRequest: toShownPullRequest(row.cleanupPullRequest),
    dismissal: row.dismissal,
    rejectedStage: row.rejectedStage,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
    decision:
      decisionOutcome === null || decidedAt === null || settlesAt === null
        ? null
        : {
            outcome: decisionOutcome,
            variant: row.decisionVariant,
            reason: row.decisionReason,
            decidedAt: decidedAt.toISOString(),
            settlesAt: settlesAt.toISOString(),
            personId: row.decisionPersonId,
          },
    measurements:
      row.measurements === null
        ? null
        : {
            usersExposed: row.measurements.usersExposed,
            estimatedLift: row.measurements.estimatedLift,
            confidence: row.measurements.confidence,
            asOf: row.measurements.asOf,
          },
  }
}

/** The part that `If-Match` compares: measurements come by themselves, and must not refuse a write. */
export function toExperimentState(row: ExperimentRow) {
  return { ...toExperiment(row), measurements: null }
}

async function lockExperimentState(tx: Transaction, workspaceId: string, { id }: { readonly id: string }) {
  return toExperimentState(await lockExperiment(tx, workspaceId, id))
}

function toShownMetric(metric: Metric) {
  if (metric.type === 'proportion') return { type: metric.type }
  const { type, property, percentile, cuped } = metric
  return {
    type,
    property,
    ...(percentile === undefined ? {} : { percentile }),
    ...(cuped === undefined ? {} : { cuped }),
  }
}

/** Fields in their usual order, which Postgres does not keep. */
function toShownSizing(sizing: Sizing | null): Sizing | null {
  if (sizing === null) return null
  const { minimumEffect, power, alpha, exposureEvent } = sizing
  return { minimumEffect, power, alpha, exposureEvent }
}

/** With how far it has come. */
export function toSizingState(row: ExperimentRow, results: Results | undefined, now: number) {
  if (row.sizing === null) return null
  const { personsNeeded = null, personsPerDay = null } = results?.sizing ?? {}
  const personsSoFar = results?.exposed ?? 0
  const days = row.startedAt === null ? 0 : (now - row.startedAt.getTime()) / DAY_MS
  const pace = days > 0 && personsSoFar > 0 ? personsSoFar / days : personsPerDay
  const isOver = row.endedAt !== null || isSettled(row.status)
  return {
    ...toShownSizing(row.sizing),
    personsNeeded,
    personsSoFar,
    daysLeft:
      personsNeeded === null || pace === null || isOver
        ? null
        : Math.max(0, Math.ceil((personsNeeded - personsSoFar) / pace)),
  }
}

const DAY_MS = 86_400_000

/** Fields in their usual order, which Postgres does not keep. */
function toShownPullRequest(pullRequest: PullRequest | null): PullRequest | null {
  if (pullRequest === null) return null
  const { number, url, branch, state, error } = pullRequest
  return { number, url, branch, state, error }
}

/** Fields in their usual order, which Postgres does not keep; the first variant is the control. */
export function toShownVariants(variants: readonly Variant[]) {
  return variants.map(({ key, displayName, trafficSplit }, index) => ({
    key,
    displayName,
    trafficSplit,
    isControl: index === 0,
  }))
}

export function toStatus(row: StatusRow) {
  return {
    ...row,
    pullRequest: toShownPullRequest(row.pullRequest),
    settled: isSettled(row.status),
  }
}

/** The parts that operations on one experiment have in common. */
export const onExperiment = {
  params: experimentParams,
  lockState: lockExperimentState,
  answer: (row: ExperimentRow) => ({ status: 200, body: toExperiment(row) }),
}

/** A second more than the answer waits for the pull request. */
export const PULL_REQUEST_DEADLINE_MS = PULL_REQUEST_WAIT_MS + 1_000

export function statusLocation(row: Pick<ExperimentRow, 'id'>): string {
  return `/v1/experiments/${row.id}/status`
}
