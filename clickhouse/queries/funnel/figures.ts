import type {
  FunnelQuery,
  FunnelResult,
  FunnelStep,
  FunnelStepResult,
  FunnelTotals,
} from '../../../domain/funnel.js'

import { type BucketCounts, trendOf } from './trend.js'

/** More tied persons than this are not asked for one by one: all are computed in the exact order. */
export const MOST_TIED = 10_000

/** The figures of a group of persons, as the engine answers. */
export interface FiguresRow {
  /** Of the untied persons, a step each as far as one of them came. */
  readonly steps: readonly StepFigures[]
  /** The tied persons, who are in no other figure; more than `MOST_TIED` of them where there are more. */
  readonly tiedPersons: readonly string[]
  /** Where a trend is asked for: the untied persons by the bucket of their start, all and those who completed. */
  readonly entered?: BucketCounts
  readonly completed?: BucketCounts
}

/** How many reached a step, and stretches of their sorted durations from the step before, around the median and around p90. */
type StepFigures = readonly [count: number, median: Stretch, p90: Stretch]

/** Place of the first value among the sorted ones, and the values, in milliseconds. */
type Stretch = readonly [number, readonly number[]]

const QUANTILES = [0.5, 0.9] as const
const MEDIAN = 1
const P90 = 2

/** What a trend needs: SQL of the bucket a person's run begins in, and the number of steps. */
export interface TrendSql {
  readonly bucket: string
  readonly steps: number
}

/**
 * One row over the persons of `attempts`, with `person`, `tied` and `times`. Quantiles are not taken here but the stretch of sorted
 * durations in which they must lie, however the tied persons, who come later, are spread.
 *
 * @param part true for those tied persons: their durations may lie anywhere around the quantiles of all, so all of them are given
 */
export function figuresSql(attempts: string, trend: TrendSql | undefined, part: boolean): string {
  const buckets =
    trend === undefined
      ? ''
      : `, sumMapIf([${trend.bucket}], [toUInt64(1)], NOT tied) AS entered,
sumMapIf([${trend.bucket}], [toUInt64(1)], NOT tied AND length(times) = ${trend.steps}) AS completed`
  const sums = `SELECT groupArrayForEachIf(arrayDifference(times), NOT tied) AS durations,
groupArrayIf(${MOST_TIED + 1})(toString(person), tied) AS tiedPersons${buckets} FROM (${attempts})`
  const stretches = QUANTILES.map((quantile) => (part ? '(toInt64(0), d)' : stretchSql(quantile))).join(', ')
  return `SELECT arrayMap(d -> (length(d), ${stretches}), arrayMap(d -> arraySort(d), durations)) AS steps, tiedPersons${trend === undefined ? '' : ', entered, completed'}
FROM (${sums})`
}

/** As many places before the quantile of the values here as there are tied persons to as many after it, and one more for rounding. */
function stretchSql(quantile: number): string {
  const from = `greatest(toInt64(floor(${quantile} * (toInt64(length(d)) - 1))) - toInt64(length(tiedPersons)) - 1, 0)`
  const to = `toInt64(ceil(${quantile} * toFloat64(length(d) + length(tiedPersons)))) + 1`
  return `(${from}, arraySlice(d, ${from} + 1, ${to} - ${from}))`
}

/** The result from one answer, or from that on the untied persons and that on the tied ones. */
export function resultOf(
  steps: readonly FunnelStep[],
  query: FunnelQuery,
  now: number,
  answers: readonly FiguresRow[],
): FunnelResult {
  const stepResults = stepResultsOf(steps, answers)
  const some = (of: 'entered' | 'completed') =>
    answers.map((answer) => answer[of]).filter((counts) => counts !== undefined)
  return {
    ...totalsOf(stepResults),
    steps: stepResults,
    breakdown: null,
    trend:
      query.interval === undefined
        ? null
        : trendOf(query, query.interval, some('entered'), some('completed'), now),
  }
}

function totalsOf(steps: readonly FunnelStepResult[]): FunnelTotals {
  const entered = steps[0]?.count ?? 0
  const completed = steps.at(-1)?.count ?? 0
  return { entered, completed, conversionRate: rate(completed, entered) }
}

function stepResultsOf(steps: readonly FunnelStep[], answers: readonly FiguresRow[]): FunnelStepResult[] {
  const rows = steps.map((_, index) => answers.flatMap((answer) => answer.steps.slice(index, index + 1)))
  const counts = rows.map(countOf)
  return steps.map((step, index) => {
    const count = counts[index] ?? 0
    const previous = counts[index - 1] ?? 0
    const parts = index === 0 ? [] : (rows[index] ?? [])
    return {
      index,
      name: step.name,
      eventName: step.eventName,
      count,
      conversionFromPrevious: index === 0 ? null : rate(count, previous),
      conversionFromStart: rate(count, counts[0] ?? 0),
      dropOff: index === 0 ? 0 : previous - count,
      medianSecondsFromPrevious: secondsOf(parts, MEDIAN),
      p90SecondsFromPrevious: secondsOf(parts, P90),
    }
  })
}

/**
 * A quantile over the durations of parts, in seconds, interpolated as `quantileExactInclusive` does. At most one part is a stretch, and that
 * holds every value near the quantile of all: what lies before it lies before the quantile, what lies after it after.
 */
function secondsOf(parts: readonly StepFigures[], which: 1 | 2): number | null {
  const count = countOf(parts)
  if (count === 0) return null
  const before = parts.reduce((sum, part) => sum + part[which][0], 0)
  const values = parts.flatMap((part) => part[which][1]).sort((a, b) => a - b)
  const place = (which === MEDIAN ? QUANTILES[0] : QUANTILES[1]) * (count - 1)
  const low = values[Math.floor(place) - before]
  const high = values[Math.ceil(place) - before]
  if (low === undefined || high === undefined)
    throw new RangeError('the quantile lies outside of its stretch')
  return (low + (high - low) * (place - Math.floor(place))) / 1_000
}

function countOf(parts: readonly StepFigures[]): number {
  return parts.reduce((sum, [count]) => sum + count, 0)
}

function rate(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}
