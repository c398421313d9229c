import { NEWEST_MS, OLDEST_MS } from '../../../domain/clamp.js'
import { monthOf } from '../../../domain/month.js'
import type { Parameters } from '../funnel/parameters.js'
import { filterSql, JSON_TEXT, numberSql } from '../funnel/property-filter.js'
import { valueTextSql } from '../funnel/value-text.js'
import type { MeasuredPeriod, ResultsTarget } from './request.js'

/** The order of events of one time, as funnels have it: by receipt, index in the request, place in the log. */
const BEHIND = '(received_at, request_index, log_partition, log_offset)'

const HOUR_MS = 3_600_000
/** How far back the sum before exposure reaches. */
const BEFORE_MS = 30 * 24 * HOUR_MS

/**
 * SQL of the exposures of an experiment: each once, whatever a migration brought in twice. With `during`, those that are in time; of them, `known` are those to one of its
 * variants.
 */
export function exposuresSql(
  columns: string,
  { workspaceId, key }: Pick<MeasuredPeriod, 'workspaceId' | 'key'>,
  parameters: Parameters,
): string {
  return `SELECT ${columns} FROM exposures FINAL
WHERE workspace_id = ${parameters.bind('UUID', workspaceId)} AND experiment = ${parameters.bind('String', key)}`
}

export function duringSql(
  { startedAt, endedAt }: { readonly startedAt: number; readonly endedAt: number | null },
  parameters: Parameters,
): string {
  const after = `timestamp >= ${at(startedAt, parameters)}`
  return endedAt === null ? after : `${after} AND timestamp <= ${at(endedAt, parameters)}`
}

export function knownSql({ variants }: Pick<MeasuredPeriod, 'variants'>, parameters: Parameters): string {
  return `variant IN ${parameters.bind('Array(String)', variants)}`
}

/**
 * SQL of the persons who were exposed: `person`, `variant`, empty where they saw several of them, and their first exposure: `first_at`, and `first_behind`, its place
 * among the events of that time. With a breakdown also `segment`, the JSON text of the property at that exposure, empty where it is missing or null.
 *
 * @param personKey SQL of the person of a `person_key`, links applied
 */
export function exposedSql(
  period: MeasuredPeriod & { readonly startedAt: number },
  personKey: string,
  breakdown: string | undefined,
  parameters: Parameters,
): string {
  const columns = `person_key, variant, timestamp, received_at, request_index, log_partition, log_offset`
  const rows = `${exposuresSql(breakdown === undefined ? columns : `${columns}, properties`, period, parameters)}
  AND ${duringSql(period, parameters)} AND ${knownSql(period, parameters)}`
  const valued =
    breakdown === undefined ? rows : valueTextSql(rows, columns, 'segment_text', breakdown, parameters)
  const segment = breakdown === undefined ? '' : `, argMin(segment_text, (timestamp, ${BEHIND})) AS segment`
  return `SELECT
  ${personKey} AS person,
  if(min(variant) = max(variant), toString(min(variant)), '') AS variant,
  min((timestamp, ${BEHIND})) AS first,
  first.1 AS first_at,
  first.2 AS first_behind${segment}
FROM (${valued})
GROUP BY person`
}

/**
 * SQL of one row for each exposed person: `person`, `variant`, `segment` where there is a breakdown, and for each target `converted_N`, how many events count; where its
 * metric is a mean, `value_N`, their sum, and `before_N`, the sum before exposure.
 */
export function personsSql(
  period: MeasuredPeriod & { readonly startedAt: number },
  targets: readonly ResultsTarget[],
  personKey: string,
  breakdown: string | undefined,
  parameters: Parameters,
): string {
  const than = (sign: '<' | '>') =>
    `(timestamp ${sign} first_at OR (timestamp = first_at AND ${BEHIND} ${sign} first_behind))`
  const figures = targets.flatMap(({ windowHours, metric }, index) => {
    const matches = `matches_${index}`
    const within =
      windowHours === null
        ? ''
        : ` AND timestamp <= first_at + toIntervalMillisecond(${parameters.bind('Int64', wholeMilliseconds(windowHours))})`
    const counts = `${matches} AND ${than('>')}${within}${untilSql(period, parameters)}`
    const converted = `countIf(${counts}) AS converted_${index}`
    if (metric?.type !== 'mean') return [converted]
    const value = `sumIf(number_${index}, ${counts}) AS value_${index}`
    if (metric.cuped !== true) return [converted, value]
    // The exposure itself, where it is the target's event, is neither.
    const earlier = `${matches} AND ${than('<')} AND timestamp >= first_at - toIntervalMillisecond(${BEFORE_MS})`
    return [converted, value, `sumIf(number_${index}, ${earlier}) AS before_${index}`]
  })
  const segment = breakdown === undefined ? '' : ', any(segment) AS segment'
  // A right join keeps the persons without an event too: they count, with nothing.
  return `SELECT person, any(variant) AS variant${segment},
  ${figures.join(',\n  ')}
FROM (
${conversionsSql(period, targets, personKey, parameters)}
) AS conversions
RIGHT JOIN (
${exposedSql(period, personKey, breakdown, parameters)}
) AS exposed USING person
GROUP BY person`
}

/**
 * SQL of the targets' events: `person`, when and where they happened, and for each target `matches_N`, whether it is its event and passes its filters, and `number_N`, the property
 * of a mean.
 */
function conversionsSql(
  period: MeasuredPeriod & { readonly startedAt: number },
  targets: readonly ResultsTarget[],
  personKey: string,
  parameters: Parameters,
): string {
  const places = 'timestamp, received_at, request_index, log_partition, log_offset'
  const parsed = targets.some(({ filters, metric }) => filters.length > 0 || metric?.type === 'mean')
  const adjusted = targets.some(({ metric }) => metric?.type === 'mean' && metric.cuped === true)
  const from = period.startedAt - (adjusted ? BEFORE_MS : 0)
  const matches = targets.map(({ eventName, filters }, index) => {
    const conditions = [
      `event = ${parameters.bind('String', eventName)}`,
      ...filters.map((filter) => filterSql(filter, parameters)),
    ]
    return `${conditions.join(' AND ')} AS matches_${index}`
  })
  const numbers = targets.flatMap(({ metric }, index) =>
    metric?.type === 'mean'
      ? [`if(matches_${index}, ${numberSql(metric.property, parameters)}, 0) AS number_${index}`]
      : [],
  )
  const names = parameters.bind('Array(String)', [...new Set(targets.map(({ eventName }) => eventName))])
  const last = period.measuredUntil
  const rows = `SELECT person_key, event, ${places}${parsed ? `, properties, ${JSON_TEXT} AS json` : ''}
FROM events
WHERE workspace_id = ${parameters.bind('UUID', period.workspaceId)} AND event IN ${names}
  AND timestamp >= ${at(from, parameters)}${untilSql(period, parameters)}
  -- Ingestion keeps a timestamp near its receipt; months of receipt without such an event are not opened.
  AND _partition_id >= ${parameters.bind('String', String(monthOf(from - NEWEST_MS)))}${
    last === null
      ? ''
      : ` AND _partition_id <= ${parameters.bind('String', String(monthOf(last + OLDEST_MS)))}`
  }`
  return `SELECT ${[`${personKey} AS person`, places, ...matches, ...numbers].join(', ')} FROM (
${rows})`
}

/** The most whole milliseconds that are not more hours than these: 3 ms, written in hours and multiplied again, are a little less than 3 ms. */
function wholeMilliseconds(hours: number): number {
  const near = Math.round(hours * HOUR_MS)
  return near / HOUR_MS <= hours ? near : near - 1
}

function untilSql({ measuredUntil }: MeasuredPeriod, parameters: Parameters): string {
  return measuredUntil === null ? '' : ` AND timestamp <= ${at(measuredUntil, parameters)}`
}

function at(time: number, parameters: Parameters): string {
  return `fromUnixTimestamp64Milli(${parameters.bind('Int64', time)}, 'UTC')`
}
