import { MAX_AGE_MS, MAX_AHEAD_MS } from '../../../domain/clamp.js'
import { monthOf } from '../../../domain/month.js'
import { atSql, type ExposedOptions, exposedSql, POSITION_COLUMNS, sliceSql } from '../exposures.js'
import type { Parameters } from '../funnel/parameters.js'
import { filterSql } from '../funnel/property-filter.js'
import { numbersSql } from '../funnel/value-text.js'
import type { ResultsRequest, ResultsTarget } from './request.js'

const HOUR_MS = 3_600_000
/** How far back the sum before exposure reaches. */
const BEFORE_MS = 30 * 24 * HOUR_MS
/** Three centuries: receipts lie within two, and times near theirs. */
const ALL_OF_TIME_MS = 300 * 366 * 24 * HOUR_MS

type StartedRequest = Omit<ResultsRequest, 'startedAt'> & { readonly startedAt: number }

/**
 * SQL of one row for each exposed person: `person`, `arms`, `segment` where there is a breakdown, and for each target `converted_N`, whether an event counts; where its
 * metric is a mean, `value_N`, their sum, and `before_N`, the sum before exposure. Where places are not looked at, events at the time of the exposure do not count, and `unplaced` says
 * that some might.
 */
export function resultPersonsSql(
  period: StartedRequest,
  personKey: string,
  options: ExposedOptions,
  parameters: Parameters,
): string {
  const { targets } = period
  const plain = targets.every((target) => windowMs(target) === undefined && target.metric?.type !== 'mean')
  return plain && !options.placed
    ? byLatestSql(period, personKey, options, parameters)
    : byEachSql(period, personKey, options, parameters)
}

/** Who converts at any time after the exposure has done so last: nothing has to be known of persons while their events are gathered, which costs half. */
function byLatestSql(
  period: StartedRequest,
  personKey: string,
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
${conversionsSql(period, options, personKey, parameters)})
${sliceSql(options)}GROUP BY person
) AS latest
RIGHT JOIN (
${exposedSql(period, personKey, options, parameters)}
) AS exposed USING person`
}

function byEachSql(
  period: StartedRequest,
  personKey: string,
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
    const converted = `max(${counts}) AS converted_${index}`
    if (metric?.type !== 'mean') return [converted]
    const value = `sumIf(number_${index}, ${counts}) AS value_${index}`
    if (metric.cuped !== true) return [converted, value]
    // The exposure itself, where it is the target's event, is neither.
    const earlier = `${matches} AND ${than('<')} AND timestamp >= first_at - toIntervalMillisecond(${BEFORE_MS})`
    return [converted, value, `sumIf(number_${index}, ${earlier}) AS before_${index}`]
  })
  const matching = targets.map((_, index) => `matches_${index}`).join(' OR ')
  const tied = options.placed ? 'toUInt8(0)' : `max(timestamp = first_at AND (${matching}))`
  // A right join keeps the persons without an event too: they count, with nothing.
  return `SELECT person, any(arms) AS arms${options.breakdown === undefined ? '' : ', any(segment) AS segment'},
  ${figures.join(',\n  ')},
  ${tied} AS unplaced
FROM (
SELECT * FROM (
${conversionsSql(period, options, personKey, parameters)})
${sliceSql(options)}) AS conversions
RIGHT JOIN (
${exposedSql(period, personKey, options, parameters)}
) AS exposed USING person
GROUP BY person`
}

/**
 * SQL of the targets' events: `person`, when they happened, where they stand among those of that time if they are to be `placed`, and for each target `matches_N`, whether it is its event and passes its filters, and `number_N`, the property
 * of a mean.
 */
function conversionsSql(
  period: StartedRequest,
  { placed, only }: ExposedOptions,
  personKey: string,
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
    return `${conditions.join(' AND ')} AS matches_${index}`
  })
  const numbers = targets.flatMap(({ metric }, index) =>
    metric?.type === 'mean'
      ? [`if(matches_${index}, ${numberSql(metric.property)}, 0) AS number_${index}`]
      : [],
  )
  const names = parameters.bind('Array(String)', [...new Set(targets.map(({ eventName }) => eventName))])
  const last = period.measuredUntil
  const rows = `SELECT person_key, event, ${[places, ...(columns.length > 0 ? ['properties', ...columns] : [])].join(', ')}
FROM events
WHERE workspace_id = ${parameters.bind('UUID', period.workspaceId)} AND event IN ${names}
  AND timestamp >= ${atSql(from, parameters)}${untilSql(period, parameters)}
  -- Ingestion keeps a timestamp near its receipt; months of receipt without such an event are not opened.
  AND _partition_id >= ${parameters.bind('String', String(monthOf(from - MAX_AHEAD_MS)))}${
    last === null
      ? ''
      : ` AND _partition_id <= ${parameters.bind('String', String(monthOf(last + MAX_AGE_MS)))}`
  }${only === undefined ? '' : `\n  AND ${personKey} IN ${parameters.bind('Array(UInt64)', only)}`}`
  return `SELECT ${[`${personKey} AS person`, places, ...matches, ...numbers].join(', ')} FROM (
${rows})`
}

/**
 * The most whole milliseconds that are not more hours than the window's: 3 ms, written in hours and multiplied again, are a little less than 3 ms. Undefined where none is asked for, or one that
 * no two events can be apart, which times of the store could not be added to.
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
