import { MAX_AHEAD_MS } from '../../../domain/clamp.js'
import { monthOf } from '../../../domain/month.js'
import type { PersonSql } from '../../port.js'
import { atSql, type ExposedOptions, exposedSql, POSITION_COLUMNS, sliceSql } from '../exposures.js'
import type { Parameters } from '../parameters.js'
import { filterSql } from '../property-filter.js'
import { numbersSql } from '../value-text.js'
import type { ResultsRequest, ResultsTarget } from './request.js'

const HOUR_MS = 3_600_000
/** How far back the sum before exposure reaches. */
const BEFORE_MS = 30 * 24 * HOUR_MS
/** Three centuries: receipts are within two, and times near theirs. */
const ALL_OF_TIME_MS = 300 * 366 * 24 * HOUR_MS

type StartedRequest = Omit<ResultsRequest, 'startedAt'> & { readonly startedAt: number }

/**
 * SQL of one row per exposed person: `person`, `arms`, with a breakdown `segment`, and per target
 * `converted_N`; for a mean `value_N`, the sum, and `before_N`, the sum before exposure. Without positions,
 * events at the time of the exposure do not count, and `unplaced` marks persons for whom some might.
 */
export function resultPersonsSql(
  period: StartedRequest,
  person: PersonSql,
  options: ExposedOptions,
  parameters: Parameters,
): string {
  const { targets } = period
  const plain = targets.every((target) => windowMs(target) === undefined && target.metric?.type !== 'mean')
  return plain && !options.placed
    ? byLatestSql(period, person, options, parameters)
    : byEachSql(period, person, options, parameters)
}

/**
 * Without a window, the latest event decides: nothing about persons is needed while gathering their events,
 * which halves the cost.
 */
function byLatestSql(
  period: StartedRequest,
  person: PersonSql,
  options: ExposedOptions,
  parameters: Parameters,
): string {
  const latest = period.targets.map((_, index) => `maxIf(timestamp, matches_${index}) AS latest_${index}`)
  const converted = period.targets.map((_, index) => `latest_${index} > first_at AS converted_${index}`)
  const tied = period.targets.map((_, index) => `latest_${index} = first_at`)
  return `SELECT person, arms${options.breakdown === undefined ? '' : ', segment'},
  ${converted.join(',\n  ')},
  ${tied.join(' OR ')} AS unplaced
FROM (
SELECT person, ${latest.join(', ')} FROM (
${conversionsSql(period, options, person, parameters)})
${sliceSql(options)}GROUP BY person
) AS latest
RIGHT JOIN (
${exposedSql(period, person, options, parameters)}
) AS exposed USING person`
}

function byEachSql(
  period: StartedRequest,
  person: PersonSql,
  options: ExposedOptions,
  parameters: Parameters,
): string {
  const { targets } = period
  const than = (sign: '<' | '>') =>
    options.placed
      ? `(timestamp ${sign} first_at OR (timestamp = first_at AND ${POSITION_COLUMNS} ${sign} first_place))`
      : `timestamp ${sign} first_at`
  const figures = targets.flatMap((target, index) => {
    const { metric } = target
    const matches = `matches_${index}`
    const window = windowMs(target)
    const within =
      window === undefined
        ? ''
        : ` AND timestamp <= first_at + toIntervalMillisecond(${parameters.bind('Int64', window)})`
    const counts = `${matches} AND ${than('>')}${within}`
    const converted = `groupBitOr(${counts}) AS converted_${index}`
    if (metric?.type !== 'mean') return [converted]
    const number = numberColumn(targets, metric.property)
    const value = `sumIf(${number}, ${counts}) AS value_${index}`
    if (metric.cuped !== true) return [converted, value]
    // The exposure itself, if it is the target's event, is neither before nor after.
    const earlier = `${matches} AND ${than('<')} AND timestamp >= first_at - toIntervalMillisecond(${BEFORE_MS})`
    return [converted, value, `sumIf(${number}, ${earlier}) AS before_${index}`]
  })
  const matching = targets.map((_, index) => `matches_${index}`).join(' OR ')
  const tied = options.placed ? 'toUInt8(0)' : `groupBitOr(timestamp = first_at AND (${matching}))`
  // A right join keeps persons without events: they count with nothing.
  return `SELECT person, groupBitOr(arms) AS arms${options.breakdown === undefined ? '' : ', any(segment) AS segment'},
  ${figures.join(',\n  ')},
  ${tied} AS unplaced
FROM (
SELECT * FROM (
${conversionsSql(period, options, person, parameters)})
${sliceSql(options)}) AS conversions
RIGHT JOIN (
${exposedSql(period, person, options, parameters)}
) AS exposed USING person
GROUP BY person`
}

/**
 * SQL of the targets' events: `person`, time, position if `placed`, per target `matches_N`, whether it is the
 * target's event and passes its filters, and the properties of means (`numberColumn`).
 */
function conversionsSql(
  period: StartedRequest,
  { placed, only }: ExposedOptions,
  person: PersonSql,
  parameters: Parameters,
): string {
  const { targets } = period
  const places = placed ? 'timestamp, received_at, request_index, log_partition, log_offset' : 'timestamp'
  const filtered = targets.some(({ filters }) => filters.length > 0)
  const means = targets.flatMap(({ metric }) => (metric?.type === 'mean' ? [metric.property] : []))
  const { columns, numberSql } = numbersSql(means, filtered, parameters)
  const adjusted = targets.some(({ metric }) => metric?.type === 'mean' && metric.cuped === true)
  const from = period.startedAt - (adjusted ? BEFORE_MS : 0)
  const matches = targets.map(({ eventName, filters }, index) => {
    const conditions = [
      `event = ${parameters.bind('String', eventName)}`,
      ...filters.map((filter) => filterSql(filter, parameters)),
    ]
    // Without the conversion it has the dictionary of the names, which joins copy slowly.
    return `toUInt8(${conditions.join(' AND ')}) AS matches_${index}`
  })
  const numbers = [...new Set(means)].map((property) => {
    const wanted = targets.flatMap(({ metric }, index) =>
      metric?.type === 'mean' && metric.property === property ? [`matches_${index}`] : [],
    )
    return `if(${wanted.join(' OR ')}, ${numberSql(property)}, 0) AS ${numberColumn(targets, property)}`
  })
  const names = parameters.bind('Array(String)', [...new Set(targets.map(({ eventName }) => eventName))])
  const rows = `SELECT person_key, event, ${[places, ...(columns.length > 0 ? ['properties', ...columns] : [])].join(', ')}
FROM events
WHERE workspace_id = ${parameters.bind('UUID', period.workspaceId)} AND event IN ${names}
  AND timestamp >= ${atSql(from, parameters)}${untilSql(period, parameters)}
  -- No timestamp is further ahead of its receipt; months before are not opened.
  AND _partition_id >= ${parameters.bind('String', String(monthOf(from - MAX_AHEAD_MS)))}`
  return `SELECT ${[`${person.key} AS person`, places, ...matches, ...numbers].join(', ')} FROM (
${person.linked(rows)})${only === undefined ? '' : `\nWHERE person IN ${parameters.bind('Array(UInt64)', only)}`}`
}

/** The column of a mean's property, which several targets may have. */
function numberColumn(targets: readonly ResultsTarget[], property: string): string {
  return `number_${targets.findIndex(({ metric }) => metric?.type === 'mean' && metric.property === property)}`
}

/**
 * The most whole milliseconds within the window's hours: 3 ms as hours, multiplied again, are slightly less
 * than 3 ms. Undefined without a window, or if no two events can be that far apart, because such a window
 * would overflow times of the store.
 */
function windowMs({ windowHours }: Pick<ResultsTarget, 'windowHours'>): number | undefined {
  if (windowHours === null) return undefined
  const near = Math.round(windowHours * HOUR_MS)
  const whole = near / HOUR_MS <= windowHours ? near : near - 1
  return whole > ALL_OF_TIME_MS ? undefined : whole
}

function untilSql({ measuredUntil }: Pick<ResultsRequest, 'measuredUntil'>, parameters: Parameters): string {
  return measuredUntil === null ? '' : ` AND timestamp <= ${atSql(measuredUntil, parameters)}`
}
