import { randomBytes } from 'node:crypto'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { formatKey } from '../../domain/key.js'
import { readHeader } from '../../log/record.js'
import { waitUntil } from '../../test/support/wait-until.js'
import { makeGateway, makeWorkspace, metric, startStores } from './support/gateway.js'
import { type Answer, inTurn, isTurnedAway, wire } from './support/wire.js'

const stores = await startStores()
t.teardown(() => stores.stop())
const workspace = await makeWorkspace(stores)
let skippedMs = 0
let heldAt: number | undefined
const gateway = await makeGateway(stores, {
  clock: () => (heldAt ?? performance.now()) + skippedMs,
  trustedProxies: ['127.0.0.1'],
})
t.teardown(() => gateway.stop())

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const MIB = 1024 * 1024
const one = JSON.stringify({ events: [{ event: 'page_viewed', userId: 'u1' }] })

interface Request {
  readonly method?: string
  readonly path?: string
  readonly body?: string | Buffer
  /** Undefined omits a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>
}

/** A request with a valid key, unless its headers differ. */
function requestBytes(request: Request): Buffer {
  const body = Buffer.from(request.body ?? one)
  const headers = {
    Host: 'localhost',
    Authorization: `Bearer ${workspace.serverKey}`,
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    ...request.headers,
  }
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}\r\n`],
  )
  const head = `${request.method ?? 'POST'} ${request.path ?? '/v1/events'} HTTP/1.1\r\n${lines.join('')}\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

async function send(request: Request): Promise<Answer> {
  const { answers } = await wire(gateway.port, [requestBytes(request)], { toHead: request.method === 'HEAD' })
  const answer = answers[0]
  if (answer === undefined) throw new Error('no answer')
  return answer
}

async function rowsAppended(action: () => Promise<unknown>): Promise<number> {
  const before = gateway.appended.length
  await action()
  return gateway.appended.slice(before).reduce((sum, record) => sum + readHeader(record.payload).count, 0)
}

/** An error in the contract's form. */
function refused(t: Test, answer: Answer, status: number, code: string, field?: string | null): void {
  t.equal(answer.status, status, `${status} ${code}`)
  const body = JSON.parse(answer.text) as Record<string, unknown>
  t.equal(body.code, code)
  t.same(Object.keys(body), ['code', 'message', 'requestId', 'details', 'field'])
  t.type(body.message, 'string')
  t.ok(Array.isArray(body.details))
  t.equal(body.requestId, answer.headers['x-request-id'])
  t.match(answer.headers['x-request-id'], UUID_V7)
  t.equal(answer.headers['content-type'], 'application/json')
  if (field !== undefined) t.equal(body.field, field)
}

t.test('a batch is recorded and answered', async (t) => {
  const before = gateway.appended.length
  const earliest = Date.now()
  const answer = await send({})
  t.equal(answer.status, 202)
  t.match(answer.headers['x-request-id'], UUID_V7)
  t.equal(answer.headers['content-type'], 'application/json')
  t.same(JSON.parse(answer.text), { accepted: 1, requestId: answer.headers['x-request-id'] })
  const record = gateway.appended[before]
  if (record === undefined) throw new Error('nothing was appended')
  const header = readHeader(record.payload)
  t.equal(header.workspaceId, workspace.id)
  t.equal(header.keyId, workspace.keyId)
  t.equal(header.count, 1)
  t.ok(header.receivedAt >= earliest && header.receivedAt <= Date.now())
  t.equal(await metric(gateway, 'svc_ingest_events_accepted_total'), 1)
  t.equal(await metric(gateway, 'svc_ingest_requests_total', { route: 'events', status: '202' }), 1)
  t.equal(await metric(gateway, 'svc_ingest_bytes_in_flight'), 0)
  t.equal(await metric(gateway, 'svc_ingest_body_bytes_total'), one.length)
})

t.test('fetch can send a batch', async (t) => {
  const answer = await fetch(`${gateway.url}/v1/events?ignored=1`, {
    method: 'POST',
    headers: { authorization: `bEaReR ${workspace.serverKey}` },
    body: new TextEncoder().encode(one),
  })
  t.equal(answer.status, 202)
})

t.test('unknown paths are 404 and other methods 405', async (t) => {
  for (const path of [
    '/',
    '/v1',
    '/v1/events/',
    '/v1/alias/',
    '/v1/Events',
    '/v2/events',
    '//v1/events',
    '/v1/__proto__',
    '/__proto__',
  ])
    refused(t, await send({ path }), 404, 'NOT_FOUND', null)
  for (const path of ['/v1/events', '/v1/alias'])
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
      const answer = await send({ path, method })
      refused(t, answer, 405, 'METHOD_NOT_ALLOWED', null)
      t.equal(answer.headers.allow, 'POST')
    }
  const head = await wire(
    gateway.port,
    [requestBytes({ method: 'HEAD', body: '', headers: { 'Content-Length': undefined } })],
    { toHead: true },
  )
  t.equal(head.answers.length, 1)
  t.equal(head.answers[0]?.status, 405)
  t.equal(head.answers[0]?.headers.allow, 'POST')
  // Without a key: the path is checked first.
  refused(t, await send({ path: '/nothing', headers: { Authorization: undefined } }), 404, 'NOT_FOUND')
})

t.test('a HEAD is answered without a body', async (t) => {
  const get = requestBytes({ method: 'GET', path: '/x', body: '', headers: { 'Content-Length': undefined } })
  const head = requestBytes({
    method: 'HEAD',
    path: '/x',
    body: '',
    headers: { 'Content-Length': undefined },
  })
  const result = await wire(gateway.port, [head, { answers: 1 }, get], { expect: 2, toHead: true })
  // With a body, the second response would not be parsed after the first one's headers.
  t.same(result.answers.map((answer) => answer.status).slice(0, 2), [404, 404])
})

t.test('missing, damaged and other keys are refused', async (t) => {
  const damaged = `${workspace.serverKey.slice(0, -1)}${workspace.serverKey.endsWith('0') ? '1' : '0'}`
  for (const authorization of [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Basic dXNlcjpwYXNz',
    workspace.serverKey,
    `Bearer ${damaged}`,
    `Bearer ${workspace.serverKey} x`,
    `Bearer ${workspace.publishableKey}`,
    `Bearer ${workspace.apiKey}`,
    'Bearer tsk_secret_nothing',
  ]) {
    const answer = await send({ headers: { Authorization: authorization } })
    refused(t, answer, 401, 'UNAUTHENTICATED', null)
    t.equal(answer.headers['www-authenticate'], 'Bearer')
  }
  t.equal((await send({ headers: { Authorization: `BEARER   ${workspace.serverKey}` } })).status, 202)
})

t.test('an address that sends wrong keys is limited, and no known key and no other address', async (t) => {
  await send({})
  heldAt = performance.now()
  t.teardown(() => {
    heldAt = undefined
  })
  const from = (address: string, authorization: string | undefined) =>
    send({ headers: { 'X-Forwarded-For': `1.2.3.4, ${address}`, Authorization: authorization } })
  const unknown = () => `Bearer ${formatKey('server', randomBytes(64))}`
  const sent = [() => undefined, () => 'Basic x', () => `Bearer ${workspace.apiKey}`, unknown]
  const statuses: number[] = []
  for (let i = 0; i < 402; i++) statuses.push((await from('203.0.113.1', sent[i % 4]?.())).status)
  t.strictSame(statuses, [...Array(400).fill(401), 429, 429])
  const limited = await from('203.0.113.1', unknown())
  refused(t, limited, 429, 'RATE_LIMITED')
  t.match(limited.headers, { 'retry-after': '1', 'ratelimit-limit': '200' })
  t.equal((await from('203.0.113.1', `Bearer ${workspace.serverKey}`)).status, 202, 'a known key')
  t.equal((await from('203.0.113.2', unknown())).status, 401, 'another address')
  skippedMs += 1_000
  t.equal((await from('203.0.113.1', unknown())).status, 401, 'a second later')
})

t.test('a request with an Origin header is refused', async (t) => {
  for (const origin of ['https://shop.example', 'null', ''])
    refused(t, await send({ headers: { Origin: origin } }), 403, 'SECRET_KEY_IN_BROWSER', null)
  // The sender is checked first, the body last.
  refused(
    t,
    await send({ headers: { Origin: 'x', Authorization: `Bearer ${workspace.publishableKey}` } }),
    401,
    'UNAUTHENTICATED',
  )
  refused(
    t,
    await send({ body: '{', headers: { Origin: 'x', 'Content-Type': 'text/html' } }),
    403,
    'SECRET_KEY_IN_BROWSER',
  )
})

t.test('only JSON media types and known encodings are accepted', async (t) => {
  for (const type of [
    undefined,
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;x="y"',
    'application/json ; a=b',
  ])
    t.equal((await send({ headers: { 'Content-Type': type } })).status, 202, String(type))
  for (const type of [
    'text/plain',
    'application/jsonx',
    'application/x-ndjson',
    'multipart/form-data; boundary=application/json',
    '',
  ])
    refused(t, await send({ headers: { 'Content-Type': type } }), 415, 'UNSUPPORTED_MEDIA_TYPE', null)
  for (const [encoding, body] of [
    ['gzip', gzipSync(one)],
    ['GZIP', gzipSync(one)],
    ['x-gzip', gzipSync(one)],
    ['', Buffer.from(one)],
    ['deflate', deflateSync(one)],
    ['deflate', deflateRawSync(one)],
    ['br', brotliCompressSync(one)],
    ['identity', Buffer.from(one)],
  ] as const)
    t.equal((await send({ body, headers: { 'Content-Encoding': encoding } })).status, 202, encoding)
  for (const encoding of ['zstd', 'compress', 'gzip, gzip', 'x'])
    refused(t, await send({ headers: { 'Content-Encoding': encoding } }), 415, 'UNSUPPORTED_MEDIA_TYPE', null)
})

t.test('a damaged compressed body is refused', async (t) => {
  for (const [encoding, body] of [
    ['gzip', gzipSync(one)],
    ['deflate', deflateSync(one)],
    ['br', brotliCompressSync(one)],
  ] as const) {
    for (const damaged of [
      Buffer.from(one),
      Buffer.alloc(0),
      body.subarray(0, body.length - 3),
      Buffer.concat([body, Buffer.from('more')]),
    ])
      refused(
        t,
        await send({ body: damaged, headers: { 'Content-Encoding': encoding } }),
        400,
        'MALFORMED_JSON',
        '',
      )
  }
})

t.test('a body that is not JSON is refused', async (t) => {
  for (const body of [
    '',
    '{',
    'null x',
    '{"events":[1,]}',
    Buffer.from([0x7b, 0xff, 0x7d]),
    '\ufeff{}',
    '[1e]',
  ])
    refused(t, await send({ body }), 400, 'MALFORMED_JSON', '')
  refused(t, await send({ body: '', headers: { 'Content-Length': undefined } }), 400, 'MALFORMED_JSON', '')
})

t.test('an invalid event is refused by field, and nothing is recorded', async (t) => {
  const rows = await rowsAppended(async () => {
    refused(t, await send({ body: '[]' }), 400, 'VALIDATION_FAILED', '')
    refused(t, await send({ body: '{}' }), 400, 'VALIDATION_FAILED', 'events')
    const body = JSON.stringify({
      events: [{ event: 'a', userId: 'u' }, { event: 'b' }, { event: 'no spaces', userId: 'u' }],
    })
    const answer = await send({ body })
    refused(t, answer, 400, 'VALIDATION_FAILED', 'events[1].userId')
    t.match(JSON.parse(answer.text), {
      message: /^events\[1\]\.userId .*required.* \(and 1 more\)$/,
      details: [
        { path: '/events/1/userId' },
        { path: '/events/2/event', message: /^events\[2\]\.event must/ },
      ],
    })
  })
  t.equal(rows, 0)
})

t.test('500 events are accepted, 501 are refused', async (t) => {
  const events = (count: number) =>
    JSON.stringify({ events: Array.from({ length: count }, (_, i) => ({ event: 'e', userId: `u${i}` })) })
  t.equal(await rowsAppended(async () => t.equal((await send({ body: events(500) })).status, 202)), 500)
  t.equal(
    await rowsAppended(async () =>
      refused(t, await send({ body: events(501) }), 400, 'VALIDATION_FAILED', 'events'),
    ),
    0,
  )
})

t.test('8 MiB are accepted, a byte more is refused', async (t) => {
  const padded = (bytes: number): Buffer => Buffer.from(one.padEnd(bytes, ' '))
  // Compresses to about a fortieth, since much smaller ones are refused.
  const filled = (bytes: number): Buffer =>
    Buffer.from(`${one.slice(0, -1)},"x":"${randomBytes(bytes / 40).toString('hex')}"}`.padEnd(bytes, ' '))
  t.equal(filled(8 * MIB).length, 8 * MIB)
  t.equal((await send({ body: padded(8 * MIB) })).status, 202)
  refused(t, await send({ body: padded(8 * MIB + 1) }), 413, 'PAYLOAD_TOO_LARGE', null)
  for (const [encoding, compress] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } })],
  ] as const) {
    t.equal(
      (await send({ body: compress(filled(8 * MIB)), headers: { 'Content-Encoding': encoding } })).status,
      202,
    )
    refused(
      t,
      await send({ body: compress(filled(8 * MIB + 1)), headers: { 'Content-Encoding': encoding } }),
      413,
      'PAYLOAD_TOO_LARGE',
    )
  }
  // The declared length is enough; the connection can be used again.
  const result = await wire(gateway.port, [requestBytes({ body: padded(8 * MIB + 1) }), requestBytes({})], {
    expect: 2,
  })
  t.same(
    result.answers.map((answer) => answer.status),
    [413, 202],
  )
  const huge = await wire(
    gateway.port,
    [requestBytes({ body: '', headers: { 'Content-Length': '999999999' } }), 100, Buffer.alloc(100_000)],
    { expect: 2 },
  )
  t.same(
    huge.answers.map((answer) => answer.status),
    [413],
  )
  t.ok(huge.closed)
  t.equal(gateway.stage.name, 'ingest')
})

t.test('a decompression bomb is refused without using memory', async (t) => {
  const bomb = gzipSync(Buffer.alloc(500 * MIB))
  const before = process.memoryUsage().rss
  for (let i = 0; i < 20; i++)
    // The key may waste this much in two seconds; then each is refused before its body is read.
    t.match((await send({ body: bomb, headers: { 'Content-Encoding': 'gzip' } })).status, /^(413|429)$/)
  t.ok(process.memoryUsage().rss - before < 150 * MIB)
})

t.test('refused work counts against the key that sent it, and against no other key', async (t) => {
  const { serverKey } = await makeWorkspace(stores)
  const other = { Authorization: `Bearer ${serverKey}` }
  const wrong = [
    [
      'wrong events',
      JSON.stringify({ events: Array.from({ length: 500 }, () => ({ a: Array(40).fill([]) })) }),
      {},
    ],
    ['a bomb', gzipSync(Buffer.alloc(8 * MIB, ' ')), { 'Content-Encoding': 'gzip' }],
    ['damaged', gzipSync(Buffer.alloc(8_000, ' ')).subarray(0, 30), { 'Content-Encoding': 'gzip' }],
    ['values that no event needs', unneeded(300_000), {}],
  ] as const
  for (const [name, body, encoding] of wrong) {
    const headers = { ...other, ...encoding }
    let answer = await send({ body, headers })
    for (let i = 1; i < 2_000 && answer.status !== 429; i++) answer = await send({ body, headers })
    refused(t, answer, 429, 'RATE_LIMITED')
    t.match(answer.headers['retry-after'], /^[1-3]$/, name)
    t.equal((await send({})).status, 202, 'another key may')
    skippedMs += 1_100 * Number(answer.headers['retry-after'])
    t.equal((await send({ headers: other })).status, 202, 'and this one after its time')
  }
})

/** A valid event beside many arrays that are ignored. */
function unneeded(arrays: number): string {
  return `${one.slice(0, -1)},"x":[${Array(arrays).fill('[]').join(',')}]}`
}

t.test('a large body does not block other requests, and is recorded, refused or linked', async (t) => {
  const large = (text: string): string => text.padEnd(600_000, ' ')
  t.equal(await rowsAppended(() => send({ body: large(one) })), 1)
  refused(
    t,
    await send({ body: large('{"events":[{"event":"a"}]}') }),
    400,
    'VALIDATION_FAILED',
    'events[0].userId',
  )
  refused(t, await send({ body: large('{"events":') }), 400, 'MALFORMED_JSON', '')
  const alias = { path: '/v1/alias', body: large('{"anonymousId":"large","userId":"u"}') }
  t.equal((await send(alias)).status, 202)
  refused(t, await send({ ...alias, body: large('{"userId":"u"}') }), 400, 'VALIDATION_FAILED', 'anonymousId')
})

const chunked = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }
const head = (headers: Request['headers']): Buffer => requestBytes({ body: '', headers: headers ?? {} })

t.test('chunked bodies are accepted up to the size limit', async (t) => {
  const chunk = (bytes: string | Buffer): Buffer =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), Buffer.from(bytes), Buffer.from('\r\n')])
  const whole = Buffer.concat([
    head(chunked),
    chunk(one.slice(0, 7)),
    chunk(one.slice(7)),
    Buffer.from('0\r\n\r\n'),
  ])
  const bytewise = [...whole].flatMap((byte, i) =>
    i % 7 === 0 ? [Buffer.from([byte]), 1] : [Buffer.from([byte])],
  )
  for (const parts of [bytewise, [whole]]) {
    const result = await wire(gateway.port, parts)
    t.same(
      result.answers.map((answer) => answer.status),
      [202],
    )
  }
  const pieces = Array.from({ length: 9 }, () => chunk(Buffer.alloc(MIB, 0x20)))
  const large = await wire(gateway.port, [head(chunked), ...pieces, '0\r\n\r\n'])
  t.same(
    large.answers.map((answer) => answer.status),
    [413],
  )
  const gzipped = await wire(gateway.port, [
    head({ ...chunked, 'Content-Encoding': 'gzip' }),
    chunk(gzipSync(one)),
    '0\r\n\r\n',
  ])
  t.same(
    gzipped.answers.map((answer) => answer.status),
    [202],
  )
})

t.test('framing that leaves the length open ends the connection', async (t) => {
  const rows = await rowsAppended(async () => {
    for (const headers of [
      { 'Transfer-Encoding': 'chunked' },
      { ...chunked, 'Transfer-Encoding': 'gzip, chunked' },
      { ...chunked, 'Transfer-Encoding': 'identity' },
      { 'content-length': String(one.length + 1) },
      { 'Content-Length': `${one.length}x` },
      { 'Content-Length': '-1' },
    ]) {
      const result = await wire(gateway.port, [requestBytes({ headers })], { expect: 2 })
      t.ok(isTurnedAway(result), JSON.stringify(headers))
    }
  })
  t.equal(rows, 0)
})

t.test('a connection can be reused after every refusal', async (t) => {
  const requests: Request[] = [
    { path: '/x' },
    { method: 'PUT' },
    { headers: { Authorization: undefined } },
    { headers: { Origin: 'x' } },
    { headers: { 'Content-Type': 'text/html' } },
    { body: '{' },
    { body: '{}' },
    { body: Buffer.alloc(9 * MIB, 0x20) },
    {},
  ]
  const result = await wire(gateway.port, inTurn(requests.map((request) => requestBytes(request))), {
    expect: requests.length,
  })
  t.same(
    result.answers.map((answer) => answer.status),
    [404, 405, 401, 403, 415, 400, 400, 413, 202],
  )
  t.notOk(result.closed)
  for (const { headers } of result.answers) t.equal(headers['keep-alive'], 'timeout=6')
})

t.test('a client that disconnects at any byte leaves nothing behind', async (t) => {
  const bytes = requestBytes({ body: one.padEnd(5_000, ' ') })
  const rows = await rowsAppended(async () => {
    const cuts = Array.from({ length: 60 }, (_, i) => Math.floor((i * (bytes.length - 1)) / 60))
    await Promise.all(
      cuts.map((cut) => wire(gateway.port, [bytes.subarray(0, cut), 20], { expect: 1, waitMs: 0 })),
    )
    await waitUntil(async () => (await metric(gateway, 'svc_ingest_bytes_in_flight')) === 0)
    t.equal((await send({})).status, 202)
  })
  t.equal(rows, 1, 'only the request that was complete')
})

t.test('a batch is recorded even if its client disconnects before the answer', async (t) => {
  let release = (): void => {}
  const reached = new Promise<void>((atLog) => {
    gateway.faults.before = () =>
      new Promise((resolve) => {
        release = resolve
        atLog()
      })
  })
  t.teardown(() => (gateway.faults.before = undefined))
  const rows = await rowsAppended(async () => {
    const left = wire(gateway.port, [requestBytes({})], { waitMs: 100 })
    await reached
    await left
    t.equal(await metric(gateway, 'svc_ingest_bytes_in_flight'), one.length, 'held while the log works on it')
    release()
    await waitUntil(async () => (await metric(gateway, 'svc_ingest_bytes_in_flight')) === 0)
  })
  t.equal(rows, 1, 'recorded all the same')
  t.equal(await metric(gateway, 'svc_ingest_bytes_in_flight'), 0)
})

t.test('every answer has a unique request id', async (t) => {
  const ids = new Set<string>()
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => send(i % 2 === 0 ? {} : { path: '/x' })),
  )
  for (const answer of answers) ids.add(answer.headers['x-request-id'] ?? '')
  t.equal(ids.size, 50)
})

t.test('readiness reports the failure of the log', async (t) => {
  t.same(await gateway.stage.checks(), [
    { name: 'log', ok: true, message: '' },
    { name: 'postgres', ok: true, message: '' },
  ])
  gateway.faults.ping = () => Promise.reject(new Error('disk full'))
  t.teardown(() => (gateway.faults.ping = undefined))
  t.match(await gateway.stage.checks(), [{ name: 'log', ok: false, message: /disk full/ }, { ok: true }])
})

t.test('listening on a port in use is an error', async (t) => {
  const { listenHttp } = await import('../http/uws.js')
  await t.rejects(
    listenHttp({ host: '127.0.0.1', port: gateway.port, exclusivePort: true, handle: () => {} }),
    { message: /cannot listen on 127\.0\.0\.1:\d+: the port is in use/ },
  )
})

t.test('logs contain neither secrets nor bodies', async (t) => {
  const lines = gateway.logged.join('')
  t.notMatch(lines, /tsk_|page_viewed/)
})
