import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import type { JsonValue } from '../../../../domain/funnel.js'
import {
  isOfProperty,
  TREND_MEASURES,
  type TrendSeries,
  type TrendsQuery,
} from '../../../../domain/trends.js'
import { referenceTrends } from '../../../../test/reference/trends.js'
import { cases, failWith, LONG, SEED } from '../../../../test/support/cases.js'
import { migrateClickHouse } from '../../../migrate.js'
import { type FunnelCase, randomCase } from '../../../test/support/funnel-cases.js'
import { NOW, rounded } from '../../../test/support/funnel-compare.js'
import { DAY, event, FROM, request } from '../../../test/support/funnel-fixtures.js'
import { referenceEvents, store, workspaceIdOf } from '../../../test/support/funnel-store.js'
import { openStore } from '../../../test/support/open-store.js'
import { queryTrends } from '../query-trends.js'

/** How many random cases: `node …/query-trends.js 2000 [first seed]` for a longer run. */
const CASES = Number(process.argv[2] ?? cases(8, 200))
const FIRST_SEED = Number(process.argv[3] ?? SEED)
const AT_ONCE = 100

t.setTimeout(LONG || CASES > 200 ? 0 : 300_000)
const clickhouse = await openStore(t)
await migrateClickHouse(clickhouse)

t.test('equals the reference on random events and queries', async (t) => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed += AT_ONCE) {
    const several = Array.from({ length: Math.min(AT_ONCE, FIRST_SEED + CASES - seed) }, (_, index) =>
      randomCase(seed + index, { breakdown: 'always' }),
    )
    const workspaces = several.map((one) => ({
      workspaceId: workspaceIdOf(`trends ${one.seed}`),
      requests: one.requests,
      links: new Map(one.links),
    }))
    await store(clickhouse, workspaces)
    for (const [index, { workspaceId, requests, links }] of workspaces.entries()) {
      const one = several[index]
      if (one === undefined) continue
      const query = trendsQueryOf(one)
      const { result } = await queryTrends(clickhouse, { workspaceId, query, now: NOW })
      const expected = referenceTrends(referenceEvents(requests), links, query, NOW)
      if (isDeepStrictEqual(significant(result), significant(expected))) continue
      failWith(
        `seed ${one.seed}\n${JSON.stringify(referenceEvents(requests))}\nlinks ${JSON.stringify(one.links)}\nquery ${JSON.stringify(query)}\nexpected ${JSON.stringify(expected)}\nfound    ${JSON.stringify(result)}`,
        t,
      )
      return
    }
  }
  t.comment(`${CASES} cases from seed ${FIRST_SEED}`)
})

/** A query of trends with the filters, names and properties of a funnel's case. */
function trendsQueryOf({ seed, steps, query }: FunnelCase): TrendsQuery {
  const property = query.breakdown?.property ?? 'p'
  return {
    from: query.from,
    to: query.to,
    interval: query.interval ?? 'day',
    filters: query.filters,
    series: steps.slice(0, 5).map((step, index): TrendSeries => {
      const measure = TREND_MEASURES[(seed + index) % TREND_MEASURES.length] ?? 'events'
      return {
        eventName: step.eventName,
        filters: step.filters,
        measure,
        property: isOfProperty(measure) ? ((seed + index) % 3 === 0 ? property : 'p') : null,
      }
    }),
    breakdown: seed % 2 === 0 ? query.breakdown : undefined,
  }
}

/** Sums of numbers far apart differ in their last digits with the order of addition. */
function significant(value: unknown): unknown {
  if (typeof value === 'number') return value === 0 ? 0 : Number(value.toPrecision(9))
  if (Array.isArray(value)) return value.map(significant)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, significant(item)]))
  return value
}

const series = (measure: TrendSeries['measure'], property: string | null = null): TrendSeries => ({
  eventName: 'a',
  filters: [],
  measure,
  property,
})
const trends = (changes: Partial<TrendsQuery>): TrendsQuery => ({
  from: FROM,
  to: FROM + 3 * DAY,
  interval: 'day',
  series: [series('events')],
  filters: [],
  breakdown: undefined,
  ...changes,
})

t.test('fixed figures', async (t) => {
  const workspaceId = workspaceIdOf('fixed trends')
  const n = (value: JsonValue, plan: JsonValue = 'pro') => ({ properties: { n: value, plan } })
  const requests = [
    request(0, [
      event('a', 0, 'u1', n(10)),
      event('a', 1, 'u1', n(20)),
      event('a', DAY - 1, 'u2', n('30', 'free')),
      { ...event('a', DAY), userId: undefined, anonymousId: 'x', ...n(40, { b: 1, a: 2 }) },
      event('a', DAY + 1, 'u2', n(50, { a: 2, b: 1 })),
      event('a', 3 * DAY, 'u3', n(60)),
      event('a', -1, 'u3', n(70)),
      event('b', 5, 'u3', n(80)),
    ]),
  ]
  await store(clickhouse, [{ workspaceId, requests, links: new Map([['x', 'u2']]) }])
  const ask = async (query: TrendsQuery, now = NOW) =>
    (await queryTrends(clickhouse, { workspaceId, query, now })).result.series
  const measures = [
    series('events'),
    series('persons'),
    series('sum', 'n'),
    series('average', 'n'),
    series('p90', 'n'),
  ]
  const all = await ask(trends({ series: measures }))
  t.strictSame(
    rounded(all.map(({ total, data }) => [total, ...data.map(({ value }) => value)])),
    [
      [5, 3, 2, 0],
      [2, 2, 1, 0],
      [120, 30, 90, 0],
      [30, 15, 45, null],
      [47, 19, 49, null],
    ],
    'a person counts once a bucket and once in total; texts are no numbers',
  )
  const groups = await ask(trends({ series: [series('persons')], breakdown: { property: 'plan', limit: 5 } }))
  t.strictSame(
    groups[0]?.breakdown?.map(({ value, total }) => [value, total]),
    [
      ['free', 1],
      ['pro', 1],
      [{ a: 2, b: 1 }, 1],
    ],
    'a person of two objects that are equal counts once',
  )
  const cut = await ask(trends({ from: FROM + 1, to: FROM + 3 * DAY - 1 }))
  t.strictSame(
    cut[0]?.data.map(({ value, complete }) => [value, complete]),
    [
      [2, false],
      [2, true],
      [0, false],
    ],
    'a bucket that the range cuts is not complete',
  )
  const open = await ask(trends({}), FROM + 2 * DAY - 1)
  t.strictSame(
    open[0]?.data.map(({ complete }) => complete),
    [true, false, false],
    'nor is one that is not over',
  )
})

t.test('a value is one group, whatever is stored beside it', async (t) => {
  const workspaceId = workspaceIdOf('written values')
  const values: JsonValue[] = [
    ...[
      '',
      'null',
      '/',
      '\\',
      '"',
      '\n',
      '\u2028',
      '\u2029',
      '\u2018',
      '\u007f',
      'é',
      '1',
      'a.b',
      '{',
      '[',
      ':{',
      ',"v":2}',
    ],
    ...[
      0,
      -1,
      1.5,
      -0.001,
      19.99,
      0.1 + 0.2,
      5e-7,
      1e-7,
      1e20,
      1e21,
      1e22,
      2 ** 53,
      2 ** 63,
      2 ** 64,
      1e15,
      1e16,
    ],
    ...[999_999_999_999_999.9, 123_456.789, 1e-300, Number.MAX_VALUE, true, false, null],
  ]
  const beside = [{}, { o: { v: 1 } }, { list: [{ v: 1 }] }, { text: '"v":1' }, { whole: 2 ** 64 }]
  const events = values.flatMap((value) =>
    beside.flatMap((others) => [
      event('a', 1, 'u', { properties: { ...others, v: value, 'x.y': value } }),
      event('a', 1, 'u', { properties: { ...others, x: { y: value } } }),
    ]),
  )
  await store(clickhouse, [{ workspaceId, requests: [request(0, events)], links: new Map() }])
  for (const [property, expected, none] of [
    ['v', beside.length, values.length * beside.length],
    ['x.y', 2 * beside.length, 0],
  ] as const) {
    const query = trends({ breakdown: { property, limit: 1_000 } })
    const { result } = await queryTrends(clickhouse, { workspaceId, query, now: NOW })
    const found = result.series[0]?.breakdown?.map(({ value, total }): [JsonValue, unknown] => [value, total])
    t.strictSame(
      new Map(found),
      new Map(values.map((value) => [value, value === null ? expected + none : expected])),
      property,
    )
  }
})

t.test('weeks begin on Monday, and months on the first, in UTC', async (t) => {
  const workspaceId = workspaceIdOf('calendar')
  const at = (text: string) => ({ ...event('a', 0), timestamp: Date.parse(text) })
  const times = [
    '2026-10-25T23:59:59.999Z',
    '2026-10-26T00:00:00Z',
    '2026-10-31T23:59:59.999Z',
    '2026-11-01T00:00:00Z',
  ]
  const received = request(0, times.map(at), 14 * DAY)
  await store(clickhouse, [{ workspaceId, requests: [received], links: new Map() }])
  for (const [interval, expected] of [
    [
      'week',
      [
        ['2026-10-19', 1],
        ['2026-10-26', 3],
      ],
    ],
    [
      'month',
      [
        ['2026-10-01', 3],
        ['2026-11-01', 1],
      ],
    ],
  ] as const)
    for (const measure of ['events', 'persons'] as const) {
      const query = trends({ to: Date.UTC(2026, 10, 2), interval, series: [series(measure)] })
      const { result } = await queryTrends(clickhouse, { workspaceId, query, now: NOW })
      t.strictSame(
        result.series[0]?.data.map(({ at, value }) => [new Date(at).toISOString().slice(0, 10), value]),
        expected.map(([date, count]) => [date, measure === 'persons' ? 1 : count]),
        `${measure} by ${interval}`,
      )
    }
})

t.test('as many different lists as one query may have', async (t) => {
  const workspaceId = workspaceIdOf('many lists')
  const events = Array.from({ length: 500 }, (_, index) => index)
  const requests = Array.from({ length: 11 }, (_, at) =>
    request(
      at,
      events.map((index) => event('a', at, `u${index}`, { properties: { list: [at, index] } })),
    ),
  )
  await store(clickhouse, [{ workspaceId, requests: requests.slice(0, 10), links: new Map() }])
  const ask = () =>
    queryTrends(clickhouse, {
      workspaceId,
      query: trends({ breakdown: { property: 'list', limit: 3 } }),
      now: NOW,
    })
  const { result } = await ask()
  t.strictSame(
    result.series[0]?.breakdown?.map(({ value }) => value),
    [
      [0, 0],
      [0, 100],
      [0, 101],
    ],
    'ties in the order of their texts',
  )
  await store(clickhouse, [{ workspaceId, requests: requests.slice(10), links: new Map() }])
  await t.rejects(ask(), { name: 'FunnelRefusal', field: 'breakdown/property' })
})
