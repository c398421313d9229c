/* SipHash-2-4 with 128 bits of output, as in `domain/siphash.ts`, but with 64-bit words. */

/**
 * Hashes [from, end) and writes sixteen bytes, or the first eight. May read seven bytes past the end. One
 * loop over the blocks, finalisation included, keeps the state in registers.
 */
export function writeSipHash(key: usize, from: usize, end: usize, to: usize, whole: bool): void {
  const k0 = load<u64>(key)
  const k1 = load<u64>(key + 8)
  let v0: u64 = k0 ^ 0x736f6d6570736575
  let v1: u64 = k1 ^ 0x646f72616e646f6d ^ 0xee
  let v2: u64 = k0 ^ 0x6c7967656e657261
  let v3: u64 = k1 ^ 0x7465646279746573
  const length = end - from
  const lastAt = from + (length & ~7)
  let at = from
  let state = MESSAGE
  while (true) {
    let word: u64 = 0
    let rounds = 2
    if (state === MESSAGE) {
      word = load<u64>(at)
      if (at === lastAt) {
        word = (word & (((<u64>1) << (<u64>(length & 7) * 8)) - 1)) | ((<u64>length) << 56)
        state = FIRST_HALF
      }
      at += 8
      v3 ^= word
    } else {
      rounds = 4
      if (state === FIRST_HALF) v2 ^= 0xee
      else v1 ^= 0xdd
    }
    const isMessage = rounds === 2
    do {
      v0 += v1
      v2 += v3
      v1 = rotl(v1, 13) ^ v0
      v3 = rotl(v3, 16) ^ v2
      v0 = rotl(v0, 32)
      v2 += v1
      v0 += v3
      v1 = rotl(v1, 17) ^ v2
      v3 = rotl(v3, 21) ^ v0
      v2 = rotl(v2, 32)
    } while (--rounds > 0)
    if (isMessage) v0 ^= word
    else if (state === FIRST_HALF) {
      store<u64>(to, v0 ^ v1 ^ v2 ^ v3)
      if (!whole) return
      state = SECOND_HALF
    } else {
      store<u64>(to + 8, v0 ^ v1 ^ v2 ^ v3)
      return
    }
  }
}

/** Kinds of block. */
const MESSAGE = 0
const FIRST_HALF = 1
const SECOND_HALF = 2
