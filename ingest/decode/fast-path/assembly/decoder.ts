import {
  ANONYMOUS_ID,
  BODY_AT,
  BODY_BYTES,
  BODY_IS_ASCII,
  EVENT,
  EVENT_BYTES,
  EVENTS,
  FIRST_BYTE,
  FIRST_UNIT,
  HAS_PROPERTIES,
  INSERT_ID,
  MAX_EVENTS,
  MAX_PROPERTIES_BYTES,
  SCRATCH_AT,
  SDK_VERSION,
  SENT_AT,
  SENT_AT_END,
  TEXTS_ARE_ASCII,
  TEXTS_AT,
  TEXTS_END,
  TIMESTAMP,
  USER_ID,
} from '../layout'
import { canonicalObject } from './host'
import { fieldBegin, fieldEnd, forgetFields, rowsBegin, setField, setSentAt, writeRow } from './row'
import { isAscii, plainText, prepareText, textEnd, textIsWide, utf16Units } from './text'
import { NO_TIME, timeOf } from './time'
import { countMember, forgetMembers, isUnclear, skipSpace, value, valueEnd } from './value'

/*
 * Reads a body of `POST /v1/events` once and writes the rows of its events. It never refuses: if it meets
 * anything it cannot prove, it returns 0 and the parser reads the body again.
 */
export { writeRecords } from './row'

const UNKNOWN = -1
/** Follows the fields that are texts. */
const PROPERTIES = 48
/** `null` */
const NULL = 0x6c6c_756e
const USER_TAG = 0x75
const ANONYMOUS_TAG = 0x61

/** End of the last text, and the UTF-16 units of all texts. */
let textsEnd: usize = 0
let units = 0
let isWide = false
let row: usize = 0
let scratch: usize = 0
let behindName: usize = 0

export function prepare(): void {
  prepareText()
}

/** Returns the number of events, or 0 to leave the body to the parser. */
export function read(): i32 {
  const begin: usize = load<u32>(BODY_AT)
  const end = begin + load<u32>(BODY_BYTES)
  store<u32>(BODY_IS_ASCII, isAscii(begin, end) ? 1 : 0)
  forgetMembers()
  textsEnd = load<u32>(TEXTS_AT)
  units = 0
  isWide = false
  row = rowsBegin()
  store<u32>(SENT_AT, 0)
  let count = 0
  let hasSentAt = false
  let at = skipSpace(begin)
  if (load<u8>(at) !== 0x7b || !countMember()) return 0
  at = skipSpace(at + 1)
  while (true) {
    if (load<u8>(at) !== 0x22 || !countMember()) return 0
    const key = at + 1
    // `events` and `sentAt`, each with its closing quote.
    const first = load<u32>(key)
    const second = load<u32>(key + 4) & 0xff_ffff
    if (first === 0x6e65_7665 && second === 0x22_7374) {
      if (count > 0) return 0
      at = afterColon(key + 7)
      if (at === 0 || load<u8>(at) !== 0x5b) return 0
      at = skipSpace(at + 1)
      while (true) {
        if (count === load<i32>(MAX_EVENTS)) return 0
        at = event(at, count++)
        if (at === 0) return 0
        at = skipSpace(at)
        const behind: u32 = load<u8>(at++)
        if (behind === 0x5d) break
        if (behind !== 0x2c) return 0
        at = skipSpace(at)
      }
      if (!countMember()) return 0
    } else if (first === 0x746e_6573 && second === 0x22_7441) {
      if (hasSentAt) return 0
      hasSentAt = true
      at = afterColon(key + 7)
      if (at === 0) return 0
      if (load<u32>(at) === NULL) at += 4
      else {
        if (load<u8>(at) !== 0x22) return 0
        at = plainText(at + 1, textsEnd)
        if (at === 0) return 0
        const sentAt = timeOf(textsEnd, textEnd)
        if (sentAt === NO_TIME) return 0
        setSentAt(sentAt)
        store<u32>(SENT_AT, textsEnd)
        store<u32>(SENT_AT_END, textEnd)
        textsEnd = textEnd
      }
    } else {
      scratch = load<u32>(SCRATCH_AT)
      at = unknown(key)
      if (at === 0) return 0
    }
    at = skipSpace(at)
    const behind: u32 = load<u8>(at++)
    if (behind === 0x7d) break
    if (behind !== 0x2c) return 0
    at = skipSpace(at)
  }
  if (skipSpace(at) !== end) return 0
  store<u32>(TEXTS_END, textsEnd)
  store<u32>(TEXTS_ARE_ASCII, isWide ? 0 : 1)
  return count
}

/** Reads one event and writes its row. Returns the address after it, or 0. */
function event(from: usize, index: i32): usize {
  if (load<u8>(from) !== 0x7b || !countMember()) return 0
  const entry: usize = EVENTS + index * EVENT_BYTES
  forgetFields(entry)
  store<u32>(entry + FIRST_BYTE, textsEnd)
  store<i32>(entry + FIRST_UNIT, units)
  scratch = load<u32>(SCRATCH_AT)
  let properties = scratch
  let propertiesBytes: i32 = 2
  store<u16>(properties, 0x7d7b)
  scratch += 2
  let time = NO_TIME
  let seen = 0
  let at = skipSpace(from + 1)
  while (true) {
    if (load<u8>(at) !== 0x22 || !countMember()) return 0
    const key = at + 1
    const field = fieldAt(key)
    if (field === UNKNOWN) at = unknown(key)
    else {
      // Of equal keys the last would count.
      const bit = 1 << (field >> 3)
      if ((seen & bit) !== 0) return 0
      seen |= bit
      at = afterColon(behindName)
      if (at === 0) return 0
      if (load<u32>(at) === NULL) at += 4
      else if (field === PROPERTIES) {
        if (load<u8>(at) !== 0x7b) return 0
        const begin = at
        properties = scratch
        at = value(begin, properties)
        if (at === 0) return 0
        propertiesBytes = isUnclear ? canonicalObject(begin, at, properties) : <i32>(valueEnd - properties)
        if (propertiesBytes === 0 || propertiesBytes > load<i32>(MAX_PROPERTIES_BYTES)) return 0
        scratch = properties + propertiesBytes
        store<u32>(entry + HAS_PROPERTIES, 1)
      } else {
        at = shortText(at, entry, field)
        if (at === 0) return 0
        if (field === TIMESTAMP) {
          time = timeOf(fieldBegin(TIMESTAMP), fieldEnd(TIMESTAMP))
          if (time === NO_TIME) return 0
        }
      }
    }
    if (at === 0) return 0
    at = skipSpace(at)
    const behind: u32 = load<u8>(at++)
    if (behind === 0x7d) break
    if (behind !== 0x2c) return 0
    at = skipSpace(at)
  }
  row = writeRow(row, index, time, properties, propertiesBytes)
  return row === 0 ? 0 : at
}

/** Returns the address after the text, or 0. */
function shortText(from: usize, entry: usize, field: i32): usize {
  if (load<u8>(from) !== 0x22) return 0
  // Ids are hashed with a tag in front.
  if (field === USER_ID || field === ANONYMOUS_ID) {
    store<u8>(textsEnd++, field === USER_ID ? USER_TAG : ANONYMOUS_TAG)
    units++
  }
  const begin = textsEnd
  const at = plainText(from + 1, begin)
  if (at === 0) return 0
  textsEnd = textEnd
  setField(field, begin, textsEnd)
  const length: i32 = textIsWide ? utf16Units(begin, textsEnd) : <i32>(textsEnd - begin)
  if (textIsWide) isWide = true
  store<i32>(entry + field, units)
  store<i32>(entry + field + 4, length)
  units += length
  return at
}

/** Skips an unknown key and its value. Returns the address after it, or 0. */
function unknown(key: usize): usize {
  let at = key
  while (load<u8>(at) !== 0x22) {
    // An escape may spell a known name.
    if (load<u8>(at) < 0x20 || load<u8>(at) === 0x5c) return 0
    at++
  }
  at = afterColon(at + 1)
  return at === 0 ? 0 : value(at, scratch)
}

/** Address of the value after a colon, 0 if there is none. */
function afterColon(from: usize): usize {
  const at = skipSpace(from)
  return load<u8>(at) === 0x3a ? skipSpace(at + 1) : 0
}

/**
 * The field that a key names; sets `behindName`. The constants are letters of the names with the closing
 * quote.
 */
function fieldAt(key: usize): i32 {
  const first = load<u32>(key)
  const second = load<u32>(key + 4)
  const third = load<u32>(key + 8)
  switch (first) {
    case 0x6e65_7665:
      behindName = key + 6
      return (second & 0xffff) === 0x2274 ? EVENT : UNKNOWN
    case 0x7265_7375:
      behindName = key + 7
      return (second & 0xff_ffff) === 0x22_6449 ? USER_ID : UNKNOWN
    case 0x6e6f_6e61:
      behindName = key + 12
      return second === 0x756f_6d79 && third === 0x2264_4973 ? ANONYMOUS_ID : UNKNOWN
    case 0x706f_7270:
      behindName = key + 11
      return second === 0x6974_7265 && (third & 0xff_ffff) === 0x22_7365 ? PROPERTIES : UNKNOWN
    case 0x656d_6974:
      behindName = key + 10
      return second === 0x6d61_7473 && (third & 0xffff) === 0x2270 ? TIMESTAMP : UNKNOWN
    case 0x6573_6e69:
      behindName = key + 9
      return second === 0x6449_7472 && (third & 0xff) === 0x22 ? INSERT_ID : UNKNOWN
    case 0x566b_6473:
      behindName = key + 11
      return second === 0x6973_7265 && (third & 0xff_ffff) === 0x22_6e6f ? SDK_VERSION : UNKNOWN
    default:
      return UNKNOWN
  }
}
