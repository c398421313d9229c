/** Twice what 500 events full of short keys have. Parsing this much takes less than half a second. */
export const MAX_MEMBERS = 1_000_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const BRACKET = 0x5b
const BRACE = 0x7b

/**
 * Whether JSON text holds more objects, arrays and keys than `most`: eight megabytes of brackets, some
 * hundred bytes when compressed, take seconds to parse. Allocates nothing and stops as soon as it knows.
 */
export function exceedsComplexity(body: Uint8Array, most = MAX_MEMBERS): boolean {
  // Each has at least one byte.
  if (body.length <= most) return false
  let members = 0
  let inText = false
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (inText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) inText = false
    } else if (byte === QUOTE) inText = true
    else if (byte === BRACKET || byte === BRACE || byte === COLON) {
      members++
      if (members > most) return true
    }
  }
  return false
}
