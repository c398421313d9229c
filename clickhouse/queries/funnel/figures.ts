import { largestGroupsSql } from './breakdown.js'
import { type InlineBreakdown, namedSql } from './inline-breakdown.js'
import type { BucketCounts } from './trend.js'

/** More tied persons than this are not asked for one by one: all are computed in the exact order. */
export const MAX_TIED = 10_000

/** The figures of a group of persons, as the engine answers. */
export interface FiguresRow {
  /** How many untied persons there are. */
  readonly persons: number
  /** Of the untied persons, a step each from the second on, as far as one of them came. */
  readonly steps: readonly StepFigures[]
  /** The tied persons, who are in no other figure; more than `MAX_TIED` of them where there are more. */
  readonly tiedPersons: readonly string[]
  /** Where a trend is asked for: the untied persons by the bucket of their start, all and those who completed. */
  readonly entered?: BucketCounts
  readonly completed?: BucketCounts
  /** Where a breakdown is asked for: the text of a value, and the figures of those whose run began with it. */
  readonly groups?: readonly (readonly [text: string, persons: number, steps: readonly StepFigures[]])[]
}

/** How many reached a step, and stretches of their sorted durations from the step before, one around each of `QUANTILES`. */
export type StepFigures = readonly [count: number, stretches: readonly Stretch[]]

/** Place of the first value among the sorted ones, and the values, in milliseconds. */
type Stretch = readonly [number, readonly number[]]

export const QUANTILES = [0.5, 0.9] as const

/** Most persons stop at the first step: they are counted, and only the others' durations are gathered. */
const DURATIONS = 'groupArrayForEachIf(arrayPopFront(arrayDifference(times)), NOT tied AND length(times) > 1)'

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
  const sums = `SELECT countIf(NOT tied) AS persons, ${DURATIONS} AS durations,
groupArrayIf(${MAX_TIED + 1})(toString(person), tied) AS tiedPersons${buckets} FROM (${attempts})`
  return `SELECT persons, ${stepsSql('durations', part)} AS steps, tiedPersons${trend === undefined ? '' : ', entered, completed'}
FROM (${sums})`
}

/**
 * The same over attempts with a `value`, and the largest groups of one value each. Tied persons may come several times, but are not counted: where
 * there are any, all is to be asked for in the exact order.
 */
export function groupedFiguresSql(
  attempts: string,
  trend: TrendSql | undefined,
  limit: number,
  carried: InlineBreakdown | undefined,
): string {
  const buckets =
    trend === undefined
      ? ''
      : `, sumMapIf([${trend.bucket}], [toUInt64(1)], NOT tied) AS entered,
sumMapIf([${trend.bucket}], [toUInt64(1)], NOT tied AND length(times) = ${trend.steps}) AS completed`
  // The start of an attempt is the hash of its value where values are carried.
  const [value, texts, allTexts] =
    carried === undefined
      ? ['value', '', '']
      : ['start', ', groupUniqArrayArray(values) AS texts', ', groupUniqArrayArray(texts) AS allTexts']
  const byValue = `SELECT ${value}, countIf(NOT tied) AS persons, ${DURATIONS} AS durations,
groupUniqArrayIf(1)(toString(person), tied) AS tiedPersons${texts}${buckets} FROM (${attempts}) GROUP BY ${value}`
  const sums =
    trend === undefined
      ? ''
      : ', sumMap(entered.1, entered.2) AS allEntered, sumMap(completed.1, completed.2) AS allCompleted'
  const whole = `SELECT sum(persons) AS allPersons, groupArrayArrayForEach(durations) AS allDurations, groupUniqArrayArray(1)(tiedPersons) AS someTied,
groupArrayIf((${value}, persons, durations), persons > 0) AS values${allTexts}${sums} FROM (${byValue})`
  const columns = ['allPersons', 'allDurations', 'someTied']
  if (trend !== undefined) columns.push('allEntered', 'allCompleted')
  return `SELECT allPersons AS persons, ${stepsSql('allDurations', false, '[]')} AS steps, someTied AS tiedPersons,
arrayMap(g -> (g.1, g.2, if(match(g.1, '^[\\\\[{]'), ${stepsSql('g.3', true)}, ${stepsSql('g.3', false, '[]')})), ${largestGroupsSql('values', limit)}) AS groups${
    trend === undefined ? '' : ', allEntered AS entered, allCompleted AS completed'
  } FROM (${carried === undefined ? whole : namedSql(whole, columns, carried)})`
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

/** From as many places before the quantile q of the values here as there are tied persons to as many after it, and one more for rounding. */
function stretchBounds(tiedPersons: string): readonly [from: string, to: string] {
  return [
    `greatest(toInt64(floor(q * (toInt64(length(d)) - 1))) - toInt64(length(${tiedPersons})) - 1, 0)`,
    `toInt64(ceil(q * toFloat64(length(d) + length(${tiedPersons})))) + 1`,
  ]
}
