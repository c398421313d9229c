import t from 'tap'
import { withApi } from './support/api.js'
import { storeEvents } from './support/events.js'

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

t.test('parameters on both sides of their limits, unknown ones and every one at once', async (t) => {
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

t.test('the vocabulary', async (t) => {
  const answer = await client.request<{ data: unknown[] }>('GET', '/funnel/events', { key: workspace.key })
  t.strictSame(answer.body.data, [
    {
      eventName: 'bought',
      count: 2,
      firstSeenAt: new Date(at).toISOString(),
      lastSeenAt: new Date(at).toISOString(),
      hiddenBy: null,
    },
    {
      eventName: 'seen',
      count: 2,
      firstSeenAt: new Date(at - 5_000).toISOString(),
      lastSeenAt: new Date(at).toISOString(),
      hiddenBy: null,
    },
    {
      eventName: 'zz',
      count: 1,
      firstSeenAt: new Date(at + 1_000).toISOString(),
      lastSeenAt: new Date(at + 1_000).toISOString(),
      hiddenBy: null,
    },
  ])
  const none = await client.request<{ data: unknown[] }>('GET', '/funnel/events', { key: empty.key })
  t.strictSame(none.body.data, [])
})

t.test('one event by its id, for its workspace alone', async (t) => {
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
