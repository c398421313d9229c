import { type IngestRefusal, validationRefusal } from '../../http/errors.js'

export const API_KEY_MISSING: IngestRefusal = {
  ...validationRefusal([
    { path: '/api_key', message: 'is missing: send your server key tsk_secret_… in it' },
  ]),
  code: 'UNAUTHENTICATED',
  headers: [['WWW-Authenticate', 'Bearer']],
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const BRACKETS_OPEN: ReadonlySet<number | undefined> = new Set([0x5b, 0x7b])
const BRACKETS_CLOSE: ReadonlySet<number | undefined> = new Set([0x5d, 0x7d])

const VALUE = /^\s*:\s*"(\w+)"/
const MAX_VALUE_BYTES = 200

/**
 * The text in the field `api_key` of a JSON object, without parsing the rest: the sender is not known yet.
 * The last of equal keys wins. Undefined if there is none that could be a key.
 */
export function findApiKey(body: Buffer): string | undefined {
  let depth = 0
  let found: string | undefined
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (byte === QUOTE) {
      const end = endOfText(body, at)
      if (depth === 1 && end - at === 8 && body.toString('latin1', at + 1, end) === 'api_key')
        found = VALUE.exec(body.toString('latin1', end + 1, end + MAX_VALUE_BYTES))?.[1]
      at = end
    } else if (BRACKETS_OPEN.has(byte)) depth++
    else if (BRACKETS_CLOSE.has(byte)) depth--
  }
  return found
}

/** The closing quote of the text that begins at `start`; the end of the body if there is none. */
function endOfText(body: Buffer, start: number): number {
  for (let end = body.indexOf(QUOTE, start + 1); end !== -1; end = body.indexOf(QUOTE, end + 1)) {
    let backslashes = 0
    while (body[end - 1 - backslashes] === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return body.length
}
