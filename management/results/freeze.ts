import type { Results } from '../../domain/statistics/index.js'
import { measurementsOf } from '../../domain/statistics/measurements.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { allWatermarksPast } from '../../postgres/tables/watermarks.js'
import type { ExperimentRow } from '../experiments/types.js'
import type { Services } from '../services.js'
import { measure, measuredUntil } from './measure.js'
import { keepResults } from './store.js'

/** The results of an experiment as its learning keeps them. */
export interface FrozenResults {
  readonly results: Results
  /** ISO 8601. */
  readonly frozenAt: string
  /** Where it was frozen before all had arrived that could count: the age of the oldest event that was not counted, else 0. Null where it was waited for. */
  readonly lagSeconds: number | null
  /** The last time of an exposure and of a conversion, ISO 8601; null where it never started. */
  readonly window: {
    readonly startedAt: string | null
    readonly endedAt: string | null
    readonly measuredUntil: string | null
  }
}

/** How figures are computed. Source: API.md section 4. */
export const METHOD = {
  proportions: 'relative lift by the delta method, Welch interval',
  means: 'sums a person, capped where a percentile is given; CUPED as regression adjustment where asked for',
  confidence: 0.95,
  posterior: 'Gaussian, flat prior',
  sequential: 'asymptotic confidence sequence, tuning 5000',
  multipleComparisons: 'Holm, across the variants of a target',
  sampleRatio: 'chi-square over arms with weight, ok at p >= 0.001',
} as const

/** Which rules the figures and the evidence itself go by. */
export const VERSIONS = { evidence: 2, statistics: 'gbstats 0.8.0' } as const

const LIMITS = { maxSeconds: 300, maxMemoryBytes: 2_147_483_648, maxRows: 10_000_000_000, maxThreads: 2 }

/** Whether all that can count by then has arrived: every partition of every log was received past the time. */
export function hasArrived(services: Services, workspaceId: string, settlesAt: Date): Promise<boolean> {
  return allWatermarksPast(services.sql, workspaceId, settlesAt)
}

/**
 * Measures for the last time. Throws ClickHouseError.
 *
 * @param early whether it has not been waited for what is still to arrive
 */
export async function freeze(
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
  early: boolean,
  signal: AbortSignal,
): Promise<FrozenResults> {
  const results = await measure(services, workspaceId, row, { upToDate: true, limits: LIMITS, signal })
  const until = measuredUntil(row, services.settlingHours)
  return {
    results,
    frozenAt: results.asOf,
    lagSeconds: early ? results.dataQuality.lagSeconds : null,
    window: {
      startedAt: row.startedAt?.toISOString() ?? null,
      endedAt: row.endedAt?.toISOString() ?? null,
      measuredUntil: until === null ? null : new Date(until).toISOString(),
    },
  }
}

/** From here on the experiment shows these figures. In the transaction that writes the learning. */
export async function keepFrozen(
  tx: Transaction,
  workspaceId: string,
  row: ExperimentRow,
  { results, frozenAt }: FrozenResults,
): Promise<void> {
  await keepResults(tx, workspaceId, row.id, results, measurementsOf(results), new Date(frozenAt))
}
