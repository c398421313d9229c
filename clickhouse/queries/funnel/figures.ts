import { largestGroupsSql } from './breakdown.js'
import { type InlineBreakdown, namedSql } from './inline-breakdown.js'
import type { BucketCounts } from './trend.js'

/** With more tied persons than this, everything is computed in the exact order. */
export const MAX_TIED = 10_000

/** The figures of a group of persons, as the engine returns them. */
export interface FiguresRow {
  /** Number of untied persons. */
  readonly persons: number
  /** Untied persons, one entry per step from the second on, up to the last one reached. */
  readonly steps: readonly StepFigures[]
  /** Tied persons, who are in no other figure; at most `MAX_TIED` + 1 of them. */
  readonly tiedPersons: readonly string[]
  /** With a trend: untied persons by the bucket of their start, all and those who completed. */
  readonly entered?: BucketCounts
  readonly completed?: BucketCounts
  readonly groups?: readonly GroupFigures[]
}

/** A value's text, and the figures of those whose attempt began with it; buckets only with a trend. */
export type GroupFigures = readonly [
  text: string,
  persons: number,
  steps: readonly StepFigures[],
  entered?: BucketCounts | undefined,
  completed?: BucketCounts | undefined,
]

/**
 * Persons at a step, and slices of their sorted durations from the previous one, around each of `QUANTILES`.
 */
export type StepFigures = readonly [count: number, stretches: readonly Stretch[]]

/** Index of the first value among the sorted ones, and the values, in milliseconds. */
type Stretch = readonly [number, readonly number[]]

export const QUANTILES = [0.5, 0.9] as const

/** Most persons stop at the first step, so only the others' durations are gathered. */
const DURATIONS = 'groupArrayForEachIf(arrayPopFront(arrayDifference(times)), NOT tied AND length(times) > 1)'

/** Inputs of a trend: SQL of the bucket in which a person's attempt begins, and the number of steps. */
export interface TrendSql {
  readonly bucket: string
  readonly steps: number
}

/**
 * One row over the persons of `attempts` (`person`, `tied`, `times`). Instead of quantiles it returns the
 * slice of sorted durations that must contain them, however the tied persons, who come later, are
 * distributed.
 * @param part true for those tied persons: all their durations are returned
 */
export function figuresSql(attempts: string, trend: TrendSql | undefined, part: boolean): string {
  const sums = `SELECT countIf(NOT tied) AS persons, ${DURATIONS} AS durations,
groupArrayIf(${MAX_TIED + 1})(toString(person), tied) AS tiedPersons${bucketsSql(trend)} FROM (${attempts})`
  return `SELECT persons, ${stepsSql('durations', part)} AS steps, tiedPersons${trend === undefined ? '' : ', entered, completed'}
FROM (${sums})`
}

/**
 * The same over attempts with a `value`, for the largest groups. Tied persons may appear several times and
 * are not counted; if there are any, everything is computed in the exact order.
 */
export function groupedFiguresSql(
  attempts: string,
  trend: TrendSql | undefined,
  limit: number,
  carried: InlineBreakdown | undefined,
): string {
  // With inline values, the start of an attempt is the hash of its value.
  const [value, texts, allTexts] =
    carried === undefined
      ? ['value', '', '']
      : ['start', ', groupUniqArrayArray(values) AS texts', ', groupUniqArrayArray(texts) AS allTexts']
  const byValue = `SELECT ${value}, countIf(NOT tied) AS persons, ${DURATIONS} AS durations,
groupUniqArrayIf(1)(toString(person), tied) AS tiedPersons${texts}${bucketsSql(trend)} FROM (${attempts}) GROUP BY ${value}`
  const sums =
    trend === undefined
      ? ''
      : ', sumMap(entered.1, entered.2) AS allEntered, sumMap(completed.1, completed.2) AS allCompleted'
  const whole = `SELECT sum(persons) AS allPersons, groupArrayArrayForEach(durations) AS allDurations, groupUniqArrayArray(1)(tiedPersons) AS someTied,
groupArrayIf((${value}, persons, durations${trend === undefined ? '' : ', entered, completed'}), persons > 0) AS values${allTexts}${sums} FROM (${byValue})`
  const buckets = trend === undefined ? '' : ', g.4, g.5'
  const columns = ['allPersons', 'allDurations', 'someTied']
  if (trend !== undefined) columns.push('allEntered', 'allCompleted')
  return `SELECT allPersons AS persons, ${stepsSql('allDurations', false, '[]')} AS steps, someTied AS tiedPersons,
arrayMap(g -> (g.1, g.2, if(match(g.1, '^[\\\\[{]'), ${stepsSql('g.3', true)}, ${stepsSql('g.3', false, '[]')})${buckets}), ${largestGroupsSql('values', limit)}) AS groups${
    trend === undefined ? '' : ', allEntered AS entered, allCompleted AS completed'
  } FROM (${carried === undefined ? whole : namedSql(whole, columns, `g.2, g.3${buckets}`, carried)})`
}

function bucketsSql(trend: TrendSql | undefined): string {
  if (trend === undefined) return ''
  return `, sumMapIf([${trend.bucket}], [toUInt64(1)], NOT tied) AS entered,
sumMapIf([${trend.bucket}], [toUInt64(1)], NOT tied AND length(times) = ${trend.steps}) AS completed`
}

function stepsSql(durations: string, all: boolean, tiedPersons = 'tiedPersons'): string {
  const quantiles = `[${QUANTILES.join(', ')}]`
  const stretches = all
    ? `arrayMap(q -> (toInt64(0), d), ${quantiles})`
    : `arrayMap((f, t) -> (f, arraySlice(d, f + 1, t - f)), ${stretchBounds(tiedPersons)
        .map((bound) => `arrayMap(q -> ${bound}, ${quantiles})`)
        .join(', ')})`
  return `arrayMap(d -> (length(d), ${stretches}), arrayMap(d -> arraySort(d), ${durations}))`
}

/** The slice reaches as far to each side of quantile q as there are tied persons, plus one for rounding. */
function stretchBounds(tiedPersons: string): readonly [from: string, to: string] {
  return [
    `greatest(toInt64(floor(q * (toInt64(length(d)) - 1))) - toInt64(length(${tiedPersons})) - 1, 0)`,
    `toInt64(ceil(q * toFloat64(length(d) + length(${tiedPersons})))) + 1`,
  ]
}
