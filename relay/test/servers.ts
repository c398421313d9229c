import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import t, { type Test } from 'tap'
import { until } from '../../test/support/service.js'
import { exposure, fetchHandler, nodeHandler, startFront, startIngestion } from './support/ingestion.js'

const PATH = '/_svc/exposures'
const ingestion = await startIngestion(t)
const front = await startFront(t, ingestion.url)
const options = {
  ingestUrl: front.url,
  serverKey: ingestion.serverKey,
  onError: (failure: { message: string }) => void failures.push(failure.message),
}
const failures: string[] = []

type Post = (
  body: string | Uint8Array,
  headers?: Record<string, string>,
  method?: string,
) => Promise<Response>

const posting =
  (base: string): Post =>
  (body, headers = {}, method = 'POST') =>
    fetch(base + PATH, { method, headers, ...(method === 'POST' ? { body: body as string } : {}) })

async function listen(t: Test, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Headers of a beacon, a fetch with a JSON type, and a page of the same site. */
const BROWSERS: readonly Record<string, string>[] = [
  {
    'content-type': 'text/plain;charset=UTF-8',
    origin: 'https://shop.example',
    'x-forwarded-host': 'shop.example',
    referer: 'https://shop.example/a',
  },
  { 'content-type': 'application/json', origin: 'https://shop.example', 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'same-site' },
]

async function passesOn(t: Test, name: string, post: Post): Promise<void> {
  for (const [i, headers] of BROWSERS.entries()) {
    const answer = await post(JSON.stringify(exposure(`${name}-${i}`)), headers)
    t.equal(answer.status, 204, `${name}: ${JSON.stringify(headers)}`)
    t.equal(await answer.text(), '')
  }
  const extra = { ...exposure(`${name}-extra`), userId: 'somebody', timestamp: '2020-01-01T00:00:00Z' }
  t.equal(
    (await post(JSON.stringify({ ...extra, properties: { ...extra.properties, price: 5 } }))).status,
    204,
  )
  const names = [...BROWSERS.keys(), 'extra'].map((i) => `${name}-${i}`)
  const mine = await until(
    async () => ingestion.recorded().filter(({ anonymousId }) => names.includes(anonymousId)),
    (rows) => rows.length >= names.length,
  )
  t.same(
    mine.map(({ timestamp: _, ...row }) => row).sort((a, b) => (a.anonymousId < b.anonymousId ? -1 : 1)),
    names.map((visitor) => {
      const { event: _, ...sent } = exposure(visitor)
      return sent
    }),
    `${name}: what arrives is an exposure and nothing else`,
  )
  for (const { timestamp } of mine)
    t.ok(Math.abs(timestamp - Date.now()) < 60_000, 'it happened when the relay took it')
}

async function refuses(t: Test, name: string, post: Post): Promise<void> {
  const before = ingestion.recorded().length
  const good = exposure('refused')
  const bad: readonly unknown[] = [
    null,
    [],
    'text',
    {},
    [good],
    { ...good, event: 'purchase' },
    { ...good, anonymousId: '' },
    { ...good, anonymousId: 'x'.repeat(256) },
    { ...good, anonymousId: 'half \ud800' },
    { ...good, properties: { experiment: 'hero' } },
    { ...good, properties: { experiment: 'Not a key', variant: 'b' } },
    { ...good, properties: { experiment: 'hero', variant: ['b'] } },
  ]
  for (const body of bad) {
    const answer = await post(JSON.stringify(body), { 'content-type': 'text/plain;charset=UTF-8' })
    t.equal(answer.status, 400, `${name}: ${JSON.stringify(body)?.slice(0, 80)}`)
    await answer.body?.cancel()
  }
  for (const text of ['', '{', '{"event":'])
    t.equal((await post(text, { 'content-type': 'text/plain' })).status, 400, `${name}: ${text}`)
  t.equal(
    (await post(Uint8Array.of(0x22, 0xff, 0x22), { 'content-type': 'text/plain' })).status,
    400,
    'UTF-8',
  )
  for (const bytes of [9_000, 90_000])
    t.equal((await post(JSON.stringify({ ...good, more: 'x'.repeat(bytes) }))).status, 413, `${bytes} bytes`)
  for (const method of ['GET', 'PUT', 'OPTIONS']) {
    const answer = await post('', {}, method)
    t.equal(answer.status, 405, `${name}: ${method}`)
    t.equal(answer.headers.get('allow'), 'POST')
    t.equal(answer.headers.get('access-control-allow-origin'), null)
  }
  t.equal((await post(JSON.stringify(good), { 'sec-fetch-site': 'cross-site' })).status, 403)
  t.equal(ingestion.recorded().length, before, `${name}: nothing of these is passed on`)
}

async function both(t: Test, name: string, post: Post): Promise<void> {
  await refuses(t, name, post)
  await passesOn(t, name, post)
}

t.test('the relay works behind plain http', async (t) => {
  const handler = nodeHandler(options)
  t.teardown(() => handler.close())
  const server = createServer((request, response) => {
    if (request.url === PATH) handler(request, response)
    else response.writeHead(404).end()
  })
  const base = await listen(t, server)
  await both(t, 'http', posting(base))

  // Without a length, nothing announces that the body is too large or that it ends.
  const address = new URL(base)
  const said = await new Promise<string>((resolve) => {
    const socket = connect(Number(address.port), address.hostname)
    let text = ''
    socket.on('data', (data) => {
      text += data.toString()
    })
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: shop\r\nTransfer-Encoding: chunked\r\n\r\n`)
    const more = setInterval(() => socket.write(`2710\r\n${' '.repeat(10_000)}\r\n`), 1)
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(more)
      resolve(text)
    })
  })
  t.match(said, /^HTTP\/1.1 413 /, 'the answer is there before the end, and the end comes')
})

for (const [name, parsers] of [
  ['express', []],
  ['express-json', [express.json()]],
  ['express-json-text', [express.json(), express.text()]],
  ['express-raw', [express.raw({ type: () => true })]],
] as const)
  t.test(`the relay works behind Express: ${name}`, async (t) => {
    const handler = nodeHandler(options)
    t.teardown(() => handler.close())
    const app = express()
    for (const parser of parsers) app.use(parser)
    app.all(PATH, handler)
    await both(t, name, posting(await listen(t, createServer(app))))
  })

t.test('the relay works behind Fastify, which reads bodies itself', async (t) => {
  const handler = nodeHandler(options)
  t.teardown(() => handler.close())
  const app = fastify()
  app.post(PATH, handler)
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.close())
  await passesOn(t, 'fastify', (body, headers = { 'content-type': 'text/plain' }) =>
    posting(base)(body, { 'content-type': 'text/plain', ...headers }),
  )
  t.equal((await posting(base)('{}', { 'content-type': 'application/json' })).status, 400)
})

t.test("the relay works behind Fastify with requests of Node, before Fastify's parsers", async (t) => {
  const handler = nodeHandler(options)
  t.teardown(() => handler.close())
  const app = fastify()
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url !== PATH) return done()
    reply.hijack()
    handler(request.raw, reply.raw)
  })
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.close())
  await both(t, 'fastify-raw', posting(base))
})

t.test('a body that other middleware has consumed is reported as a mistake of the site', async (t) => {
  const handler = nodeHandler(options)
  t.teardown(() => handler.close())
  const base = await listen(
    t,
    createServer((request, response) => {
      request.resume().on('end', () => handler(request, response))
    }),
  )
  failures.length = 0
  t.equal((await posting(base)(JSON.stringify(exposure('read')))).status, 500)
  t.match(failures, [/read before the relay/])
})

const requesting =
  (handler: ReturnType<typeof fetchHandler>, context?: () => unknown): Post =>
  (body, headers = {}, method = 'POST') =>
    handler(
      new Request(`https://shop.example${PATH}`, {
        method,
        headers,
        ...(method === 'POST' ? { body: body as string } : {}),
      }),
      context?.(),
    )

t.test('the relay works as a fetch handler', async (t) => {
  const handler = fetchHandler(options)
  t.teardown(() => handler.close())
  await both(t, 'fetch', requesting(handler))
})

t.test('on an edge runtime a fetch handler answers 204 after ingestion has accepted', async (t) => {
  const handler = fetchHandler(options)
  const works: Promise<unknown>[] = []
  const post = requesting(handler, () => ({ waitUntil: (work: Promise<unknown>) => void works.push(work) }))
  await refuses(t, 'edge', post)
  t.equal(works.length, 0)
  const answer = await post(JSON.stringify(exposure('edge')))
  t.equal(answer.status, 204)
  t.equal(ingestion.recorded().filter(({ anonymousId }) => anonymousId === 'edge').length, 1)
  t.equal(works.length, 1)
  await passesOn(t, 'edge', post)
})

t.test('ingestion never gets the origin, referer or cookies of a browser', async (t) => {
  t.ok(front.seen.length > 10)
  for (const { headers, status } of front.seen) {
    t.equal(status, 202)
    t.same([headers.origin, headers.referer, headers.cookie], [undefined, undefined, undefined])
  }
})
