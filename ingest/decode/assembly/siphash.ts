/*
 * SipHash-2-4 with 128 bits of output, as `domain/siphash.ts`, which names the source: here with the 64-bit words that JavaScript does not have.
 */
let v0: u64 = 0
let v1: u64 = 0
let v2: u64 = 0
let v3: u64 = 0

function round(): void {
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
}

/** Hashes the bytes between two places and writes the sixteen bytes of the hash. Reads up to seven bytes behind them. */
export function sipHash128(key: usize, from: usize, end: usize, to: usize): void {
  const k0 = load<u64>(key)
  const k1 = load<u64>(key + 8)
  v0 = k0 ^ 0x736f6d6570736575
  v1 = k1 ^ 0x646f72616e646f6d ^ 0xee
  v2 = k0 ^ 0x6c7967656e657261
  v3 = k1 ^ 0x7465646279746573
  const length = end - from
  const whole = from + (length & ~7)
  for (let at = from; at < whole; at += 8) {
    const word = load<u64>(at)
    v3 ^= word
    round()
    round()
    v0 ^= word
  }
  const rest: u64 = length & 7
  const last = (load<u64>(whole) & (((<u64>1) << (rest * 8)) - 1)) | ((<u64>length) << 56)
  v3 ^= last
  round()
  round()
  v0 ^= last
  v2 ^= 0xee
  round()
  round()
  round()
  round()
  store<u64>(to, v0 ^ v1 ^ v2 ^ v3)
  v1 ^= 0xdd
  round()
  round()
  round()
  round()
  store<u64>(to + 8, v0 ^ v1 ^ v2 ^ v3)
}
