import { type SipKey, sipHash128Words } from '../domain/siphash.js'

/** A hash as words for SipHash and as bytes for rows. Needs a little-endian machine, as Node 20 does. */
export interface TextHash {
  readonly words: Int32Array
  readonly bytes: Buffer
}

export function newTextHash(): TextHash {
  const words = new Int32Array(4)
  return { words, bytes: Buffer.from(words.buffer) }
}

const textWords = new Int32Array(1 + (500 * 3) / 4 + 2)
const textBytes = Buffer.from(textWords.buffer)

/** Hashes a tag byte (none if negative) and the UTF-8 of a text of at most 500 UTF-16 units. */
export function hashText(key: SipKey, text: string, tag: number, out: TextHash): void {
  let start = 0
  if (tag >= 0) textBytes[start++] = tag
  const end = start + writeText(textBytes, start, text)
  // Clears what an earlier text left in the last eight bytes.
  for (let i = end; (i & 7) !== 0; i++) textBytes[i] = 0
  sipHash128Words(key, textWords, end, out.words, 0)
}

/** Writes UTF-8 and returns its length. Short ASCII, the common case, stays in JavaScript. */
export function writeText(out: Buffer, at: number, text: string): number {
  const length = text.length
  if (length > 64) return out.write(text, at)
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 127) return out.write(text, at)
    out[at + i] = unit
  }
  return length
}
