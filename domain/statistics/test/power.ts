import t from 'tap'
import { cases } from '../../../test/support/cases.js'
import { armsOfProportions, compareProportions } from '../compare.js'
import { liftInterval } from '../evidence.js'
import { detectableEffect, personsNeeded } from '../power.js'
import { resultsOf } from '../results.js'
import { randomly } from './support/random.js'

const EXPERIMENTS = cases(2_000, 10_000)

t.test('with the computed persons, simulations find the effect as often as planned', async (t) => {
  const random = randomly(7)
  for (const [rate, effect, power, split] of [
    [0.1, 0.2, 0.8, 50],
    [0.3, -0.1, 0.9, 20],
  ] as const) {
    const splits = [100 - split, split]
    const [n = 0, m = 0] = personsNeeded({ baseline: { rate }, splits, minimumEffect: effect, power })
    let found = 0
    for (let experiment = 0; experiment < EXPERIMENTS; experiment++) {
      const control = { exposed: n, converted: random.binomial(n, rate) }
      const variant = { exposed: m, converted: random.binomial(m, rate * (1 + effect)) }
      if ((compareProportions(control, variant, 'increase').pValue ?? 1) < 0.05) found++
    }
    const spare = 4 * Math.sqrt((power * (1 - power)) / EXPERIMENTS) + 0.01
    // The delta method asks for a few persons too many if the effect is a rise.
    const above = found / EXPERIMENTS - power
    t.ok(above > -spare && above < spare + 0.04, `${found} of ${EXPERIMENTS} with ${n} and ${m}`)
  }
})

t.test('persons needed equal figures computed by hand', async (t) => {
  const rate = { baseline: { rate: 0.1 }, minimumEffect: 0.1 }
  // (1.959964 + 0.841621)² ⁄ 0.1² · (0.11 · 0.89 ⁄ 0.1² + 1.1² · 0.1 · 0.9 ⁄ 0.1²)
  t.same(personsNeeded({ ...rate, splits: [50, 50] }), [16_232, 16_232])
  const mean = { baseline: { mean: 10, standardDeviation: 20 }, minimumEffect: -0.1 }
  // Two comparisons at 0.025 each; the deviation is twice the mean.
  const total = ((2.2414027 + 0.8416212) / 0.1) ** 2 * 4 * (1 / 0.33 + 0.81 / 0.34)
  t.same(
    personsNeeded({ ...mean, splits: [34, 33, 33] }),
    [0.34, 0.33, 0.33].map((share) => Math.ceil(total * share)),
  )
  t.same(personsNeeded({ ...rate, splits: [50, 50, 0] }).at(-1), 0, 'a variant without traffic needs none')
})

t.test('the smallest effect needs the persons that it was computed from', async (t) => {
  for (const baseline of [{ rate: 0.02 }, { rate: 0.6 }, { mean: 3, standardDeviation: 9 }]) {
    const plan = { baseline, splits: [60, 20, 20] }
    const effect = detectableEffect(plan, 50_000) ?? 0
    const needed = personsNeeded({ ...plan, minimumEffect: effect }).reduce((sum, n) => sum + n, 0)
    t.ok(Math.abs(needed - 50_000) <= 3, `${needed} persons for ${effect}`)
  }
  t.equal(detectableEffect({ baseline: { rate: 0.9 }, splits: [50, 50] }, 4), null)
})

t.test('guardrails are judged by the interval of all variants against the margin', async (t) => {
  const arms = [
    { exposed: 1_000_000, converted: 100_000 },
    { exposed: 1_000_000, converted: 99_000 },
  ] as const
  const both = armsOfProportions(...arms)
  if (both === undefined) throw new Error('two arms')
  const widthOf = (comparisons: number) => {
    const [low, high] = liftInterval(...both, comparisons) ?? [0, 0]
    return high - low
  }
  t.ok(Math.abs(widthOf(2) / widthOf(1) - 2.2414027 / 1.959964) < 1e-5, 'two comparisons')
  const stateAt = (margin: number, converted: number, direction: 'increase' | 'decrease' = 'increase') =>
    resultsOf(
      {
        variants: [100_000, converted].map((count, index) => ({
          key: `v${index}`,
          exposed: 1_000_000,
          targets: [{ converted: 100_000 + index }, { converted: count }],
        })),
        quality: { multipleVariants: 0, unknownVariants: 0, beforeStart: 0, clampedShare: 0 },
      },
      {
        variants: [0, 1].map((index) => ({ key: `v${index}`, trafficSplit: 50 })),
        targets: [
          { eventName: 'paid', direction: 'increase' },
          { eventName: 'kept', direction, role: 'guardrail', margin },
        ],
      },
      { asOf: 0, lagSeconds: 0 },
    )
  // The lift is -1 %, its interval about -1.9 % to -0.2 %.
  for (const [margin, converted, direction, state, code] of [
    [0.001, 99_000, 'increase', 'harmed', 'harmed'],
    [0.01, 99_000, 'increase', 'unclear', 'undecided'],
    [0.03, 99_000, 'increase', 'ok', 'undecided'],
    [0.001, 99_000, 'decrease', 'ok', 'undecided'],
    [0.001, 102_000, 'decrease', 'harmed', 'harmed'],
    [0.5, 0, 'increase', 'harmed', 'harmed'],
    [0.5, 0, 'decrease', 'ok', 'undecided'],
    [0.001, 1_000_000, 'decrease', 'harmed', 'harmed'],
  ] as const) {
    const results = stateAt(margin, converted, direction)
    t.equal(results.targets[1]?.variants[1]?.guardrail, state, `margin ${margin}, ${direction}`)
    t.equal(results.verdict?.code, code)
    t.equal(results.targets[1]?.variants[0]?.guardrail, undefined, 'not of the control')
  }
})

t.test('a guardrail with no conversion in an arm is judged by the persons in it', async (t) => {
  const stateOf = (
    direction: 'increase' | 'decrease',
    control: readonly [converted: number, exposed: number],
    variant: readonly [converted: number, exposed: number],
  ) =>
    resultsOf(
      {
        variants: [control, variant].map(([converted, exposed], index) => ({
          key: `v${index}`,
          exposed,
          targets: [{ converted: 0 }, { converted }],
        })),
        quality: { multipleVariants: 0, unknownVariants: 0, beforeStart: 0, clampedShare: 0 },
      },
      {
        variants: [0, 1].map((index) => ({ key: `v${index}`, trafficSplit: 50 })),
        targets: [
          { eventName: 'clicked', direction: 'increase' },
          { eventName: 'kept', direction, role: 'guardrail', margin: 0.05 },
        ],
      },
      { asOf: 0, lagSeconds: 0 },
    ).targets[1]?.variants[1]?.guardrail
  t.equal(stateOf('increase', [500, 5_000], [0, 5_000]), 'harmed', 'the checkout is broken')
  t.equal(stateOf('decrease', [0, 5_000], [60, 5_000]), 'harmed', 'refunds where there were none')
  t.equal(stateOf('decrease', [500, 5_000], [0, 5_000]), 'ok')
  t.equal(stateOf('increase', [5_000, 5_000], [5_000, 5_000]), 'ok', 'all of both')
  t.equal(stateOf('decrease', [0, 5_000], [0, 5_000]), 'unclear', 'too rare for the margin')
  t.equal(stateOf('decrease', [0, 40], [1, 40]), 'unclear')
  t.equal(stateOf('increase', [3, 10], [0, 10]), 'unclear')
  t.equal(stateOf('increase', [500, 5_000], [0, 0]), 'unclear')
})
