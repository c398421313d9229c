import { isSettled } from '../../domain/lifecycle.js'
import type { StatusRow } from './status-store.js'
import type { ExperimentRow, Variant } from './types.js'

/** An experiment as the API shows it. */
export function toExperiment(row: ExperimentRow) {
  const {
    decisionOutcome,
    decisionVariant,
    decisionReason,
    decidedAt,
    settlesAt,
    usersExposed,
    estimatedLift,
    confidence,
    measuredAt,
    ...shown
  } = row
  return {
    ...shown,
    variants: toShownVariants(row.variants),
    conversionTargets: row.conversionTargets.map(({ eventName, name, direction, windowHours, filters }) => ({
      eventName,
      name,
      direction,
      windowHours,
      filters,
    })),
    decision:
      decisionOutcome === null || decidedAt === null || settlesAt === null
        ? null
        : {
            outcome: decisionOutcome,
            variant: decisionVariant,
            reason: decisionReason,
            decidedAt: decidedAt.toISOString(),
            settlesAt: settlesAt.toISOString(),
          },
    measurements:
      measuredAt === null
        ? null
        : { usersExposed, estimatedLift, confidence, asOf: measuredAt.toISOString() },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
  }
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
  return { ...row, settled: isSettled(row.status), updatedAt: row.updatedAt.toISOString() }
}

/** Where an experiment is polled. */
export function statusLocation(row: Pick<ExperimentRow, 'id'>): string {
  return `/v1/experiments/${row.id}/status`
}

/** What the audit trail calls it. */
export function nameOf(row: Pick<ExperimentRow, 'name'>): string {
  return `the experiment ${JSON.stringify(row.name)}`
}
