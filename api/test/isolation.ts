import t from 'tap'
import { routes } from '../routes.js'
import { withApi } from './support/api.js'
import { storeEvents } from './support/events.js'

const api = await withApi(t)
const { client } = api
const mine = await api.workspace('Mine')
const theirs = await api.workspace('Theirs')
const marker = 'their_secret_marker'

await storeEvents(
  api,
  theirs.id,
  Date.now(),
  [{ event: marker, userId: marker, anonymousId: 'shared' }],
  [{ anonymousId: 'shared', userId: marker }],
)
await storeEvents(api, mine.id, Date.now(), [{ event: 'own', anonymousId: 'shared' }])
const their = await client.request<{ id: string }>('POST', '/funnel', {
  key: theirs.key,
  body: { name: marker, steps: [{ eventName: 'own' }] },
  headers: { 'Idempotency-Key': 'isolation-key' },
})

/** Another workspace's id for every parameter there is: a route with a new one fails here until it is added. */
const IDS: Readonly<Record<string, string>> = { funnelId: their.body.id }
const BODIES: Readonly<Record<string, unknown>> = {
  createFunnel: { name: 'mine', steps: [{ eventName: 'own' }] },
  updateFunnel: { name: 'stolen' },
  queryFunnel: {},
}

t.test('no route shows or changes anything of another workspace', async (t) => {
  for (const route of routes) {
    const path = route.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
      const id = IDS[name]
      if (id === undefined) throw new Error(`the isolation test knows no id for ${name}`)
      return id
    })
    const body = BODIES[route.operationId]
    if (route.body !== undefined && body === undefined) throw new Error(`no body for ${route.operationId}`)
    for (const key of [mine.key, mine.session]) {
      const answer = await client.request(route.method, path, {
        key,
        ...(body === undefined ? {} : { body }),
        headers: { 'Idempotency-Key': 'isolation-key' },
      })
      t.notMatch(answer.text, marker, `${route.method} ${path}`)
      if (route.params !== undefined) t.equal(answer.status, 404, `${route.method} ${path}`)
    }
  }
})

t.test('and it is all still there', async (t) => {
  const read = await client.request<{ name: string }>('GET', `/funnel/${their.body.id}`, { key: theirs.key })
  t.equal(read.body.name, marker)
  const names = await client.request<{ data: { eventName: string }[] }>('GET', '/funnel/events', {
    key: mine.key,
  })
  t.strictSame(
    names.body.data.map((name) => name.eventName),
    ['own'],
  )
})

t.test('persons are resolved by the links of their own workspace', async (t) => {
  const events = await client.request<{ data: { personId: string }[] }>('GET', '/events', { key: mine.key })
  t.strictSame(
    events.body.data.map((event) => event.personId),
    ['anonymous:shared'],
  )
  const made = await client.request<{ id: string }>('POST', '/funnel', {
    key: mine.key,
    body: { name: 'counts', steps: [{ eventName: 'own' }] },
  })
  const mineResult = await client.request<{ entered: number }>('POST', `/funnel/${made.body.id}/query`, {
    key: mine.key,
  })
  t.equal(mineResult.body.entered, 1)
  const theirResult = await client.request<{ entered: number }>('POST', `/funnel/${their.body.id}/query`, {
    key: theirs.key,
  })
  t.equal(theirResult.body.entered, 0)
})
