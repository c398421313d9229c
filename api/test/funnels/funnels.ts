import t from 'tap'
import { SCOPES } from '../../../domain/key.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { withApi } from '../support/api.js'

const api = await withApi(t)
const { client } = api
const workspace = await api.workspace()
const key = workspace.key

interface FunnelView {
  id: string
  name: string
  description: string
  windowSeconds: number
  steps: { name: string; eventName: string; filters: unknown[] }[]
  query: object | null
  createdAt: string
  updatedAt: string
}

const create = (body: unknown, options = {}) =>
  client.request<FunnelView>('POST', '/funnel', { key, body, ...options })

t.test('a funnel is created with its defaults, read back, changed and deleted', async (t) => {
  const made = await create({ name: 'Checkout', steps: [{ eventName: 'a' }, { name: 'B', eventName: 'b' }] })
  t.equal(made.status, 201)
  t.equal(made.headers.location, `/v1/funnel/${made.body.id}`)
  t.match(made.body, {
    name: 'Checkout',
    description: '',
    windowSeconds: 604_800,
    steps: [
      { name: 'a', eventName: 'a', filters: [] },
      { name: 'B', eventName: 'b', filters: [] },
    ],
  })
  const read = await client.request<FunnelView>('GET', `/funnel/${made.body.id}`, { key })
  t.strictSame(read.body, made.body)
  const upper = await client.request('GET', `/funnel/${made.body.id.toUpperCase()}`, { key })
  t.strictSame(upper.body, made.body, 'a UUID in capitals is the same UUID')

  const changed = await client.request<FunnelView>('PATCH', `/funnel/${made.body.id}`, {
    key,
    body: {
      windowSeconds: 60,
      steps: [{ eventName: 'c', filters: [{ property: 'x', operator: 'exists' }] }],
    },
  })
  t.equal(changed.status, 200)
  t.match(changed.body, { name: 'Checkout', windowSeconds: 60, steps: [{ name: 'c' }] })
  t.ok(changed.body.updatedAt >= made.body.updatedAt)
  const list = await client.request<{ data: FunnelView[] }>('GET', '/funnel', { key })
  t.strictSame(list.body.data, [changed.body])

  const gone = await client.request('DELETE', `/funnel/${made.body.id}`, { key })
  t.equal(gone.status, 204)
  t.equal(gone.text, '')
  t.equal(gone.headers['content-length'], undefined)
  for (const method of ['GET', 'DELETE', 'PATCH'])
    t.equal(
      (await client.refused(method, `/funnel/${made.body.id}`, { key, body: {} })).body.code,
      'NOT_FOUND',
    )
})

t.test('a funnel keeps how it is queried', async (t) => {
  const steps = [{ eventName: 'a' }, { eventName: 'b' }, { eventName: 'c' }]
  const exclusions = [{ eventName: 'x', fromStep: 0, toStep: 2 }]
  const made = await create({
    name: 'Kept',
    steps,
    query: { order: 'strict', exclusions, breakdown: { property: 'plan' }, last: '7d' },
  })
  const query = {
    order: 'strict',
    filters: [],
    exclusions,
    breakdown: { property: 'plan', limit: 10 },
    interval: null,
    last: '7d',
  }
  t.strictSame(made.body.query, query)
  const path = `/funnel/${made.body.id}`
  t.strictSame((await client.request<FunnelView>('GET', path, { key })).body.query, query)
  const change = (body: object) => client.request<FunnelView>('PATCH', path, { key, body })
  t.strictSame((await change({ description: 'Kept too' })).body.query, query)
  t.match(await change({ steps: steps.slice(0, 2) }), {
    status: 400,
    body: { details: [{ path: '/query/exclusions/0/toStep', message: /0 to 1/ }] },
  })
  t.strictSame(
    (await change({ query: { interval: 'week' } })).body.query,
    { order: 'ordered', filters: [], exclusions: [], breakdown: null, interval: 'week', last: '30d' },
    'replaced as a whole',
  )
  t.equal((await change({ query: null })).body.query, null)
  const refused: [object, string[]][] = [
    [{ last: '1d' }, ['/query/last']],
    [{ exclusions: [{ eventName: 'x', fromStep: 0, toStep: 3 }] }, ['/query/exclusions/0/toStep']],
    [{ exclusions: [{ eventName: 'x', fromStep: 1, toStep: 1 }] }, ['/query/exclusions/0/toStep']],
    [{ breakdown: { property: 'p', limit: 51 } }, ['/query/breakdown/limit']],
    [{ from: '2026-11-01T00:00:00Z' }, ['/query/from']],
    [
      { filters: Array.from({ length: 50 }, () => ({ property: 'a.b', operator: 'in', value: [[1], [2]] })) },
      ['/query/filters'],
    ],
  ]
  for (const [wrong, paths] of refused) {
    const answer = await client.refused('POST', '/funnel', { key, body: { name: 'W', steps, query: wrong } })
    t.strictSame(
      [...new Set(answer.body.details.map((detail) => detail.path))],
      paths,
      JSON.stringify(wrong).slice(0, 80),
    )
  }
  await client.request('DELETE', path, { key })
})

t.test('insights and dashboards are created, read, changed and deleted', async (t) => {
  interface SavedView {
    id: string
    name: string
    kind: string
    query: object
    insights: string[]
    last: string
  }
  const ask = (method: string, path: string, body?: object) =>
    client.request<SavedView & { data: SavedView[]; pagination: { total: number } }>(
      method,
      `/funnel${path}`,
      {
        key,
        ...(body === undefined ? {} : { body }),
      },
    )
  const saved = {
    trends: {
      series: [{ eventName: 'a', measure: 'p90', property: 'n' }],
      breakdown: { property: 'p' },
      last: '7d',
      compare: true,
    },
    retention: {
      startEvent: 'a',
      returnEvent: 'b',
      interval: 'week',
      periods: 4,
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-11-08T00:00:00.000Z',
    },
    funnel: { steps: [{ eventName: 'a' }, { eventName: 'b', name: ' B ' }], breakdown: null, order: 'any' },
  }
  const ids: string[] = []
  for (const [kind, query] of Object.entries(saved)) {
    const made = await ask('POST', '/insights', { name: `My ${kind}`, kind, query })
    t.equal(made.status, 201, made.text)
    t.equal(made.headers.location, `/v1/funnel/insights/${made.body.id}`)
    t.match(made.body, { kind, description: '' })
    t.strictSame((await ask('GET', `/insights/${made.body.id}`)).body, made.body)
    ids.push(made.body.id)
  }
  const list = await ask('GET', '/insights?limit=2')
  t.strictSame(
    [list.body.data.map(({ id }) => id), list.body.pagination.total],
    [ids.toReversed().slice(0, 2), 3],
  )
  const [trends = '', retention = '', funnel = ''] = ids
  t.strictSame((await ask('GET', `/insights/${trends}`)).body.query, saved.trends)
  t.match((await ask('GET', `/insights/${funnel}`)).body.query, { steps: [{}, { name: 'B' }] })
  const renamed = await ask('PATCH', `/insights/${trends}`, {
    name: 'Renamed',
    query: { series: [{ eventName: 'c' }], from: '2026-11-01T00:00:00Z' },
  })
  t.match(renamed, {
    status: 200,
    body: {
      name: 'Renamed',
      kind: 'trends',
      query: { series: [{ eventName: 'c' }], from: '2026-11-01T00:00:00.000Z' },
    },
  })

  const made = await ask('POST', '/dashboards', {
    name: 'Weekly',
    insights: [funnel, trends.toUpperCase(), retention],
  })
  t.match(made, { status: 201, body: { insights: [funnel, trends, retention], last: '30d' } })
  const path = `/dashboards/${made.body.id}`
  const fewer = await ask('PATCH', path, { insights: [retention, funnel], last: '24h' })
  t.match(fewer.body, { name: 'Weekly', insights: [retention, funnel], last: '24h' })
  t.equal((await ask('DELETE', `/insights/${retention}`)).status, 204)
  t.strictSame((await ask('GET', path)).body.insights, [funnel], 'a deleted insight is not shown')
  t.strictSame((await ask('GET', '/dashboards')).body.data[0]?.insights, [funnel])
  t.equal((await ask('DELETE', path)).status, 204)
  t.equal((await ask('GET', path)).status, 404)
  t.equal((await ask('GET', `/insights/${funnel}`)).status, 200)

  const series = [{ eventName: 'a' }]
  const wrong: [method: string, path: string, body: object, paths: string[]][] = [
    ['POST', '/insights', {}, ['/kind']],
    ['POST', '/insights', { name: 'x', kind: 'table', query: {} }, ['/kind']],
    ['POST', '/insights', { name: 'x', kind: 'trends', query: {} }, ['/query/series']],
    [
      'POST',
      '/insights',
      { name: '', kind: 'trends', query: { series, from: 'x' } },
      ['/name', '/query/from'],
    ],
    [
      'POST',
      '/insights',
      { name: 'x', kind: 'trends', query: { series: [{ eventName: 'a', measure: 'sum' }] } },
      ['/query/series/0/property'],
    ],
    [
      'POST',
      '/insights',
      { name: 'x', kind: 'retention', query: { startEvent: 'a', periods: 32 } },
      ['/query/periods', '/query/returnEvent'],
    ],
    [
      'POST',
      '/insights',
      {
        name: 'x',
        kind: 'funnel',
        query: { steps: [{ eventName: 'a' }], exclusions: [{ eventName: 'b', fromStep: 0, toStep: 1 }] },
      },
      ['/query/exclusions/0/toStep'],
    ],
    ['PATCH', `/insights/${trends}`, { kind: 'funnel' }, ['/kind']],
    ['PATCH', `/insights/${trends}`, { query: { series, to: '2026-11-08T00:00:00Z' } }, ['/query/from']],
    [
      'PATCH',
      `/insights/${trends}`,
      { query: { series, from: '2026-11-08T00:00:00Z', last: '7d' } },
      ['/query/last'],
    ],
    [
      'POST',
      '/insights',
      {
        name: 'x',
        kind: 'retention',
        query: { ...saved.retention, from: '2026-11-09T00:00:00Z', compare: true },
      },
      ['/query/compare'],
    ],
    [
      'POST',
      '/insights',
      { name: 'x', kind: 'retention', query: { ...saved.retention, from: '2026-11-09T00:00:00Z' } },
      ['/query/to'],
    ],
    [
      'PATCH',
      `/insights/${trends}`,
      { query: saved.retention },
      ['/query/periods', '/query/returnEvent', '/query/series', '/query/startEvent'],
    ],
    [
      'PATCH',
      `/insights/${trends}`,
      { query: { series: [{ eventName: 'a', measure: 'sum' }] } },
      ['/query/series/0/property'],
    ],
    ['POST', '/dashboards', { name: 'x', insights: ['y'] }, ['/insights/0']],
    [
      'POST',
      '/dashboards',
      { name: 'x', insights: [trends, made.body.id, trends] },
      ['/insights/1', '/insights/2'],
    ],
    ['POST', '/dashboards', { name: 'x', last: '1y' }, ['/last']],
  ]
  for (const [method, path, body, paths] of wrong) {
    const answer = await client.refused(method, `/funnel${path}`, { key, body })
    t.equal(answer.status, 400, JSON.stringify(body))
    t.strictSame(
      [...new Set(answer.body.details.map((detail) => detail.path))].sort(),
      paths,
      JSON.stringify(body),
    )
  }
})

t.test('values are accepted up to every limit and refused beyond it', async (t) => {
  const steps = [{ eventName: 'a' }]
  let n = 0
  const name = () => `limit ${++n}`
  const accepted: [string, Record<string, unknown>][] = [
    ['name of 1', { name: 'x', steps }],
    ['name of 200', { name: 'n'.repeat(200), steps }],
    ['name of 200 beyond the BMP', { name: '😀'.repeat(200), steps }],
    ['description of 2000', { name: name(), description: 'd'.repeat(2_000), steps }],
    ['window of 1', { name: name(), windowSeconds: 1, steps }],
    ['window of 90 days', { name: name(), windowSeconds: 7_776_000, steps }],
    ['20 steps', { name: name(), steps: Array.from({ length: 20 }, () => ({ eventName: 'e' })) }],
    ['event name of 500', { name: name(), steps: [{ eventName: '$'.repeat(500) }] }],
    ['every character of an event name', { name: name(), steps: [{ eventName: 'AZaz09_.-$' }] }],
    ['markup and quotes in a name', { name: `<b>'";--%_\\ ${name()}`, steps }],
  ]
  for (const [what, body] of accepted) {
    const answer = await create(body)
    t.equal(answer.status, 201, what)
    t.equal(answer.body.name, body.name, what)
  }
  const refused: [string, unknown, string[]][] = [
    ['no object', [], ['']],
    ['no body fields', {}, ['/name', '/steps']],
    ['empty name', { name: '', steps }, ['/name']],
    ['name of 201', { name: 'n'.repeat(201), steps }, ['/name']],
    ['name no string', { name: 5, steps }, ['/name']],
    ['null name', { name: null, steps }, ['/name']],
    ['description of 2001', { name: 'x', description: 'd'.repeat(2_001), steps }, ['/description']],
    ['window of 0', { name: 'x', windowSeconds: 0, steps }, ['/windowSeconds']],
    ['window above 90 days', { name: 'x', windowSeconds: 7_776_001, steps }, ['/windowSeconds']],
    ['window with a fraction', { name: 'x', windowSeconds: 1.5, steps }, ['/windowSeconds']],
    ['window as text', { name: 'x', windowSeconds: '60', steps }, ['/windowSeconds']],
    ['no steps', { name: 'x', steps: [] }, ['/steps']],
    ['21 steps', { name: 'x', steps: Array.from({ length: 21 }, () => ({ eventName: 'e' })) }, ['/steps']],
    ['step without event', { name: 'x', steps: [{}] }, ['/steps/0/eventName']],
    ['empty event name', { name: 'x', steps: [{ eventName: '' }] }, ['/steps/0/eventName']],
    ['event name of 501', { name: 'x', steps: [{ eventName: 'e'.repeat(501) }] }, ['/steps/0/eventName']],
    ['space in an event name', { name: 'x', steps: [{ eventName: 'a b' }] }, ['/steps/0/eventName']],
    ['line end in an event name', { name: 'x', steps: [{ eventName: 'a\n' }] }, ['/steps/0/eventName']],
    ['unknown field', { name: 'x', steps, color: 1 }, ['/color']],
    ['unknown field in a step', { name: 'x', steps: [{ eventName: 'a', 'b/c~d': 1 }] }, ['/steps/0/b~1c~0d']],
    ['NUL', { name: 'a\u0000', steps }, ['/name']],
    ['lone surrogate', { name: 'a\ud800', description: '\udc00', steps }, ['/name', '/description']],
    [
      'several at once',
      { name: '', windowSeconds: 0, steps: [], x: 1 },
      ['/x', '/name', '/windowSeconds', '/steps'],
    ],
  ]
  for (const [what, body, paths] of refused) {
    const answer = await client.refused('POST', '/funnel', { key, body })
    t.equal(answer.body.code, 'VALIDATION_FAILED', what)
    t.strictSame(answer.body.details.map((detail) => detail.path).sort(), [...paths].sort(), what)
  }
})

t.test('each operator accepts its kinds of values and no others', async (t) => {
  let n = 0
  const tryFilter = (filter: unknown) =>
    client.request<FunnelView>('POST', '/funnel', {
      key,
      body: { name: `filter ${++n}`, steps: [{ eventName: 'a', filters: [filter] }] },
    })
  const right = [
    { property: 'a.b', operator: 'eq', value: null },
    { property: 'a', operator: 'eq', value: { b: [1, 'x', { c: false }] } },
    { property: 'a', operator: 'neq', value: 0.1 },
    { property: 'a', operator: 'gt', value: 5 },
    { property: 'a', operator: 'gte', value: 'x' },
    { property: 'a', operator: 'lt', value: -1e-7 },
    { property: 'a', operator: 'lte', value: '' },
    { property: 'a', operator: 'contains', value: '%_\\' },
    { property: 'a', operator: 'in', value: [] },
    { property: 'a', operator: 'in', value: [1, '1', null, true] },
    { property: 'a', operator: 'exists' },
    { property: 'a', operator: 'not_exists' },
    { property: 'p'.repeat(500), operator: 'exists' },
  ]
  for (const filter of right) {
    const answer = await tryFilter(filter)
    t.equal(answer.status, 201, JSON.stringify(filter))
    t.strictSame(answer.body.steps[0]?.filters, [filter])
  }
  const at = '/steps/0/filters/0'
  const wrong: [unknown, string[]][] = [
    [{ property: 'a', operator: 'eq' }, [`${at}/value`]],
    [{ property: 'a', operator: 'gt', value: true }, [`${at}/value`]],
    [{ property: 'a', operator: 'gt', value: null }, [`${at}/value`]],
    [{ property: 'a', operator: 'contains', value: 5 }, [`${at}/value`]],
    [{ property: 'a', operator: 'in', value: 'x' }, [`${at}/value`]],
    [{ property: 'a', operator: 'exists', value: 1 }, [`${at}/value`]],
    [{ property: 'a', operator: 'like', value: 1 }, [`${at}/operator`]],
    [{ property: 'a' }, [`${at}/operator`]],
    [{ operator: 'exists' }, [`${at}/property`]],
    [{ property: '', operator: 'exists' }, [`${at}/property`]],
    [{ property: 'p'.repeat(501), operator: 'exists' }, [`${at}/property`]],
    ['x', [at]],
    [{ property: 'a', operator: 'eq', value: 9_007_199_254_740_992 }, [`${at}/value`]],
    [{ property: 'a', operator: 'eq', value: ['\u0000'] }, [`${at}/value/0`]],
  ]
  for (const [filter, paths] of wrong) {
    const answer = await tryFilter(filter)
    t.equal(answer.status, 400, JSON.stringify(filter))
    const { details } = answer.body as unknown as { details: { path: string; message: string }[] }
    t.strictSame(
      details.map((detail) => detail.path),
      paths,
      JSON.stringify(filter),
    )
  }
})

t.test('a name is unique in its workspace only, also for twenty requests at once', async (t) => {
  const body = { name: 'Unique', steps: [{ eventName: 'a' }] }
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(body)))
  t.equal(answers.filter((answer) => answer.status === 201).length, 1)
  const late = await client.refused('POST', '/funnel', { key, body })
  t.equal(late.body.code, 'NAME_TAKEN')
  t.strictSame(
    late.body.details.map((detail) => detail.path),
    ['/name'],
  )

  for (const name of ['uNIQUE', ' Unique\n']) {
    const same = await client.refused('POST', '/funnel', { key, body: { ...body, name } })
    t.equal(same.body.code, 'NAME_TAKEN', name)
  }

  const second = await create({ ...body, name: 'Other' })
  const own = await client.request('PATCH', `/funnel/${second.body.id}`, { key, body: { name: 'OTHER' } })
  t.match(own, { status: 200, body: { name: 'OTHER' } })
  const renamed = await client.refused('PATCH', `/funnel/${second.body.id}`, {
    key,
    body: { name: 'unique' },
  })
  t.equal(renamed.body.code, 'NAME_TAKEN')
  const elsewhere = await api.workspace('Elsewhere')
  t.equal((await client.request('POST', '/funnel', { key: elsewhere.key, body })).status, 201)
})

t.test('lists are newest first', async (t) => {
  const fresh = await api.workspace('Order')
  for (const name of ['first', 'second', 'third'])
    await client.request('POST', '/funnel', { key: fresh.key, body: { name, steps: [{ eventName: 'a' }] } })
  const list = await client.request<{ data: FunnelView[] }>('GET', '/funnel', { key: fresh.key })
  t.strictSame(
    list.body.data.map((funnel) => funnel.name),
    ['third', 'second', 'first'],
  )
})

t.test(
  'every write leaves one audit entry with its key and person, a denied one too; other refusals and reads leave none',
  async (t) => {
    const fresh = await api.workspace('Audited')
    const person = await fresh.person(['funnels.manage'])
    const theirs = await fresh.keyWith(SCOPES, person.id)
    const made = await client.request<FunnelView>('POST', '/funnel', {
      key: theirs.key,
      body: { name: 'Audited', steps: [{ eventName: 'a' }] },
    })
    await client.refused('POST', '/funnel', {
      key: theirs.key,
      body: { name: 'Audited', steps: [{ eventName: 'a' }] },
    })
    await client.refused('POST', '/funnel', {
      key: fresh.readOnlyKey,
      body: { name: 'x', steps: [{ eventName: 'a' }] },
    })
    const path = `/funnel/${made.body.id}`
    await client.request('PATCH', path, { key: theirs.key, body: { description: 'new' } })
    await client.request('PATCH', path, { key: theirs.key, body: { description: 'new' } })
    await client.request('PATCH', path, { key: theirs.key, body: {} })
    await client.request('GET', path, { key: theirs.key })
    await client.refused('DELETE', `/funnel/${newId()}`, { key: theirs.key })
    const deleted = await client.request('DELETE', path, { key: fresh.session })
    const audit = await client.request<{ data: Record<string, unknown>[] }>('GET', '/audit', {
      key: fresh.session,
    })
    t.match(audit.body.data, [
      {
        action: 'funnel.delete',
        actorApiKeyId: null,
        actorApiKeyName: null,
        actorPersonId: fresh.ownerId,
        actorPersonName: 'Owner of Audited',
        requestId: deleted.headers['x-request-id'],
      },
      { action: 'funnel.update', summary: 'Changed description of the funnel "Audited"' },
      {
        action: 'access.denied',
        actorPersonId: fresh.ownerId,
        summary: 'Refused POST /v1/funnel: The key lacks the scope funnels.manage',
      },
      {
        action: 'funnel.create',
        resourceType: 'funnel',
        resourceId: made.body.id,
        actorApiKeyId: theirs.id,
        actorApiKeyName: 'api key',
        actorPersonId: person.id,
        actorPersonName: 'Somebody',
      },
    ])
    t.equal(audit.body.data.length, 4)
  },
)
