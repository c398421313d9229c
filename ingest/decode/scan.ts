/**
 * A scanner of compact ASCII JSON that proves, without building it, that a value is its own canonical text: exactly what
 * `JSON.stringify(JSON.parse(…))` would give. It answers -1 for everything that it cannot prove, however valid; then somebody else has to parse.
 *
 * What is proved, and why:
 * - No white space, and strings of ASCII with the short escapes only, which is how `JSON.stringify` writes them.
 * - A number of at most fifteen digits, without exponent, without a zero at the end of its fraction and not `-0`, is the shortest text of its
 *   double, as fifteen decimal digits are always told apart; and JavaScript writes it without exponent where at most five zeros follow the point.
 * - The keys of an object differ, and none begins with a digit: JavaScript would put numbers first.
 */
const QUOTE = 34
const COMMA = 44
const MINUS = 45
const POINT = 46
const ZERO = 48
const NINE = 57
const COLON = 58
const OPEN_ARRAY = 91
const BACKSLASH = 92
const CLOSE_ARRAY = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

const MOST_DIGITS = 15
const MOST_ZEROS_AFTER_POINT = 5
const MOST_DEPTH = 32
const MOST_KEYS = 64

/** 1 for what a string may hold as it is: printable ASCII and DEL, but no quote and no backslash. */
const PLAIN = new Uint8Array(256)
for (let unit = 32; unit < 128; unit++) PLAIN[unit] = unit === QUOTE || unit === BACKSLASH ? 0 : 1
const SHORT_ESCAPE = new Uint8Array(256)
for (const character of '"\\bfnrt') SHORT_ESCAPE[character.charCodeAt(0)] = 1

/** Hashes of the keys of the objects that are open, one object after the other, and where each object's begin. */
const keys = new Int32Array(MOST_DEPTH * MOST_KEYS)
const firstKey = new Int32Array(MOST_DEPTH + 1)
const isObject = new Uint8Array(MOST_DEPTH + 1)

/**
 * The place of the quote that ends a string without escapes, -1 where there is none.
 *
 * @param at the place after its first quote
 */
export function endOfPlainString(bytes: Uint8Array, at: number): number {
  let place = at
  while (PLAIN[bytes[place] ?? 0] === 1) place++
  return bytes[place] === QUOTE ? place : -1
}

/** The place after an object that begins at `at` and is its own canonical text, -1 where that is not proved. */
export function endOfCanonicalObject(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== OPEN_OBJECT) return -1
  let place = at
  let depth = 0
  let nextKey = 0
  // Each turn reads one value, and then whatever closes behind it.
  for (;;) {
    const unit = bytes[place] ?? 0
    if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      if (++depth > MOST_DEPTH) return -1
      isObject[depth] = unit === OPEN_OBJECT ? 1 : 0
      firstKey[depth] = nextKey
      place++
      if (bytes[place] !== (unit === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY)) {
        if (unit === OPEN_ARRAY) continue
        place = keyAt(bytes, place, firstKey[depth] ?? 0, nextKey)
        if (place < 0) return -1
        nextKey++
        continue
      }
    } else {
      place =
        unit === QUOTE
          ? endOfString(bytes, place + 1)
          : unit === MINUS || (unit >= ZERO && unit <= NINE)
            ? endOfNumber(bytes, place)
            : endOfLiteral(bytes, place)
      if (place < 0) return -1
    }
    // Here a value has ended, or an empty container is about to.
    for (;;) {
      const behind = bytes[place]
      if (behind === COMMA && depth > 0) {
        place++
        if (isObject[depth] === 1) {
          place = keyAt(bytes, place, firstKey[depth] ?? 0, nextKey)
          if (place < 0) return -1
          nextKey++
        }
        break
      }
      if (behind !== (isObject[depth] === 1 ? CLOSE_OBJECT : CLOSE_ARRAY)) return -1
      nextKey = firstKey[depth] ?? 0
      place++
      if (--depth === 0) return place
    }
  }
}

/** Reads a key and its colon; -1 where it is none, or may be one of the object's others. */
function keyAt(bytes: Uint8Array, at: number, first: number, next: number): number {
  if (bytes[at] !== QUOTE || next - first >= MOST_KEYS || next >= keys.length) return -1
  const start = at + 1
  const unit = bytes[start] ?? 0
  if (unit >= ZERO && unit <= NINE) return -1
  let hash = 0
  let place = start
  for (;;) {
    const character = bytes[place] ?? 0
    if (PLAIN[character] !== 1) break
    hash = (Math.imul(hash, 31) + character) | 0
    place++
  }
  if (bytes[place] !== QUOTE || bytes[place + 1] !== COLON) return -1
  // Different keys of one hash are taken for equal, which is only a detour.
  hash = (Math.imul(hash, 31) + (place - start)) | 0
  for (let i = first; i < next; i++) if (keys[i] === hash) return -1
  keys[next] = hash
  return place + 2
}

function endOfString(bytes: Uint8Array, at: number): number {
  let place = at
  for (;;) {
    while (PLAIN[bytes[place] ?? 0] === 1) place++
    if (bytes[place] === QUOTE) return place + 1
    if (bytes[place] !== BACKSLASH || SHORT_ESCAPE[bytes[place + 1] ?? 0] !== 1) return -1
    place += 2
  }
}

function endOfNumber(bytes: Uint8Array, at: number): number {
  const start = bytes[at] === MINUS ? at + 1 : at
  let place = start
  while (isDigit(bytes[place])) place++
  const whole = place - start
  if (whole === 0 || (bytes[start] === ZERO && whole > 1)) return -1
  let digits = whole
  if (bytes[place] === POINT) {
    const fraction = place + 1
    place = fraction
    while (isDigit(bytes[place])) place++
    digits += place - fraction
    if (place === fraction || bytes[place - 1] === ZERO) return -1
    if (bytes[start] === ZERO) {
      let zeros = 0
      while (bytes[fraction + zeros] === ZERO) zeros++
      if (zeros > MOST_ZEROS_AFTER_POINT) return -1
    }
  } else if (start > at && bytes[start] === ZERO) return -1
  // An exponent is no end of a value, so whoever reads on stops there.
  return digits > MOST_DIGITS ? -1 : place
}

function isDigit(unit: number | undefined): boolean {
  return unit !== undefined && unit >= ZERO && unit <= NINE
}

/** The place after `true`, `false` or `null`. */
export function endOfLiteral(bytes: Uint8Array, at: number): number {
  switch (bytes[at]) {
    case 116:
      return bytes[at + 1] === 114 && bytes[at + 2] === 117 && bytes[at + 3] === 101 ? at + 4 : -1
    case 102:
      return bytes[at + 1] === 97 && bytes[at + 2] === 108 && bytes[at + 3] === 115 && bytes[at + 4] === 101
        ? at + 5
        : -1
    case 110:
      return bytes[at + 1] === 117 && bytes[at + 2] === 108 && bytes[at + 3] === 108 ? at + 4 : -1
    default:
      return -1
  }
}
