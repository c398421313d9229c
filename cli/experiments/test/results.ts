import t from 'tap'
import { type Results, resultsCsv } from '../../../domain/statistics/index.js'
import { displayWidth } from '../../output.js'
import { renderResults } from '../results.js'
import { describeStatus, type ExperimentStatus } from '../status.js'

const nothing = {
  lift: null,
  liftCi: null,
  pValue: null,
  adjustedPValue: null,
  chanceToWin: null,
  risk: null,
  sequentialCi: null,
  sequentialPValue: null,
}
const results: Results = {
  asOf: '2026-03-01T12:00:00.000Z',
  state: 'ready',
  reason: null,
  exposed: 20_034,
  multipleVariants: 900,
  srm: { pValue: 0.00001, ok: false },
  targets: [
    {
      eventName: 'order_paid',
      direction: 'increase',
      primary: true,
      variants: [
        { key: 'control', exposed: 10_010, converted: 1_001, rate: 0.1, vsControl: null },
        {
          key: 'one-page',
          exposed: 10_024,
          converted: 1_253,
          rate: 0.125,
          vsControl: {
            ...nothing,
            lift: 0.25,
            liftCi: [0.16, 0.34],
            pValue: 0.00002,
            adjustedPValue: 0.00002,
            chanceToWin: 0.9999,
          },
        },
      ],
    },
    {
      eventName: 'refund',
      direction: 'decrease',
      primary: false,
      variants: [
        { key: 'control', exposed: 10_010, converted: 0, rate: 0, vsControl: null },
        { key: 'one-page', exposed: 10_024, converted: 3, rate: 0.0003, vsControl: nothing },
      ],
    },
  ],
  dataQuality: {
    multipleVariants: 900,
    unknownVariants: 2,
    beforeStart: 0,
    zeroWeight: 0,
    clampedShare: 0.2,
    lagSeconds: 1,
  },
}

t.test('results show figures, intervals and warnings', async (t) => {
  const text = renderResults({ columns: undefined, color: false, now: 0 }, results)
  t.match(text, /^20,034 persons exposed/)
  t.match(text, /order_paid \(primary, increase is better\)/)
  t.match(
    text,
    /one-page +10,024 +1,253 +12\.5% +\+25\.0% +│ +├─+●─+┤ +\+16\.0% +\+34\.0% +>99\.9% +<0\.0001/,
  )
  t.match(text, /one-page +10,024 +3 +<0\.1% +-/)
  t.match(text, /! The split is broken/)
  t.match(text, /! 900 persons saw several variants/)
  t.match(text, /! 20\.0% of the exposures/)
  const dataQuality = { ...results.dataQuality, zeroWeight: 3 }
  const unplanned = renderResults({ columns: undefined, color: false, now: 0 }, { ...results, dataQuality })
  t.match(unplanned, /! The split is broken: 3 persons saw a variant with a traffic split of 0/)
})

t.test('results fit forty columns', async (t) => {
  const text = renderResults({ columns: 40, color: false, now: 0 }, results)
  for (const line of text.split('\n')) t.ok(displayWidth(line) <= 40, line)
})

t.test('results as CSV have a row for each target and variant', (t) => {
  const rows = resultsCsv(results).split('\r\n')
  t.equal(
    rows[0],
    'asOf,target,primary,variant,exposed,converted,rate,mean,standardDeviation,lift,liftLow,liftHigh,pValue,adjustedPValue,chanceToWin',
  )
  t.equal(
    rows[2],
    '2026-03-01T12:00:00.000Z,order_paid,true,one-page,10024,1253,0.125,,,0.25,0.16,0.34,0.00002,0.00002,0.9999',
  )
  t.equal(rows[3], '2026-03-01T12:00:00.000Z,refund,false,control,10010,0,0,,,,,,,,')
  t.equal(rows.length, 6)
  t.end()
})

t.test('what is shipped names the way to its cleanup, if it has a pull request', async (t) => {
  const style = { columns: undefined, color: false, now: 0 }
  const pullRequest = { number: 7, url: null, branch: 'svc/hero', state: 'merged', error: null } as const
  const said = (one: Pick<ExperimentStatus, 'status' | 'pullRequest'>): string =>
    describeStatus(style, { id: '', key: 'hero', ...one })
  const merged = 'Pull request merged: #7 on svc/hero'
  t.equal(
    said({ status: 'shipped', pullRequest }),
    `hero is shipped. ${merged}. See its cleanup pull request with: svc experiments show hero`,
  )
  t.equal(said({ status: 'running', pullRequest }), `hero is running. ${merged}`)
  t.equal(said({ status: 'shipped', pullRequest: null }), 'hero is shipped.')
})
