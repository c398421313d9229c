import {
  ANONYMOUS_HASH,
  ANONYMOUS_ID,
  EVENT,
  EVENT_BYTES,
  EVENTS,
  FIELDS,
  HAS_PROPERTIES,
  HEADER,
  INSERT_ID,
  INSERT_KEY,
  NEXT,
  PARTITIONS,
  PERSON_KEY,
  RECORD_AT,
  RECORD_BYTES,
  RECORD_FIRST,
  RECORD_LAST,
  RECORD_LENGTH,
  RECORD_OF_PARTITION,
  RECORD_PARTITION,
  RECORD_ROWS,
  RECORDS,
  RECORDS_AT,
  ROW_AT,
  ROW_BYTES,
  ROWS_AT,
  ROWS_END,
  SDK_VERSION,
  TIMESTAMP,
  USER_ID,
  USER_KEY,
} from '../layout'
import { writeSipHash } from './siphash'
import { NO_TIME } from './time'

/* Rows and records in the layout of `domain/row.ts` and `log/record.ts`. */
const HEADER_BYTES = 56
const HEADER_FLAGS = 1
const HAS_SENT_AT = 1
const HEADER_COUNT = 2
const HEADER_RECEIVED_AT = 8
const HEADER_SENT_AT = 16
const HEADER_WORKSPACE = 24

const WORKSPACE_ID = 0
const RECEIVED_AT = 16
const ROW_TIMESTAMP = 24
const ORIGINAL_TIMESTAMP = 32
const HAS_TIMESTAMP = 40
const REQUEST_INDEX = 42
const LOG_OFFSET = 44
const INSERT_HASH = 52
const PERSON = 68
const FIXED_BYTES = 76
/** Six strings, each with a length of at most three bytes. */
const MAX_LENGTHS = 18

/** Address of a field of the current event in the texts, by its offset in the event table; 0 if absent. */
const BEGIN = FIELDS
const END = FIELDS + 4

export function setField(field: i32, begin: usize, end: usize): void {
  store<u32>(BEGIN + field, begin)
  store<u32>(END + field, end)
}

export function fieldBegin(field: i32): usize {
  return load<u32>(BEGIN + field)
}

export function fieldEnd(field: i32): usize {
  return load<u32>(END + field)
}

export function forgetFields(entry: usize): void {
  for (let field = EVENT; field <= SDK_VERSION; field += 8) {
    store<u64>(BEGIN + field, 0)
    store<i32>(entry + field, -1)
  }
  store<u32>(entry + HAS_PROPERTIES, 0)
}

export function setSentAt(time: i64): void {
  store<u8>(HEADER + HEADER_FLAGS, HAS_SENT_AT)
  store<i64>(HEADER + HEADER_SENT_AT, time)
}

/** Address of the first row; leaves room for a header. */
export function rowsBegin(): usize {
  return <usize>load<u32>(ROWS_AT) + HEADER_BYTES
}

/** Writes the row of an event. Returns the address after it, 0 if there is no room. */
export function writeRow(
  to: usize,
  index: i32,
  timestamp: i64,
  propertiesAt: usize,
  propertiesBytes: i32,
): usize {
  let bytes = FIXED_BYTES + MAX_LENGTHS + propertiesBytes
  for (let field = EVENT; field <= SDK_VERSION; field += 8)
    bytes += load<u32>(END + field) - load<u32>(BEGIN + field)
  if (to + bytes > <usize>load<u32>(ROWS_END)) return 0
  const entry: usize = EVENTS + index * EVENT_BYTES
  const hasTimestamp = timestamp !== NO_TIME
  const receivedAt = load<i64>(HEADER + HEADER_RECEIVED_AT)
  v128.store(to + WORKSPACE_ID, v128.load(HEADER + HEADER_WORKSPACE))
  store<i64>(to + RECEIVED_AT, receivedAt)
  store<i64>(to + ROW_TIMESTAMP, hasTimestamp ? timestamp : receivedAt)
  store<i64>(to + ORIGINAL_TIMESTAMP, hasTimestamp ? timestamp : 0)
  store<u16>(to + HAS_TIMESTAMP, hasTimestamp ? 1 : 0)
  store<u16>(to + REQUEST_INDEX, index)
  store<u64>(to + LOG_OFFSET, 0)
  const insertAt: usize = load<u32>(BEGIN + INSERT_ID)
  if (insertAt === 0) v128.store(to + INSERT_HASH, i64x2.splat(0))
  else writeSipHash(INSERT_KEY, insertAt, load<u32>(END + INSERT_ID), to + INSERT_HASH, true)
  const userAt: usize = load<u32>(BEGIN + USER_ID)
  const anonymousAt: usize = load<u32>(BEGIN + ANONYMOUS_ID)
  // An id is hashed with its tag. Half of the hash is the person key, the other half chooses the link's
  // partition.
  if (userAt !== 0) {
    writeSipHash(PERSON_KEY, userAt - 1, load<u32>(END + USER_ID), to + PERSON, false)
    if (anonymousAt !== 0) {
      store<u64>(entry + USER_KEY, load<u64>(to + PERSON))
      writeSipHash(PERSON_KEY, anonymousAt - 1, load<u32>(END + ANONYMOUS_ID), entry + ANONYMOUS_HASH, true)
    }
  } else if (anonymousAt !== 0)
    writeSipHash(PERSON_KEY, anonymousAt - 1, load<u32>(END + ANONYMOUS_ID), to + PERSON, false)
  let out = to + FIXED_BYTES
  for (let field = EVENT; field <= SDK_VERSION; field += 8)
    if (field !== TIMESTAMP)
      out = copyString(load<u32>(BEGIN + field), load<u32>(END + field) - load<u32>(BEGIN + field), out)
  out = copyString(propertiesAt, propertiesBytes, out)
  store<u32>(entry + ROW_AT, to)
  store<u32>(entry + ROW_BYTES, out - to)
  return out
}

function copyString(from: usize, bytes: usize, to: usize): usize {
  let out = to
  let rest = bytes
  while (rest > 127) {
    store<u8>(out++, (rest & 127) | 128)
    rest >>>= 7
  }
  store<u8>(out++, rest)
  return copy(from, bytes, out)
}

/**
 * Writes a record per partition that has rows, in the order of their first rows. Returns the number of
 * records.
 */
export function writeRecords(count: i32, home: u32): i32 {
  const partitions = load<u32>(PARTITIONS)
  if (partitions === 1) {
    // The rows are contiguous already, with room for the header in front.
    const last: usize = EVENTS + (count - 1) * EVENT_BYTES
    const start: usize = load<u32>(ROWS_AT)
    let at: usize = load<u32>(last + ROW_AT) + load<u32>(last + ROW_BYTES)
    for (let index = 0; index < count; index++, at += 4)
      store<u32>(at, load<u32>(EVENTS + index * EVENT_BYTES + ROW_BYTES))
    finishRecord(RECORDS, start, count, at)
    store<u32>(RECORDS + RECORD_PARTITION, 0)
    return 1
  }
  let records = 0
  for (let index = 0; index < count; index++) {
    const event: usize = EVENTS + index * EVENT_BYTES
    const partition =
      load<i32>(event + INSERT_ID) < 0
        ? home
        : load<u32>(<usize>load<u32>(event + ROW_AT) + INSERT_HASH) % partitions
    const known: usize = RECORD_OF_PARTITION + partition * 2
    let number: u32 = load<u16>(known)
    const isNew = number === 0
    if (isNew) {
      number = ++records
      store<u16>(known, number)
    }
    const record: usize = RECORDS + (number - 1) * RECORD_BYTES
    if (isNew) {
      store<u32>(record + RECORD_PARTITION, partition)
      store<i32>(record + RECORD_FIRST, index)
    } else store<i32>(EVENTS + load<i32>(record + RECORD_LAST) * EVENT_BYTES + NEXT, index)
    store<i32>(record + RECORD_LAST, index)
    store<i32>(event + NEXT, -1)
  }
  let start: usize = load<u32>(RECORDS_AT)
  for (let number = 0; number < records; number++) {
    const record: usize = RECORDS + number * RECORD_BYTES
    const first = load<i32>(record + RECORD_FIRST)
    let at = start + HEADER_BYTES
    let rows = 0
    for (let index = first; index >= 0; index = nextOf(index), rows++) {
      const event: usize = EVENTS + index * EVENT_BYTES
      at = copy(load<u32>(event + ROW_AT), load<u32>(event + ROW_BYTES), at)
    }
    for (let index = first; index >= 0; index = nextOf(index), at += 4)
      store<u32>(at, load<u32>(EVENTS + index * EVENT_BYTES + ROW_BYTES))
    finishRecord(record, start, rows, at)
    store<u16>(RECORD_OF_PARTITION + load<u32>(record + RECORD_PARTITION) * 2, 0)
    start = at
  }
  return records
}

function nextOf(index: i32): i32 {
  return load<i32>(EVENTS + index * EVENT_BYTES + NEXT)
}

function finishRecord(record: usize, start: usize, rows: i32, end: usize): void {
  memory.copy(start, HEADER, HEADER_BYTES)
  store<u16>(start + HEADER_COUNT, rows)
  store<u32>(record + RECORD_ROWS, rows)
  store<u32>(record + RECORD_AT, start)
  store<u32>(record + RECORD_LENGTH, end - start)
}

/** Copies whole vectors, so it may write up to 15 bytes more. Returns the address after the copy. */
function copy(from: usize, bytes: usize, to: usize): usize {
  for (let i: usize = 0; i < bytes; i += 16) v128.store(to + i, v128.load(from + i))
  return to + bytes
}
