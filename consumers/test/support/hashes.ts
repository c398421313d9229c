import fc from 'fast-check'

/** A hash as four signed words, lowest first. */
export type Words = [number, number, number, number]

const word = fc.integer({ min: -0x80000000, max: 0x7fffffff })
const spread = fc.tuple(word, word, word, word)
/** Hashes that crowd into few tables and slots, and differ in one word only. */
const crowded = fc.tuple(
  fc.integer({ min: 0, max: 2 }),
  fc.integer({ min: 0, max: 2 }),
  fc.constantFrom(0, 1, -1),
  fc.constantFrom(0, 1, -2, -1),
)

/** Lists of hashes of which many are near each other, and some equal. */
export const hashLists = fc.array(
  fc.oneof(spread, crowded).filter((words) => words.some((value) => value !== 0)) as fc.Arbitrary<Words>,
  { maxLength: 1_000, size: 'max' },
)

/** Random hashes, four words each, the same for a seed. */
export function randomHashes(count: number, seed = 12_345): Int32Array {
  const words = new Int32Array(count * 4)
  let state = seed
  for (let i = 0; i < words.length; i++) {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    words[i] = mixed ^ (mixed >>> 14)
  }
  return words
}

/** Calls with the words of each hash. */
export function forEachHash(
  hashes: Int32Array,
  visit: (w0: number, w1: number, w2: number, w3: number) => void,
): void {
  for (let at = 0; at < hashes.length; at += 4)
    visit(hashes[at] ?? 0, hashes[at + 1] ?? 0, hashes[at + 2] ?? 0, hashes[at + 3] ?? 0)
}

/** The number ClickHouse has for four words. */
export function hashNumber(words: readonly number[]): bigint {
  return words.reduceRight((value, word) => (value << 32n) | BigInt(word >>> 0), 0n)
}
