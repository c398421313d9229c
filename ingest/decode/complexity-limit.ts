/** Twice what 500 events full of short keys have. Parsing this much takes up to a second. */
export const MAX_MEMBERS = 1_000_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const BRACKET = 0x5b
const BRACE = 0x7b

/**
 * Whether JSON text holds more objects, arrays and keys than `most`: eight megabytes of brackets, some
 * hundred bytes when compressed, take seconds to parse.
 */
export function exceedsComplexity(body: Uint8Array, most = MAX_MEMBERS): boolean {
  // Each has at least one byte.
  return body.length > most && countMembers(body, most) > most
}

/** The objects, arrays and keys of JSON text; stops after `most`. Allocates nothing. */
export function countMembers(body: Uint8Array, most = MAX_MEMBERS): number {
  let members = 0
  let inText = false
  for (let at = 0; at < body.length && members <= most; at++) {
    const byte = body[at]
    if (inText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) inText = false
    } else if (byte === QUOTE) inText = true
    else if (byte === BRACKET || byte === BRACE || byte === COLON) members++
  }
  return members
}

/** More than a valid event needs, however it is written. */
const MAX_EVENT_BYTES = 64 * 1024
/** Parsing a key costs about as much as reading this many bytes. */
const MEMBER_BYTES = 128

/** The work, in bytes, that a body caused beyond its valid events: all of it if the body was refused. */
export function wastedBytes(body: Uint8Array, validEvents: number): number {
  const bytes = body.length - validEvents * MAX_EVENT_BYTES
  return bytes <= 0 ? 0 : bytes + MEMBER_BYTES * countMembers(body)
}
