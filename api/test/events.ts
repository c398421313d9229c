import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type ExportedEvent, parquetFilesOf } from '../../management/events/export-formats.js'
import {
  addIngestProblems,
  type CountedProblem,
  removeOldIngestProblems,
} from '../../postgres/tables/ingest-problems.js'
import { newId } from '../../postgres/tables/workspaces.js'
import { withApi } from './support/api.js'
import { storeEvents } from './support/events.js'

t.setTimeout(0)
const api = await withApi(t)
const { client } = api
const workspace = await api.workspace()
const empty = await api.workspace('Empty')
const at = Date.UTC(2026, 10, 20, 12)

interface EventView {
  id: string
  event: string
  personId: string
  userId: string | null
  anonymousId: string | null
  properties: Record<string, unknown>
  receivedAt: string
  timestamp: string
  originalTimestamp: string | null
  timestampAdjustment: string
  insertId: string | null
}
interface PageView {
  data: EventView[]
  pagination: { limit: number; offset: number; total: number; hasMore: boolean }
}

const list = (query = '', key = workspace.key) => client.request<PageView>('GET', `/events${query}`, { key })

await storeEvents(
  api,
  workspace.id,
  at,
  [
    {
      event: 'seen',
      anonymousId: 'linked',
      properties: { ü: ['x', null, { '': 1e-7 }] },
      timestamp: at - 5_000,
    },
    { event: 'seen', anonymousId: 'alone' },
    { event: 'bought', userId: 'u1', anonymousId: 'linked', insertId: 'i-1' },
    { event: 'bought', userId: 'u2', anonymousId: 'linked' },
  ],
  [{ anonymousId: 'linked', userId: 'u1' }],
)
await storeEvents(api, workspace.id, at + 1_000, [{ event: 'zz', userId: 'u3' }])

t.test('events are listed newest first, each under the person it belongs to', async (t) => {
  const { body } = await list()
  t.strictSame(
    body.data.map((event) => [event.event, event.personId]),
    [
      ['zz', 'user:u3'],
      ['bought', 'user:u2'],
      ['bought', 'user:u1'],
      ['seen', 'anonymous:alone'],
      ['seen', 'user:u1'],
    ],
  )
  t.strictSame(body.pagination, { limit: 25, offset: 0, total: 5, hasMore: false })
  t.match(body.data[4], {
    userId: null,
    anonymousId: 'linked',
    properties: { ü: ['x', null, { '': 1e-7 }] },
    originalTimestamp: new Date(at - 5_000).toISOString(),
    receivedAt: new Date(at).toISOString(),
    insertId: null,
  })
  t.match(body.data[2], { insertId: 'i-1', originalTimestamp: null, timestampAdjustment: 'none' })
})

t.test('pages have no gap and no overlap, in either direction', async (t) => {
  for (const sort of [
    'sortBy=receivedAt&sortDir=desc',
    'sortBy=receivedAt&sortDir=asc',
    'sortBy=event&sortDir=asc',
    'sortBy=event',
  ]) {
    const whole = (await list(`?limit=100&${sort}`)).body.data.map((event) => event.id)
    t.equal(new Set(whole).size, 5)
    const cut: string[] = []
    for (let offset = 0; offset < 5; offset += 2) {
      const { body } = await list(`?limit=2&offset=${offset}&${sort}`)
      cut.push(...body.data.map((event) => event.id))
      t.equal(body.pagination.hasMore, offset + 2 < 5)
    }
    t.strictSame(cut, whole, sort)
  }
  t.strictSame(
    (await list('?sortBy=event&sortDir=asc')).body.data.map((event) => event.event),
    ['bought', 'bought', 'seen', 'seen', 'zz'],
  )
})

t.test('past the end the page is empty', async (t) => {
  for (const offset of ['5', '9007199254740991']) {
    const { body } = await list(`?offset=${offset}`)
    t.strictSame(body.data, [])
    t.strictSame(body.pagination, { limit: 25, offset: Number(offset), total: 5, hasMore: false })
  }
  t.strictSame((await list('', empty.key)).body.pagination.total, 0)
})

t.test('properties come back as they were stored', async (t) => {
  const { id, key } = await api.workspace('Properties')
  // Doubles, keys in the order of JSON.parse, text that HTML or JSON could misread.
  const texts = [
    '{"big":9007199254740992,"huge":1e+21,"small":5e-324,"negative":-0.1}',
    '{"1":1,"2":{"__proto__":{"x":1}},"constructor":null,"":[[],{},"\\u0000\\ud800</script>"]}',
    `{"long":"${'ü'.repeat(4_000)}"}`,
  ]
  await storeEvents(
    api,
    id,
    at,
    texts.map((text, index) => ({ event: `e${index}`, userId: 'u', properties: JSON.parse(text) })),
  )
  const answer = await list('?sortDir=asc&sortBy=event', key)
  for (const [index, text] of texts.entries()) {
    t.ok(answer.text.includes(`"properties":${text},`), `text ${index}`)
    t.ok(JSON.stringify(answer.body.data[index]?.properties) === text)
  }
  t.strictSame((await list('?limit=1', key)).body.data[0]?.properties, JSON.parse(texts[2] ?? ''))
})

t.test('times keep their milliseconds, also in the month before', async (t) => {
  const { id, key } = await api.workspace('Times')
  const midnight = Date.UTC(2026, 10, 1)
  for (const receivedAt of [midnight - 1, midnight, midnight + 1])
    await storeEvents(api, id, receivedAt, [{ event: 'e', userId: 'u', timestamp: receivedAt - 604_800_000 }])
  t.strictSame(
    (await list('', key)).body.data.map((event) => [event.receivedAt, event.timestamp]),
    [
      ['2026-11-01T00:00:00.001Z', '2026-10-25T00:00:00.001Z'],
      ['2026-11-01T00:00:00.000Z', '2026-10-25T00:00:00.000Z'],
      ['2026-10-31T23:59:59.999Z', '2026-10-24T23:59:59.999Z'],
    ],
  )
})

t.test('pages of one listing ignore events that arrive later', async (t) => {
  const { id, key } = await api.workspace('Growing')
  let stored = 0
  let done = false
  const insert = async () => {
    for (let block = 0; block < 12; block++) {
      const events = Array.from({ length: 7 }, (_, i) => ({ event: `e${i % 3}`, userId: `u${stored + i}` }))
      await storeEvents(api, id, at + block, events)
      stored += events.length
    }
    done = true
  }
  const inserting = insert()
  while (!done)
    for (const sort of ['', '&sortDir=asc', '&sortBy=event', '&offset=5']) {
      const before = stored
      const { data, pagination } = (await list(`?limit=100${sort}`, key)).body
      const skipped = pagination.offset
      t.equal(new Set(data.map((event) => event.id)).size, data.length)
      t.ok(data.length >= Math.max(0, before - skipped), `${data.length} of ${before}`)
      t.ok(pagination.total >= before && pagination.total >= data.length)
    }
  await inserting
  t.equal((await list('?limit=100', key)).body.pagination.total, stored)
})

t.test('parameters beyond their limits and unknown parameters are refused, also all together', async (t) => {
  const wrong: [string, string[]][] = [
    ['?limit=0', ['query.limit']],
    ['?limit=101', ['query.limit']],
    ['?limit=', ['query.limit']],
    ['?limit', ['query.limit']],
    ['?limit=1.5', ['query.limit']],
    ['?limit=1e1', ['query.limit']],
    ['?limit=%2B5', ['query.limit']],
    ['?limit=0x10', ['query.limit']],
    ['?limit=5&limit=6', ['query.limit']],
    ['?limit=%zz', ['query.limit']],
    ['?limit=%ff', ['query.limit']],
    ['?offset=-1', ['query.offset']],
    ['?offset=9007199254740992', ['query.offset']],
    ['?offset=99999999999999999999999', ['query.offset']],
    ['?sortBy=timestamp', ['query.sortBy']],
    ['?sortBy=RECEIVEDAT', ['query.sortBy']],
    ['?sortDir=up', ['query.sortDir']],
    ['?Limit=5', ['query.Limit']],
    ['?x%00=5', ['query']],
    ['?sortBy=%00', ['query.sortBy']],
    ['?__proto__=1', ['query.__proto__']],
    [
      '?limit=0&offset=-1&sortBy=x&sortDir=x&y=1',
      ['query.limit', 'query.offset', 'query.sortBy', 'query.sortDir', 'query.y'],
    ],
  ]
  for (const [query, paths] of wrong) {
    const answer = await client.refused('GET', `/events${query}`, { key: workspace.key })
    t.equal(answer.body.code, 'VALIDATION_FAILED', query)
    t.strictSame(answer.body.details.map((detail) => detail.path).sort(), paths, query)
  }
  for (const right of ['?limit=1', '?limit=100', '?limit=%31', '?&limit=5&', '?sortBy=%72eceivedAt'])
    t.equal((await list(right)).status, 200, right)
  for (const path of [
    '/me',
    '/funnel',
    '/funnel/events',
    '/readiness',
    '/funnel/0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e',
  ])
    t.strictSame(
      (await client.refused('GET', `${path}?nope=1`, { key: workspace.key })).body.details.map(
        (detail) => detail.path,
      ),
      ['query.nope'],
      path,
    )
})

t.test('the vocabulary has counts and times of each event name', async (t) => {
  const answer = await client.request<{ data: unknown[] }>('GET', '/funnel/events', { key: workspace.key })
  t.strictSame(answer.body.data, [
    {
      eventName: 'bought',
      count: 2,
      firstSeenAt: new Date(at).toISOString(),
      lastSeenAt: new Date(at).toISOString(),
      description: null,
      hiddenBy: null,
    },
    {
      eventName: 'seen',
      count: 2,
      firstSeenAt: new Date(at - 5_000).toISOString(),
      lastSeenAt: new Date(at).toISOString(),
      description: null,
      hiddenBy: null,
    },
    {
      eventName: 'zz',
      count: 1,
      firstSeenAt: new Date(at + 1_000).toISOString(),
      lastSeenAt: new Date(at + 1_000).toISOString(),
      description: null,
      hiddenBy: null,
    },
  ])
  const none = await client.request<{ data: unknown[] }>('GET', '/funnel/events', { key: empty.key })
  t.strictSame(none.body.data, [])
})

t.test('an event can be read by its id, and only in its workspace', async (t) => {
  for (const event of (await list()).body.data) {
    const answer = await client.request<EventView>('GET', `/events/${event.id}`, { key: workspace.key })
    t.strictSame(answer.body, event)
    t.equal((await client.refused('GET', `/events/${event.id}`, { key: empty.key })).status, 404)
  }
  const [first] = (await list()).body.data
  const neighbour = (first?.id ?? '').replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  for (const id of [
    neighbour,
    '0199a1c0-7b1e-4c3a-9d52-6f1c2b3a4d5e',
    '00000000-0000-7000-8000-000000000000',
  ])
    t.equal((await client.refused('GET', `/events/${id}`, { key: workspace.key })).status, 404, id)
})

t.test('trends are counts by time, also for names that were never sent', async (t) => {
  interface Trends {
    from: string
    data: { eventName: string; counts: number[] }[]
  }
  const { id, key } = await api.workspace('Trends')
  const hour = 3_600_000
  const start = Math.floor(Date.now() / hour) * hour
  api.clock.now = () => start + 1_800_000
  t.teardown(() => {
    api.clock.now = () => Date.now()
  })
  const times = [start + 1, start + 2, start - 1, start - 23 * hour, start - 23 * hour - 1, start + hour]
  await storeEvents(
    api,
    id,
    start + 1_000,
    times.map((timestamp) => ({ event: 'a', userId: 'u', timestamp })),
  )
  const { body } = await client.request<Trends>('GET', '/events/trends?events=a,never,a', { key })
  const none = Array<number>(24).fill(0)
  t.strictSame(body.data, [
    { eventName: 'a', counts: [1, ...none.slice(3), 1, 2] },
    { eventName: 'never', counts: none },
  ])
  t.equal(body.from, new Date(start - 23 * hour).toISOString())
  const days = await client.request<Trends>('GET', '/events/trends?events=a&interval=day', { key })
  t.equal(days.body.data[0]?.counts.length, 30)
  const many = Array.from({ length: 51 }, (_, i) => `n${i}`).join(',')
  for (const wrong of [
    '',
    'events=',
    'events=a,,b',
    'events=a%20b',
    `events=${many}`,
    'events=a&interval=week',
  ])
    t.equal((await client.refused('GET', `/events/trends?${wrong}`, { key })).status, 400, wrong.slice(0, 20))
})

interface CursorPage extends PageView {
  cursor: string | null
}

t.test('a search finds what a filter in memory finds, page by page while events arrive', async (t) => {
  const searched = await api.workspace('Searched')
  const random = seeded(Number(process.env.TEST_SEED ?? 11))
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const names = ['seen', 'bought', 'left']
  const links = [
    { anonymousId: 'a0', userId: 'u0' },
    { anonymousId: 'a1', userId: 'u0' },
  ]
  let round = 0
  const arrive = (count: number) =>
    storeEvents(
      api,
      searched.id,
      at + round++ * 1_000,
      Array.from({ length: count }, () => ({
        event: pick(names),
        ...(random() < 0.5
          ? { userId: pick(['u0', 'u1', 'Ünal']) }
          : { anonymousId: pick(['a0', 'a1', 'a2']) }),
        properties: { plan: pick(['pro', 'free', null, 3]), cart: { total: Math.floor(random() * 50) } },
        timestamp: at - Math.floor(random() * 10) * 60_000,
      })),
      round === 1 ? links : [],
    )
  for (let block = 0; block < 6; block++) await arrive(20)
  const ask = (query: string) =>
    client.request<CursorPage>('GET', `/events?${query}`, { key: searched.key }).then(({ body }) => body)
  const all = (await ask('limit=100')).data.concat((await ask('limit=100&offset=100')).data)
  t.equal(all.length, 120)
  const minutes = (ago: number) => new Date(at - ago * 60_000).toISOString()
  const conditions: [string, (event: EventView) => boolean][] = [
    ['event=bought', ({ event }) => event === 'bought'],
    ['personId=user:u0', ({ personId }) => personId === 'user:u0'],
    ['personId=anonymous:a1', ({ personId }) => personId === 'user:u0'],
    ['personId=anonymous:a2', ({ personId }) => personId === 'anonymous:a2'],
    [
      `personId=${encodeURIComponent('user:Ünal')}&event=seen`,
      (e) => e.personId === 'user:Ünal' && e.event === 'seen',
    ],
    ['personId=user:unknown', () => false],
    [`from=${minutes(6)}&to=${minutes(2)}`, (e) => e.timestamp >= minutes(6) && e.timestamp < minutes(2)],
    ['property=plan&operator=eq&value=pro', ({ properties }) => properties.plan === 'pro'],
    ['property=plan&operator=eq&value=3', ({ properties }) => properties.plan === 3],
    ['property=plan&operator=eq&value=%223%22', () => false],
    ['property=plan&operator=not_exists', ({ properties }) => properties.plan === null],
    [
      'property=cart.total&operator=gte&value=25&event=seen',
      ({ event, properties }) => event === 'seen' && (properties.cart as { total: number }).total >= 25,
    ],
    ['', () => true],
  ]
  for (const [condition, meets] of conditions)
    for (const sortDir of ['desc', 'asc']) {
      const before = sortDir === 'desc' ? all : [...all].reverse()
      const expected = before.filter(meets).map(({ id }) => id)
      const first = await ask(`${condition}&limit=7&sortDir=${sortDir}`)
      t.equal(first.pagination.total, expected.length, `${condition} counts all`)
      const seen = first.data.map(({ id }) => id)
      for (let cursor = first.cursor; cursor !== null && seen.length < expected.length; ) {
        const next = await ask(`${condition}&limit=7&sortDir=${sortDir}&cursor=${cursor}`)
        seen.push(...next.data.map(({ id }) => id))
        cursor = next.cursor
      }
      t.same(seen, expected, `${condition} ${sortDir}`)
    }
  const page = await ask('event=seen&limit=3')
  await arrive(20)
  const next = await ask(`event=seen&limit=100&cursor=${page.cursor}`)
  const older = all.filter(({ event }) => event === 'seen').map(({ id }) => id)
  t.same(
    [...page.data, ...next.data].map(({ id }) => id),
    older,
    'new events move nothing',
  )

  for (const [query, path] of [
    ['operator=eq&value=1', 'query.property'],
    ['property=plan', 'query.operator'],
    ['property=plan&operator=gt&value=true', 'query.value'],
    ['property=plan&operator=eq', 'query.value'],
    ['sortBy=event&event=seen', 'query.sortBy'],
    [`cursor=${page.cursor}&offset=1`, 'query.offset'],
    ['cursor=x', 'query.cursor'],
    ['from=yesterday', 'query.from'],
  ] as const) {
    const refused = await client.refused('GET', `/events?${query}`, { key: searched.key })
    t.equal(refused.status, 400, query)
    t.equal(refused.body.details[0]?.path, path, query)
  }

  interface Persons {
    data: {
      personId: string
      userId: string | null
      events: number
      firstSeenAt: string
      lastSeenAt: string
    }[]
    pagination: PageView['pagination']
  }
  const everything = (await ask('limit=100')).data.concat((await ask('limit=100&offset=100')).data)
  const persons = async (query: string) =>
    (await client.request<Persons>('GET', `/events/persons?${query}`, { key: searched.key })).body
  const listed = await persons('')
  const byPerson = new Map<string, EventView[]>()
  for (const event of everything)
    byPerson.set(event.personId, [...(byPerson.get(event.personId) ?? []), event])
  t.equal(listed.pagination.total, byPerson.size)
  for (const { personId, userId, events, firstSeenAt, lastSeenAt } of listed.data) {
    const own = byPerson.get(personId) ?? []
    const times = own.map(({ timestamp }) => timestamp).sort()
    t.same([events, firstSeenAt, lastSeenAt], [own.length, times[0], times.at(-1)], personId)
    t.equal(userId, personId.startsWith('user:') ? personId.slice(5) : null)
  }
  const foundBy = async (search: string) =>
    (await persons(`search=${encodeURIComponent(search)}`)).data.map(({ personId }) => personId).sort()
  t.same(await foundBy('A1'), ['user:u0'], 'an anonymous id finds its user')
  t.same(await foundBy('ünal'), ['user:Ünal'])
  t.same(await foundBy('U1'), ['user:u1'])
  t.same(await foundBy('nothing'), [])
  const page2 = await persons('limit=2&offset=2')
  t.same(page2.data, listed.data.slice(2, 4))
  const detail = await client.request<Record<string, unknown>>('GET', '/events/persons/anonymous:a0', {
    key: searched.key,
  })
  t.match(detail.body, {
    personId: 'user:u0',
    userId: 'u0',
    anonymousIds: ['a0', 'a1'],
    events: byPerson.get('user:u0')?.length,
    experiments: [],
  })
  t.equal((await client.refused('GET', '/events/persons/user:none', { key: searched.key })).status, 404)
  await storeEvents(api, searched.id, at + 60_000, [
    {
      event: '$exposure',
      anonymousId: 'a1',
      properties: { experiment: 'cart', variant: 'b' },
      timestamp: at,
    },
  ])
  const exposed = await client.request<{ experiments: unknown }>('GET', '/events/persons/user:u0', {
    key: searched.key,
  })
  t.same(exposed.body.experiments, [{ key: 'cart', variant: 'b', exposedAt: new Date(at).toISOString() }])
})

t.test('the properties of an event name, with types, shares and values', async (t) => {
  const described = await api.workspace('Described')
  await storeEvents(
    api,
    described.id,
    at,
    Array.from({ length: 10 }, (_, index) => ({
      event: 'order_paid',
      userId: `u${index}`,
      properties: {
        plan: index < 6 ? 'pro' : index < 8 ? 3 : null,
        cart: { total: index, items: [index % 2], deep: { at: { last: 1 } } },
      },
    })),
  )
  const of = async (name: string) =>
    (
      await client.request<{ data: { property: string }[]; sampled: boolean }>(
        'GET',
        `/funnel/events/${name}/properties`,
        { key: described.readOnlyKey },
      )
    ).body
  const { data, sampled } = await of('order_paid')
  t.equal(sampled, false)
  t.same(
    data.map(({ property }) => property),
    ['cart', 'cart.deep', 'cart.deep.at', 'cart.items', 'cart.total', 'plan'],
    'three levels, the most frequent first',
  )
  t.same(data.at(-1), {
    property: 'plan',
    description: null,
    hidden: false,
    types: ['string', 'number'],
    share: 0.8,
    distinct: 2,
    values: [
      { value: 'pro', count: 6 },
      { value: 3, count: 2 },
    ],
  })
  t.match(
    data.find(({ property }) => property === 'cart.items'),
    {
      types: ['array'],
      distinct: 2,
      values: [
        { value: [0], count: 5 },
        { value: [1], count: 5 },
      ],
    },
  )
  t.same(await of('never_seen'), { data: [], sampled: false })
})

t.test('event names and properties are described and hidden, each with an audit entry', async (t) => {
  const [described, other] = [await api.workspace('Words'), await api.workspace('Other words')]
  for (const { id } of [described, other])
    await storeEvents(api, id, at, [{ event: 'order_paid', userId: 'u', properties: { plan: 1, debug: 2 } }])
  const patch = (path: string, body: unknown, key = described.key) =>
    client.request<Record<string, unknown>>('PATCH', `/funnel/events/${path}`, { key, body })
  const namesOf = async (query: string, key = described.key) =>
    (await client.request<{ data: { description: unknown }[] }>('GET', `/funnel/events${query}`, { key }))
      .body.data
  const propertiesOf = async (query: string, key = described.key) => {
    const path = `/funnel/events/order_paid/properties${query}`
    const { body } = await client.request<{ data: Record<string, unknown>[] }>('GET', path, { key })
    return body.data.map(({ property, description, hidden }) => [property, description, hidden])
  }

  t.same((await patch('order_paid', { description: '  Cafe\u0301 100% paid ' })).body, {
    eventName: 'order_paid',
    description: 'Caf\u00e9 100% paid',
    hiddenBy: null,
  })
  t.match(await namesOf('?search=CAF%C3%89%20100%25'), [{ eventName: 'order_paid', description: /paid$/ }])
  t.same(await namesOf('?search=100_'), [])
  await patch('order_paid', { description: 'Café 100% paid' })
  t.match((await patch('order_paid', { hidden: true })).body, {
    description: /paid$/,
    hiddenBy: 'order_paid',
  })
  t.match((await patch('order_paid', { hidden: false, description: null })).body, { description: null })
  t.match(await namesOf('?search=order'), [{ description: null, hiddenBy: null }])

  t.same((await patch('order_paid/properties', { property: 'plan', description: 'The plan' })).body, {
    property: 'plan',
    description: 'The plan',
    hidden: false,
  })
  await patch('order_paid/properties', { property: 'debug', hidden: true, description: 'Old' })
  await patch('order_paid/properties', { property: 'debug', hidden: true })
  t.same(await propertiesOf(''), [['plan', 'The plan', false]])
  const hidden = ['debug', 'Old', true]
  t.same(await propertiesOf('?hidden=include'), [hidden, ['plan', 'The plan', false]])
  await patch('order_paid/properties', { property: 'debug', hidden: false, description: null })
  t.same((await propertiesOf(''))[0], ['debug', null, false])
  t.same(await propertiesOf('', other.key), [
    ['debug', null, false],
    ['plan', null, false],
  ])

  for (const [path, body] of [
    ['order_*', { description: 'Orders' }],
    ['order_paid', { description: 'two\nlines' }],
    ['order_paid', { description: 'x'.repeat(501) }],
    ['order_paid/properties', { property: 'plan', description: ' ' }],
  ] as const) {
    const answer = await patch(path, body)
    t.equal(answer.status, 400, answer.text)
    t.match(answer.body, { details: [{ path: '/description' }] })
  }
  t.equal((await patch('order_paid/properties', { hidden: true })).status, 400)
  t.equal((await patch('order_paid', { description: 'No' }, described.readOnlyKey)).status, 403)
  const audit = await client.request<{ data: { summary: string }[] }>(
    'GET',
    '/audit?action=vocabulary.update',
    {
      key: described.session,
    },
  )
  t.strictSame(audit.body.data.map(({ summary }) => summary).reverse(), [
    'Described the event name order_paid',
    'Hid the event name order_paid',
    'Showed and removed the description of the event name order_paid',
    'Described the property plan of order_paid',
    'Hid and described the property debug of order_paid',
    'Showed and removed the description of the property debug of order_paid',
  ])
})

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const LINE_BREAKING = 'ends "so",\r\nand goes on; ü\u2028'

t.test('an export has every event once, in the order of receipt, in each format', async (t) => {
  const { id, key } = await api.workspace('Export')
  const batches = 6
  const events = Array.from({ length: 250 }, (_, index) => ({
    event: index % 7 === 0 ? 'rare' : 'usual',
    ...(index % 3 === 0 ? { anonymousId: `a${index % 9}` } : { userId: `${LINE_BREAKING} ${index}` }),
    ...(index % 5 === 0 ? {} : { timestamp: at - 1_000 * index }),
    properties: index % 11 === 0 ? { text: 'x'.repeat(30_000) } : { list: [index, null, LINE_BREAKING] },
  }))
  // Several requests of one millisecond, and times of receipt out of order.
  for (let batch = 0; batch < batches; batch++)
    await storeEvents(
      api,
      id,
      at + 1_000 * (batch % 5),
      events,
      batch === 0 ? [{ anonymousId: 'a3', userId: 'linked' }] : [],
    )
  const whole: EventView[] = []
  for (let offset = 0; offset < batches * events.length; offset += 100) {
    const { body } = await list(`?sortDir=asc&limit=100&offset=${offset}`, key)
    whole.push(...body.data)
  }
  const fetched = (query: string) =>
    fetch(`${api.url}/v1/events/export${query}`, { headers: { Authorization: `Bearer ${key}` } })
  const lines = async (query: string) =>
    (await (await fetched(query)).text())
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as EventView)
  t.strictSame(await lines(''), whole)
  t.strictSame(await lines(`?after=${whole[1_234]?.id}`), whole.slice(1_235), 'goes on after an event')
  const [from, to] = [at - 100_000, at - 20_000].map((time) => new Date(time).toISOString())
  t.strictSame(
    await lines(`?event=rare&from=${from}&to=${to}`),
    whole.filter(
      ({ event, timestamp }) => event === 'rare' && timestamp >= (from ?? '') && timestamp < (to ?? ''),
    ),
  )
  t.strictSame(await lines('?event=never'), [])

  const csv = await fetched('?format=csv')
  t.match(csv.headers.get('content-disposition'), 'events.csv')
  const [header = [], ...rows] = parseCsv(await csv.text())
  t.strictSame(
    rows.map((row) => Object.fromEntries(header.map((name, column) => [name, row[column]]))),
    whole.map((event) => ({
      ...Object.fromEntries(Object.entries(event).map(([name, value]) => [name, value ?? ''])),
      properties: JSON.stringify(event.properties),
    })),
  )
  const file = join(t.testdir(), 'events.parquet')
  writeFileSync(file, Buffer.from(await (await fetched('?format=parquet')).arrayBuffer()))
  const { rows: columns } = await api.clickhouse.query<Record<string, unknown>>(
    `SELECT * REPLACE (
       toUnixTimestamp64Milli(timestamp) AS timestamp, toUnixTimestamp64Milli(receivedAt) AS receivedAt,
       toUnixTimestamp64Milli(originalTimestamp) AS originalTimestamp)
     FROM file('${file}', 'Parquet')`,
  )
  const files: string[] = []
  for await (const part of parquetFilesOf(batchesOf(whole as unknown as ExportedEvent[], 600), 1)) {
    files.push(join(t.testdirName, `part-${files.length}.parquet`))
    writeFileSync(files.at(-1) ?? '', part.bytes)
  }
  t.equal(files.length, 3)
  const { rows: parts } = await api.clickhouse.query<{ id: string }>(
    `SELECT id FROM file('${t.testdirName}/part-*.parquet', 'Parquet')`,
  )
  t.strictSame(
    parts.map(({ id }) => id).sort(),
    whole.map(({ id }) => id).sort(),
    'several files have each row once',
  )
  const timeOf = (text: string | null) => (text === null ? null : Date.parse(text))
  t.strictSame(
    columns.map((row) => ({ ...row, properties: JSON.parse(String(row.properties)) as unknown })),
    whole.map((event) => ({
      ...event,
      timestamp: timeOf(event.timestamp),
      originalTimestamp: timeOf(event.originalTimestamp),
      receivedAt: timeOf(event.receivedAt),
    })),
  )
  for (const [query, path] of [
    ['?format=xml', 'query.format'],
    [`?format=parquet&after=${whole[0]?.id}`, 'query.after'],
    [`?from=${to}&to=${from}`, 'query.to'],
    ['?after=1', 'query.after'],
  ] as const)
    t.match((await client.refused('GET', `/events/export${query}`, { key })).body, {
      details: [{ path }],
    })
})

async function* batchesOf<Row>(rows: readonly Row[], size: number): AsyncGenerator<readonly Row[]> {
  for (let i = 0; i < rows.length; i += size) yield rows.slice(i, i + size)
}

/** By RFC 4180. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  for (const line of text.match(/(?:"(?:[^"]|"")*"|[^\r])*\r\n/g) ?? [])
    rows.push(
      [...line.slice(0, -2).matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
      ),
    )
  return rows
}

t.test('refused events and warnings are listed by key, newest first', async (t) => {
  const owner = await api.workspace('Refused')
  const now = Date.now()
  const problem = (kind: string, secondsAgo: number, more: Partial<CountedProblem> = {}): CountedProblem => ({
    keyId: owner.keyId,
    workspaceId: owner.id,
    kind,
    firstAt: new Date(now - secondsAgo * 1_000),
    lastAt: new Date(now - secondsAgo * 1_000),
    times: 1,
    status: 400,
    code: 'VALIDATION_FAILED',
    field: 'events[3].event',
    message: kind,
    eventName: 'order paid',
    value: '"order paid"',
    ...more,
  })
  const problems = async (query = 'limit=100') =>
    (
      await client.request<{ data: Record<string, unknown>[]; pagination: { total: number } }>(
        'GET',
        `/events/problems?${query}`,
        { key: owner.key },
      )
    ).body
  const DAY = 86_400
  await addIngestProblems(api.sql, [
    problem('old', 7 * DAY + 60),
    problem('again', 7_200, { times: 5 }),
    problem('warned', 10, {
      status: 202,
      code: 'UNKNOWN_FIELD',
      field: 'extra',
      eventName: null,
      value: null,
    }),
    problem('partly', 20, { status: 200, field: 'batch[12].type' }),
  ])
  // More than an hour later it is counted anew; within the hour it is added.
  await addIngestProblems(api.sql, [
    problem('again', 30, { times: 2 }),
    problem('partly', 15, { times: 3, field: 'batch[12].type' }),
  ])
  t.strictSame(
    (await problems()).data.map(({ message, outcome, times, eventIndex, firstAt }) => [
      message,
      outcome,
      times,
      eventIndex,
      Math.round((now - Date.parse(String(firstAt))) / 1_000),
    ]),
    [
      ['warned', 'warned', 1, null, 10],
      ['partly', 'refused', 4, 12, 20],
      ['again', 'refused', 2, 3, 30],
    ],
  )
  t.match(await problems('limit=100&outcome=warned'), {
    data: [{ code: 'UNKNOWN_FIELD' }],
    pagination: { total: 1 },
  })
  t.match(await problems(`keyId=${workspace.keyId}`), { data: [], pagination: { total: 0 } })
  t.match((await problems('limit=1&offset=1')).data, [{ message: 'partly' }])

  const many = Array.from({ length: 50 }, (_, n) => problem(`kind ${n}`, 9 - n / 10))
  await Promise.all([
    addIngestProblems(api.sql, many.slice(0, 25)),
    addIngestProblems(api.sql, many.slice(25)),
  ])
  await addIngestProblems(api.sql, many)
  const kept = (await problems('limit=100&outcome=refused')).data
  t.same(
    kept.map(({ message }) => message),
    many
      .slice(30)
      .map(({ message }) => message)
      .reverse(),
    'the twenty newest kinds',
  )
  t.equal((await problems()).data.length, 21, 'refusals take no room of warnings')
  await removeOldIngestProblems(api.sql)
  t.equal((await problems()).data.length, 21)

  await api.sql`
    insert into erasures (id, workspace_id, user_id, anonymous_ids, person_keys, requested_at)
    values (${newId()}, ${owner.id}, 'u', '{}', '{}', ${new Date(now)})`
  await addIngestProblems(api.sql, [problem('waited in a gateway', 1), problem('later', -5)])
  const left = (await problems()).data.map(({ message }) => message)
  t.same([left.includes('waited in a gateway'), left.includes('later')], [false, true])
})
