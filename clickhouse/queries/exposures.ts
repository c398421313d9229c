import type { PropertyFilter } from '../../domain/funnel.js'
import type { PersonSql } from '../port.js'
import type { Parameters } from './parameters.js'
import { filterSql, JSON_TEXT } from './property-filter.js'
import { valueTextSql } from './value-text.js'

/** An event that stands in for exposures: its persons are all in the one variant of the period. */
export interface ExposureEvent {
  readonly eventName: string
  readonly filters: readonly PropertyFilter[]
}

/** The exposures that count, and when. Times in milliseconds. */
export interface MeasuredPeriod {
  readonly workspaceId: string
  /** The experiment's key, as in exposures. */
  readonly key: string
  /** Keys, in the experiment's order. */
  readonly variants: readonly string[]
  /** Null if it never started: then no exposure counts. */
  readonly startedAt: number | null
  /** The last time of an exposure; null while it has not ended. */
  readonly endedAt: number | null
  /** @default the exposures of the experiment */
  readonly exposureEvent?: ExposureEvent | undefined
}

const PLACE_BITS = 160

/**
 * A number that orders events of one time as funnels do: by receipt, index in the request, position in the
 * log. A tuple is equivalent, but its minimum costs nine times as much.
 */
export const POSITION_COLUMNS = [
  'bitShiftLeft(toUInt256(toUnixTimestamp64Milli(received_at)), 96)',
  'bitShiftLeft(toUInt256(request_index), 80)',
  'bitShiftLeft(toUInt256(log_partition), 64)',
  'toUInt256(log_offset)',
].reduce((a, b) => `bitOr(${a}, ${b})`)
/** The same for all events: by time, then by position. */
const ORDER = `bitOr(bitShiftLeft(toUInt256(toUnixTimestamp64Milli(timestamp)), ${PLACE_BITS}), ${POSITION_COLUMNS})`

/**
 * Exposures received before this time may be stored twice: by the migration that filled their table (schema
 * 005) and by a replayed block. Clocks differ by less than a day.
 */
const TWICE =
  '(SELECT if(count() = 0, toDateTime(4294967295), max(applied_at) + toIntervalDay(1)) FROM schema_migrations WHERE version = 5)'

/**
 * SQL of an experiment's exposures, each once, whatever a migration stored twice; includes other times than
 * `measuredPeriodSql` and other variants than `knownVariantSql`. Merging repetitions costs more than anything
 * else here, so it is limited to receipts that may have some.
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
  /** Whether `first_place` is needed, which costs as much as everything else. */
  readonly placed: boolean
  /** A dotted path into the properties of exposures. */
  readonly breakdown?: string | undefined
  /** Only these persons. */
  readonly only?: readonly bigint[] | undefined
  /** Only the persons of one of `SLICES` parts. */
  readonly slice?: number | undefined
  /** Adds `seen` and `clamped`: a person's exposures, each once, and those whose time was clamped. */
  readonly counted?: boolean
}

/** Indexes into `TIMESTAMP_ADJUSTMENTS` (domain/event.ts). */
export const CLAMPED = '(2, 3)'

export const SLICES = 16

/** SQL condition that a person belongs to the slice, to follow a WHERE; empty without a slice. */
export function sliceSql({ slice }: Pick<ExposedOptions, 'slice'>): string {
  return slice === undefined ? '' : `WHERE person % ${SLICES} = ${slice}\n`
}

/**
 * SQL of exposed persons: `person`; `arms`, one bit per variant they saw, in the experiment's order;
 * `first_at`, and if wanted `first_place`, the position of the first exposure among events of that time. With
 * a breakdown also `segment`, the JSON text of the property at that exposure, empty if it is missing or null.
 */
export function exposedSql(
  period: StartedPeriod,
  person: PersonSql,
  { placed, breakdown, only, slice, counted = false }: ExposedOptions,
  parameters: Parameters,
): string {
  const ordered = placed || breakdown !== undefined
  const columns = `person_key, variant, timestamp${ordered ? ', received_at, request_index, log_partition, log_offset' : ''}${counted ? ', adjustment' : ''}`
  const read = breakdown === undefined ? columns : `${columns}, properties`
  const rows =
    period.exposureEvent === undefined
      ? exposureRowsSql(read, period, counted, parameters)
      : eventRowsSql(columns, period.exposureEvent, period, parameters)
  const valued =
    breakdown === undefined ? rows : valueTextSql(rows, columns, 'segment_text', breakdown, parameters)
  const first = placed
    ? `min(${ORDER}) AS first,
  fromUnixTimestamp64Milli(toInt64(bitShiftRight(first, ${PLACE_BITS})), 'UTC') AS first_at,
  bitAnd(first, bitShiftLeft(toUInt256(1), ${PLACE_BITS}) - toUInt256(1)) AS first_place`
    : 'min(timestamp) AS first_at'
  const segment = breakdown === undefined ? '' : `,\n  argMin(segment_text, ${ORDER}) AS segment`
  const counts = counted ? `,\n  count() AS seen, countIf(adjustment IN ${CLAMPED}) AS clamped` : ''
  return `SELECT
  ${person.key} AS person,
  groupBitOr(${armSql(period, parameters)}) AS arms,
  ${first}${segment}${counts}
FROM (${person.linked(valued)})
${only === undefined ? sliceSql({ slice }) : `WHERE person IN ${parameters.bind('Array(UInt64)', only)}\n`}GROUP BY person`
}

function exposureRowsSql(
  columns: string,
  period: StartedPeriod,
  counted: boolean,
  parameters: Parameters,
): string {
  // A repeated exposure does not change which one is first.
  const source = counted
    ? `(${exposuresOnceSql(columns, period, parameters)}) WHERE`
    : `exposures WHERE ${ofExperimentSql(period, parameters)} AND`
  return `SELECT ${columns} FROM ${source} ${measuredPeriodSql(period, parameters)} AND ${knownVariantSql(period, parameters)}`
}

function eventRowsSql(
  columns: string,
  { eventName, filters }: ExposureEvent,
  period: StartedPeriod,
  parameters: Parameters,
): string {
  const [variant = ''] = period.variants
  const filtered = filters.length > 0
  const conditions = filters.map((filter) => filterSql(filter, parameters))
  return `SELECT ${columns.replace('variant', `${parameters.bind('String', variant)} AS variant`)}
FROM (SELECT *${filtered ? `, ${JSON_TEXT} AS json` : ''} FROM events
WHERE workspace_id = ${parameters.bind('UUID', period.workspaceId)} AND event = ${parameters.bind('String', eventName)} AND ${measuredPeriodSql(period, parameters)})${filtered ? `\nWHERE ${conditions.join(' AND ')}` : ''}`
}

const MAX_ARMS = 8

/** The bit of an exposure's variant. */
function armSql({ variants }: Pick<MeasuredPeriod, 'variants'>, parameters: Parameters): string {
  return `transform(variant, ${parameters.bind('Array(String)', variants)}, [${bitsOf(variants)}], 0)`
}

/** SQL of the key of the one variant that a person of `exposedSql` saw; empty if they saw several. */
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
