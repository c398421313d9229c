import t from 'tap'
import { cases } from '../../../test/support/cases.js'
import { ALPHA } from '../alpha.js'
import { compareMeans, compareProportions } from '../compare.js'
import { holm } from '../holm.js'
import { type Moments, pooled } from '../moments.js'
import { sampleRatio } from '../sample-ratio.js'
import { sequentialHalfWidth } from '../sequential.js'
import { randomly } from './support/random.js'

/**
 * How many experiments each: ten thousand in the long tier, or `node …/simulations.js EXPERIMENTS [seed]`.
 */
const EXPERIMENTS = Number(process.argv[2] ?? cases(800, 10_000))
const SEED = Number(process.argv[3] ?? 15)
/** Persons of an experiment that is evaluated after each of them. */
const PERSONS = 3_000
/**
 * Allowed distance of a share from the stated one, beside the error of so few experiments (four standard
 * errors).
 */
const open = (share: number) => 4 * Math.sqrt((share * (1 - share)) / EXPERIMENTS)
const share = (hits: number) => hits / EXPERIMENTS

t.setTimeout(0)

t.test('95 % intervals hold the truth in 94 to 96 % of experiments', async (t) => {
  const random = randomly(SEED)
  let proportions = 0
  let means = 0
  let adjusted = 0
  for (let experiment = 0; experiment < EXPERIMENTS; experiment++) {
    const rate = 0.1 + 0.4 * random.uniform()
    const effect = 0.9 + 0.3 * random.uniform()
    const a = { exposed: 3_000, converted: random.binomial(3_000, rate) }
    const b = { exposed: 3_000, converted: random.binomial(3_000, rate * effect) }
    const of = (interval: readonly [number, number] | null, truth: number) =>
      interval !== null && interval[0] <= truth && truth <= interval[1] ? 1 : 0
    proportions += of(compareProportions(a, b, 'increase').liftCi, effect - 1)
    const arms = [1, effect].map((factor) =>
      momentsOf(150, () => {
        const before = random.normal()
        return [(5 + before + random.normal()) * factor, before]
      }),
    )
    const [control, variant] = arms
    if (control === undefined || variant === undefined) throw new Error('two arms')
    means += of(compareMeans(plain(control), plain(variant), 'increase').liftCi, effect - 1)
    // θ is one for both arms, so the truth is that of equal variances.
    const same = [0, 1].map(() =>
      momentsOf(150, () => {
        const before = random.normal()
        return [5 + before + random.normal(), before]
      }),
    )
    adjusted += of(compareMeans(same[0] ?? control, same[1] ?? variant, 'increase').liftCi, 0)
  }
  for (const [name, hits] of Object.entries({ proportions, means, adjusted })) {
    const spare = EXPERIMENTS < 10_000 ? open(0.95) : 0
    t.ok(share(hits) >= 0.94 - spare && share(hits) <= 0.96 + spare, `${name}: ${share(hits)}`)
  }
})

t.test('sequential intervals hold it at every look, one after every person', async (t) => {
  const random = randomly(SEED + 1)
  let held = 0
  let fixed = 0
  let compared = 0
  for (let experiment = 0; experiment < EXPERIMENTS; experiment++) {
    const control = { exposed: 0, converted: 0 }
    const variant = { exposed: 0, converted: 0 }
    let always = true
    let everyFixed = true
    for (let person = 0; person < PERSONS; person++) {
      const arm = random.uniform() < 0.5 ? control : variant
      arm.exposed++
      if (random.uniform() < 0.3) arm.converted++
      // A central limit needs some persons to speak of.
      if (person < 200) continue
      const { lift, variance } = quotient(control, variant)
      const width = sequentialHalfWidth(variance, control.exposed + variant.exposed, ALPHA)
      // All other figures of a look cost a hundred times as much: now and then it is seen that it is their
      // interval.
      if ((person + experiment) % 1_009 === 0) {
        const { sequentialCi } = compareProportions(control, variant, 'increase')
        const [low, high] = sequentialCi ?? [Number.NaN, Number.NaN]
        if (Math.abs(low - lift + width) < 1e-12 && Math.abs(high - lift - width) < 1e-12) compared++
        else t.fail(`${low} to ${high}, not ${lift} ± ${width}`)
      }
      if (Math.abs(lift) > width) always = false
      if (Math.abs(lift) > 1.96 * Math.sqrt(variance)) everyFixed = false
      if (!always) break
    }
    if (always) held++
    if (everyFixed) fixed++
  }
  t.ok(compared > EXPERIMENTS)
  t.ok(share(held) >= 0.95, `${share(held)} of ${EXPERIMENTS}`)
  t.ok(share(fixed) < 0.9, `the ordinary one holds in ${share(fixed)}: it is not made for looking often`)
})

t.test('the test calls a correct split broken in one of a thousand experiments', async (t) => {
  const random = randomly(SEED + 2)
  const many = EXPERIMENTS * 10
  let alarms = 0
  for (let experiment = 0; experiment < many; experiment++) {
    const first = random.binomial(4_000, 0.5)
    const second = random.binomial(4_000 - first, 0.6)
    const arms = [
      { exposed: first, weight: 50 },
      { exposed: second, weight: 30 },
      { exposed: 4_000 - first - second, weight: 20 },
    ]
    if (!sampleRatio(arms).ok) alarms++
  }
  const spare = 4 * Math.sqrt(0.001 / many)
  t.ok(Math.abs(alarms / many - 0.001) <= spare, `${alarms} of ${many}`)
})

t.test('of four variants that do nothing, Holm finds one in less than 5 % of experiments', async (t) => {
  const random = randomly(SEED + 3)
  let errors = 0
  let without = 0
  for (let experiment = 0; experiment < EXPERIMENTS; experiment++) {
    const arm = () => ({ exposed: 2_000, converted: random.binomial(2_000, 0.3) })
    const control = arm()
    const pValues = Array.from({ length: 4 }, () => compareProportions(control, arm(), 'increase').pValue)
    if (holm(pValues).some((p) => p !== null && p < 0.05)) errors++
    if (pValues.some((p) => p !== null && p < 0.05)) without++
  }
  t.ok(share(errors) < 0.05 + (EXPERIMENTS < 10_000 ? open(0.05) : 0), `${share(errors)}`)
  t.ok(share(without) > 0.09, `without it ${share(without)}`)
})

/** Moments of persons' values and values before, by adding one person after the other. */
function momentsOf(n: number, person: () => [value: number, before: number]): Moments {
  let all: Moments = { n: 0, mean: 0, variance: 0, before: { mean: 0, variance: 0, covariance: 0 } }
  for (let index = 0; index < n; index++) {
    const [mean, before] = person()
    all = pooled(all, { n: 1, mean, variance: 0, before: { mean: before, variance: 0, covariance: 0 } })
  }
  return all
}

function plain({ n, mean, variance }: Moments): Moments {
  return { n, mean, variance }
}

interface Counted {
  readonly exposed: number
  readonly converted: number
}

/** The delta method, in as few steps as there are. */
function quotient(control: Counted, variant: Counted): { lift: number; variance: number } {
  const a = control.converted / control.exposed
  const b = variant.converted / variant.exposed
  const relative = (rate: number, { exposed }: Counted) => (1 - rate) / (rate * exposed)
  return {
    lift: b / a - 1,
    variance: (b / a) ** 2 * (relative(a, control) + relative(b, variant)),
  }
}
