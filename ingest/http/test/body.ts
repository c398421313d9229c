import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import { BODY_TOO_LARGE, decompress, MAX_BODY_BYTES } from '../body.js'

const COMPRESSORS = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
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

t.test('8 MiB and a byte more', async (t) => {
  for (const [encoding, compress] of COMPRESSORS) {
    const most = decompress(compress(Buffer.alloc(MAX_BODY_BYTES)), encoding)
    t.equal('code' in most ? most : most.length, MAX_BODY_BYTES)
    t.equal(decompress(compress(Buffer.alloc(MAX_BODY_BYTES + 1)), encoding), BODY_TOO_LARGE)
  }
})
