import fc from 'fast-check'
import t from 'tap'
import { cases } from '../../test/support/cases.js'
import { bucketOf, fnv1a, variantIndexOf } from '../bucketing.js'

/** The contract once more, in whole numbers of any size. */
function bigFnv1a(text: string): bigint {
  let hash = 2_166_136_261n
  for (const unit of text.split(''))
    hash = ((hash ^ BigInt(unit.charCodeAt(0))) * 16_777_619n) % 4_294_967_296n
  return hash
}

function bigBucket(experimentKey: string, unitId: string): bigint {
  return bigFnv1a(bigFnv1a(`${experimentKey}${unitId}`).toString(10)) % 10_000n
}

t.test('the hash is FNV-1a over UTF-16 code units', (t) => {
  t.equal(fnv1a(''), 0x811c9dc5)
  t.equal(fnv1a('a'), 0xe40c292c, 'as everywhere: ASCII is the same in bytes and units')
  t.equal(fnv1a('foobar'), 0xbf9cf968)
  t.equal(BigInt(fnv1a('\u0100')), ((0x811c9dc5n ^ 0x100n) * 0x01000193n) % 2n ** 32n)
  t.not(fnv1a('\u00ff'), fnv1a('\u00c3\u00bf'), 'not the bytes of UTF-8')
  t.end()
})

t.test('an implementation in big integers agrees, lone surrogates too', (t) => {
  const text = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 30 })
  fc.assert(
    fc.property(text, text, (experimentKey, unitId) => {
      return (
        BigInt(fnv1a(unitId)) === bigFnv1a(unitId) &&
        BigInt(bucketOf(experimentKey, unitId)) === bigBucket(experimentKey, unitId)
      )
    }),
    { numRuns: cases(2_000) },
  )
  t.end()
})

t.test('a range includes its first bucket and not the first of the next range', (t) => {
  const splits = [50, 0, 25, 25]
  for (const [bucket, index] of [
    [0, 0],
    [4_999, 0],
    [5_000, 2],
    [7_499, 2],
    [7_500, 3],
    [9_999, 3],
  ] as const)
    t.equal(variantIndexOf(bucket, splits), index, String(bucket))
  t.equal(variantIndexOf(0, [0, 100]), 1)
  t.throws(() => variantIndexOf(9_999, [50, 49]), RangeError)
  t.end()
})

t.test('visitors are spread evenly, and independently between experiments', (t) => {
  const units = 1_000_000
  const bins = 100
  const first = new Uint32Array(bins)
  const joint = new Uint32Array(10 * 10)
  for (let i = 0; i < units; i++) {
    const unit = `visitor-${i}`
    const one = bucketOf('shorter-checkout', unit)
    const other = bucketOf('hero-banner', unit)
    first[Math.floor(one / 100)] = (first[Math.floor(one / 100)] ?? 0) + 1
    const cell = Math.floor(one / 1_000) * 10 + Math.floor(other / 1_000)
    joint[cell] = (joint[cell] ?? 0) + 1
  }
  // Chi-square with 99 degrees of freedom is below 161 in all but one of 10,000 fair draws.
  t.ok(chiSquare(first, units / bins) < 161, `one experiment: ${chiSquare(first, units / bins)}`)
  t.ok(chiSquare(joint, units / 100) < 161, `two experiments: ${chiSquare(joint, units / 100)}`)
  const control = first.subarray(0, 50).reduce((sum, count) => sum + count, 0)
  t.ok(Math.abs(control / units - 0.5) < 0.002, `a half is ${control / units}`)
  t.end()
})

function chiSquare(counts: Uint32Array, expected: number): number {
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}
