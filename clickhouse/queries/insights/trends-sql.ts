import type { TrendMeasure, TrendSeries, TrendsQuery } from '../../../domain/trends.js'
import { largestGroupsSql } from '../funnel/breakdown.js'
import type { Parameters } from '../parameters.js'
import { filterSql } from '../property-filter.js'
import { rangeConditions } from '../range-conditions.js'
import { numbersSql, valueTextSql } from '../value-text.js'
import { bucketBitsSql, bucketIndexSql, bucketsOf, hasBucketSql, WORD_BITS } from './buckets.js'

/** The figures of a series, or of one of its groups. */
export interface TrendRow {
  readonly series: number
  /** Of the group's value (`valueTextSql`); null for the whole series. */
  readonly text: string | null
  /** By which groups are ordered. */
  readonly size: number
  readonly total: number | null
  /** Values by the index of their bucket. Buckets without events are left out. */
  readonly cells: readonly (readonly [bucket: number, value: number | null])[]
}

/** Texts of lists and objects, with the text that replaces them. */
export type SameTexts = ReadonlyMap<string, string>

export interface TrendsSqlOptions {
  readonly workspaceId: string
  readonly query: TrendsQuery
  /** SQL of the person an event belongs to. */
  readonly person: string
  readonly same: SameTexts
  readonly parameters: Parameters
}

/** An aggregate over `x`, whose states add up exactly. */
const AGGREGATES: Readonly<Record<TrendMeasure, { readonly name: string; readonly level?: string }>> = {
  events: { name: 'count' },
  persons: { name: 'uniqExact' },
  sum: { name: 'sumKahan' },
  average: { name: 'avg' },
  p90: { name: 'quantileExactInclusive', level: '(0.9)' },
}

/** SQL of `TrendRow`s: a SELECT per series, and another for its groups. */
export function trendsSql(options: TrendsSqlOptions): string {
  const { series, breakdown } = options.query
  return series
    .flatMap((one, index) => [
      `SELECT toUInt8(${index}) AS series, CAST(NULL, 'Nullable(String)') AS text, size, total, cells FROM (${wholeSql(options, one)})`,
      ...(breakdown === undefined
        ? []
        : [
            `SELECT toUInt8(${index}) AS series, CAST(g.1, 'Nullable(String)') AS text, g.2 AS size, g.3 AS total, g.4 AS cells FROM (
SELECT arrayJoin(${largestGroupsSql('groups', breakdown.limit)}) AS g FROM (
SELECT groupArray((text, size, total, cells)) AS groups FROM (${figuresSql(options, one, 'text, ')})))`,
          ]),
    ])
    .join('\nUNION ALL\n')
}

/** Up to here a person's buckets as bits cost less than a set of persons for each bucket. */
const MAX_WORDS = 2

/** SQL of the figures of a whole series. */
function wholeSql(options: TrendsSqlOptions, series: TrendSeries): string {
  const { from, to, interval } = options.query
  const buckets = bucketsOf(from, to, interval).length
  const words = Math.ceil(buckets / WORD_BITS)
  if (series.measure !== 'persons' || words > MAX_WORDS) return figuresSql(options, series, '')
  // Few expressions, because planning them takes as long as reading 100,000 events.
  const counts = Array.from({ length: buckets }, (_, bucket) => `sum(${hasBucketSql(words, String(bucket))})`)
  return `SELECT toFloat64(count()) AS size, toNullable(size) AS total,
arrayMap((n, bucket) -> (toUInt16(bucket), toNullable(toFloat64(n))), [${counts.join(', ')}], range(${buckets})) AS cells
FROM (SELECT ${bucketBitsSql(words)} FROM (${eventsSql(options, series, false)}) GROUP BY x)`
}

/** @param by columns of the groups, each followed by a comma */
function figuresSql(options: TrendsSqlOptions, series: TrendSeries, by: '' | 'text, '): string {
  const { measure } = series
  const { name, level = '' } = AGGREGATES[measure]
  const x = measure === 'events' ? '' : 'x'
  const isSized = measure === 'average' || measure === 'p90'
  const merged = `${name}Merge${level}(state)`
  const value = (sql: string) => `toNullable(toFloat64(${measure === 'sum' ? `ifNull(${sql}, 0)` : sql}))`
  // Few numbers make an extreme average, so how many they are orders the groups.
  const size = isSized ? 'toFloat64(sum(numbers))' : `assumeNotNull(${value(merged)})`
  return `SELECT ${by}${size} AS size, ${value(merged)} AS total,
groupArray((bucket, ${value('finalizeAggregation(state)')})) AS cells FROM (
SELECT ${by}bucket, ${name}State${level}(${x}) AS state${isSized ? ', count(x) AS numbers' : ''}
FROM (${by === '' ? eventsSql(options, series, false) : valuedSql(options, series)}) GROUP BY ${by}bucket)${
    by === '' ? '' : ' GROUP BY text'
  }`
}

/** Events with the text of the breakdown's value. */
function valuedSql(options: TrendsSqlOptions, series: TrendSeries): string {
  const { query, same, parameters } = options
  const columns = series.measure === 'events' ? 'bucket' : 'bucket, x'
  const property = query.breakdown?.property ?? ''
  const rows = valueTextSql(eventsSql(options, series, true), columns, 'found', property, parameters)
  const texts = (list: Iterable<string>) => parameters.bind('Array(String)', [...list])
  const text =
    same.size === 0 ? 'found' : `transform(found, ${texts(same.keys())}, ${texts(same.values())}, found)`
  return `SELECT ${columns}, ${text} AS text FROM (${rows})`
}

/** The events of a series: `bucket`, `x` if its measure needs it, and `properties` if asked for. */
function eventsSql(
  { workspaceId, query, person, parameters }: TrendsSqlOptions,
  { eventName, filters, measure, property }: TrendSeries,
  withProperties: boolean,
): string {
  const conditions = [...query.filters, ...filters].map((filter) => filterSql(filter, parameters))
  const numbers = property === null ? [] : [property]
  const { columns, numberSql } = numbersSql(numbers, conditions.length > 0, parameters, 'NULL')
  const isRead = withProperties || columns.length > 0
  const read = [
    'timestamp',
    ...(measure === 'persons' ? ['person_key'] : []),
    ...(isRead ? ['properties'] : []),
    ...columns,
  ]
  const x = measure === 'persons' ? person : property === null ? undefined : numberSql(property)
  const shown = [
    `${bucketIndexSql(query.from, query.interval, parameters)} AS bucket`,
    ...(x === undefined ? [] : [`${x} AS x`]),
    ...(withProperties ? ['properties'] : []),
  ]
  return `SELECT ${shown.join(', ')} FROM (
SELECT ${read.join(', ')} FROM events
WHERE workspace_id = ${parameters.bind('UUID', workspaceId)} AND event = ${parameters.bind('String', eventName)}
AND ${rangeConditions(query.from, query.to - 1, parameters).join(' AND ')})${
    conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  }`
}
