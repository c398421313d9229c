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
export const POSITION_COLUMNS = [
  'bitShiftLeft(toUInt256(toUnixTimestamp64Milli(received_at)), 96)',
  'bitShiftLeft(toUInt256(request_index), 80)',
  'bitShiftLeft(toUInt256(log_partition), 64)',
  'toUInt256(log_offset)',
].reduce((a, b) => `bitOr(${a}, ${b})`)
/** The same of all events: by time, then by place. */
const ORDER = `bitOr(bitShiftLeft(toUInt256(toUnixTimestamp64Milli(timestamp)), ${PLACE_BITS}), ${POSITION_COLUMNS})`

/**
 * Until when exposures may have been received that came twice: those that were stored before they had a table of their own (schema 005), by the filling and by a block that was carried out
 * again. Clocks differ by less than a day.
 */
const TWICE =
  '(SELECT if(count() = 0, toDateTime(4294967295), max(applied_at) + toIntervalDay(1)) FROM schema_migrations WHERE version = 5)'

/**
 * SQL of the exposures to an experiment, each once, whatever a migration brought in twice: also those at other times than `duringSql` names, or to other variants than
 * `knownSql` does. Putting repetitions together costs more than all else that is done with exposures, and is left to those of which there may be some.
 */
export function exposuresOnceSql(
  columns: string,
  period: Pick<MeasuredPeriod, 'workspaceId' | 'key'>,
  parameters: Parameters,
): string {
  const own = ofExperimentSql(period, parameters)
  return `SELECT ${columns} FROM exposures WHERE ${own} AND received_at > ${TWICE}
UNION ALL
SELECT ${columns} FROM exposures FINAL WHERE ${own} AND received_at <= ${TWICE}`
}

function ofExperimentSql(
  { workspaceId, key }: Pick<MeasuredPeriod, 'workspaceId' | 'key'>,
  parameters: Parameters,
): string {
  return `workspace_id = ${parameters.bind('UUID', workspaceId)} AND experiment = ${parameters.bind('String', key)}`
}

export function measuredPeriodSql(
  { startedAt, endedAt }: { readonly startedAt: number; readonly endedAt: number | null },
  parameters: Parameters,
): string {
  const after = `timestamp >= ${atSql(startedAt, parameters)}`
  return endedAt === null ? after : `${after} AND timestamp <= ${atSql(endedAt, parameters)}`
}

export function knownVariantSql(
  { variants }: Pick<MeasuredPeriod, 'variants'>,
  parameters: Parameters,
): string {
  return `variant IN ${parameters.bind('Array(String)', variants)}`
}

type StartedPeriod = MeasuredPeriod & { readonly startedAt: number }

export interface ExposedOptions {
  /** Whether `first_place` is wanted, which costs as much as all else. */
  readonly placed: boolean
  /** A dotted path into the properties of exposures. */
  readonly breakdown?: string | undefined
  /** Of these persons alone. */
  readonly only?: readonly bigint[] | undefined
  /** Of the persons of one of `SLICES` parts alone. */
  readonly slice?: number | undefined
}

export const SLICES = 16

/** SQL of whether a person belongs to the slice, behind a WHERE; empty where all do. */
export function sliceSql({ slice }: Pick<ExposedOptions, 'slice'>): string {
  return slice === undefined ? '' : `WHERE person % ${SLICES} = ${slice}\n`
}

/**
 * SQL of the persons who were exposed: `person`; `arms`, a bit for each variant they saw, in the experiment's order; and their first exposure: `first_at`, and where it is wanted
 * `first_place`, its `PLACE` among the events of that time. With a breakdown also `segment`, the JSON text of the property at that exposure, empty where it is missing or null.
 *
 * @param personKey SQL of the person of a `person_key`, links applied
 */
export function exposedSql(
  period: StartedPeriod,
  personKey: string,
  { placed, breakdown, only, slice }: ExposedOptions,
  parameters: Parameters,
): string {
  const ordered = placed || breakdown !== undefined
  const columns = `person_key, variant, timestamp${ordered ? ', received_at, request_index, log_partition, log_offset' : ''}`
  // An exposure that came twice is no other first one.
  const rows = `SELECT ${breakdown === undefined ? columns : `${columns}, properties`} FROM exposures
WHERE ${ofExperimentSql(period, parameters)}
  AND ${measuredPeriodSql(period, parameters)} AND ${knownVariantSql(period, parameters)}`
  const valued =
    breakdown === undefined ? rows : valueTextSql(rows, columns, 'segment_text', breakdown, parameters)
  const first = placed
    ? `min(${ORDER}) AS first,
  fromUnixTimestamp64Milli(toInt64(bitShiftRight(first, ${PLACE_BITS})), 'UTC') AS first_at,
  bitAnd(first, bitShiftLeft(toUInt256(1), ${PLACE_BITS}) - toUInt256(1)) AS first_place`
    : 'min(timestamp) AS first_at'
  const segment = breakdown === undefined ? '' : `,\n  argMin(segment_text, ${ORDER}) AS segment`
  return `SELECT
  ${personKey} AS person,
  groupBitOr(${armSql(period, parameters)}) AS arms,
  ${first}${segment}
FROM (${valued})
${only === undefined ? sliceSql({ slice }) : `WHERE person IN ${parameters.bind('Array(UInt64)', only)}\n`}GROUP BY person`
}

const MAX_ARMS = 8

/** The bit of an exposure's variant. */
function armSql({ variants }: Pick<MeasuredPeriod, 'variants'>, parameters: Parameters): string {
  return `transform(variant, ${parameters.bind('Array(String)', variants)}, [${bitsOf(variants)}], 0)`
}

/** SQL of the key of the one variant that a person of `exposedSql` saw; empty where they saw several. */
export function variantSql({ variants }: Pick<MeasuredPeriod, 'variants'>, parameters: Parameters): string {
  return `transform(arms, [${bitsOf(variants)}], ${parameters.bind('Array(String)', variants)}, '')`
}

function bitsOf(variants: readonly string[]): string {
  if (variants.length > MAX_ARMS)
    throw new RangeError(`${variants.length} variants are more than ${MAX_ARMS}`)
  return variants.map((_, index) => 2 ** index).join(', ')
}

export function atSql(time: number, parameters: Parameters): string {
  return `fromUnixTimestamp64Milli(${parameters.bind('Int64', time)}, 'UTC')`
}
