import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../../test/support/cases.js'
import { FrameWriter, maxFrameBytes } from '../append/lz4-frame.js'
import { decompressLz4 } from '../protocol/lz4.js'

const CANARY = 0xa5
const writer = new FrameWriter()

/**
 * Writes the pieces as one frame into memory of exactly the promised size, and checks that nothing overflows.
 */
function frameOf(pieces: readonly Uint8Array[]): Buffer {
  const room = maxFrameBytes(pieces.reduce((sum, { length }) => sum + length, 0))
  const into = Buffer.alloc(room + 32, CANARY)
  writer.begin(into, 16)
  for (const [i, piece] of pieces.entries()) {
    // As records do, between whose payloads a few bytes are written.
    if (i % 2 === 0) writer.makeRoom()
    writer.write(piece)
  }
  const end = writer.end()
  for (const [at, byte] of into.entries())
    if ((at < 16 || at >= end) && byte !== CANARY) throw new Error(`byte ${at} was written, of ${end}`)
  return into.subarray(16, end)
}

async function comesBack(pieces: readonly Uint8Array[]): Promise<boolean> {
  const frame = frameOf(pieces)
  return endsAsAgreed(frame) && Buffer.concat(pieces).equals(await decompressLz4(frame))
}

/**
 * Whether each block ends as the format demands: with at least five literals, and no match that begins in the
 * last twelve bytes. Not every reader checks this, but some read past the end otherwise.
 */
function endsAsAgreed(frame: Buffer): boolean {
  const HEAD_BYTES = 7
  let agreed = true
  for (let at = HEAD_BYTES, size = frame.readInt32LE(at); size !== 0; size = frame.readInt32LE(at)) {
    at += 4
    const end = at + (size & 0x7fffffff)
    if (size > 0) agreed &&= blockEndsAsAgreed(frame.subarray(at, end))
    at = end
  }
  return agreed
}

function blockEndsAsAgreed(block: Buffer): boolean {
  let at = 0
  /** Decompressed bytes so far. */
  let place = 0
  let lastMatch = Number.NEGATIVE_INFINITY
  const lengthOf = (nibble: number): number => {
    let length = nibble
    for (let more = nibble === 15; more; ) {
      const byte = block.readUInt8(at++)
      length += byte
      more = byte === 255
    }
    return length
  }
  for (;;) {
    const token = block.readUInt8(at++)
    const run = lengthOf(token >>> 4)
    at += run
    place += run
    if (at >= block.length)
      return lastMatch === Number.NEGATIVE_INFINITY || (run >= 5 && lastMatch <= place - 12)
    at += 2
    lastMatch = place
    place += 4 + lengthOf(token & 15)
  }
}

t.test(
  'frames of every length near the bounds of blocks, matches and tokens can be decompressed',
  async (t) => {
    const fills: readonly ((at: number) => number)[] = [
      () => 7,
      (at) => (at * 2_654_435_761) >>> 13,
      (at) => (at % 300 < 150 ? at : (at * 2_654_435_761) >>> 13),
      (at) => (at % 70_000) >>> 3,
    ]
    const lengths = [
      0, 1, 4, 5, 12, 13, 14, 19, 20, 270, 271, 65_535, 65_540, 262_143, 262_144, 262_145, 530_000,
    ]
    for (const length of lengths)
      for (const [kind, fill] of fills.entries()) {
        const bytes = Buffer.alloc(length)
        for (let at = 0; at < length; at++) bytes[at] = fill(at)
        t.ok(await comesBack([bytes]), `${length} bytes of kind ${kind}`)
      }
  },
)

t.test('repeated bytes become smaller, and random bytes hardly larger', async (t) => {
  const row = Buffer.from('{"event":"page_viewed","properties":{"path":"/products","quantity":1}}')
  t.ok(frameOf(Array.from({ length: 1_000 }, () => row)).length < 1_000)
  let state = 1
  const random = Buffer.alloc(300_000)
  for (let at = 0; at < random.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    random[at] = state >>> 24
  }
  t.ok(frameOf([random]).length <= maxFrameBytes(random.length))
})

t.test('any frame decompresses to what was compressed, whatever the compressor saw before', async (t) => {
  const word = fc.constantFrom(
    '"event":"',
    'page_viewed',
    '","userId":"user-',
    '\0\0\0\0\0\0\0\0',
    'a',
    'ab',
    'é',
  )
  const piece = fc.oneof(
    fc.array(word, { maxLength: 200 }).map((words) => Buffer.from(words.join(''))),
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
    fc
      .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 9_000 }))
      .map(([bytes, times]) => Buffer.concat(Array.from({ length: times }, () => bytes))),
  )
  const property = fc.asyncProperty(fc.array(piece, { maxLength: 12 }), comesBack)
  await t.resolves(fc.assert(property, { numRuns: cases(300) }))
})
