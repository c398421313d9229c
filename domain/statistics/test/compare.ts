import fc from 'fast-check'
import t, { type Test } from 'tap'
import { compareMeans, compareProportions } from '../compare.js'
import type { Evidence } from '../evidence.js'
import { NO_EVIDENCE } from '../evidence.js'
import type { Moments } from '../moments.js'
import { type Figures, momentsOf, readVectors } from './support/vectors.js'

const WORST = 1e-9
/** Error of a tail probability that was computed as one minus the rest. */
const LOST_BY_SUBTRACTION = 1e-15

function agrees(ours: number | null, theirs: number | null, absolute = 0): boolean {
  if (theirs === null) return true
  return ours !== null && Math.abs(ours - theirs) <= Math.max(WORST * Math.abs(theirs), absolute, 1e-300)
}

function compare(t: Test, up: Evidence, down: Evidence, theirs: Figures | null, title: string): void {
  if (theirs === null) {
    t.same({ ...up, lift: null }, NO_EVIDENCE, title)
    return
  }
  const scale = Math.max(...theirs.liftCi.map(Math.abs))
  const cases: readonly (readonly [string, number | null, number | null, number?])[] = [
    ['lift', up.lift, theirs.lift],
    // An end near 0 is the difference of two numbers that are not.
    ['lower', up.liftCi?.[0] ?? null, theirs.liftCi[0], scale * WORST],
    ['upper', up.liftCi?.[1] ?? null, theirs.liftCi[1], scale * WORST],
    ['p', up.pValue, theirs.pValue, LOST_BY_SUBTRACTION],
    ['tail', up.pValue, theirs.tail],
    ['sequential lower', up.sequentialCi?.[0] ?? null, theirs.sequentialCi[0], scale * WORST],
    ['sequential upper', up.sequentialCi?.[1] ?? null, theirs.sequentialCi[1], scale * WORST],
    ['sequential p', up.sequentialPValue, theirs.sequentialPValue],
    ['chance', up.chanceToWin, theirs.chanceToWin],
    ['risk', up.risk, theirs.risk, scale * 1e-16],
    ['chance, decrease', down.chanceToWin, theirs.chanceToWinDecrease, LOST_BY_SUBTRACTION],
    ['risk, decrease', down.risk, theirs.riskDecrease, scale * 1e-16],
  ]
  for (const [name, ours, expected, absolute] of cases)
    if (!agrees(ours, expected, absolute)) t.fail(`${title}: ${name} is ${ours}, gbstats has ${expected}`)
  t.same(
    { ...down, chanceToWin: up.chanceToWin, risk: up.risk },
    up,
    'the direction turns chance and risk alone',
  )
}

t.test('proportions equal those of gbstats', async (t) => {
  let compared = 0
  for (const line of readVectors()) {
    if (line[0] !== 'proportion') continue
    const [, n, sum, m, some, theirs] = line
    const control = { exposed: n, converted: sum }
    const variant = { exposed: m, converted: some }
    compare(
      t,
      compareProportions(control, variant, 'increase'),
      compareProportions(control, variant, 'decrease'),
      theirs,
      `${sum}/${n} and ${some}/${m}`,
    )
    compared++
  }
  t.ok(compared > 200, `${compared} cases`)
})

t.test('means and adjusted means equal those of gbstats', async (t) => {
  let compared = 0
  for (const line of readVectors()) {
    if (line[0] !== 'mean') continue
    const [, control, variant, plain, adjusted] = line
    for (const [before, theirs] of [
      [false, plain],
      [true, adjusted],
    ] as const) {
      const [a, b] = [momentsOf(control, before), momentsOf(variant, before)]
      compare(
        t,
        compareMeans(a, b, 'increase'),
        compareMeans(a, b, 'decrease'),
        theirs,
        `${JSON.stringify(control)} ${JSON.stringify(variant)} ${before}`,
      )
      compared++
    }
  }
  t.ok(compared > 150, `${compared} cases`)
})

t.test('values that cannot be computed are null', async (t) => {
  const of = (n: number, converted: number, m: number, some: number) =>
    compareProportions({ exposed: n, converted }, { exposed: m, converted: some }, 'increase')
  const only = (lift: number) => ({ ...NO_EVIDENCE, lift })
  t.same(of(100, 0, 100, 10), NO_EVIDENCE, 'a control rate of 0')
  t.same(of(0, 0, 100, 10), NO_EVIDENCE, 'no control')
  t.same(of(100, 10, 0, 0), NO_EVIDENCE, 'no variant')
  t.same(of(100, 10, 100, 0), only(-1), 'a variant rate of 0')
  t.same(of(100, 50, 100, 100), only(1), 'a variant rate of 1')
  t.same(of(100, 100, 100, 50), only(-0.5), 'a control rate of 1')
  t.same(of(1, 1, 100, 50), only(-0.5), 'one person')
  const mean = (n: number, mean: number, variance: number): Moments => ({ n, mean, variance })
  t.same(compareMeans(mean(10, 0, 1), mean(10, 2, 1), 'increase'), NO_EVIDENCE)
  t.same(compareMeans(mean(10, -3, 1), mean(10, 2, 1), 'increase'), NO_EVIDENCE)
  t.same(compareMeans(mean(0, 0, 0), mean(10, 2, 1), 'increase'), NO_EVIDENCE)
  t.same(compareMeans(mean(10, 1, 0), mean(10, 2, 1), 'increase'), only(1))
  t.same(compareMeans(mean(10, 1, 2), mean(1, 2, 0), 'increase'), only(1))
  t.same(
    compareMeans(mean(10, 0.3, 1e-33), mean(10, 0.6, 1), 'increase'),
    only(1),
    'a spread that is rounding',
  )
  const explained: Moments = {
    n: 50,
    mean: 2,
    variance: 4,
    before: { mean: 1, variance: 1, covariance: 2 },
  }
  t.match(
    compareMeans(explained, explained, 'increase'),
    { lift: 0, pValue: null, chanceToWin: null },
    'all of it explained by the past',
  )
})

const proportion = fc
  .tuple(fc.integer({ min: 2, max: 1_000_000_000 }), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([exposed, share]) => ({ exposed, converted: Math.round(exposed * share) }))
const moments = fc
  .tuple(
    fc.integer({ min: 0, max: 1_000_000_000 }),
    fc.double({ min: -1e200, max: 1e200, noNaN: true }),
    fc.double({ min: 0, max: 1e300, noNaN: true }),
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1e300, noNaN: true }),
  )
  .map(
    ([n, mean, variance, correlation, varianceBefore]): Moments => ({
      n,
      mean: n === 0 ? 0 : mean,
      variance: n < 2 ? 0 : variance,
      before: {
        mean: n === 0 ? 0 : mean / 3,
        variance: n < 2 ? 0 : varianceBefore,
        covariance: n < 2 ? 0 : correlation * Math.sqrt(variance) * Math.sqrt(varianceBefore),
      },
    }),
  )

/**
 * Numbers or null, probabilities between 0 and 1, intervals around the lift, the sequential one never cut by
 * more than it is.
 */
function isSane(one: Evidence): boolean {
  const numbers = [one.lift, one.pValue, one.chanceToWin, one.risk, one.sequentialPValue]
    .concat(one.liftCi ?? [], one.sequentialCi ?? [])
    .filter((figure) => figure !== null)
  const probabilities = [one.pValue, one.chanceToWin, one.sequentialPValue].filter((p) => p !== null)
  const around = [one.liftCi, one.sequentialCi].every(
    (interval) =>
      interval === null || (one.lift !== null && interval[0] <= one.lift && one.lift <= interval[1]),
  )
  return (
    numbers.every(Number.isFinite) &&
    probabilities.every((p) => p >= 0 && p <= 1) &&
    around &&
    (one.risk ?? 0) >= 0
  )
}

t.test('no input gives NaN', async () => {
  fc.assert(
    fc.property(proportion, proportion, (a, b) => isSane(compareProportions(a, b, 'increase'))),
    { numRuns: 2_000, endOnFailure: true },
  )
  fc.assert(
    fc.property(moments, moments, (a, b) => isSane(compareMeans(a, b, 'decrease'))),
    { numRuns: 2_000, endOnFailure: true },
  )
})

const near = (a: number | null, b: number | null, relative = 1e-9) =>
  a === b || (a !== null && b !== null && Math.abs(a - b) <= relative * Math.max(Math.abs(a), Math.abs(b)))

t.test('swapped arms give the opposite comparison', async () => {
  // Relative to each other's mean the figures differ; where both means are one, nothing but the sign does.
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 1_000_000 }),
      fc.integer({ min: 2, max: 1_000_000 }),
      fc.double({ min: 0.01, max: 100, noNaN: true }),
      fc.double({ min: 0.01, max: 100, noNaN: true }),
      (n, m, varianceA, varianceB) => {
        const one = compareMeans(
          { n, mean: 1, variance: varianceA },
          { n: m, mean: 1, variance: varianceB },
          'increase',
        )
        const other = compareMeans(
          { n: m, mean: 1, variance: varianceB },
          { n, mean: 1, variance: varianceA },
          'increase',
        )
        return near(one.pValue, other.pValue) && near(one.liftCi?.[1] ?? 0, -(other.liftCi?.[0] ?? 0))
      },
    ),
  )
  fc.assert(
    fc.property(proportion, proportion, (a, b) => {
      const up = compareProportions(a, b, 'increase')
      const down = compareProportions(a, b, 'decrease')
      if (up.chanceToWin === null || down.chanceToWin === null) return true
      return (
        near(up.chanceToWin + down.chanceToWin, 1) && Math.sign(up.lift ?? 0) * (up.chanceToWin - 0.5) >= 0
      )
    }),
  )
})

t.test('more conversions never make a variant look worse', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 10, max: 100_000 }),
      fc.double({ min: 0.01, max: 0.5, noNaN: true }),
      fc.double({ min: 0.01, max: 0.97, noNaN: true }),
      (n, rate, other) => {
        const control = { exposed: n, converted: Math.max(1, Math.round(n * rate)) }
        const some = Math.min(n - 2, Math.max(1, Math.round(n * other)))
        const at = (converted: number) => compareProportions(control, { exposed: n, converted }, 'increase')
        const [less, more] = [at(some), at(some + 1)]
        if (less.lift === null || more.lift === null || !(less.lift < more.lift)) return false
        return (less.chanceToWin ?? 0) <= (more.chanceToWin ?? 1) * (1 + 1e-9)
      },
    ),
    { numRuns: 1_000 },
  )
})

t.test('the unit of values does not matter', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.01, max: 50, noNaN: true }), { minLength: 6, maxLength: 6 }),
      fc.integer({ min: -300, max: 300 }),
      ([meanA = 1, varianceA = 1, meanB = 1, varianceB = 1, earlierA = 1, earlierB = 1], power) => {
        const unit = 2 ** power
        const arm = (
          n: number,
          mean: number,
          variance: number,
          earlier: number,
          factor: number,
        ): Moments => ({
          n,
          mean: mean * factor,
          variance: variance * factor * factor,
          before: {
            mean: earlier * factor,
            variance: 2 * variance * factor * factor,
            covariance: 0.7 * variance * factor * factor,
          },
        })
        const at = (factor: number) =>
          compareMeans(
            arm(20, meanA, varianceA, earlierA, factor),
            arm(31, meanB, varianceB, earlierB, factor),
            'increase',
          )
        const [one, other] = [at(1), at(unit)]
        return (
          near(one.lift, other.lift) &&
          near(one.pValue, other.pValue) &&
          near(one.risk, other.risk, 1e-6) &&
          near(one.sequentialPValue, other.sequentialPValue)
        )
      },
    ),
  )
})
