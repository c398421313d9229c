import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import express from 'express'
import t, { type Test } from 'tap'
import { packageRoot } from '../../runtime/package-root.js'
import { until } from '../../test/support/service.js'
import { exposure, fetchHandler, nodeHandler } from './support/ingestion.js'
import { type StandIn, type Step, startStandIn } from './support/serving.js'

const HERO: Step = { experiments: { hero: true } }
const PAUSED: Step = { experiments: {} }
const HOUR = 60 * 60_000
/** A relay that polls asks again this long after the first failure. */
const RETRY_MS = 500

t.setTimeout(600_000)

/** Lets the relay's clock jump. */
const real = performance.now.bind(performance)
let ahead = 0
performance.now = () => real() + ahead
t.afterEach(() => {
  ahead = 0
})

interface Site {
  readonly url: string
  readonly relay: ReturnType<typeof nodeHandler>
  readonly said: string[]
  script(headers?: Record<string, string>): Promise<string>
}

async function siteOf(t: Test, svc: { readonly url: string }, options: { ignoreCrawlers?: boolean } = {}) {
  const said: string[] = []
  const onError = ({ message }: { message: string }): void => void said.push(message)
  const relay = nodeHandler({ ingestUrl: svc.url, serverKey: 'key', closeWithinMs: 100, onError, ...options })
  const server = createServer(relay)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    await relay.close()
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const script = async (headers = {}): Promise<string> =>
    (await fetch(`${url}/_svc/state.js?page=1`, { headers })).text()
  return { url, relay, said, script } satisfies Site
}

const followed = <T>(read: () => T | Promise<T>, isSo: (value: T) => boolean): Promise<T> =>
  until(async () => read(), isSo)

/** A site whose relay has its first state, for which a page waits a second at most. */
async function readySiteOf(...of: Parameters<typeof siteOf>): ReturnType<typeof siteOf> {
  const site = await siteOf(...of)
  await site.relay.ready()
  await followed(site.relay.state, (state) => state !== null)
  return site
}

async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const begun = real()
  return [await work, real() - begun]
}

const gaps = ({ asked }: StandIn): number[] =>
  asked.slice(1).map(({ at }, index) => at - (asked[index]?.at ?? 0))

t.test('state.js sets one global, and may not be cached', async (t) => {
  const svc = await startStandIn(t, { experiments: { hero: true, price: 'b', constructor: 'c' } })
  const { url, relay } = await readySiteOf(t, svc)
  const answer = await fetch(`${url}/_svc/state.js`)
  t.equal(answer.status, 200)
  t.match(answer.headers.get('content-type'), /^text\/javascript\b/)
  t.equal(answer.headers.get('cache-control'), 'no-store')
  t.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  const script = await answer.text()
  t.equal(
    script,
    'globalThis.svcState={"version":1,"experiments":{"hero":true,"price":"b","constructor":"c"}}',
  )
  const page: { svcState?: unknown } = {}
  runInNewContext(script, page)
  t.same(page.svcState, relay.state())
  const head = await fetch(`${url}/_svc/state.js`, { method: 'HEAD' })
  t.same([head.status, await head.text()], [200, ''])
  t.equal((await fetch(`${url}/_svc/state.js`, { method: 'POST', body: '{}' })).status, 405)
  t.equal((await fetch(`${url}/_svc/my-state.js`)).status, 405)
  t.equal(svc.asked[0]?.key, 'Bearer key')
})

t.test('state.js is matched by its last path segment, because Express strips the folder', async (t) => {
  const svc = await startStandIn(t, HERO)
  const { relay } = await readySiteOf(t, svc)
  const app = express().use('/_svc', express.json(), relay)
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/_svc`
  t.match(await (await fetch(`${url}/state.js`)).text(), /"hero":true/)
  const body = JSON.stringify(exposure('express'))
  t.equal((await fetch(`${url}/exposures`, { method: 'POST', body })).status, 204)
})

t.test('the state is one frozen object until something changes, asked for every three seconds', async (t) => {
  const svc = await startStandIn(t, HERO)
  const { relay, said, script } = await readySiteOf(t, svc)
  const before = relay.state()
  t.same(before, { version: 1, experiments: { hero: true } })
  t.ok(Object.isFrozen(before) && Object.isFrozen(before?.experiments))
  await followed(
    () => svc.asked.length,
    (count) => count >= 2,
  )
  t.match(svc.asked[1]?.etag, /^"/, 'the second question names what is known')
  t.equal(relay.state(), before, 'the same object')
  svc.answer({ experiments: { hero: 'b' } })
  await followed(script, (text) => text.includes('"hero":"b"'))
  t.not(relay.state(), before)
  // A busy machine may be late with some of them.
  t.ok(gaps(svc).every((gap) => gap > 2_000) && Math.min(...gaps(svc)) < 4_000, `${gaps(svc)} ms`)
  t.same(said, [])
})

t.test('the state as an attribute is escaped, for templates that do not escape', async (t) => {
  const svc = await startStandIn(t, HERO)
  const { relay } = await siteOf(t, svc)
  t.equal(relay.stateAttribute(), 'null')
  await relay.ready()
  const attribute = relay.stateAttribute()
  t.notMatch(attribute, /["'<>]/)
  t.same(JSON.parse(attribute.replaceAll('&#34;', '"')), relay.state())
})

t.test('the first requests after a start wait for the first answer', async (t) => {
  const svc = await startStandIn(t, { ...HERO, waitMs: 300 })
  const { relay, script } = await siteOf(t, svc)
  t.equal(relay.state(), null)
  t.match(await script(), /"hero":true/)
})

t.test(
  'if svc is unreachable, the first requests wait a second in total, and later ones do not wait',
  async (t) => {
    const svc = await startStandIn(t, 'hang')
    const { script, said } = await siteOf(t, svc)
    const begun = real()
    t.same(await Promise.all([script(), script()]), ['globalThis.svcState=null', 'globalThis.svcState=null'])
    t.ok(real() - begun < 1_800, `${Math.round(real() - begun)} ms`)
    const [, later] = await timed(script())
    t.ok(later < 900, `${Math.round(later)} ms`)
    await followed(
      () => svc.asked.length,
      (count) => count >= 2,
    )
    t.equal(said.length, 1, 'a question that is not answered within two seconds has failed')
  },
)

t.test('a gateway that has no state yet is asked again within the second', async (t) => {
  let shown = ''
  // A busy machine may be late with some of them.
  for (let i = 0; i < 5 && !shown.includes('"hero":true'); i++) {
    const svc = await startStandIn(t, { status: 503 })
    const { script } = await siteOf(t, svc)
    setTimeout(() => svc.answer(HERO), 200)
    shown = await script()
  }
  t.match(shown, /"hero":true/)
})

t.test('while svc fails, the last state is served at once, and svc is asked again soon', async (t) => {
  const svc = await startStandIn(t, HERO)
  const { said, script } = await readySiteOf(t, svc)
  svc.answer({ status: 503 })
  const failed = svc.asked.length
  await followed(
    () => svc.asked.length,
    (count) => count >= failed + 4,
  )
  // A busy machine may be late with some of them.
  let fastest = Number.POSITIVE_INFINITY
  for (let i = 0; i < 5; i++) {
    const [text, took] = await timed(script())
    t.match(text, /"hero":true/)
    fastest = Math.min(fastest, took)
  }
  t.ok(fastest < 500)
  const waits = gaps(svc).slice(failed)
  for (const [index, least] of [500, 1_000, 2_000].entries()) {
    const wait = waits[index] ?? 0
    t.ok(wait >= least / 2, `${Math.round(wait)} ms after failure ${index + 1}`)
  }
  svc.answer({ status: 200, body: '{"version":2,"experiments":{}}' })
  await followed(
    () => svc.asked.length,
    (count) => count >= failed + 5,
  )
  t.match(await script(), /"hero":true/, 'an unknown version is a failure')
  svc.answer(PAUSED)
  await followed(script, (now) => !now.includes('hero'))
  t.same(said.length, 1, 'one report for a row of failures')
  t.match(said[0], /503/)
})

t.test('the last answer of svc is valid for an hour', async (t) => {
  const svc = await startStandIn(t, HERO)
  const { relay, said, script } = await readySiteOf(t, svc)
  svc.answer({ status: 401 })
  await followed(
    () => said.length,
    (count) => count === 1,
  )
  ahead = HOUR - 10_000
  t.match(await script(), /"hero":true/)
  ahead = HOUR + 10_000
  t.equal(await script(), 'globalThis.svcState=null')
  t.equal(relay.state(), null)
  await followed(
    () => said.length,
    (count) => count === 2,
  )
  t.match(said[1], /an hour/)
  svc.answer(HERO)
  await followed(script, (text) => text.includes('"hero":true'))
})

t.test('a closed relay does not poll any more', async (t) => {
  const svc = await startStandIn(t, { status: 503 })
  const { relay, said } = await siteOf(t, svc)
  const ready = relay.ready()
  await followed(
    () => said.length,
    (count) => count === 1,
  )
  await relay.close()
  await ready
  await sleep(RETRY_MS + 200)
  t.equal(svc.asked.length, 1)
})

const HEADLESS = { 'user-agent': 'Mozilla/5.0 (X11) HeadlessChrome/141.0' }

t.test('crawlers see the control and shipped variants, and are not counted', async (t) => {
  const svc = await startStandIn(t, { experiments: { hero: true, price: 'b' } })
  const post = async (url: string): Promise<number> => {
    const body = JSON.stringify(exposure('robot'))
    return (await fetch(`${url}/_svc/exposures`, { method: 'POST', headers: HEADLESS, body })).status
  }
  const { url, relay, script } = await readySiteOf(t, svc)
  t.match(await script(HEADLESS), /\{"price":"b"\}/)
  t.match(await script(), /"hero":true/)
  t.same(relay.state(HEADLESS['user-agent'])?.experiments, { price: 'b' })
  t.equal(await post(url), 204)
  await relay.close()
  t.same(svc.events, [])
  const counting = await readySiteOf(t, svc, { ignoreCrawlers: false })
  t.match(await counting.script(HEADLESS), /"hero":true/)
  t.equal(await post(counting.url), 204)
  await followed(
    () => svc.events.length,
    (count) => count === 1,
  )
})

t.test('without Sec-Fetch-Site the origin of the page has to be the host', async (t) => {
  const svc = await startStandIn(t, HERO)
  const { url, said } = await siteOf(t, svc)
  const send = async (headers: Record<string, string>): Promise<number> => {
    const body = JSON.stringify(exposure('origin'))
    return (await fetch(`${url}/_svc/exposures`, { method: 'POST', headers, body })).status
  }
  t.equal(await send({}), 204, 'no browser')
  t.equal(await send({ origin: url }), 204)
  t.equal(await send({ origin: 'https://shop.example', 'x-forwarded-host': 'shop.example' }), 204)
  t.equal(await send({ origin: 'https://other.example', 'sec-fetch-site': 'same-origin' }), 204)
  t.same(
    said.filter((message) => /refused/.test(message)),
    [],
  )
  for (const origin of ['https://other.example', 'null', 'https://127.0.0.1.example'])
    t.equal(await send({ origin }), 403, origin)
  t.equal(await send({ origin: url, 'sec-fetch-site': 'cross-site' }), 403)
  t.match(
    said.filter((message) => /refused/.test(message)),
    [/https:\/\/other\.example.*X-Forwarded-Host/],
    'told once',
  )
})

t.test(
  'an exposure to an experiment that is not served is passed on, and reported once an hour',
  async (t) => {
    const svc = await startStandIn(t, HERO)
    const { url, relay, said, script } = await readySiteOf(t, svc)
    const send = async (visitor: string, experiment = 'hero'): Promise<void> => {
      const body = JSON.stringify(exposure(visitor, experiment))
      t.equal((await fetch(`${url}/_svc/exposures`, { method: 'POST', body })).status, 204)
    }
    await script()
    await send('a')
    svc.answer(PAUSED)
    await followed(script, (text) => !text.includes('hero'))
    await send('b')
    ahead += 29_000
    await send('c')
    t.same(said, [], 'pages that were open may still send')
    ahead += 2_000
    await send('d')
    t.match(said, [/still shows hero.*no longer serves.*state\.js/])
    await send('e')
    await send('f', 'never-served')
    ahead += HOUR - 10_000
    const count = svc.asked.length
    await followed(
      () => svc.asked.length,
      (now) => now > count + 1,
    )
    await send('g')
    t.equal(said.length, 1)
    ahead += 10_001
    await send('h', 'never-served')
    t.equal(said.length, 2)
    ahead = 0
    await relay.close()
    t.same(svc.events.map(({ anonymousId }) => anonymousId).sort(), ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
  },
)

t.test('a relay whose state.js no page requests is reported', async (t) => {
  const svc = await startStandIn(t, HERO)
  const old = await siteOf(t, svc)
  await followed(
    () => svc.asked.length,
    (count) => count > 0,
  )
  await fetch(`${old.url}/_svc/exposures`, { method: 'POST', body: JSON.stringify(exposure('early')) })
  t.same(old.said, [], 'a page of before the deploy may send')
  ahead = 61_000
  for (const visitor of ['a', 'b'])
    await fetch(`${old.url}/_svc/exposures`, { method: 'POST', body: JSON.stringify(exposure(visitor)) })
  t.match(old.said, [/state\.js.*mount the relay on the whole folder/])
  const silent = await siteOf(t, svc)
  await followed(
    () => svc.asked.length,
    (count) => count >= 3,
  )
  t.same(silent.said, [])
  ahead += 10 * 60_000 + 1
  await followed(
    () => silent.said.length,
    (count) => count > 0,
  )
  t.match(silent.said, [/experiments are running.*state\.js/])
})

function edgeOf(t: Test, svc: { readonly url: string }) {
  const said: string[] = []
  const relay = fetchHandler({
    ingestUrl: svc.url,
    serverKey: 'key',
    onError: ({ message }) => void said.push(message),
  })
  t.teardown(() => relay.close())
  const works: Promise<unknown>[] = []
  const context = { waitUntil: (work: Promise<unknown>) => void works.push(work) }
  const script = async (given: unknown = context): Promise<string> =>
    (await relay(new Request('https://shop.example/_svc/state.js'), given)).text()
  return { relay, said, works, context, script }
}

t.test('on a platform without timers, the age of the last answer decides when svc is asked', async (t) => {
  const svc = await startStandIn(t, HERO)
  const { relay, script, works, context } = edgeOf(t, svc)
  t.equal(relay.state(), null)
  // A busy machine may need several pages, because each waits a second at most.
  t.match(await followed(script, (text) => text.includes('hero')), /"hero":true/, 'the first page waits')
  const first = svc.asked.length
  svc.answer(PAUSED)
  ahead += 1_500
  t.match(await script(), /"hero":true/)
  t.equal(svc.asked.length, first, 'young enough')
  ahead += 1_500
  t.match(await script(), /"hero":true/, 'answered at once')
  await Promise.all(works)
  t.equal(svc.asked.length, first + 1, 'asked meanwhile')
  t.notMatch(await script(), /hero/)
  svc.answer(HERO)
  ahead += 6_000
  await relay.ready(context)
  await Promise.all(works)
  t.same(relay.state()?.experiments, { hero: true }, 'too old: asked before')
  svc.answer({ status: 503 })
  ahead += 6_000
  await relay.ready(context)
  await sleep(RETRY_MS + 200)
  t.equal(svc.asked.length, first + 3, 'nothing is asked outside of requests')
})

t.test(
  'on a platform without timers, a page waits a second at most, and not at all after a failure',
  async (t) => {
    const svc = await startStandIn(t, HERO)
    const { script, said, works } = edgeOf(t, svc)
    await followed(script, (text) => text.includes('hero'))
    svc.answer('hang')
    ahead += 6_000
    const [text, took] = await timed(script())
    t.match(text, /"hero":true/, 'the last known')
    t.ok(took > 900 && took < 30_000, `${Math.round(took)} ms`)
    await Promise.all(works)
    t.equal(said.length, 1)
    ahead += 6_000
    const count = svc.asked.length
    const [, later] = await timed(Promise.all([script(), script(), script()]))
    t.ok(later < 900, `${Math.round(later)} ms`)
    await Promise.race([Promise.all(works), sleep(300)])
    t.equal(svc.asked.length, count + 1, 'one question in two seconds')
  },
)

t.test('a fetch handler with timers asks by itself from its first use on', async (t) => {
  const svc = await startStandIn(t, HERO)
  const { relay, script } = edgeOf(t, svc)
  await fetch(svc.url, { method: 'POST', body: '{"events":[]}' })
  t.equal(svc.asked.length, 0, 'no question came before a later request')
  await followed(
    () => script(null),
    (text) => text.includes('"hero":true'),
  )
  svc.answer(PAUSED)
  await followed(
    () => relay.state()?.experiments,
    (experiments) => experiments?.hero === undefined,
  )
})

t.test('the README lists the crawlers', async (t) => {
  const { CRAWLERS } = (await import(join(packageRoot(), 'relay', 'crawler.mjs'))) as { CRAWLERS: string[] }
  const readme = readFileSync(join(packageRoot(), 'relay', 'README.md'), 'utf8').replace(/\s+/g, ' ')
  t.ok(readme.includes(`: ${CRAWLERS.join(', ')}.`))
})
