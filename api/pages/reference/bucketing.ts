import { BUCKETS, bucketOf, variantIndexOf } from '../../../domain/bucketing.js'

interface BucketingVector {
  readonly experimentKey: string
  readonly unitId: string
  /** Whole percents in the order of the variants. */
  readonly splits: readonly number[]
  /** From 0 (inclusive) to 1 (exclusive), in steps of 1 in 10,000. */
  readonly n: number
  readonly variantIndex: number
}

interface BucketingDocument {
  readonly version: number
  readonly spec: string
  readonly vectors: readonly BucketingVector[]
}

const SPEC = `Variant assignment, version 1. This is a frozen contract between all client libraries: the same unit gets the same variant everywhere.

Do not write an assignment of your own unless it follows this text and gives every vector below exactly. Sending events needs none: the ingestion API never assigns.

Texts are sequences of UTF-16 code units, as JavaScript, Java and C# hold them, NOT UTF-8 bytes. No normalisation, no change of letter case, no trimming. A character beyond U+FFFF is two units; a lone surrogate is one unit like any other.

fnv1a(text), an unsigned 32-bit number:
  hash = 0x811c9dc5
  for each code unit of text, in order:
    hash = hash XOR unit                 (the whole 16-bit unit at once, not its two bytes)
    hash = (hash * 0x01000193) mod 2^32  (one multiplication a unit)

bucket(experimentKey, unitId), a whole number from 0 to 9999:
  inner = fnv1a(experimentKey followed by unitId, nothing in between)
  bucket = fnv1a(inner written in decimal, without sign or leading zeros) mod 10000
  n = bucket / 10000

variant(bucket, splits): splits are whole percents in the order of the experiment's variants, the control first, and add up to 100. Variant i has the buckets from (splits[0] + … + splits[i-1]) * 100, inclusive, to (splits[0] + … + splits[i]) * 100, exclusive. Compare whole numbers of 10,000, never fractions. A split of 0 has no bucket.

The unit id is what a client knows a visitor by, the same on every page and server. The vectors are JSON: lone surrogates are written as escapes, \\ud800.`

const KEYS = ['shorter-checkout', 'a', '0', 'hero-banner-2']
const UNITS: readonly string[] = [
  // ASCII, its first and last characters, and the empty text.
  '',
  ' ',
  '0',
  'a',
  'b',
  'user-1',
  'user-2',
  '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e',
  'Ada@Example.com',
  '\u007f',
  'x'.repeat(255),
  // One byte in Latin-1, two in UTF-8, one unit; then the first unit with a high byte.
  '\u0080',
  '\u00e9',
  '\u00ff',
  '\u00ff\u00ff',
  '\u0100',
  'a\u0100b',
  // The same letter composed and decomposed.
  'e\u0301',
  '\u20ac',
  '\u4ef7\u683c',
  '\uffff',
  '\ufeffx',
  // Pairs are two units each.
  '\u{10000}',
  '\u{1f600}',
  'a\u{1f600}b',
  '\u{10ffff}',
  // Unpaired surrogates, and a pair in the wrong order.
  '\ud800',
  '\udfff',
  'a\udc00b',
  '\udc00\ud800',
]
const SPLITS: readonly (readonly number[])[] = [
  [50, 50],
  [90, 10],
  [34, 33, 33],
  [0, 100],
  [1, 0, 99],
  [10, 10, 10, 10, 10, 10, 10, 30],
]
/** Keys are ASCII, but the contract is about texts. */
const ODD_KEYS: readonly (readonly [string, string])[] = [
  ['', ''],
  ['', 'user-1'],
  ['\u00ff', '\u0100'],
  ['\ud83d', '\ude00'],
  ['a', 'bc'],
  ['ab', 'c'],
]

/** `/reference/bucketing.json`: the text of the contract, and test vectors. */
export function bucketingDocument(): BucketingDocument {
  const pairs = [
    ...UNITS.flatMap((unitId, i) => [0, 1].map((step) => [pick(KEYS, i + step), unitId] as const)),
    ...ODD_KEYS,
  ]
  return {
    version: 1,
    spec: SPEC,
    vectors: pairs.map(([experimentKey, unitId], i) => {
      const bucket = bucketOf(experimentKey, unitId)
      const splits = SPLITS[i % SPLITS.length] ?? [100]
      return {
        experimentKey,
        unitId,
        splits,
        n: bucket / BUCKETS,
        variantIndex: variantIndexOf(bucket, splits),
      }
    }),
  }
}

function pick(texts: readonly string[], i: number): string {
  return texts[i % texts.length] ?? ''
}
