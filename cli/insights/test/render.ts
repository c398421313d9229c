import t from 'tap'
import { renderRetention, renderTrends } from '../render.js'
import { parseSeries } from '../trends.js'

const style = { columns: undefined, color: false, now: 0 }
const range = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-02T12:00:00.000Z' }
const query = { elapsedMs: 1, rowsRead: 1 }

t.test('a series is an event, a measure and a property', async (t) => {
  t.strictSame(parseSeries('order.paid'), { eventName: 'order.paid' })
  t.strictSame(parseSeries('a:persons'), { eventName: 'a', measure: 'persons' })
  t.strictSame(parseSeries('a:p90:b:c.d'), { eventName: 'a', measure: 'p90', property: 'b:c.d' })
  for (const text of ['', 'a b', 'a:median:n', ':sum:n', 'a:'])
    t.throws(() => parseSeries(text), { name: 'CommandError' }, text)
})

t.test('trends are a row per bucket, and say what is in part, and what was never received', async (t) => {
  const series = (property: string | null, values: readonly (number | null)[]) => ({
    eventName: 'paid',
    filters: [],
    measure: property === null ? ('events' as const) : ('average' as const),
    property,
    total: values[0] ?? null,
    data: values.map((value, day) => ({
      at: `2026-11-0${day + 1}T00:00:00.000Z`,
      value,
      complete: day === 0,
    })),
    breakdown: null,
  })
  const answer = {
    ...range,
    interval: 'day' as const,
    series: [series(null, [1_200, 0]), series('total', [1 / 3, null])],
    neverReceived: ['paid'],
    query,
  }
  const before = { ...answer, series: [series(null, [1_000]), series('total', [null])], neverReceived: [] }
  t.equal(
    renderTrends(style, answer, before).split('\n').slice(3, 6).join('\n'),
    `total                  1,200            0.333333
period before          1,000                   -
change                +20.0%                   -`,
  )
  t.equal(
    renderTrends(style, answer),
    `DAY                    PAID  AVERAGE TOTAL PAID
2026-11-01            1,200            0.333333
2026-11-02 (in part)      0                   -
total                 1,200            0.333333

Never received: paid. svc events names lists what was.
`,
  )
})

t.test('retention is a row per cohort with the share of persons in each period', async (t) => {
  t.equal(
    renderRetention(style, {
      ...range,
      interval: 'week',
      cohorts: [
        { at: '2026-11-02T00:00:00.000Z', persons: 8, complete: true, returned: [8, 2, null] },
        { at: '2026-11-09T00:00:00.000Z', persons: 0, complete: true, returned: [0, null, null] },
      ],
      neverReceived: [],
      query,
    }),
    `WEEK        PERSONS     0      1  2
2026-11-02        8  100%  25.0%
2026-11-09        0
`,
  )
})
