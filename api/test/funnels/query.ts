import t from 'tap'
import { ClickHouseError } from '../../../clickhouse/port.js'
import { toFunnelQuery } from '../../funnels/funnel-query.js'
import { exceededLimit, toHttpError } from '../../http/error-mapping.js'
import { withApi } from '../support/api.js'
import { storeEvents } from '../support/events.js'

const api = await withApi(t)
const { client } = api
const { id, key } = await api.workspace()
const day = 86_400_000
const now = Date.UTC(2026, 10, 20, 12)
api.clock.now = () => now

await storeEvents(
  api,
  id,
  now,
  [
    { event: 'view', anonymousId: 'a1', timestamp: now - 4 * day },
    { event: 'pay', userId: 'u1', properties: { total: 50 }, timestamp: now - 4 * day + 60_000 },
    { event: 'view', anonymousId: 'a2', timestamp: now - 3 * day },
    { event: 'view', userId: 'u3', timestamp: now - 2 * day },
    { event: 'pay', userId: 'u3', properties: { total: 5 }, timestamp: now - 2 * day + 10_000 },
  ],
  [{ anonymousId: 'a1', userId: 'u1' }],
)

interface ResultView {
  entered: number
  completed: number
  conversionRate: number
  from: string
  to: string
  windowSeconds: number
  order: string
  steps: { count: number; dropOff: number; medianSecondsFromPrevious: number | null }[]
}

const made = await client.request<{ id: string }>('POST', '/funnel', {
  key,
  body: { name: 'Pay', steps: [{ eventName: 'view' }, { eventName: 'pay' }] },
})
const path = `/funnel/${made.body.id}/query`
const query = (body?: unknown) =>
  client.request<ResultView>('POST', path, { key, ...(body === undefined ? {} : { body }) })

t.test('a refusal names the field and the values that it accepts', async (t) => {
  const refused: readonly (readonly [body: object, path: string, message: RegExp])[] = [
    [
      { filters: [{ property: 'p', operator: 'like', value: 1 }] },
      '/filters/0/operator',
      /eq, neq, gt, gte, lt, lte, contains, in, exists, not_exists|eq, neq, gt, gte, lt, lte, contains, exists, not_exists, in/,
    ],
    [{ to: '1970-01-01T00:00:00Z' }, '/to', /1970/],
    [{ from: new Date(now + day).toISOString() }, '/from', /past/],
    [{ experiment: 'x1' }, '/experiment', /an experiment of the workspace/],
  ]
  for (const [body, path, message] of refused)
    t.match(await client.request('POST', `/funnel/${made.body.id}/query`, { key, body }), {
      status: 400,
      body: { details: [{ path, message }] },
    })
})

t.test('a query counts persons through their links, and fills in defaults', async (t) => {
  const { body } = await query()
  t.match(body, {
    entered: 3,
    completed: 2,
    from: new Date(now - 30 * day).toISOString(),
    to: new Date(now).toISOString(),
    windowSeconds: 604_800,
    order: 'ordered',
    breakdown: null,
    trend: null,
  })
  t.strictSame(
    body.steps.map((step) => [step.count, step.dropOff, step.medianSecondsFromPrevious]),
    [
      [3, 0, null],
      [2, 1, 35],
    ],
  )
  t.strictSame((await query({})).body.steps, body.steps)
})

t.test('the persons of a step are those that a query counts', async (t) => {
  const persons = async (search: string) => {
    const headers = { Authorization: `Bearer ${key}` }
    const response = await fetch(`${api.url}/v1/funnel/${made.body.id}/persons${search}`, { headers })
    return (await response.text()).split(/\r?\n/).filter((line) => line !== '')
  }
  const found = async (search: string) =>
    (await persons(search)).map((line) => JSON.parse(line) as { personId: string; steps: number })
  const byId = (a: { personId: string }, b: { personId: string }) => a.personId.localeCompare(b.personId)
  const { body } = await query()
  const entered = await found('?step=0')
  t.equal(entered.length, body.steps[0]?.count)
  t.strictSame(entered.sort(byId), [
    { personId: 'anonymous:a2', steps: 1 },
    { personId: 'user:u1', steps: 2 },
    { personId: 'user:u3', steps: 2 },
  ])
  t.strictSame((await found('?step=1')).map(({ personId }) => personId).sort(), ['user:u1', 'user:u3'])
  t.strictSame(await persons('?step=0&outcome=lost&format=csv'), ['personId,steps', 'anonymous:a2,1'])
  const from = new Date(now - 2.5 * day).toISOString()
  t.strictSame(await found(`?step=0&from=${from}`), [{ personId: 'user:u3', steps: 2 }])
  for (const [search, path] of [
    ['?step=2', 'query.step'],
    ['?step=1&outcome=lost', 'query.step'],
    ['?step=0&to=1970-01-01T00:00:00Z', 'query.to'],
    [`?step=0&from=${new Date(now + day).toISOString()}`, 'query.from'],
  ] as const)
    t.match(await client.request('GET', `/funnel/${made.body.id}/persons${search}`, { key }), {
      status: 400,
      body: { details: [{ path }] },
    })
})

t.test('the range, the conversion window and filters are used', async (t) => {
  const of = async (body: unknown) => {
    const answer = await query(body)
    return [answer.body.entered, answer.body.completed]
  }
  t.strictSame(await of({ windowSeconds: 30 }), [3, 1])
  t.strictSame(await of({ from: new Date(now - 3 * day).toISOString() }), [2, 1])
  t.strictSame(await of({ to: '2026-11-17T12:00:00Z' }), [1, 1])
  t.strictSame(await of({ from: '2026-11-17T13:00:00+01:00', to: '2026-11-17T12:00:00.001Z' }), [1, 0])
  const filtered = await client.request<{ id: string }>('POST', '/funnel', {
    key,
    body: {
      name: 'Pay much',
      steps: [
        { eventName: 'view' },
        { eventName: 'pay', filters: [{ property: 'total', operator: 'gte', value: 20 }] },
      ],
    },
  })
  const much = await client.request<ResultView>('POST', `/funnel/${filtered.body.id}/query`, { key })
  t.match(much.body, { entered: 3, completed: 1 })
})

t.test('invalid queries are refused', async (t) => {
  const wrong: [unknown, string[]][] = [
    [{ from: 'yesterday' }, ['/from']],
    [{ from: '2026-11-20T12:00:00' }, ['/from']],
    [{ from: '2026-02-30T00:00:00Z' }, ['/from']],
    [{ from: 5 }, ['/from']],
    [{ from: '2026-11-02T00:00:00Z', to: '2026-11-02T00:00:00Z' }, ['/to']],
    [{ from: '2026-11-02T00:00:00Z', to: '2026-11-01T00:00:00Z' }, ['/to']],
    [{ from: '2025-11-19T00:00:00Z', to: '2026-11-20T00:00:01Z' }, ['/from']],
    [{ from: '0001-01-01T00:00:00Z', to: '0001-02-01T00:00:00Z' }, ['/from', '/to']],
    [{ to: '9999-12-31T23:59:59Z' }, ['/to']],
    [{ windowSeconds: 0 }, ['/windowSeconds']],
    [{ windowSeconds: 7_776_001 }, ['/windowSeconds']],
    [{ order: 'sideways' }, ['/order']],
    [{ interval: 'year' }, ['/interval']],
    [{ breakdown: { property: 'a', limit: 51 } }, ['/breakdown/limit']],
    [{ breakdown: { limit: 5 } }, ['/breakdown/property']],
    [{ breakdown: 'a' }, ['/breakdown']],
    [{ filters: [{ property: 'a', operator: 'eq' }] }, ['/filters/0/value']],
    [{ exclusions: [{ eventName: 'x', fromStep: 1, toStep: 1 }] }, ['/exclusions/0/toStep']],
    [{ exclusions: [{ eventName: 'x', fromStep: 0, toStep: 2 }] }, ['/exclusions/0/toStep']],
    [{ exclusions: [{ eventName: 'x', fromStep: -1, toStep: 1 }] }, ['/exclusions/0/fromStep']],
    [{ experiment: 'no-such' }, ['/experiment']],
    [{ limit: 5, order: 5 }, ['/limit', '/order']],
  ]
  for (const [body, paths] of wrong) {
    const answer = await client.refused('POST', path, { key, body })
    t.equal(answer.body.code, 'VALIDATION_FAILED', JSON.stringify(body))
    t.strictSame(
      [...new Set(answer.body.details.map((detail) => detail.path))].sort(),
      paths,
      JSON.stringify(body),
    )
  }
  const edge = await query({ from: '2025-11-19T00:00:00Z', to: '2026-11-20T00:00:00Z' })
  t.equal(edge.status, 200, 'exactly 366 days')
})

t.test('steps without a stored funnel get the same answer as a stored one', async (t) => {
  const steps = [
    { eventName: 'view' },
    { eventName: 'pay', filters: [{ property: 'total', operator: 'gte', value: 20 }] },
  ]
  const ask = async (path: string, body: object) =>
    (await client.request<ResultView & { funnelId?: string; query: unknown }>('POST', path, { key, body }))
      .body
  const saved = await client.request<{ id: string }>('POST', '/funnel', {
    key,
    body: { name: 'The same', steps },
  })
  const query = { interval: 'day', windowSeconds: 3_600, breakdown: { property: 'total' } }
  const { funnelId, query: _, ...figures } = await ask(`/funnel/${saved.body.id}/query`, query)
  const { query: __, ...draft } = await ask('/funnel/query', { ...query, steps })
  t.equal(funnelId, saved.body.id)
  t.strictSame(draft, figures)
  t.equal((await ask('/funnel/query', { steps })).windowSeconds, 604_800)
  t.equal((await client.request('DELETE', `/funnel/${saved.body.id}`, { key })).status, 204)
  const refused = async (body: object) =>
    (await client.refused('POST', '/funnel/query', { key, body })).body.details
  t.match(await refused({}), [{ path: '/steps' }])
  t.match(await refused({ steps: [] }), [{ path: '/steps' }])
  t.match(await refused({ steps, exclusions: [{ eventName: 'x', fromStep: 0, toStep: 2 }] }), [
    { path: '/exclusions/0/toStep' },
  ])
})

t.test('order, exclusions, breakdown and trend are answered', async (t) => {
  const counts = async (body: unknown) => (await query(body)).body.steps.map((step) => step.count)
  t.strictSame(await counts({ order: 'strict' }), [3, 2])
  t.strictSame(await counts({ order: 'any' }), [3, 2])
  t.strictSame(await counts({ exclusions: [{ eventName: 'view', fromStep: 0, toStep: 1 }] }), [3, 2])
  t.strictSame(await counts({ exclusions: [{ eventName: 'pay', fromStep: 0, toStep: 1 }] }), [3, 2])
  const { body } = await query({
    order: 'any',
    breakdown: { property: 'total' },
    interval: 'day',
    exclusions: [{ eventName: 'view', fromStep: 0, toStep: 1 }],
  })
  t.match(body, {
    order: 'any',
    steps: [{ count: 3 }, { count: 2, medianSecondsFromPrevious: null, p90SecondsFromPrevious: null }],
    breakdown: [
      { value: null, entered: 3, completed: 2, conversionRate: 2 / 3, steps: [{ index: 0 }, { index: 1 }] },
    ],
  })
  const { trend } = body as unknown as { trend: { at: string; entered: number; complete: boolean }[] }
  t.equal(trend.length, 31)
  t.strictSame(
    trend.filter((point) => point.entered > 0).map((point) => [point.at, point.entered, point.complete]),
    [
      ['2026-11-16T00:00:00.000Z', 1, false],
      ['2026-11-17T00:00:00.000Z', 1, false],
      ['2026-11-18T00:00:00.000Z', 1, false],
    ],
  )
  t.match(body, { breakdown: [{ trend }] }, 'the one group has the trend of all')
})

t.test('a breakdown shows JSON values of the first step, largest groups first', async (t) => {
  const made = await client.request<{ id: string }>('POST', '/funnel', {
    key,
    body: { name: 'Paid', steps: [{ eventName: 'pay' }] },
  })
  const answer = await client.request<{ breakdown: { value: unknown; entered: number }[] }>(
    'POST',
    `/funnel/${made.body.id}/query`,
    { key, body: { breakdown: { property: 'total', limit: 1 } } },
  )
  t.strictSame(
    answer.body.breakdown.map((group) => [group.value, group.entered]),
    [[5, 1]],
  )
})

t.test('a saved query is asked unless the body says otherwise', async (t) => {
  const saved = await client.request<{ id: string }>('POST', '/funnel', {
    key,
    body: {
      name: 'Saved',
      steps: [{ eventName: 'view' }, { eventName: 'pay' }],
      query: {
        order: 'any',
        filters: [{ property: 'total', operator: 'gte', value: 20 }],
        breakdown: { property: 'total', limit: 1 },
        interval: 'week',
        last: '7d',
      },
    },
  })
  const ask = async (body?: object) =>
    (
      await client.request<ResultView & { breakdown: { value: unknown }[] | null; trend: object[] | null }>(
        'POST',
        `/funnel/${saved.body.id}/query`,
        { key, ...(body === undefined ? {} : { body }) },
      )
    ).body
  const whole = await ask()
  t.match(whole, {
    from: new Date(now - 7 * day).toISOString(),
    to: new Date(now).toISOString(),
    order: 'any',
    entered: 1,
    breakdown: [{ value: 50 }],
  })
  t.equal(whole.trend?.length, 2)
  t.match(await ask({ to: new Date(now - day).toISOString() }), {
    from: new Date(now - 8 * day).toISOString(),
  })
  t.match(await ask({ order: 'ordered', filters: [], breakdown: null, interval: null }), {
    order: 'ordered',
    entered: 3,
    breakdown: null,
    trend: null,
  })
  t.match(await ask({ experiment: 'no-such' }), { details: [{ path: '/experiment' }] })
})

interface TrendsView {
  from: string
  to: string
  interval: string
  series: {
    measure: string
    property: string | null
    total: number | null
    data: { at: string; value: number | null; complete: boolean }[]
    breakdown: { value: unknown; total: number | null }[] | null
  }[]
  neverReceived: string[]
}

t.test('trends count events and persons through their links, by day', async (t) => {
  const range = { from: new Date(now - 4 * day).toISOString(), to: new Date(now).toISOString() }
  const { body } = await client.request<TrendsView>('POST', '/events/trends', {
    key,
    body: {
      ...range,
      series: [
        { eventName: 'pay', measure: 'persons' },
        { eventName: 'pay', measure: 'average', property: 'total' },
        { eventName: 'never', measure: 'average', property: 'total' },
      ],
      breakdown: { property: 'total' },
    },
  })
  t.match(body, { ...range, interval: 'day', neverReceived: ['never'] })
  t.strictSame(
    body.series.map(({ measure, property, total, data, breakdown }) => [
      measure,
      property,
      total,
      data.map(({ value }) => value),
      breakdown?.map((group) => [group.value, group.total]),
    ]),
    [
      [
        'persons',
        null,
        2,
        [1, 0, 1, 0, 0],
        [
          [5, 1],
          [50, 1],
        ],
      ],
      [
        'average',
        'total',
        27.5,
        [50, null, 5, null, null],
        [
          [5, 5],
          [50, 50],
        ],
      ],
      ['average', 'total', null, [null, null, null, null, null], []],
    ],
  )
  t.strictSame(
    body.series[0]?.data.map(({ at, complete }) => [at, complete]),
    ['16', '17', '18', '19', '20'].map((date) => [
      `2026-11-${date}T00:00:00.000Z`,
      !['16', '20'].includes(date),
    ]),
    'the first and the last day are cut by the range',
  )
})

t.test('invalid trends are refused', async (t) => {
  const filter = { property: 'a.b', operator: 'eq', value: 1 }
  const one = { eventName: 'pay' }
  const wrong: [object, string[]][] = [
    [{}, ['/series']],
    [{ series: [] }, ['/series']],
    [{ series: Array.from({ length: 6 }, () => one) }, ['/series']],
    [{ series: [{ eventName: 'a b' }] }, ['/series/0/eventName']],
    [{ series: [{ ...one, measure: 'median' }] }, ['/series/0/measure']],
    [{ series: [one, { ...one, measure: 'sum' }] }, ['/series/1/property']],
    [{ series: [{ ...one, property: 'total' }] }, ['/series/0/property']],
    [{ series: [{ ...one, measure: 'p90', property: '' }] }, ['/series/0/property']],
    [{ series: [one], interval: 'minute' }, ['/interval']],
    [{ series: [one], breakdown: { property: 'a', limit: 51 } }, ['/breakdown/limit']],
    [{ series: [one], from: '2026-11-02T00:00:00Z', to: '2026-11-02T00:00:00Z' }, ['/to']],
    [{ series: [one], from: '2025-11-19T00:00:00Z', to: '2026-11-20T00:00:01Z' }, ['/from']],
    [{ series: [one], windowSeconds: 5 }, ['/windowSeconds']],
    // Two comparisons, five series, ten of them and their groups.
    [
      {
        series: Array.from({ length: 5 }, () => one),
        filters: Array.from({ length: 11 }, () => filter),
        breakdown: { property: 'p' },
      },
      ['/filters'],
    ],
    [
      {
        from: new Date(now - 366 * day).toISOString(),
        to: new Date(now).toISOString(),
        interval: 'hour',
        series: Array.from({ length: 2 }, () => ({ eventName: 'pay' })),
        breakdown: { property: 'total', limit: 50 },
      },
      ['/interval'],
    ],
  ]
  for (const [body, paths] of wrong) {
    const answer = await client.refused('POST', '/events/trends', { key, body })
    t.equal(answer.body.code, 'VALIDATION_FAILED', JSON.stringify(body))
    t.strictSame(
      [...new Set(answer.body.details.map((detail) => detail.path))].sort(),
      paths,
      JSON.stringify(body),
    )
  }
})

interface RetentionView {
  interval: string
  cohorts: { at: string; persons: number; complete: boolean; returned: (number | null)[] }[]
  neverReceived: string[]
}

t.test('retention counts persons who come back, through their links', async (t) => {
  const range = { from: '2026-11-16T00:00:00.000Z', to: '2026-11-19T00:00:00.000Z' }
  const { body } = await client.request<RetentionView>('POST', '/events/retention', {
    key,
    body: { ...range, startEvent: 'view', returnEvent: 'pay', periods: 4 },
  })
  t.match(body, {
    ...range,
    interval: 'day',
    neverReceived: [],
    cohorts: [
      { at: range.from, persons: 1, complete: true, returned: [1, 0, 0, 0] },
      { persons: 1, returned: [0, 0, 0, null] },
      { persons: 1, returned: [1, 0, null, null] },
    ],
  })
  t.equal(body.cohorts.length, 3)
})

t.test('invalid retention is refused', async (t) => {
  const events = { startEvent: 'view', returnEvent: 'pay' }
  const filter = { property: 'a.b', operator: 'eq', value: 1 }
  const wrong: [object, string[]][] = [
    [{}, ['/returnEvent', '/startEvent']],
    [{ ...events, periods: 0 }, ['/periods']],
    [{ ...events, periods: 32 }, ['/periods']],
    [{ ...events, interval: 'hour' }, ['/interval']],
    [{ ...events, startFilters: [{ property: 'a', operator: 'eq' }] }, ['/startFilters/0/value']],
    [{ ...events, from: '2026-11-02T00:00:00Z', to: '2026-11-02T00:00:00Z' }, ['/to']],
    [{ ...events, filters: [] }, ['/filters']],
    [
      {
        ...events,
        startFilters: Array.from({ length: 50 }, () => filter),
        returnFilters: Array.from({ length: 50 }, () => ({ ...filter, value: [1, 2] })),
      },
      ['/returnFilters'],
    ],
  ]
  for (const [body, paths] of wrong) {
    const answer = await client.refused('POST', '/events/retention', { key, body })
    t.equal(answer.body.code, 'VALIDATION_FAILED', JSON.stringify(body))
    t.strictSame(
      [...new Set(answer.body.details.map((detail) => detail.path))].sort(),
      paths,
      JSON.stringify(body),
    )
  }
})

t.test('a query without options uses the documented defaults', (t) => {
  const funnel = {
    id,
    name: '',
    description: '',
    windowSeconds: 60,
    steps: [{ name: 'a', eventName: 'a', filters: [] }],
    query: null,
    createdAt: new Date(),
    updatedAt: new Date(),
  }
  t.match(toFunnelQuery({}, funnel, now), {
    from: now - 30 * day,
    to: now,
    windowSeconds: 60,
    breakdown: undefined,
  })
  t.match(toFunnelQuery({ to: new Date(now - day).toISOString() }, funnel, now), {
    from: now - 31 * day,
    to: now - day,
  })
  t.match(toFunnelQuery({ breakdown: { property: 'p' } }, funnel, now).breakdown, {
    property: 'p',
    limit: 10,
  })
  t.throws(() =>
    toFunnelQuery(
      { from: new Date(now + 400 * day).toISOString(), to: new Date(now).toISOString() },
      funnel,
      now,
    ),
  )
  t.end()
})

t.test('limits of the engine are distinguished from failures', (t) => {
  const failure = (code: ClickHouseError['code']) => new ClickHouseError(code, '')
  for (const code of ['timeout', 'memory', 'rows'] as const) t.match(exceededLimit(failure(code)), 'ask for')
  t.equal(exceededLimit(failure('overloaded')), undefined)
  t.equal(exceededLimit(failure('unavailable')), undefined)
  t.equal(exceededLimit(new Error()), undefined)
  t.equal(toHttpError(failure('unavailable')).code, 'UNAVAILABLE')
  t.equal(toHttpError(failure('timeout')).code, 'UNAVAILABLE')
  t.equal(toHttpError(failure('query')).code, 'INTERNAL')
  t.end()
})
