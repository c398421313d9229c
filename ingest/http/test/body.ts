import { randomBytes } from 'node:crypto'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import { BODY_TOO_LARGE, decompress, MAX_BODY_BYTES } from '../body.js'

const FAST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } }
const COMPRESSORS = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', (bytes: Uint8Array) => brotliCompressSync(bytes, FAST_BROTLI)],
] as const

t.test('a compressed body decompresses to the original', async () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 2_000 }),
      fc.constantFrom(...COMPRESSORS),
      (bytes, [encoding, compress]) => {
        const plain = decompress(compress(bytes), encoding)
        if ('code' in plain || !plain.equals(bytes)) throw new Error('differs')
      },
    ),
  )
})

t.test('a truncated body, or one with bytes behind its end, is refused', async () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 500 }),
      fc.constantFrom(...COMPRESSORS),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (bytes, [encoding, compress], part) => {
        const whole = compress(bytes)
        const cut = whole.subarray(0, Math.floor(part * (whole.length - 1)))
        const more = Buffer.concat([whole, Buffer.from('more')])
        for (const damaged of [cut, more]) {
          const plain = decompress(damaged, encoding)
          if (!('code' in plain) || plain.code !== 'MALFORMED_JSON') throw new Error('taken')
        }
      },
    ),
  )
})

/** Compresses to about a fortieth. */
function usualText(bytes: number): Buffer {
  return Buffer.from(
    randomBytes(bytes / 40)
      .toString('hex')
      .padEnd(bytes, ' '),
  )
}

t.test('a body of 8 MiB decompresses, and one of a byte more is refused', async (t) => {
  const text = usualText(MAX_BODY_BYTES + 1)
  for (const [encoding, compress] of COMPRESSORS) {
    const most = decompress(compress(text.subarray(1)), encoding)
    t.equal('code' in most ? most : most.length, MAX_BODY_BYTES)
    t.equal(decompress(compress(text), encoding), BODY_TOO_LARGE)
  }
})

t.test('a body that compresses to less than a hundredth is accepted up to 1 MiB', async (t) => {
  const most = 1024 * 1024
  for (const [encoding, compress] of COMPRESSORS) {
    const plain = decompress(compress(Buffer.alloc(most, ' ')), encoding)
    t.equal('code' in plain ? plain : plain.length, most)
    t.match(decompress(compress(Buffer.alloc(most + 1, ' ')), encoding), {
      code: 'PAYLOAD_TOO_LARGE',
      message: /more than 100 times its size/,
    })
  }
  const compressed = gzipSync(Buffer.concat([usualText(900_000), Buffer.alloc(1_040_000, ' ')]))
  const ratio = 1_940_000 / compressed.length
  t.ok(ratio > 60 && ratio < 100, `a ratio of ${ratio}`)
  t.ok(Buffer.isBuffer(decompress(compressed, 'gzip')), 'is accepted beyond 1 MiB')
})
