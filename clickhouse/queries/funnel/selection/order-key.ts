import { MAX_AHEAD_MS } from '../../../../domain/clamp.js'
import { EVENT_LIMITS } from '../../../../domain/event.js'
import type { EventSelection } from './event-selection.js'

/** The exact order of events, most significant first (docs/funnels.md). */
export const ORDER_COLUMNS = ['timestamp', 'received_at', 'request_index', 'log_partition', 'log_offset']
const DELAY_BITS = 30
/** History is received any time after it happened. */
const WIDE_DELAY_BITS = 44
const INDEX_BITS = 9
const PARTITION_BITS = 10
const OFFSET_BITS = 40

/** Milliseconds from the earliest possible receipt of an event with this timestamp. */
const DELAY = `toUInt64(toUnixTimestamp64Milli(received_at) - toUnixTimestamp64Milli(timestamp) + ${MAX_AHEAD_MS})`

/** A number that orders events exactly, with the bitmask in its lowest bits. */
export interface OrderKey {
  readonly sql: string
  /** The packed number (`packedSql`) of a key. */
  packed(key: string): string
}

/**
 * The exact order in one number: timestamp, receipt, index in the request, log partition, log offset. 128
 * bits if they fit, with a guard that stops the query at a row that does not; otherwise 256.
 */
export function orderKey(relevant: EventSelection, width: 128 | 256): OrderKey {
  const { codeBits } = relevant
  const packedFrom = (bit: number) => (key: string) =>
    `bitOr(bitShiftLeft(toUInt64(bitShiftRight(${key}, ${bit})), ${codeBits}), bitAnd(toUInt64(${key}), ${2 ** codeBits - 1}))`
  if (width === 256) {
    const wide = (value: string, shift: number) => `bitShiftLeft(toUInt256(${value}), ${shift})`
    const sql = [
      wide('time', 96 + WIDE_DELAY_BITS + codeBits),
      wide(DELAY, 96 + codeBits),
      wide('request_index', 80 + codeBits),
      wide('log_partition', 64 + codeBits),
      wide('log_offset', codeBits),
      'toUInt256(code)',
    ].reduce(bitOr)
    return { sql, packed: packedFrom(96 + WIDE_DELAY_BITS + codeBits) }
  }
  const high = `bitOr(bitShiftLeft(time, ${DELAY_BITS}), ${DELAY})`
  const low = [
    `bitShiftLeft(toUInt64(request_index), ${PARTITION_BITS + OFFSET_BITS + codeBits})`,
    `bitShiftLeft(toUInt64(log_partition), ${OFFSET_BITS + codeBits})`,
    `bitShiftLeft(log_offset, ${codeBits})`,
    'code',
  ].reduce(bitOr)
  return { sql: `bitOr(bitShiftLeft(toUInt128(${high}), 64), ${low})`, packed: packedFrom(64 + DELAY_BITS) }
}

const bitOr = (a: string, b: string) => `bitOr(${a}, ${b})`

const KEY_TOO_NARROW = 'funnel order key too narrow'

/** Whether a key of 128 bits has room for these times and bitmasks. `NARROW_GUARD` checks the rows. */
export function fitsNarrowKey(relevant: EventSelection): boolean {
  return (
    relevant.timeBits + DELAY_BITS <= 64 &&
    INDEX_BITS + PARTITION_BITS + OFFSET_BITS + relevant.codeBits <= 64 &&
    EVENT_LIMITS.eventsPerRequest <= 2 ** INDEX_BITS
  )
}

/** A WHERE condition that stops the query at a row whose position does not fit into 128 bits. */
export const NARROW_GUARD = `throwIf(request_index >= ${2 ** INDEX_BITS} OR log_partition >= ${2 ** PARTITION_BITS} OR log_offset >= ${2 ** OFFSET_BITS} OR ${DELAY} >= ${2 ** DELAY_BITS}, '${KEY_TOO_NARROW}') = 0`
