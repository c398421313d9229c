/**
 * SipHash-2-4 with 128 bits of output (Aumasson and Bernstein, 2012; reference implementation `siphash.c` with
 * outlen 16). Equal to ClickHouse's `sipHash128ReferenceKeyed`, so that a repair can compute it in SQL.
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
 * Hashes `bytes[from, to)` and writes the sixteen bytes of the hash, as the reference lays them out, into `out` at `at`.
 * The first eight bytes are the low 64 bits of the little-endian 128-bit number.
 */
export function sipHash128(
  key: SipKey,
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
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
  const length = to - from
  const whole = from + (length & ~7)
  // Rounds are written out by a counter: words of the message take two, the finalisation of each half four.
  const blocks = (length >>> 3) + 1
  for (let block = 0; block < blocks + 2; block++) {
    let mlo = 0
    let mhi = 0
    let rounds = 2
    if (block < blocks - 1) {
      const p = from + (block << 3)
      mlo = word(bytes, p)
      mhi = word(bytes, p + 4)
      v3lo ^= mlo
      v3hi ^= mhi
    } else if (block === blocks - 1) {
      for (let i = whole; i < to; i++) {
        const shift = (i - whole) << 3
        if (shift < 32) mlo |= (bytes[i] ?? 0) << shift
        else mhi |= (bytes[i] ?? 0) << (shift - 32)
      }
      mhi |= (length & 0xff) << 24
      v3lo ^= mlo
      v3hi ^= mhi
    } else {
      rounds = 4
      if (block === blocks) v2lo ^= 0xee
      else v1lo ^= 0xdd
    }
    for (let round = 0; round < rounds; round++) {
      // v0 += v1
      t = (v0lo >>> 0) + (v1lo >>> 0)
      v0hi = (v0hi + v1hi + (t > 0xffffffff ? 1 : 0)) | 0
      v0lo = t | 0
      // v1 = rotl(v1, 13) ^ v0
      t = (v1lo << 13) | (v1hi >>> 19)
      v1hi = ((v1hi << 13) | (v1lo >>> 19)) ^ v0hi
      v1lo = t ^ v0lo
      // v0 = rotl(v0, 32)
      t = v0lo
      v0lo = v0hi
      v0hi = t
      // v2 += v3
      t = (v2lo >>> 0) + (v3lo >>> 0)
      v2hi = (v2hi + v3hi + (t > 0xffffffff ? 1 : 0)) | 0
      v2lo = t | 0
      // v3 = rotl(v3, 16) ^ v2
      t = (v3lo << 16) | (v3hi >>> 16)
      v3hi = ((v3hi << 16) | (v3lo >>> 16)) ^ v2hi
      v3lo = t ^ v2lo
      // v0 += v3
      t = (v0lo >>> 0) + (v3lo >>> 0)
      v0hi = (v0hi + v3hi + (t > 0xffffffff ? 1 : 0)) | 0
      v0lo = t | 0
      // v3 = rotl(v3, 21) ^ v0
      t = (v3lo << 21) | (v3hi >>> 11)
      v3hi = ((v3hi << 21) | (v3lo >>> 11)) ^ v0hi
      v3lo = t ^ v0lo
      // v2 += v1
      t = (v2lo >>> 0) + (v1lo >>> 0)
      v2hi = (v2hi + v1hi + (t > 0xffffffff ? 1 : 0)) | 0
      v2lo = t | 0
      // v1 = rotl(v1, 17) ^ v2
      t = (v1lo << 17) | (v1hi >>> 15)
      v1hi = ((v1hi << 17) | (v1lo >>> 15)) ^ v2hi
      v1lo = t ^ v2lo
      // v2 = rotl(v2, 32)
      t = v2lo
      v2lo = v2hi
      v2hi = t
    }
    if (block < blocks) {
      v0lo ^= mlo
      v0hi ^= mhi
    } else {
      const p = at + ((block - blocks) << 3)
      put(out, p, v0lo ^ v1lo ^ v2lo ^ v3lo)
      put(out, p + 4, v0hi ^ v1hi ^ v2hi ^ v3hi)
    }
  }
}

function put(out: Uint8Array, at: number, value: number): void {
  out[at] = value
  out[at + 1] = value >>> 8
  out[at + 2] = value >>> 16
  out[at + 3] = value >>> 24
}
