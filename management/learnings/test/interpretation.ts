import fc from 'fast-check'
import t from 'tap'
import { type ExperimentCounts, type Results, resultsOf } from '../../../domain/statistics/index.js'
import { type Interpreted, interpretationOf } from '../interpretation.js'

const variants = [
  { key: 'control', displayName: 'Control', trafficSplit: 50 },
  { key: 'b', displayName: 'One page', trafficSplit: 50 },
]
const clean = { multipleVariants: 0, unknownVariants: 0, beforeStart: 0, clampedShare: 0 }
type Arm = readonly [exposed: number, converted: number]

function resultsFor(
  control: Arm,
  variant: Arm,
  direction: 'increase' | 'decrease' = 'increase',
  quality: Partial<ExperimentCounts['quality']> = {},
  lagSeconds = 0,
): Results {
  const arms = [control, variant].map(([exposed, converted], index) => ({
    key: index === 0 ? 'control' : 'b',
    exposed,
    targets: [{ converted }],
  }))
  return resultsOf(
    { variants: arms, quality: { ...clean, ...quality } },
    { variants, targets: [{ eventName: 'order_paid', direction }] },
    { asOf: 0, lagSeconds },
  )
}

function draft(results: Results, more: Partial<Interpreted> = {}): string {
  return interpretationOf({
    results,
    variants,
    targets: [{ name: 'Paid' }],
    decision: 'reject',
    variant: null,
    ...more,
  })
}

t.test('an effect is stated with its interval and its probability', async (t) => {
  const better = draft(resultsFor([1_000, 100], [1_000, 200]), { decision: 'ship', variant: 'b' })
  t.equal(
    better,
    'One page was shipped. 2,000 people were counted. Paid: One page has 20.0% (200 of 1,000), Control has 10.0% (100 of 1,000). That is a difference of +100.0% (95% interval +55.3% to +144.7%, adjusted p below 0.0001): One page did better. The probability that One page is better is >99.9%.',
  )
  t.match(draft(resultsFor([1_000, 200], [1_000, 100])), /One page did worse/)
  t.match(draft(resultsFor([1_000, 200], [1_000, 100], 'decrease')), /One page did better/)
})

t.test('not enough data is not the absence of an effect', async (t) => {
  t.match(
    draft(resultsFor([1_000, 100], [1_000, 105])),
    /Whether there is a difference, and in which direction, is open/,
  )
  t.match(draft(resultsFor([50, 5], [50, 25])), /too little data.*too early to judge/)
  t.match(draft(resultsFor([0, 0], [0, 0])), /No one was counted.*say nothing about the hypothesis: /)
  t.match(draft(resultsFor([200, 0], [200, 30])), /too few conversions to compare/)
  t.match(
    draft(resultsFor([10_000_000, 5_000_000], [10_000_000, 5_000_100])),
    /any difference is small, within 2\.0%/,
  )
})

t.test('a broken split states no cause', async (t) => {
  const broken = draft(resultsFor([1_000, 100], [1_500, 300]))
  t.match(broken, /split is broken.*cannot be attributed to the variants/)
  t.notMatch(broken, /did better|did worse|probability that/)
})

t.test('a rate below one never reads 100%', async (t) => {
  t.match(draft(resultsFor([10_000, 9_999], [10_000, 9_000])), /Control has >99\.9% \(9,999 of 10,000\)/)
})

t.test('problems of the data are listed', async (t) => {
  const text = draft(
    resultsFor(
      [1_000, 100],
      [1_000, 100],
      'increase',
      { multipleVariants: 50, unknownVariants: 1, beforeStart: 2, clampedShare: 0.05 },
      29.2,
    ),
  )
  t.match(
    text,
    /50 people saw several variants.*1 exposure named an unknown variant.*2 exposures came before the start.*5\.0%.*last 30 s were not counted/,
  )
})

t.test('no results lead to NaN, a claim of no effect, or a cause in a broken split', async () => {
  const arm = fc
    .tuple(fc.integer({ min: 0, max: 100_000 }), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([exposed, rate]): Arm => [exposed, Math.round(exposed * rate)])
  fc.assert(
    fc.property(arm, arm, fc.constantFrom('increase' as const, 'decrease' as const), (a, b, direction) => {
      const results = resultsFor(a, b, direction)
      const text = draft(results)
      const evidence = results.targets[0]?.variants[1]?.vsControl
      if (/NaN|undefined|null|no effect|no difference|Infinity/i.test(text)) return false
      if (/did better|did worse/.test(text)) {
        const [low, high] = evidence?.liftCi ?? [0, 0]
        return results.srm.ok && results.state === 'ready' && (low > 0 || high < 0)
      }
      return true
    }),
    { numRuns: 2_000 },
  )
})
