import t from 'tap'
import { dataQualityNotes, decisionWarnings } from '../pages/experiments/results/data-quality.js'

type Results = NonNullable<Parameters<typeof decisionWarnings>[0]>

const figures = (sequentialCi: [number, number] | null): Results['targets'][number]['variants'][number] => ({
  key: 'treatment',
  exposed: 1_000,
  converted: 120,
  rate: 0.12,
  vsControl: {
    lift: 0.2,
    liftCi: [0.05, 0.35],
    pValue: 0.01,
    adjustedPValue: 0.01,
    chanceToWin: 0.99,
    risk: 0.001,
    sequentialCi,
    sequentialPValue: 0.04,
  },
})

function results(changes: Partial<Results>, ci: [number, number] | null = [0.01, 0.4]): Results {
  return {
    asOf: '2026-11-22T00:00:00.000Z',
    state: 'ready',
    reason: null,
    exposed: 2_000,
    multipleVariants: 0,
    verdict: { code: 'undecided', variant: null, text: 'There is no clear difference yet.' },
    srm: { pValue: 0.7, ok: true },
    dataQuality: {
      multipleVariants: 0,
      unknownVariants: 0,
      beforeStart: 0,
      zeroWeight: 0,
      clampedShare: 0,
      lagSeconds: 0,
    },
    targets: [
      {
        eventName: 'purchased',
        direction: 'increase',
        primary: true,
        variants: [
          { key: 'control', exposed: 1_000, converted: 100, rate: 0.1, vsControl: null },
          figures(ci),
        ],
      },
    ],
    ...changes,
  }
}

t.test('no warning against shipping if the figures are clear', async (t) => {
  t.same(decisionWarnings(results({}), 'treatment'), [])
})

t.test('each reason not to decide has a warning', async (t) => {
  const says = (found: readonly string[], words: RegExp): void => {
    t.ok(
      found.some((text) => words.test(text)),
      `${found.join(' ')} ~ ${words}`,
    )
  }
  says(decisionWarnings(null, 'treatment'), /no results/)
  says(
    decisionWarnings(results({ state: 'no_data', reason: 'no one came' }), 'treatment'),
    /no data: no one came/,
  )
  says(decisionWarnings(results({ state: 'collecting', reason: 'a few' }), null), /too little data: a few/)
  says(decisionWarnings(results({ srm: { pValue: 1e-9, ok: false } }), 'treatment'), /split is broken/)
  says(decisionWarnings(results({}, [-0.1, 0.4]), 'treatment'), /still includes 0/)
  says(decisionWarnings(results({}, null), 'treatment'), /no interval/)
  says(decisionWarnings(results({}, [-0.4, -0.1]), 'treatment'), /worse than the control/)
  says(decisionWarnings(results({}), null), /treatment does better/)
  const late = { ...results({}).dataQuality, lagSeconds: 600 }
  says(decisionWarnings(results({ dataQuality: late }), 'treatment'), /not counted yet/)
})

t.test('a target that should fall is judged the other way round', async (t) => {
  const [target] = results({}, [-0.4, -0.1]).targets
  if (target === undefined) throw new Error('no target')
  const less = results({ targets: [{ ...target, direction: 'decrease' }] })
  t.same(decisionWarnings(less, 'treatment'), [])
  t.match(decisionWarnings(less, null), [/does better/])
})

t.test('a sample ratio mismatch is the first warning', async (t) => {
  const quality = {
    multipleVariants: 3,
    unknownVariants: 1,
    beforeStart: 2,
    zeroWeight: 0,
    clampedShare: 0.2,
    lagSeconds: 90,
  }
  const notes = dataQualityNotes(results({ srm: { pValue: 1e-7, ok: false }, dataQuality: quality }))
  t.equal(notes[0]?.tone, 'bad')
  t.match(notes[0]?.text, /split is broken/)
  t.equal(notes.length, 6)
  const unplanned = { ...results({}).dataQuality, zeroWeight: 1 }
  t.match(dataQualityNotes(results({ srm: { pValue: 0.7, ok: false }, dataQuality: unplanned })), [
    { tone: 'bad', text: /1 person saw a variant with a traffic split of 0/ },
  ])
  t.match(dataQualityNotes(results({})), [{ tone: 'good', text: /split as planned/ }])
})
