import { request } from 'node:http'
import t from 'tap'
import { listLargeVocabularies } from '../../../clickhouse/queries/vocabulary.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { toHttpError } from '../../http/error-mapping.js'
import { withApi } from '../support/api.js'

t.setTimeout(600_000)
const api = await withApi(t)
const { id, key } = await api.workspace()
const other = await api.workspace('Other')
const now = Date.UTC(2026, 10, 20, 12)
api.clock.now = () => now

/** Steps that cost the engine seconds on the events below. */
const steps = Array.from({ length: 20 }, (_, index) => ({ eventName: 'abc'[index % 3] }))
await api.clickhouse.command(
  `INSERT INTO events (workspace_id, received_at, timestamp, log_offset, person_key, event, properties)
   SELECT {id:UUID}, at, at, number, sipHash64(number % 40000), ['a', 'b', 'c'][1 + number % 3], '{}'
   FROM (SELECT number, fromUnixTimestamp64Milli({from:Int64} + toInt64(number * 100), 'UTC') AS at FROM numbers(600000))`,
  { params: { id, from: now - 86_400_000 } },
)
const { body: funnel } = await api.client.request<{ id: string }>('POST', '/funnel', {
  key,
  body: { name: 'Long', steps },
})

async function running(): Promise<number> {
  const { rows } = await api.clickhouse.query<{ n: number }>(
    `SELECT count() AS n FROM system.processes WHERE query LIKE '%arrayFold%' AND query NOT LIKE '%system.processes%'`,
  )
  return rows[0]?.n ?? 0
}

t.test('a query is cancelled when its client disconnects', async (t) => {
  const sent = request(`${api.url}/v1/funnel/${funnel.id}/query`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
  })
  const closed = new Promise((resolve) => sent.on('error', resolve).on('close', resolve))
  sent.end(JSON.stringify({ order: 'strict' }))
  await waitUntil(async () => (await running()) > 0)
  sent.destroy()
  await closed
  await waitUntil(async () => (await running()) === 0)
  // The connection it ran on can be used again.
  const answer = await api.client.request('POST', `/funnel/${funnel.id}/query`, {
    key,
    body: { from: '2025-01-01T00:00:00Z', to: '2025-01-02T00:00:00Z' },
  })
  t.equal(answer.body.entered, 0)
})

t.test('an answer contains no data of another workspace', async (t) => {
  const made = await api.client.request<{ id: string }>('POST', '/funnel', {
    key: other.key,
    body: { name: 'Short', steps: steps.slice(0, 3) },
  })
  for (const body of [
    {},
    { order: 'strict' },
    { order: 'any' },
    { exclusions: [{ eventName: 'b', fromStep: 0, toStep: 2 }] },
    { breakdown: { property: 'p' }, interval: 'day' },
  ]) {
    const answer = await api.client.request('POST', `/funnel/${made.body.id}/query`, { key: other.key, body })
    t.equal(answer.body.entered, 0, JSON.stringify(body))
  }
  const foreign = await api.client.refused('POST', `/funnel/${funnel.id}/query`, { key: other.key, body: {} })
  t.equal(foreign.status, 404)
})

t.test('a query that grows too large is refused with the field that causes it', async (t) => {
  await api.clickhouse.command(
    `INSERT INTO events (workspace_id, received_at, timestamp, log_offset, person_key, event, properties)
     SELECT {id:UUID}, at, at, 1000000 + number, number, 'a', concat('{"p":{"q":', toString(number), '}}')
     FROM (SELECT number, fromUnixTimestamp64Milli({from:Int64}, 'UTC') AS at FROM numbers(5001))`,
    { params: { id: other.id, from: now - 86_400_000 } },
  )
  const made = await api.client.request<{ id: string }>('POST', '/funnel', {
    key: other.key,
    body: { name: 'Objects', steps: steps.slice(0, 1) },
  })
  const ask = (property: string) => ({ key: other.key, body: { breakdown: { property, limit: 2 } } })
  const refused = await api.client.refused('POST', `/funnel/${made.body.id}/query`, ask('p'))
  t.equal(refused.status, 400)
  t.strictSame(
    refused.body.details.map((detail) => detail.path),
    ['/breakdown/property'],
  )
  const inside = await api.client.request('POST', `/funnel/${made.body.id}/query`, ask('p.q'))
  t.match(inside.body, {
    entered: 5_001,
    breakdown: [
      { value: 0, entered: 1 },
      { value: 1, entered: 1 },
    ],
  })
})

/** Filters on different properties: no two compile to the same comparison. */
const filtersOf = (count: number, name: string, value: unknown = 1) =>
  Array.from({ length: count }, (_, index) => ({ property: `${name}${index}`, operator: 'eq', value }))

t.test('the largest funnel within the bound of all filters is answered, and one more is a 400', async (t) => {
  const widest = {
    steps: Array.from({ length: 20 }, (_, index) => ({
      eventName: `step${index}`,
      filters: filtersOf(8, `of${index}_`),
    })),
    filters: filtersOf(40, 'all'),
    exclusions: Array.from({ length: 20 }, (_, index) => ({
      eventName: `not${index}`,
      fromStep: 0,
      toStep: 19,
    })),
    breakdown: { property: 'a.b', limit: 50 },
    interval: 'day',
  }
  for (const order of ['ordered', 'strict', 'any']) {
    const answer = await api.client.request('POST', '/funnel/query', { key, body: { ...widest, order } })
    t.equal(answer.status, 200, order)
  }
  const paths = async (method: 'POST' | 'PATCH', path: string, body: object) => {
    const { status, body: error } = await api.client.refused(method, path, { key, body })
    t.equal(status, 400)
    t.match(error.message, 'at most 200 comparisons')
    return error.details.map((detail) => detail.path)
  }
  const more = [...widest.filters, ...filtersOf(1, 'more')]
  t.same(await paths('POST', '/funnel/query', { ...widest, filters: more }), ['/steps'])
  const crowded = [{ eventName: 'a', filters: filtersOf(50, 'dotted.') }]
  t.same(await paths('POST', '/funnel', { name: 'Crowded', steps: [...crowded, ...crowded, ...crowded] }), [
    '/steps',
  ])
  t.same(await paths('PATCH', `/funnel/${funnel.id}`, { steps: [...crowded, ...crowded, ...crowded] }), [
    '/steps',
  ])
  const nested = (depth: number) =>
    filtersOf(1, 'deep', JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`))
  t.same(await paths('POST', `/funnel/${funnel.id}/query`, { filters: nested(30) }), ['/filters'])
  const deepest = await api.client.refused('POST', '/funnel/query', {
    key,
    body: { steps: [{ eventName: 'a', filters: nested(1_500) }] },
  })
  t.equal(deepest.status, 400)
  const target = { eventName: 'a', filters: filtersOf(50, 'dotted.') }
  const experiment = {
    name: 'Crowded',
    variants: [
      { displayName: 'A', trafficSplit: 50 },
      { displayName: 'B', trafficSplit: 50 },
    ],
    conversionTargets: [target, { ...target, eventName: 'b' }, { ...target, eventName: 'c' }],
  }
  t.same(await paths('POST', '/experiments', experiment), ['/conversionTargets'])
})

t.test('a list of a thousand numbers and texts is compared in one query', async (t) => {
  const numbers = Array.from({ length: 1_000 }, (_, index) => index - 0.5)
  const ask = (property: string, value: unknown[]) =>
    api.client.request('POST', '/funnel/query', {
      key: other.key,
      body: { steps: [{ eventName: 'a', filters: [{ property, operator: 'in', value }] }] },
    })
  t.equal((await ask('p.q', numbers)).body.entered, 0)
  t.equal((await ask('p.q', [...numbers.slice(3), 7, 8, '9'])).body.entered, 2)
})

t.test('a statement that the engine finds too large is a 400', async (t) => {
  const refused = await api.clickhouse
    .query(`SELECT ${Array.from({ length: 60_000 }, (_, index) => index).join('+')}`)
    .catch((error: unknown) => error)
  t.match(toHttpError(refused), { code: 'VALIDATION_FAILED', status: 400 })
})

t.test('20,000 event names are answered page by page', async (t) => {
  const many = await api.workspace('Many names')
  await api.clickhouse.command(
    `INSERT INTO events (workspace_id, received_at, timestamp, log_offset, person_key, event, properties)
     SELECT {id:UUID}, at, at, number, number, concat('order_', toString(number % 20000)), '{}'
     FROM (SELECT number, fromUnixTimestamp64Milli({from:Int64}, 'UTC') AS at FROM numbers(20001))`,
    { params: { id: many.id, from: now - 86_400_000 } },
  )
  const page = async (query: string) => {
    const { body } = await api.client.request<{
      data: { eventName: string }[]
      pagination: { total: number; hasMore: boolean }
    }>('GET', `/funnel/events${query}`, { key: many.key })
    return { ...body, bytes: JSON.stringify(body).length, names: body.data.map((row) => row.eventName) }
  }
  const first = await page('')
  t.match(first, { pagination: { limit: 1_000, offset: 0, total: 20_000, hasMore: true } })
  t.equal(first.names[0], 'order_0', 'the most frequent one')
  t.ok(first.bytes < 200_000, `${first.bytes} bytes`)
  const seen = new Set([
    ...(await page('?limit=10000')).names,
    ...(await page('?limit=10000&offset=10000')).names,
  ])
  t.equal(seen.size, 20_000, 'each name on one page')
  t.match(await page('?search=ORDER_1999&limit=2'), {
    names: ['order_1999', 'order_19990'],
    pagination: { total: 11, hasMore: true },
  })
  t.match(await page('?offset=20000'), { data: [], pagination: { total: 20_000, hasMore: false } })
  for (const wrong of ['?limit=10001', '?limit=0', '?search='])
    t.equal((await api.client.refused('GET', `/funnel/events${wrong}`, { key: many.key })).status, 400, wrong)
  const { body: readiness } = await api.client.request<{ checks: { code: string }[] }>('GET', '/readiness', {
    key: many.key,
  })
  t.match(
    readiness.checks.find(({ code }) => code === 'events_received'),
    { ok: true, message: /20,001 events with 20,000 different names\. .* send ids as properties/ },
  )
  t.strictSame(await listLargeVocabularies(api.clickhouse), [{ workspaceId: many.id, names: 20_000 }])

  const setHidden = (name: string, hidden: boolean) =>
    api.client.request('PATCH', `/funnel/events/${encodeURIComponent(name)}`, {
      key: many.key,
      body: { hidden },
    })
  t.match((await setHidden('order_1', true)).body, { eventName: 'order_1', hiddenBy: 'order_1' })
  t.match(await page('?limit=1'), { names: ['order_0'], pagination: { total: 19_999 } })
  t.match((await setHidden('order_*', true)).body, { hiddenBy: 'order_*' })
  await setHidden('order_*', true)
  t.match(await page(''), { data: [], pagination: { total: 0 } }, 'the page was cached before')
  t.match(await page('?hidden=only&search=order_1999&limit=1'), {
    data: [{ eventName: 'order_1999', hiddenBy: 'order_*' }],
    pagination: { total: 11 },
  })
  t.match(await page('?hidden=include&offset=20000'), { pagination: { total: 20_000 } })
  const calm = await api.client.request<{ checks: { message: string }[] }>('GET', '/readiness', {
    key: many.key,
  })
  t.ok(calm.body.checks.some(({ message }) => message.endsWith('with 20,000 different names')))
  t.match((await setHidden('order_*', false)).body, { hiddenBy: null })
  t.match(await page(''), { pagination: { total: 19_999 } })
  t.match((await setHidden('order_1', false)).body, { hiddenBy: null })
  t.equal((await page('')).pagination.total, 20_000)
  const audit = await api.client.request<{ data: { summary: string }[] }>(
    'GET',
    '/audit?action=vocabulary.update',
    {
      key: many.session,
    },
  )
  t.strictSame(audit.body.data.map(({ summary }) => summary).reverse(), [
    'Hid the event name order_1',
    'Hid the event name order_*',
    'Showed the event name order_*',
    'Showed the event name order_1',
  ])
  for (const wrong of ['*', 'a*b', 'a b', `${'a'.repeat(501)}*`])
    t.equal(
      (
        await api.client.refused('PATCH', `/funnel/events/${encodeURIComponent(wrong)}`, {
          key: many.key,
          body: { hidden: true },
        })
      ).status,
      400,
      wrong,
    )
})
