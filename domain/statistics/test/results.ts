import t from 'tap'
import type { ExperimentCounts, TargetCounts } from '../counts.js'
import { measurementsOf } from '../measurements.js'
import { type MeasuredExperiment, resultsOf } from '../results.js'

const QUALITY = { multipleVariants: 3, unknownVariants: 2, beforeStart: 1, clampedShare: 0.25 }
const at = { asOf: Date.UTC(2026, 10, 22), lagSeconds: 4 }

const experiment = (splits: readonly number[], metric?: MeasuredExperiment['targets'][number]['metric']) =>
  ({
    variants: splits.map((trafficSplit, index) => ({ key: `v${index}`, trafficSplit })),
    targets: [
      { eventName: 'bought', direction: 'increase', metric },
      { eventName: 'complained', direction: 'decrease' },
    ],
  }) satisfies MeasuredExperiment

const counts = (arms: readonly (readonly [exposed: number, ...TargetCounts[]])[]): ExperimentCounts => ({
  variants: arms.map(([exposed, ...targets], index) => ({ key: `v${index}`, exposed, targets })),
  quality: QUALITY,
})

t.test('results have the documented shape', async (t) => {
  const results = resultsOf(
    counts([
      [1_000, { converted: 100 }, { converted: 20 }],
      [1_010, { converted: 150 }, { converted: 0 }],
      [0, { converted: 0 }, { converted: 0 }],
      [7, { converted: 0 }, { converted: 0 }],
    ]),
    experiment([50, 50, 0, 0]),
    at,
  )
  t.match(results, {
    asOf: '2026-11-22T00:00:00.000Z',
    state: 'ready',
    reason: null,
    exposed: 2_017,
    multipleVariants: 3,
    srm: { ok: false },
    dataQuality: {
      multipleVariants: 3,
      unknownVariants: 2,
      beforeStart: 1,
      zeroWeight: 7,
      clampedShare: 0.25,
      lagSeconds: 4,
    },
    targets: [
      { eventName: 'bought', direction: 'increase', primary: true },
      { eventName: 'complained', direction: 'decrease', primary: false },
    ],
  })
  const [control, variant, empty] = results.targets[0]?.variants ?? []
  t.same(control, { key: 'v0', exposed: 1_000, converted: 100, rate: 0.1, vsControl: null })
  t.equal(variant?.vsControl?.adjustedPValue, variant?.vsControl?.pValue, 'the only one in its family')
  t.same(Object.keys(variant?.vsControl ?? {}), [
    'lift',
    'liftCi',
    'pValue',
    'adjustedPValue',
    'chanceToWin',
    'risk',
    'sequentialCi',
    'sequentialPValue',
  ])
  t.match(empty, { exposed: 0, rate: null, vsControl: { lift: null, adjustedPValue: null } })
  t.match(results.targets[1]?.variants[1], { rate: 0, vsControl: { lift: -1, pValue: null, risk: null } })
  t.notMatch(JSON.stringify(results), /NaN|Infinity/)
})

t.test('a state that is not ready has a reason', async (t) => {
  const of = (arms: readonly (readonly [number, number])[], splits: readonly number[]) => {
    const { state, reason } = resultsOf(
      counts(arms.map(([exposed, converted]) => [exposed, { converted }, { converted: 0 }])),
      experiment(splits),
      at,
    )
    return [state, reason]
  }
  const none = { multipleVariants: 0, unknownVariants: 0, beforeStart: 0, clampedShare: 0 }
  for (const [quality, reason] of [
    [{}, 'no one has been exposed yet'],
    [{ multipleVariants: 3, unknownVariants: 2 }, 'everybody who was exposed saw several variants'],
    [{ unknownVariants: 2, beforeStart: 1 }, 'no exposure since the start names a variant of the experiment'],
    [{ beforeStart: 1 }, 'all exposures came before the start'],
  ] as const) {
    const nobody = counts([
      [0, { converted: 0 }, { converted: 0 }],
      [0, { converted: 0 }, { converted: 0 }],
    ])
    const some = { ...nobody, quality: { ...none, ...quality } }
    t.match(resultsOf(some, experiment([50, 50]), at), { state: 'no_data', reason })
  }
  t.same(
    of(
      [
        [100, 5],
        [100, 5],
      ],
      [50, 50],
    ),
    ['ready', null],
  )
  t.same(
    of(
      [
        [100, 5],
        [99, 5],
      ],
      [50, 50],
    ),
    ['collecting', 'variant v1 has 99 of 100 persons'],
  )
  t.same(
    of(
      [
        [100, 5],
        [100, 4],
      ],
      [50, 50],
    ),
    ['collecting', 'the primary target has 9 of 10 conversions'],
  )
  t.same(
    of(
      [
        [100, 10],
        [7, 0],
      ],
      [100, 0],
    ),
    ['ready', null],
    'an arm without weight is not waited for',
  )
  t.same(
    of(
      [
        [0, 0],
        [7, 0],
      ],
      [50, 50],
    ),
    [
      'collecting',
      'variant v0 has 0 of 100 persons; variant v1 has 7 of 100 persons; the primary target has 0 of 10 conversions',
    ],
  )
})

t.test('targets with a mean have a mean in place of a rate', async (t) => {
  const values = (n: number, mean: number, before: number) => ({
    n,
    mean,
    variance: 4,
    before: { mean: before, variance: 4, covariance: 2 },
  })
  const metric = { type: 'mean', property: 'value', cuped: true } as const
  const results = resultsOf(
    counts([
      [200, { converted: 50, values: values(200, 2, 1) }, { converted: 1 }],
      [200, { converted: 60, values: values(200, 2.5, 1.5) }, { converted: 1 }],
      [
        1,
        {
          converted: 1,
          values: { n: 1, mean: 9, variance: 0, before: { mean: 0, variance: 0, covariance: 0 } },
        },
      ],
      [
        0,
        {
          converted: 0,
          values: { n: 0, mean: 0, variance: 0, before: { mean: 0, variance: 0, covariance: 0 } },
        },
      ],
    ]),
    experiment([25, 25, 25, 25], metric),
    at,
  )
  const [control, variant, one, nobody] = results.targets[0]?.variants ?? []
  t.match(control, { rate: null, mean: 2, standardDeviation: 2, adjustedMean: 2, vsControl: null })
  t.match(variant, { rate: null, converted: 60, mean: 2.5, standardDeviation: 2 })
  // θ is a little above a half: pooled over both arms, whose means differ before and after.
  t.ok(Math.abs((variant?.adjustedMean ?? 0) - 2.246134) < 1e-6, String(variant?.adjustedMean))
  t.ok(Math.abs((variant?.vsControl?.lift ?? 0) - 0.123067) < 1e-6, 'the lift is that of adjusted means')
  t.match(one, { mean: 9, standardDeviation: null, vsControl: { pValue: null } })
  t.match(nobody, { mean: null, standardDeviation: null, adjustedMean: null, vsControl: { lift: null } })
  t.equal(
    resultsOf(
      counts([[200, { converted: 50, values: { n: 200, mean: 2, variance: 1 } }]]),
      experiment([100], { type: 'mean', property: 'value' }),
      at,
    ).targets[0]?.variants[0]?.adjustedMean,
    undefined,
    'only where it is adjusted',
  )
})

t.test('measurements in lists are those of the variant that most likely wins', async (t) => {
  const of = (...converted: readonly number[]) =>
    measurementsOf(
      resultsOf(
        counts(converted.map((some) => [1_000, { converted: some }, { converted: 1 }])),
        experiment(converted.map(() => 100 / converted.length)),
        at,
      ),
    )
  t.match(of(100, 90, 130, 120), {
    usersExposed: 4_000,
    estimatedLift: (0.13 - 0.1) / 0.1,
    asOf: '2026-11-22T00:00:00.000Z',
  })
  t.ok((of(100, 90, 130, 120).confidence ?? 0) > 0.96)
  t.match(of(0, 90), { estimatedLift: null, confidence: null })
  t.match(of(100, 0), { estimatedLift: null, confidence: null }, 'no lift is reported without a chance')
  t.ok((of(100, 50).confidence ?? 1) < 0.01, 'the least bad one, where all are')
})
