import { GROWTH, KEYS, MAX_DEPTH, MAX_KEYS, MEMBER_LIMIT, PAD, STACK } from '../layout'
import { canonicalNumber } from './host'
import { canonicalString, textEnd } from './text'

/*
 * Any JSON value in canonical form: exactly `JSON.stringify(JSON.parse(value))`. The proof:
 *
 * - A number of at most fifteen digits, without exponent or trailing zero, and not `-0`, is the shortest text
 * of its double; JavaScript writes it so if at most five zeros follow the point. It is asked for every other.
 * - Keys keep their order if they differ and none begins with a digit. Other objects are marked as unclear.
 */
const MAX_DIGITS = 15
const MAX_ZEROS_AFTER_POINT = 5

export let valueEnd: usize = 0
/** Whether the output may not be canonical: keys that may be equal, or be reordered. */
export let isUnclear: bool = false
let members: u32 = 0

export function forgetMembers(): void {
  members = 0
}

export function countMember(): bool {
  return ++members <= load<u32>(MEMBER_LIMIT)
}

export function skipSpace(from: usize): usize {
  let at = from
  if (load<u8>(at) > 0x20) return at
  if (load<u8>(at) === 0x20 && load<u8>(at + 1) > 0x20) return at + 1
  while (true) {
    const v = v128.load(at)
    const other = ~i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(v, i8x16.splat(0x20)), i8x16.eq(v, i8x16.splat(0x0a))),
        v128.or(i8x16.eq(v, i8x16.splat(0x0d)), i8x16.eq(v, i8x16.splat(0x09))),
      ),
    )
    const run: usize = ctz(other)
    at += run
    if (run < 16) return at
  }
}

/*
 * The innermost open container: its depth, whether it is an object, its first key and a filter of its key
 * hashes.
 */
let depth: u32 = 0
let isObject: bool = false
let firstKey: u32 = 0
let filter: u64 = 0
let nextKey: u32 = 0

/** Writes the value at `from`. Returns the address after it, 0 if there is none or it cannot be proved. */
export function value(from: usize, to: usize): usize {
  let at = from
  let out = to
  depth = 0
  isObject = false
  firstKey = 0
  filter = 0
  nextKey = 0
  isUnclear = false
  while (true) {
    if (isObject) {
      at = memberKey(at, out)
      if (at === 0) return 0
      out = valueEnd
    }
    const unit: u32 = load<u8>(at)
    if (unit === 0x22) {
      at = canonicalString(at + 1, out)
      if (at === 0) return 0
      out = textEnd
    } else if (unit === 0x7b || unit === 0x5b) {
      if (!openContainer(unit === 0x7b)) return 0
      store<u8>(out++, unit)
      at = skipSpace(at + 1)
      if (load<u8>(at) !== unit + 2) continue
    } else if (unit === 0x2d || unit - 48 < 10) {
      const end = number(at, out)
      if (end === 0) return 0
      out = valueEnd
      // Only numbers can get longer than what was sent.
      if (out - to > end - from + (GROWTH - PAD)) return 0
      at = end
    } else {
      const length = keyword(at, out)
      if (length === 0) return 0
      out += length
      at += length
    }
    while (true) {
      if (depth === 0) {
        valueEnd = out
        return at
      }
      at = skipSpace(at)
      const behind: u32 = load<u8>(at)
      if (behind === 0x2c) {
        store<u8>(out++, 0x2c)
        at = skipSpace(at + 1)
        break
      }
      if (behind !== (isObject ? 0x7d : 0x5d)) return 0
      store<u8>(out++, behind)
      at++
      closeContainer()
    }
  }
}

/**
 * Writes the key at `from` and its colon; `valueEnd` is after them. Returns the address of its value, or 0.
 */
function memberKey(from: usize, to: usize): usize {
  if (load<u8>(from) !== 0x22 || !countMember()) return 0
  const end = canonicalString(from + 1, to)
  if (end === 0) return 0
  const key = to + 1
  if (<u32>load<u8>(key) - 48 < 10) isUnclear = true
  const hash = hashOf(key, textEnd - 1)
  const bit: u64 = 1 << (hash >> 58)
  // Different keys with the same hash count as equal, which only costs a detour.
  if ((filter & bit) !== 0)
    for (let i = firstKey; i < nextKey; i++) if (load<u64>(KEYS + i * 8) === hash) isUnclear = true
  filter |= bit
  if (nextKey - firstKey < <u32>MAX_KEYS) store<u64>(KEYS + nextKey++ * 8, hash)
  else isUnclear = true
  const colon = skipSpace(end)
  if (load<u8>(colon) !== 0x3a) return 0
  store<u8>(textEnd, 0x3a)
  valueEnd = textEnd + 1
  return skipSpace(colon + 1)
}

/** False if it would be too deep, or one member too many. */
function openContainer(isObjectToo: bool): bool {
  if (depth === MAX_DEPTH || !countMember()) return false
  const level: usize = STACK + depth++ * 16
  store<u64>(level, filter)
  store<u32>(level + 8, firstKey)
  store<u32>(level + 12, isObject ? 1 : 0)
  isObject = isObjectToo
  firstKey = nextKey
  filter = 0
  return true
}

function closeContainer(): void {
  nextKey = firstKey
  const level: usize = STACK + --depth * 16
  filter = load<u64>(level)
  firstKey = load<u32>(level + 8)
  isObject = load<u32>(level + 12) === 1
}

/** Writes `true`, `false` or `null`. Returns its length, 0 if it is another text. */
function keyword(from: usize, to: usize): usize {
  const word = load<u32>(from)
  if (word === 0x65757274 || word === 0x6c6c756e) {
    store<u32>(to, word)
    return 4
  }
  if (word !== 0x736c6166 || load<u8>(from + 4) !== 0x65) return 0
  store<u32>(to, word)
  store<u8>(to + 4, 0x65)
  return 5
}

function hashOf(from: usize, end: usize): u64 {
  let hash: u64 = end - from
  let at = from
  for (; end - at >= 8; at += 8) {
    hash = (hash ^ load<u64>(at)) * 0x9e3779b97f4a7c15
    hash ^= hash >> 29
  }
  const rest = end - at
  if (rest > 0) hash ^= load<u64>(at) & (((<u64>1) << (<u64>rest * 8)) - 1)
  hash *= 0x9e3779b97f4a7c15
  hash ^= hash >> 32
  return hash * 0x9e3779b97f4a7c15
}

/**
 * Returns the address after a number, 0 if it is invalid or too large; `valueEnd` is after its canonical
 * form.
 */
function number(from: usize, to: usize): usize {
  const start = load<u8>(from) === 0x2d ? from + 1 : from
  let at = start
  while (isDigit(at)) at++
  const whole = at - start
  const leadsWithZero = load<u8>(start) === 0x30
  if (whole === 0 || (leadsWithZero && whole > 1)) return 0
  let digits = whole
  let isKnown = true
  if (load<u8>(at) === 0x2e) {
    const fraction = ++at
    while (isDigit(at)) at++
    if (at === fraction) return 0
    digits += at - fraction
    if (load<u8>(at - 1) === 0x30) isKnown = false
    if (leadsWithZero) {
      let zeros = fraction
      while (load<u8>(zeros) === 0x30) zeros++
      if (zeros - fraction > <usize>MAX_ZEROS_AFTER_POINT) isKnown = false
    }
  } else if (leadsWithZero && start > from) isKnown = false
  if ((load<u8>(at) | 32) === 0x65) {
    isKnown = false
    at++
    const sign: u32 = load<u8>(at)
    if (sign === 0x2b || sign === 0x2d) at++
    const exponent = at
    while (isDigit(at)) at++
    if (at === exponent) return 0
  }
  if (isKnown && digits <= <usize>MAX_DIGITS) {
    v128.store(to, v128.load(from))
    // A sign and a point in addition to fifteen digits.
    store<u8>(to + 16, load<u8>(from + 16))
    valueEnd = to + (at - from)
    return at
  }
  const length = canonicalNumber(from, at, to)
  if (length === 0) return 0
  valueEnd = to + length
  return at
}

function isDigit(at: usize): bool {
  return <u32>load<u8>(at) - 48 < 10
}
