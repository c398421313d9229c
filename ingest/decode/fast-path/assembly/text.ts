import { HEX_DIGITS } from '../layout'

/**
 * JSON strings in two forms: canonical, as `JSON.stringify` writes them, and as plain text. Each function
 * takes the address after the first quote and returns the one after the last, or 0 if the string is invalid
 * or cannot be proved. Neither form is longer than what was sent.
 */
const QUOTE: u32 = 0x22
const BACKSLASH: u32 = 0x5c
const LETTER_U: u32 = 0x75
const SLASH: u32 = 0x2f

export let textEnd: usize = 0
/** Whether the last plain text is not ASCII. */
export let textIsWide: bool = false

/** Bit mask of bytes that end a run of literal characters: controls, quote, backslash. */
function stops(v: v128): i32 {
  return i8x16.bitmask(
    v128.or(
      i8x16.lt_u(v, i8x16.splat(0x20)),
      v128.or(i8x16.eq(v, i8x16.splat(0x22)), i8x16.eq(v, i8x16.splat(0x5c))),
    ),
  )
}

export function canonicalString(from: usize, to: usize): usize {
  let at = from
  let out = to + 1
  store<u8>(to, QUOTE)
  while (true) {
    const v = v128.load(at)
    v128.store(out, v)
    const stop = stops(v)
    if (stop === 0) {
      at += 16
      out += 16
      continue
    }
    const run: usize = ctz(stop)
    at += run
    out += run
    const unit: u32 = load<u8>(at)
    if (unit === QUOTE) {
      textEnd = out + 1
      return at + 1
    }
    if (unit !== BACKSLASH) return 0
    // Escapes often come in runs, from clients that send only ASCII.
    do {
      const mark: u32 = load<u8>(at + 1)
      if (mark === SLASH) {
        store<u8>(out++, SLASH)
        at += 2
        continue
      }
      const code = mark === LETTER_U ? hex4(at + 2) : 0
      if (code >= 0x80 && (code < 0xd800 || code > 0xdfff)) {
        out = writeCharacter(code, out)
        at += 6
      } else {
        at = canonicalEscape(at, out)
        if (at === 0) return 0
        out = textEnd
      }
    } while (load<u8>(at) === BACKSLASH)
  }
}

export function plainText(from: usize, to: usize): usize {
  let at = from
  let out = to
  let wide = 0
  while (true) {
    const v = v128.load(at)
    v128.store(out, v)
    const high = i8x16.bitmask(v)
    const stop = stops(v)
    if (stop === 0) {
      wide |= high
      at += 16
      out += 16
      continue
    }
    const run: usize = ctz(stop)
    wide |= high & ((1 << (run as i32)) - 1)
    at += run
    out += run
    const unit: u32 = load<u8>(at)
    if (unit === QUOTE) {
      textEnd = out
      textIsWide = wide !== 0
      return at + 1
    }
    if (unit !== BACKSLASH) return 0
    const mark: u32 = load<u8>(at + 1)
    if (mark === LETTER_U) {
      const code = codeAt(at)
      if (code < 0) return 0
      // A lone surrogate is not valid text.
      if (code >= 0xd800 && code < 0xe000) return 0
      at += code > 0xffff ? 12 : 6
      out = writeCharacter(code, out)
      if (code > 0x7f) wide = 1
    } else {
      const character = shortEscape(mark)
      if (character === 0) return 0
      store<u8>(out++, character)
      at += 2
    }
  }
}

export function isAscii(from: usize, end: usize): bool {
  let at = from
  let high = i64x2.splat(0)
  for (; end - at >= 64; at += 64)
    high = v128.or(
      v128.or(high, v128.or(v128.load(at), v128.load(at + 16))),
      v128.or(v128.load(at + 32), v128.load(at + 48)),
    )
  let rest: u32 = 0
  for (; at < end; at++) rest |= load<u8>(at)
  return i8x16.bitmask(high) === 0 && rest < 0x80
}

export function utf16Units(from: usize, to: usize): i32 {
  let units = 0
  for (let at = from; at < to; at++) {
    const byte: u32 = load<u8>(at)
    if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1
  }
  return units
}

function canonicalEscape(at: usize, to: usize): usize {
  let out = to
  const mark: u32 = load<u8>(at + 1)
  if (mark !== LETTER_U) {
    if (shortEscape(mark) === 0) return 0
    store<u8>(out, BACKSLASH)
    store<u8>(out + 1, mark)
    out += 2
    textEnd = out
    return at + 2
  }
  const code = codeAt(at)
  if (code < 0) return 0
  if (code >= 0x20 && code !== QUOTE && code !== BACKSLASH && (code < 0xd800 || code >= 0xe000)) {
    textEnd = writeCharacter(code, out)
    return at + (code > 0xffff ? 12 : 6)
  }
  store<u8>(out, BACKSLASH)
  let short: u32 = 0
  if (code === QUOTE || code === BACKSLASH) short = code
  else if (code === 8) short = 0x62
  else if (code === 9) short = 0x74
  else if (code === 10) short = 0x6e
  else if (code === 12) short = 0x66
  else if (code === 13) short = 0x72
  if (short !== 0) {
    store<u8>(out + 1, short)
    textEnd = out + 2
  } else {
    store<u8>(out + 1, 0x75)
    for (let digit = 0; digit < 4; digit++) {
      const value = (code >> (12 - 4 * digit)) & 15
      store<u8>(out + 2 + digit, value < 10 ? 48 + value : 87 + value)
    }
    textEnd = out + 6
  }
  return at + 6
}

/** The character of a two-character escape, 0 if there is no such escape. */
function shortEscape(mark: u32): u32 {
  if (mark === QUOTE || mark === BACKSLASH || mark === 0x2f) return mark
  if (mark === 0x6e) return 10
  if (mark === 0x74) return 9
  if (mark === 0x72) return 13
  if (mark === 0x62) return 8
  if (mark === 0x66) return 12
  return 0
}

/**
 * The code point of a `\u` escape or of a surrogate pair of them. Returns a lone surrogate as it is, a
 * negative number if digits are missing.
 */
function codeAt(at: usize): i32 {
  const unit = hex4(at + 2)
  if (unit < 0xd800 || unit > 0xdbff || load<u16>(at + 6) !== 0x755c) return unit
  const next = hex4(at + 8)
  if (next < 0xdc00 || next > 0xdfff) return unit
  return 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00)
}

function hex4(at: usize): i32 {
  return (hex(at) << 12) | (hex(at + 1) << 8) | (hex(at + 2) << 4) | hex(at + 3)
}

function hex(at: usize): i32 {
  return load<i8>(HEX_DIGITS + load<u8>(at))
}

export function prepareText(): void {
  memory.fill(HEX_DIGITS, 0xff, 256)
  for (let digit = 0; digit < 10; digit++) store<u8>(HEX_DIGITS + 48 + digit, digit)
  for (let digit = 10; digit < 16; digit++) {
    store<u8>(HEX_DIGITS + 55 + digit, digit)
    store<u8>(HEX_DIGITS + 87 + digit, digit)
  }
}

function writeCharacter(code: i32, out: usize): usize {
  if (code < 0x80) {
    store<u8>(out, code)
    return out + 1
  }
  if (code < 0x800) {
    store<u8>(out, 0xc0 | (code >> 6))
    store<u8>(out + 1, 0x80 | (code & 63))
    return out + 2
  }
  if (code < 0x10000) {
    store<u8>(out, 0xe0 | (code >> 12))
    store<u8>(out + 1, 0x80 | ((code >> 6) & 63))
    store<u8>(out + 2, 0x80 | (code & 63))
    return out + 3
  }
  store<u8>(out, 0xf0 | (code >> 18))
  store<u8>(out + 1, 0x80 | ((code >> 12) & 63))
  store<u8>(out + 2, 0x80 | ((code >> 6) & 63))
  store<u8>(out + 3, 0x80 | (code & 63))
  return out + 4
}
