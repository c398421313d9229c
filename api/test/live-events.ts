import t from 'tap'
import { CursorTexts } from '../../management/live-events/cursor.js'
import { revokeKey } from '../../postgres/tables/keys.js'
import { waitUntil } from '../../test/support/wait-until.js'
import { withApi } from './support/api.js'
import { type EventStream, openStream } from './support/event-stream.js'
import { putLog } from './support/log.js'
import { startStage } from './support/stage.js'

const api = await withApi(t)
const { client, url } = api
const log = await putLog(api, 12)
const workspace = await api.workspace()

const live = (stream: EventStream) => stream.messages.some(({ name }) => name === 'rate')
/** A stream that follows stored events. */
async function follow(key: string, options: Parameters<typeof openStream>[2] = {}): Promise<EventStream> {
  const stream = await openStream(url, key, options)
  t.equal(stream.status, 200)
  t.teardown(() => stream.close())
  await stream.until(live)
  return stream
}

t.test('events of every partition arrive once and complete, as they are stored', async (t) => {
  const stream = await follow(workspace.key)
  t.equal(stream.headers['content-type'], 'text/event-stream; charset=utf-8')
  t.equal(stream.headers['cache-control'], 'no-store')
  await log.store(workspace.id, 3, ['first'])
  await stream.until((s) => s.events().length > 0)
  // Stored out of order: an earlier receipt arrives later.
  const late = await log.insert(workspace.id, 7, ['late-a', 'late-b'], { receivedAt: Date.now() - 1_500 })
  await log.store(workspace.id, 0, ['second'])
  await stream.until((s) => s.events().includes('second'))
  t.notOk(stream.events().includes('late-a'), 'is stored, and not marked yet')
  await log.mark(7, late)
  await stream.until((s) => s.events().includes('late-b'))
  t.strictSame(stream.events(), ['first', 'second', 'late-a', 'late-b'])
  const listed = await client.request<{ data: unknown[] }>('GET', '/events?limit=4', { key: workspace.key })
  const sent = stream.messages.filter(({ name }) => name === 'event').map(({ data }) => data)
  const byId = (events: unknown[]) => events.map((event) => JSON.stringify(event)).sort()
  t.strictSame(byId(sent), byId(listed.body.data), 'the same as in the listing')
  stream.close()
})

t.test('a reader that reconnects gets the missed events, on another process too', async (t) => {
  const own = await api.workspace('Resumed')
  const stream = await follow(own.key)
  await log.store(own.id, 1, ['a', 'b', 'c', 'd'])
  await stream.until((s) => s.events().length === 4)
  stream.close()
  // An id in the middle of one burst.
  const middle = stream.messages.find(({ data }) => data.event === 'b')?.id
  await log.store(own.id, 2, ['e'], { receivedAt: Date.now() - 900 })
  await log.store(own.id, 11, ['f'])
  const rest = await follow(own.key, { lastId: middle })
  await rest.until((s) => s.events().length >= 4)
  t.strictSame(rest.events(), ['c', 'd', 'e', 'f'])
  const other = await startStage(api)
  t.teardown(() => other.stop())
  const elsewhere = await openStream(other.url ?? '', own.key, { lastId: rest.lastId() })
  await log.store(own.id, 2, ['g'])
  await elsewhere.until((s) => s.events().length > 0)
  t.strictSame(elsewhere.events(), ['g'])
  t.ok(rest.messages.every(({ name }) => name !== 'gap'))
  await other.stop()
  await elsewhere.until((s) => s.ended())
  t.match(elsewhere.messages.at(-1), { name: 'end', data: { code: 'UNAVAILABLE' } })
  rest.close()
})

t.test('a reader that is cut off repeatedly misses and repeats no event', async (t) => {
  const own = await api.workspace('Cut')
  const sent: string[] = []
  const seen: string[] = []
  let lastId = (await follow(own.key)).lastId()
  for (let round = 0; round < 4; round++) {
    for (let block = 0; block < 5; block++) {
      const names = [0, 1, 2].map((i) => `r${round}b${block}e${i}`)
      sent.push(...names)
      await log.store(own.id, (round * 5 + block * 7) % 12, names, { receivedAt: Date.now() - block * 300 })
    }
    const stream = await openStream(url, own.key, { lastId })
    await stream.until((s) => s.events().length >= 1 + round)
    stream.close()
    seen.push(...stream.events())
    lastId = stream.lastId()
  }
  const last = await openStream(url, own.key, { lastId })
  await last.until((s) => seen.length + s.events().length >= sent.length && live(s))
  seen.push(...last.events())
  last.close()
  t.strictSame(seen.sort(), sent.sort())
})

t.test('a stream can be limited to one event name, with its rate', async (t) => {
  const own = await api.workspace('Filtered')
  await log.store(own.id, 4, ['wanted', 'other'], { receivedAt: Date.now() - 2_000 })
  const stream = await follow(own.key, { path: '/events/live?event=wanted' })
  await log.store(own.id, 5, ['other', 'wanted'])
  const total = () => {
    const counts = new Map<string, number>()
    for (const { name, data } of stream.messages)
      if (name === 'rate')
        for (const { at, count } of data.counts as { at: string; count: number }[]) counts.set(at, count)
    return [...counts.values()].reduce((sum, count) => sum + count, 0)
  }
  await stream.until(() => total() >= 2)
  t.equal(total(), 2, 'those before it was opened, too')
  t.strictSame([...new Set(stream.events())], ['wanted'])
  stream.close()
})

t.test('if there are too many events, the newest are sent with the number of skipped ones', async (t) => {
  const own = await api.workspace('Flood')
  const stream = await follow(own.key)
  const { id } = [...stream.messages].reverse().find((message) => message.id !== undefined) ?? {}
  const names = Array.from({ length: 450 }, (_, i) => `n${i}`)
  await log.store(own.id, 6, names)
  await stream.until((s) => s.events().length === 200)
  t.strictSame(stream.events(), names.slice(-200))
  t.match(stream.messages.find(({ name }) => name === 'gap')?.data, { skipped: 250 })
  stream.close()
  const back = await follow(own.key, { lastId: id })
  await back.until((s) => s.events().length >= names.length)
  t.strictSame(back.events(), names, 'what was missed comes whole')
  back.close()
  for (const partition of [6, 8, 9]) await log.store(own.id, partition, Array<string>(499).fill('more'))
  // A process that has not polled before sees all events immediately.
  const other = await startStage(api)
  t.teardown(() => other.stop())
  const later = await openStream(other.url ?? '', own.key, { lastId: id })
  await later.until(live)
  t.equal(later.events().length, 200)
  t.match(later.messages.find(({ name }) => name === 'gap')?.data, { skipped: 450 + 3 * 499 - 200 })
  later.close()
})

t.test(
  'a reader that pauses is sent little more, and the events it misses come later or are counted',
  async (t) => {
    const own = await api.workspace('Slow')
    const stream = await follow(own.key)
    stream.pause()
    const names: string[] = []
    // More than a connection's buffers hold.
    for (let block = 0; block < 14; block++) {
      const some = Array.from({ length: 60 }, (_, i) => `s${block}-${i}`)
      names.push(...some)
      await log.store(own.id, block % 12, some, { text: 'x'.repeat(8_000) })
      await new Promise((resolve) => setTimeout(resolve, 80))
    }
    stream.resume()
    const skipped = () =>
      stream.messages.reduce((sum, { name, data }) => sum + (name === 'gap' ? Number(data.skipped) : 0), 0)
    await stream.until((s) => s.events().length + skipped() >= names.length)
    const seen = stream.events()
    t.equal(new Set(seen).size, seen.length)
    t.equal(seen.length + skipped(), names.length)
    t.equal(seen.at(-1), names.at(-1))
    t.ok(skipped() > 0, 'it was too far behind for all of it')
    stream.close()
  },
)

t.test('ids that no stream has sent are refused', async (t) => {
  const own = await api.workspace('Hostile')
  const stream = await follow(own.key)
  const id = stream.lastId() ?? ''
  stream.close()
  const other = await api.workspace('Other')
  const forged = new CursorTexts(Buffer.alloc(32, 9)).write(
    {
      from: { at: Date.now(), since: 0, logs: new Map([[log.id, [0]]]) },
      to: { at: Date.now(), since: 0, logs: new Map([[log.id, [9_999_999]]]) },
      after: undefined,
    },
    own.id,
  )
  const hostile = [
    '1',
    'x'.repeat(4_000),
    `${id}A`,
    id.slice(1),
    id.slice(0, -1),
    "'; drop table events",
    forged,
  ]
  for (const lastId of hostile) {
    const headers = { 'Last-Event-ID': lastId }
    const answer = await client.refused('GET', '/events/live', { key: own.key, headers })
    t.strictSame(
      [answer.status, answer.body.details[0]?.path],
      [400, 'header.Last-Event-ID'],
      lastId.slice(0, 30),
    )
  }
  const foreign = { key: other.key, headers: { 'Last-Event-ID': id } }
  t.equal((await client.refused('GET', '/events/live', foreign)).status, 400, "another workspace's")
  for (const path of ['/events/live?event=', '/events/live?event=%20', '/events/live?limit=1'])
    t.equal((await client.refused('GET', path, { key: own.key })).status, 400, path)
})

t.test('a stream with an id that is too old or not yet stored begins anew and reports a gap', async (t) => {
  const own = await api.workspace('Old')
  const texts = new CursorTexts(api.secretKey)
  const at = Date.now()
  const beyond = { at, since: at, logs: new Map([[log.id, [1e9]]]) }
  const old = { at: at - 3_700_000, since: 0, logs: new Map([[log.id, [0]]]) }
  for (const position of [beyond, old]) {
    const lastId = texts.write({ from: position, to: position, after: undefined }, own.id)
    const stream = await follow(own.key, { lastId })
    t.strictSame(stream.messages[0], { name: 'gap', id: undefined, data: { skipped: null } })
    stream.close()
  }
})

t.test('a revoked key ends its streams, and so does the end of the server', async (t) => {
  const own = await api.workspace('Revoked')
  const kept = await follow(own.session)
  const stream = await follow(own.key)
  await revokeKey(api.sql, { workspaceId: own.id, id: own.keyId, now: new Date() })
  await stream.until((s) => s.ended())
  t.match(stream.messages.at(-1), { name: 'end', data: { code: 'UNAUTHENTICATED' } })
  t.notOk(kept.ended())
  kept.close()
})

t.test('signing out ends the streams of the browser', async (t) => {
  const own = await api.workspace('Signed out')
  const fromConsole = { 'X-Svc-Console': '1' }
  const { headers } = await client.request('POST', '/sessions', { key: own.session, headers: fromConsole })
  const cookie = String(headers['set-cookie']).split(';')[0] ?? ''
  const stream = await follow('', { cookie })
  const out = await client.request('DELETE', '/sessions/current', {
    headers: { Cookie: cookie, ...fromConsole },
  })
  t.equal(out.status, 204)
  await stream.until((s) => s.ended())
  t.match(stream.messages.at(-1), { name: 'end', data: { code: 'UNAUTHENTICATED' } })
})

t.test('the number of streams of a workspace is limited, and one that ends makes room', async (t) => {
  const own = await api.workspace('Many')
  const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(url, own.key)))
  t.strictSame([...new Set(streams.map(({ status }) => status))], [200])
  const refused = await client.refused('GET', '/events/live', { key: own.key })
  t.strictSame(
    [refused.status, refused.body.code, refused.headers['retry-after']],
    [429, 'RATE_LIMITED', '10'],
  )
  t.equal((await client.request('HEAD', '/events/live', { key: workspace.key })).status, 200)
  streams[0]?.close()
  await waitUntil(async () => {
    const again = await openStream(url, own.key)
    streams.push(again)
    return again.status === 200
  })
  for (const stream of streams) stream.close()
})
