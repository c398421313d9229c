/**
 * SipHash-2-4 with 128 bits of output (Aumasson and Bernstein, 2012; reference implementation `siphash.c`
 * with outlen 16). Equal to ClickHouse's `sipHash128ReferenceKeyed`, so that a repair can compute it in SQL.
 *
 * 64-bit words are held as two 32-bit halves: BigInt arithmetic is some fifty times slower.
 */
export interface SipKey {
  readonly k0lo: number
  readonly k0hi: number
  readonly k1lo: number
  readonly k1hi: number
}

/** A key from its sixteen bytes, little-endian as in the reference. */
export function sipKey(bytes: Uint8Array): SipKey {
  if (bytes.length !== 16) throw new RangeError('a SipHash key has 16 bytes')
  return { k0lo: word(bytes, 0), k0hi: word(bytes, 4), k1lo: word(bytes, 8), k1hi: word(bytes, 12) }
}

function word(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] ?? 0) |
    ((bytes[at + 1] ?? 0) << 8) |
    ((bytes[at + 2] ?? 0) << 16) |
    ((bytes[at + 3] ?? 0) << 24) |
    0
  )
}

/**
 * Hashes the first `length` bytes in `words`, little-endian, and writes the hash to `out` at `at` as four
 * 32-bit words, low ones first. Bytes after `length` up to the next multiple of eight must be zero. Whole
 * words and 32-bit additions make this twice as fast as hashing bytes.
 */
export function sipHash128Words(
  key: SipKey,
  words: Int32Array,
  length: number,
  out: Int32Array,
  at: number,
): void {
  let v0lo = 0x70736575 ^ key.k0lo
  let v0hi = 0x736f6d65 ^ key.k0hi
  let v1lo = 0x6e646f6d ^ key.k1lo ^ 0xee
  let v1hi = 0x646f7261 ^ key.k1hi
  let v2lo = 0x6e657261 ^ key.k0lo
  let v2hi = 0x6c796765 ^ key.k0hi
  let v3lo = 0x79746573 ^ key.k1lo
  let v3hi = 0x74656462 ^ key.k1hi
  let t = 0
  // The last block has the rest of the bytes and the length; two more finalise the halves in four rounds.
  const blocks = (length >>> 3) + 1
  for (let block = 0; block < blocks + 2; block++) {
    let mlo = 0
    let mhi = 0
    if (block < blocks) {
      // The last one has only the length if it begins at the end of the bytes.
      if (block << 3 < length) {
        mlo = words[block << 1] ?? 0
        mhi = words[(block << 1) + 1] ?? 0
      }
      if (block === blocks - 1) mhi |= length << 24
    } else if (block === blocks) v2lo ^= 0xee
    else v1lo ^= 0xdd
    v3lo ^= mlo
    v3hi ^= mhi
    for (let round = block < blocks ? 2 : 4; round > 0; round--) {
      // v0 += v1: the sum of the low words carries if it is smaller than a summand.
      t = (v0lo + v1lo) | 0
      v0hi = (v0hi + v1hi + (t >>> 0 < v0lo >>> 0 ? 1 : 0)) | 0
      v0lo = t
      // v1 = rotl(v1, 13) ^ v0
      t = (v1lo << 13) | (v1hi >>> 19)
      v1hi = ((v1hi << 13) | (v1lo >>> 19)) ^ v0hi
      v1lo = t ^ v0lo
      // v2 += v3
      t = (v2lo + v3lo) | 0
      v2hi = (v2hi + v3hi + (t >>> 0 < v2lo >>> 0 ? 1 : 0)) | 0
      v2lo = t
      // v3 = rotl(v3, 16) ^ v2
      t = (v3lo << 16) | (v3hi >>> 16)
      v3hi = ((v3hi << 16) | (v3lo >>> 16)) ^ v2hi
      v3lo = t ^ v2lo
      // v0 = rotl(v0, 32) + v3
      t = (v0hi + v3lo) | 0
      v0hi = (v0lo + v3hi + (t >>> 0 < v0hi >>> 0 ? 1 : 0)) | 0
      v0lo = t
      // v3 = rotl(v3, 21) ^ v0
      t = (v3lo << 21) | (v3hi >>> 11)
      v3hi = ((v3hi << 21) | (v3lo >>> 11)) ^ v0hi
      v3lo = t ^ v0lo
      // v2 += v1
      t = (v2lo + v1lo) | 0
      v2hi = (v2hi + v1hi + (t >>> 0 < v2lo >>> 0 ? 1 : 0)) | 0
      v2lo = t
      // v1 = rotl(v1, 17) ^ v2
      t = (v1lo << 17) | (v1hi >>> 15)
      v1hi = ((v1hi << 17) | (v1lo >>> 15)) ^ v2hi
      v1lo = t ^ v2lo
      // v2 = rotl(v2, 32)
      t = v2lo
      v2lo = v2hi
      v2hi = t
    }
    v0lo ^= mlo
    v0hi ^= mhi
    if (block < blocks) continue
    const p = at + ((block - blocks) << 1)
    out[p] = v0lo ^ v1lo ^ v2lo ^ v3lo
    out[p + 1] = v0hi ^ v1hi ^ v2hi ^ v3hi
  }
}
