import type { TrendMeasure, TrendSeries, TrendsQuery } from '../../../domain/trends.js'
import type { PersonSql } from '../../port.js'
import { largestGroupsSql } from '../funnel/breakdown.js'
import type { Parameters } from '../parameters.js'
import { filterSql } from '../property-filter.js'
import { rangeConditions } from '../range-conditions.js'
import { numbersSql, valueTextSql } from '../value-text.js'
import { bucketBitsSql, bucketIndexSql, bucketsOf, hasBucketSql, WORD_BITS } from './buckets.js'

/** Values by the index of their bucket. Buckets without events are left out. */
type Cells = readonly (readonly [bucket: number, value: number | null])[]

/** The figures of a series. */
export interface TrendRow {
  readonly series: number
  readonly total: number | null
  readonly cells: Cells
  /** With a breakdown: the groups that can be among the largest, ordered by their size. */
  readonly groups?: readonly (readonly [text: string, size: number, total: number | null, cells: Cells])[]
}

/** Texts of lists and objects, with the text that replaces them. */
export type SameTexts = ReadonlyMap<string, string>

export interface TrendsSqlOptions {
  readonly workspaceId: string
  readonly query: TrendsQuery
  readonly person: PersonSql
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

/** SQL of `TrendRow`s: a SELECT per series. */
export function trendsSql(options: TrendsSqlOptions): string {
  const { from, to, interval, breakdown, series } = options.query
  const buckets = bucketsOf(from, to, interval).length
  return series
    .map((one, index) => {
      const rows =
        breakdown !== undefined
          ? groupedSql(options, one, breakdown.limit, buckets)
          : one.measure === 'persons' && buckets <= MAX_BITS
            ? personsSql(options, one, buckets)
            : wholeSql(options, one)
      return `SELECT toUInt8(${index}) AS series, * FROM (${rows})`
    })
    .join('\nUNION ALL\n')
}

/** Up to here a person's buckets as bits cost less than a set of persons for each bucket. */
const MAX_BITS = 2 * WORD_BITS

/** SQL of the persons of a series. */
function personsSql(options: TrendsSqlOptions, series: TrendSeries, buckets: number): string {
  const words = Math.ceil(buckets / WORD_BITS)
  // Few expressions, because planning them takes as long as reading 100,000 events.
  const counts = Array.from({ length: buckets }, (_, bucket) => `sum(${hasBucketSql(words, String(bucket))})`)
  return `SELECT toFloat64(count()) AS total,
arrayMap((n, bucket) -> (toUInt16(bucket), toFloat64(n)), [${counts.join(', ')}], range(${buckets})) AS cells
FROM (SELECT ${bucketBitsSql(words)} FROM (${eventsSql(options, series, false)}) GROUP BY x)`
}

/** SQL of the figures of a series without a breakdown. */
function wholeSql(options: TrendsSqlOptions, series: TrendSeries): string {
  const { state, merged, finished } = aggregateOf(series.measure)
  return `SELECT ${merged} AS total, groupArray((bucket, ${finished})) AS cells
FROM (SELECT bucket, ${state} FROM (${eventsSql(options, series, false)}) GROUP BY bucket)`
}

/**
 * SQL of the figures of a series and of its groups. Reads the events once: the states of a value in a bucket
 * add up to those of the value, of the bucket, and of the whole.
 */
function groupedSql(options: TrendsSqlOptions, series: TrendSeries, limit: number, buckets: number): string {
  const { state, merged, finished, size } = aggregateOf(series.measure)
  const [ofValue, ofBucket, ofAll] = [1, 2, 3]
  return `SELECT anyIf(figure, part = ${ofAll}) AS total, groupArrayIf((bucket, figure), part = ${ofBucket}) AS cells,
${largestGroupsSql(`groupArrayIf((text, size, figure, figures), part = ${ofValue})`, limit)} AS groups FROM (
SELECT text, bucket, grouping(text, bucket) AS part, ${size} AS size, ${merged} AS figure,
groupArray(${buckets})((bucket, ${finished})) AS figures FROM (
SELECT text, bucket, ${state} FROM (${valuedSql(options, series)}) GROUP BY text, bucket)
GROUP BY GROUPING SETS ((text), (bucket), ()))`
}

/** SQL of a measure: its state over `x`, and figures of states. */
function aggregateOf(measure: TrendMeasure) {
  const { name, level = '' } = AGGREGATES[measure]
  const isSized = measure === 'average' || measure === 'p90'
  const value = (sql: string) => `toNullable(toFloat64(${measure === 'sum' ? `ifNull(${sql}, 0)` : sql}))`
  const merged = value(`${name}Merge${level}(state)`)
  return {
    state: `${name}State${level}(${measure === 'events' ? '' : 'x'}) AS state${isSized ? ', count(x) AS numbers' : ''}`,
    merged,
    finished: value('finalizeAggregation(state)'),
    // Few numbers make an extreme average, so how many they are orders the groups.
    size: isSized ? 'toFloat64(sum(numbers))' : `assumeNotNull(${merged})`,
  }
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
  const x = measure === 'persons' ? person.key : property === null ? undefined : numberSql(property)
  const shown = [
    `${bucketIndexSql(query.from, query.interval, parameters)} AS bucket`,
    ...(x === undefined ? [] : [`${x} AS x`]),
    ...(withProperties ? ['properties'] : []),
  ]
  const rows = `SELECT ${read.join(', ')} FROM events
WHERE workspace_id = ${parameters.bind('UUID', workspaceId)} AND event = ${parameters.bind('String', eventName)}
AND ${rangeConditions(query.from, query.to - 1, parameters).join(' AND ')}`
  return `SELECT ${shown.join(', ')} FROM (
${measure === 'persons' ? person.linked(rows) : rows})${
    conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  }`
}
