/**
 * The byte layout of one stored event: ClickHouse's RowBinary of the columns below, so that a row travels
 * from the gateway to the table without being parsed. Fixed fields first, then six strings, each a varint
 * length and UTF-8 bytes. The consumer patches `timestamp`, `adjustment` and `logOffset` in place.
 */
export const ROW = {
  workspaceId: 0,
  receivedAt: 16,
  timestamp: 24,
  originalTimestamp: 32,
  /** 1 if the client sent a timestamp; otherwise 0, and `originalTimestamp` is 0. */
  hasTimestamp: 40,
  /** Index into `TIMESTAMP_ADJUSTMENTS`. */
  adjustment: 41,
  requestIndex: 42,
  logOffset: 44,
  /** 128-bit keyed hash of the insertId; 0 without one. */
  insertHash: 52,
  personKey: 68,
  fixedBytes: 76,
  strings: 6,
} as const

/** The row as ClickHouse columns, in order: name and type. */
export const ROW_COLUMNS = [
  ['workspace_id', 'UUID'],
  ['received_at', "DateTime64(3, 'UTC')"],
  ['timestamp', "DateTime64(3, 'UTC')"],
  ['original_timestamp', 'Int64'],
  ['has_timestamp', 'UInt8'],
  ['adjustment', 'UInt8'],
  ['request_index', 'UInt16'],
  ['log_offset', 'UInt64'],
  ['insert_hash', 'UInt128'],
  ['person_key', 'UInt64'],
  ['event', 'String'],
  ['user_id', 'String'],
  ['anonymous_id', 'String'],
  ['insert_id', 'String'],
  ['sdk_version', 'String'],
  ['properties', 'String'],
] as const

const TWO_32 = 2 ** 32

/** Writes a whole number within ±2^53 as a little-endian 64-bit integer, without BigInt. */
export function writeInt64(bytes: Uint8Array, at: number, value: number): void {
  const high = Math.floor(value / TWO_32)
  const low = value - high * TWO_32
  bytes[at] = low
  bytes[at + 1] = low >>> 8
  bytes[at + 2] = low >>> 16
  bytes[at + 3] = low >>> 24
  bytes[at + 4] = high
  bytes[at + 5] = high >> 8
  bytes[at + 6] = high >> 16
  bytes[at + 7] = high >> 24
}

/**
 * The offset after the row that starts at `start`, by the lengths of its strings. Not a number up to `end` if
 * the row is damaged, or does not end there.
 */
export function rowEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start + ROW.fixedBytes
  for (let i = 0; i < ROW.strings; i++) {
    let length = bytes[at++] as number
    if (length > 127) {
      length &= 127
      for (let shift = 7; ; shift += 7) {
        if (shift > 21 || at >= end) return Number.NaN
        const byte = bytes[at++] as number
        length |= (byte & 127) << shift
        if (byte < 128) break
      }
    }
    at += length
    if (at > end) return Number.NaN
  }
  return at
}

export function readInt64(bytes: Uint8Array, at: number): number {
  const high =
    (bytes[at + 4] ?? 0) |
    ((bytes[at + 5] ?? 0) << 8) |
    ((bytes[at + 6] ?? 0) << 16) |
    ((bytes[at + 7] ?? 0) << 24)
  return high * TWO_32 + readUint32(bytes, at)
}

export function readUint32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] ?? 0) |
      ((bytes[at + 1] ?? 0) << 8) |
      ((bytes[at + 2] ?? 0) << 16) |
      ((bytes[at + 3] ?? 0) << 24)) >>>
    0
  )
}
