import { NEWEST_MS, OLDEST_MS } from '../../../domain/clamp.js'
import { EVENT_LIMITS } from '../../../domain/event.js'
import type { FunnelQuery, FunnelStep } from '../../../domain/funnel.js'
import type { Parameters } from './parameters.js'
import { filterSql } from './property-filter.js'

/**
 * The events a funnel looks at, each as a whole number: milliseconds on the funnel's own clock, then the code of the steps it
 * satisfies in the lowest bits.
 */
export interface Relevant {
  /** Bits of a code. */
  readonly codeBits: number
  /** How many bits a time takes on the funnel's clock, which starts a window and a millisecond before `from`. */
  readonly timeBits: number
  /** Whether the event of this code satisfies a step (0-based). */
  satisfies(code: string, step: number): string
  /** Whether one event can satisfy several steps. */
  readonly overlapping: boolean
  /** Columns of a row. */
  readonly time: string
  readonly code: string
  /** Milliseconds since 1970 of a time on the funnel's clock. */
  epoch(time: string): string
  /** Conditions on the table's rows, the workspace first. */
  readonly where: string
}

/**
 * Step names that are all different make codes of a number a step; steps that share a name, which one event may satisfy at
 * once, make codes of a bit a step.
 */
export function relevantEvents(
  workspaceId: string,
  steps: readonly FunnelStep[],
  query: FunnelQuery,
  parameters: Parameters,
): Relevant {
  const names = [...new Set(steps.map((step) => step.eventName))]
  const overlapping = names.length < steps.length
  const windowMs = query.windowSeconds * 1_000
  const int = (value: number) => parameters.bind('Int64', value)
  const at = (value: number) => `fromUnixTimestamp64Milli(${int(value)}, 'UTC')`
  const conditionOf = (step: FunnelStep) =>
    [
      `event = ${parameters.bind('String', step.eventName)}`,
      ...step.filters.map((filter) => filterSql(filter, parameters)),
    ].join(' AND ')
  const conditions = steps.map((step, index) =>
    index === 0 ? `timestamp < ${at(query.to)} AND ${conditionOf(step)}` : conditionOf(step),
  )
  const [first] = steps
  // After `to` an event of the first step begins nothing, but it still comes in between: one more code.
  if (query.order === 'strict' && first !== undefined)
    conditions.push(`timestamp >= ${at(query.to)} AND ${conditionOf(first)}`)
  const codeBits = overlapping ? conditions.length : Math.ceil(Math.log2(conditions.length + 1))
  const code = overlapping
    ? conditions.map((condition, step) => `bitShiftLeft(toUInt64(${condition}), ${step})`).reduce(bitOr)
    : `toUInt64(multiIf(${conditions.map((condition, step) => `${condition}, ${step + 1}`).join(', ')}, 0))`
  const lastAt = query.to + windowMs
  const where = [
    `workspace_id = ${parameters.bind('UUID', workspaceId)}`,
    `event IN ${parameters.bind('Array(String)', names)}`,
    `timestamp >= ${at(query.from)}`,
    `timestamp <= ${at(lastAt)}`,
    // Ingestion keeps a timestamp within these bounds of its receipt; months of receipt without such an event are not opened.
    `received_at >= ${at(query.from - NEWEST_MS)}`,
    `received_at <= ${at(lastAt + OLDEST_MS)}`,
    ...query.filters.map((filter) => filterSql(filter, parameters)),
    'code != 0',
  ].join(' AND ')
  return {
    codeBits,
    timeBits: Math.ceil(Math.log2(lastAt - query.from + windowMs + 2)),
    satisfies: (value, step) =>
      overlapping ? `bitTest(${value}, ${step})` : `bitAnd(${value}, ${2 ** codeBits - 1}) = ${step + 1}`,
    overlapping,
    time: `toUInt64(toUnixTimestamp64Milli(timestamp) - ${int(query.from - windowMs - 1)})`,
    epoch: (time) => `(toInt64(${time}) + ${int(query.from - windowMs - 1)})`,
    code,
    where,
  }
}

const bitOr = (a: string, b: string) => `bitOr(${a}, ${b})`

/** `time` and `code` in one 64-bit number: their order is that of time. At most 36 and 21 bits. */
export function packedSql(relevant: Relevant): string {
  return `bitOr(bitShiftLeft(time, ${relevant.codeBits}), code)`
}

const DELAY_BITS = 30
const INDEX_BITS = 9
const PARTITION_BITS = 10
const OFFSET_BITS = 40

/** Milliseconds from the earliest receipt an event of this timestamp can have: fits 30 bits. */
const DELAY = `toUInt64(toUnixTimestamp64Milli(received_at) - toUnixTimestamp64Milli(timestamp) + ${NEWEST_MS})`

/** A number whose order is the exact order of events, with the code in its lowest bits. */
export interface OrderKey {
  readonly sql: string
  /** The packed number (`packedSql`) of a key. */
  packed(key: string): string
}

/**
 * The order of events in one number: timestamp, receipt, index in the request, log partition, log offset (API.md section 5).
 * 128 bits where they fit that, and the rows where it turns out they do not throw `KEY_TOO_NARROW`; else 256.
 */
export function orderKey(relevant: Relevant, width: 128 | 256): OrderKey {
  const { codeBits } = relevant
  const codeMask = 2 ** codeBits - 1
  if (width === 256) {
    const wide = (value: string, shift: number) => `bitShiftLeft(toUInt256(${value}), ${shift})`
    const sql = [
      wide('time', 126 + codeBits),
      wide(DELAY, 96 + codeBits),
      wide('request_index', 80 + codeBits),
      wide('log_partition', 64 + codeBits),
      wide('log_offset', codeBits),
      'toUInt256(code)',
    ].reduce(bitOr)
    return {
      sql,
      packed: (key) =>
        `bitOr(bitShiftLeft(toUInt64(bitShiftRight(${key}, ${126 + codeBits})), ${codeBits}), bitAnd(toUInt64(${key}), ${codeMask}))`,
    }
  }
  const high = `bitOr(bitShiftLeft(time, ${DELAY_BITS}), ${DELAY})`
  const low = [
    `bitShiftLeft(toUInt64(request_index), ${PARTITION_BITS + OFFSET_BITS + codeBits})`,
    `bitShiftLeft(toUInt64(log_partition), ${OFFSET_BITS + codeBits})`,
    `bitShiftLeft(log_offset, ${codeBits})`,
    'code',
  ].reduce(bitOr)
  return {
    sql: `bitOr(bitShiftLeft(toUInt128(${high}), 64), ${low})`,
    packed: (key) =>
      `bitOr(bitShiftLeft(toUInt64(bitShiftRight(${key}, ${64 + DELAY_BITS})), ${codeBits}), bitAnd(toUInt64(${key}), ${codeMask}))`,
  }
}

export const KEY_TOO_NARROW = 'funnel order key too narrow'

/** Whether a key of 128 bits has room for these times and codes; whether it has for the rows, they say themselves. */
export function fitsNarrowKey(relevant: Relevant): boolean {
  return (
    relevant.timeBits + DELAY_BITS <= 64 &&
    INDEX_BITS + PARTITION_BITS + OFFSET_BITS + relevant.codeBits <= 64 &&
    EVENT_LIMITS.eventsPerRequest <= 2 ** INDEX_BITS
  )
}

/** A condition for WHERE that stops the query at a row whose position does not fit a key of 128 bits. */
export const NARROW_GUARD = `throwIf(request_index >= ${2 ** INDEX_BITS} OR log_partition >= ${2 ** PARTITION_BITS} OR log_offset >= ${2 ** OFFSET_BITS}, '${KEY_TOO_NARROW}') = 0`
