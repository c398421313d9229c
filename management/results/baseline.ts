import {
  type ExposureEvent,
  type ResultsTarget,
  readVariantCounts,
} from '../../clickhouse/queries/results/index.js'
import type { Baseline, PowerPlan, VariantCounts } from '../../domain/statistics/index.js'
import type { Sql } from '../../postgres/driver/client.js'
import { LruCache } from '../../runtime/concurrency/lru-cache.js'
import { memoizePerClient } from '../../runtime/memoize-per-client.js'
import type { ExperimentRow } from '../experiments/index.js'
import type { Services } from '../services.js'
import type { MeasureOptions } from './measure-options.js'
import { statistics } from './statistics.js'

const DAY_MS = 86_400_000
const BASELINE_DAYS = 28
/** The control of a running experiment tells the rate from so many persons on. */
const MIN_CONTROL = 100
const MAX_CACHE_BYTES = 1024 * 1024
const ENTRY_BYTES = 300
/** A baseline of an experiment that has not started is measured again at this age. */
const MAX_AGE_MS = 60_000

const NO_PERSONS: VariantCounts = { key: 'all', exposed: 0, targets: [] }

/** Persons by their first event of a name in four weeks, and how many converted. Times in milliseconds. */
export interface MeasuredBaseline {
  readonly from: number
  readonly to: number
  readonly persons: number
  readonly personsPerDay: number
  /** Undefined without persons, conversions or spread: no effect can be found then. */
  readonly figures: Baseline | undefined
}

/** Throws ClickHouseError. */
export async function measureBaseline(
  { clickhouse }: Pick<Services, 'clickhouse'>,
  workspaceId: string,
  exposureEvent: ExposureEvent,
  target: ResultsTarget,
  to: number,
  { limits, signal }: MeasureOptions = {},
): Promise<MeasuredBaseline> {
  const from = to - BASELINE_DAYS * DAY_MS
  const {
    variants: [counts = NO_PERSONS],
  } = await readVariantCounts(clickhouse, {
    workspaceId,
    key: '',
    variants: ['all'],
    startedAt: from,
    endedAt: to,
    measuredUntil: to,
    exposureEvent,
    targets: [target],
    limits,
    signal,
  })
  return {
    from,
    to,
    persons: counts.exposed,
    personsPerDay: counts.exposed / BASELINE_DAYS,
    figures: figuresOf(counts, target),
  }
}

function figuresOf({ exposed, targets }: VariantCounts, { metric }: ResultsTarget): Baseline | undefined {
  const [counts] = targets
  if (counts === undefined || exposed === 0) return undefined
  if (metric?.type !== 'mean') {
    const rate = counts.converted / exposed
    return rate > 0 && rate < 1 ? { rate } : undefined
  }
  const { mean = 0, variance = 0 } = counts.values ?? {}
  return mean > 0 && variance > 0 ? { mean, standardDeviation: Math.sqrt(variance) } : undefined
}

/** The needs of a sized experiment. Null if they are not known yet. */
export interface SizingState {
  readonly personsNeeded: number | null
  /** Before the start by the exposure event, in all variants. */
  readonly personsPerDay: number | null
}

/**
 * By the persons of the exposure event in the four weeks before the start, else by the control so far.
 * Throws ClickHouseError.
 */
export async function sizingState(
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
  control: VariantCounts | undefined,
  options: MeasureOptions,
): Promise<SizingState | undefined> {
  const { sizing, variants } = row
  const [target] = row.conversionTargets
  if (sizing === null || target === undefined) return undefined
  const before =
    sizing.exposureEvent === null
      ? undefined
      : await cachedBaseline(services, workspaceId, row, sizing.exposureEvent, target, options)
  const counted = control !== undefined && control.exposed >= MIN_CONTROL ? control : undefined
  const baseline = before?.figures ?? (counted && figuresOf(counted, target))
  const personsPerDay = before === undefined || before.persons === 0 ? null : before.personsPerDay
  if (baseline === undefined || !isPossible(baseline, sizing.minimumEffect))
    return { personsNeeded: null, personsPerDay }
  const { personsNeeded } = await statistics()
  const plan: PowerPlan = { ...sizing, baseline, splits: variants.map(({ trafficSplit }) => trafficSplit) }
  const needed = personsNeeded(plan).reduce((total, persons) => total + persons, 0)
  return { personsNeeded: Number.isFinite(needed) ? needed : null, personsPerDay }
}

/** Whether the rate with the effect is one. */
export function isPossible(baseline: Baseline, effect: number): boolean {
  return effect > -1 && (!('rate' in baseline) || baseline.rate * (1 + effect) <= 1)
}

const cacheOf = memoizePerClient((_: Sql) => new LruCache<MeasuredBaseline>(MAX_CACHE_BYTES))

/** After the start its four weeks stay the same. */
async function cachedBaseline(
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
  eventName: string,
  target: ResultsTarget,
  options: MeasureOptions,
): Promise<MeasuredBaseline> {
  const cache = cacheOf(services.sql)
  const key = `${row.id} ${row.updatedAt.getTime()}`
  const known = cache.get(key)
  const now = services.now()
  if (known !== undefined && (row.startedAt !== null || now - known.to < MAX_AGE_MS)) return known
  const to = row.startedAt?.getTime() ?? now
  const event = { eventName, filters: [] }
  const measured = await measureBaseline(services, workspaceId, event, target, to, options)
  cache.set(key, measured, ENTRY_BYTES)
  return measured
}
