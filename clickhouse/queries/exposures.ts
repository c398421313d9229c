import type { Parameters } from './funnel/parameters.js'
import { valueTextSql } from './funnel/value-text.js'

/** Whose exposures count, and when. Times in milliseconds. */
export interface MeasuredPeriod {
  readonly workspaceId: string
  /** The experiment's key, as exposures name it. */
  readonly key: string
  /** Keys, in the experiment's order. */
  readonly variants: readonly string[]
  /** Null where it never started: then nobody counts. */
  readonly startedAt: number | null
  /** The last time of an exposure; null while it has not ended. */
  readonly endedAt: number | null
}

const PLACE_BITS = 160

/**
 * A number whose order is that of events of one time, as funnels have it: by receipt, index in the request, place in the log. A tuple says the same, and its least one costs nine
 * times as much to find.
 */
export const PLACE = [
  'bitShiftLeft(toUInt256(toUnixTimestamp64Milli(received_at)), 96)',
  'bitShiftLeft(toUInt256(request_index), 80)',
  'bitShiftLeft(toUInt256(log_partition), 64)',
  'toUInt256(log_offset)',
].reduce((a, b) => `bitOr(${a}, ${b})`)
/** The same of all events: by time, then by place. */
const ORDER = `bitOr(bitShiftLeft(toUInt256(toUnixTimestamp64Milli(timestamp)), ${PLACE_BITS}), ${PLACE})`

/**
 * SQL of the exposures to an experiment, each once, whatever a migration brought in twice: also those at other times than `duringSql` names, or to other variants than
 * `knownSql` does.
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
  const after = `timestamp >= ${atSql(startedAt, parameters)}`
  return endedAt === null ? after : `${after} AND timestamp <= ${atSql(endedAt, parameters)}`
}

export function knownSql({ variants }: Pick<MeasuredPeriod, 'variants'>, parameters: Parameters): string {
  return `variant IN ${parameters.bind('Array(String)', variants)}`
}

/**
 * SQL of the persons who were exposed: `person`, `variant`, empty where they saw several of them, and their first exposure: `first_at`, and `first_place`, its `PLACE`
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
  const segment = breakdown === undefined ? '' : `, argMin(segment_text, ${ORDER}) AS segment`
  return `SELECT
  ${personKey} AS person,
  if(min(variant) = max(variant), toString(min(variant)), '') AS variant,
  min(${ORDER}) AS first,
  fromUnixTimestamp64Milli(toInt64(bitShiftRight(first, ${PLACE_BITS})), 'UTC') AS first_at,
  bitAnd(first, bitShiftLeft(toUInt256(1), ${PLACE_BITS}) - toUInt256(1)) AS first_place${segment}
FROM (${valued})
GROUP BY person`
}

export function atSql(time: number, parameters: Parameters): string {
  return `fromUnixTimestamp64Milli(${parameters.bind('Int64', time)}, 'UTC')`
}
