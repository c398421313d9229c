import { connect } from 'node:net'
import HyperExpress from 'hyper-express'
import t from 'tap'
import { waitUntil } from '../../test/support/wait-until.js'
import { Exchange, MAX_API_BODY_BYTES } from '../http/exchange.js'
import { withApi } from './support/api.js'
import { conversation } from './support/conversation.js'

const api = await withApi(t)
const { client } = api
const { key } = await api.workspace()
const port = Number(new URL(api.url).port)
const head = (more: string) => `Host: x\r\nAuthorization: Bearer ${key}\r\n${more}\r\n`

/**
 * Writes bytes to a new connection and returns the response, until the server closes it or `enough` matches.
 */
function raw(
  parts: readonly (string | Buffer)[],
  enough = /\r\n\r\n[\s\S]+$/,
  limitMs = 20_000,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    const finish = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(text)
    }
    const timer = setTimeout(finish, limitMs)
    socket.on('data', (data) => {
      text += data.toString('latin1')
      if (enough.test(text)) finish()
    })
    socket.on('error', finish)
    socket.on('close', finish)
    for (const part of parts) socket.write(part)
  })
}

t.test('a body of exactly 1 MiB is read, one byte more is 413 with the error body', async (t) => {
  const filler = (bytes: number) => `{"name":"${'x'.repeat(bytes - 11)}"}`
  const exact = await client.refused('POST', '/funnel', { key, rawBody: filler(MAX_API_BODY_BYTES) })
  t.equal(exact.body.code, 'VALIDATION_FAILED')
  const over = await client.refused('POST', '/funnel', { key, rawBody: filler(MAX_API_BODY_BYTES + 1) })
  t.equal(over.status, 413)
  t.equal(over.body.code, 'PAYLOAD_TOO_LARGE')
})

t.test('a declared length over the limit is refused before the body comes', async (t) => {
  for (const length of [MAX_API_BODY_BYTES + 1, 900_000_000]) {
    const text = await raw([`POST /v1/funnel HTTP/1.1\r\n${head(`Content-Length: ${length}\r\n`)}`])
    t.match(text, /^HTTP\/1\.1 413 /)
    t.match(text, 'PAYLOAD_TOO_LARGE')
    t.match(text, /x-request-id: [0-9a-f-]{36}/i)
  }
  const unauthenticated = await raw([
    `POST /v1/funnel HTTP/1.1\r\nHost: x\r\nContent-Length: ${MAX_API_BODY_BYTES + 1}\r\n\r\n`,
  ])
  t.match(unauthenticated, /^HTTP\/1\.1 401 /)
})

t.test('a connection can be reused after an oversized body', async (t) => {
  const body = Buffer.alloc(MAX_API_BODY_BYTES + 500_000, 0x20)
  const text = await raw(
    [
      `POST /v1/funnel HTTP/1.1\r\n${head(`Content-Length: ${body.length}\r\n`)}`,
      body,
      `GET /v1/me HTTP/1.1\r\n${head('')}`,
    ],
    /HTTP\/1\.1 200[\s\S]*"workspace"/,
  )
  t.match(text, /^HTTP\/1\.1 413 /)
  t.match(text, /HTTP\/1\.1 200 [\s\S]*"workspace"/)
})

t.test('a chunked body is joined, and its size is counted', async (t) => {
  const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
  const start = `POST /v1/funnel HTTP/1.1\r\n${head('Transfer-Encoding: chunked\r\n')}`
  const good = await raw([
    start,
    chunk('{"name":"chunked",'),
    chunk('"steps":[{"eventName":"a"}]}'),
    '0\r\n\r\n',
  ])
  t.match(good, /^HTTP\/1\.1 201 /)
  const big = chunk(' '.repeat(200_000))
  const large = await raw([start, ...Array.from({ length: 8 }, () => big)])
  t.match(large, /^HTTP\/1\.1 413 /)
  t.match(large, 'PAYLOAD_TOO_LARGE')
  const endless = await raw([
    `POST /v1/funnel HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${big}`,
  ])
  t.match(endless, /^HTTP\/1\.1 401 /, 'a refusal does not wait long for the end of chunks')
})

t.test('lengths that contradict each other never smuggle a second request', async (t) => {
  const inner = `GET /v1/me HTTP/1.1\r\n${head('')}`
  const attempts = [
    `POST /v1/funnel HTTP/1.1\r\n${head(`Content-Length: ${inner.length}\r\nTransfer-Encoding: chunked\r\n`)}0\r\n\r\n${inner}`,
    `POST /v1/funnel HTTP/1.1\r\n${head(`Content-Length: 0\r\nContent-Length: ${inner.length}\r\n`)}${inner}`,
    `POST /v1/funnel HTTP/1.1\r\n${head(`Content-Length: ${inner.length}\r\nContent-Length: 0\r\n`)}${inner}`,
    `POST /v1/funnel HTTP/1.1\r\n${head('Transfer-Encoding: gzip, chunked\r\n')}0\r\n\r\n`,
    `POST /v1/funnel HTTP/1.1\r\n${head('Transfer-Encoding: Chunked\r\n')}0\r\n\r\n`,
  ]
  for (const attempt of attempts) {
    const text = await raw([attempt], /HTTP\/1\.1 200/, 700)
    t.notMatch(text, /HTTP\/1\.1 200/, attempt.split('\r\n').slice(3, 5).join(' '))
    t.notMatch(text, /HTTP\/1\.1 5/)
  }
  t.equal((await client.request('GET', '/me', { key })).status, 200)
})

const bodyOf = (name: string) => JSON.stringify({ name, steps: [{ eventName: 'a' }] })
const post = (name: string) =>
  `POST /v1/funnel HTTP/1.1\r\n${head(`Content-Length: ${bodyOf(name).length}\r\n`)}${bodyOf(name)}`
const get = `GET /v1/me HTTP/1.1\r\n${head('')}`

t.test('a connection can be reused after answers without a body', async (t) => {
  const query = '/v1/funnel/018f0000-0000-7000-8000-000000000000/query'
  const [whole, ...afterHead] = await conversation(port, [
    get,
    `HEAD /v1/me HTTP/1.1\r\n${head('')}`,
    post('after HEAD'),
    `HEAD /v1/nowhere HTTP/1.1\r\n${head('')}`,
    get,
    `HEAD ${query} HTTP/1.1\r\n${head('')}`,
    `HEAD /reference HTTP/1.1\r\n${head('')}`,
    `HEAD /v1/me HTTP/1.1\r\n${head('Content-Length: 5\r\n')}12345`,
    get,
  ])
  t.strictSame(
    afterHead.map(({ status }) => status),
    [200, 201, 403, 200, 405, 200, 200, 200],
  )
  const [headed] = afterHead
  t.equal(headed?.headers['content-length'], whole?.headers['content-length'], 'HEAD says the length of GET')
  t.equal(headed?.headers.etag, whole?.headers.etag)
  t.equal(afterHead[4]?.headers.allow, 'POST')

  const etag = whole?.headers.etag ?? ''
  const afterUnchanged = await conversation(port, [
    `GET /v1/me HTTP/1.1\r\n${head(`If-None-Match: ${etag}\r\n`)}`,
    post('after 304'),
    `HEAD /v1/me HTTP/1.1\r\n${head(`If-None-Match: ${etag}\r\n`)}`,
    get,
  ])
  t.strictSame(
    afterUnchanged.map(({ status }) => status),
    [304, 201, 304, 200],
  )
  t.equal(afterUnchanged[0]?.headers['content-length'], undefined)

  const { id } = JSON.parse(afterUnchanged[1]?.body ?? '{}') as { id: string }
  const afterDeletion = await conversation(port, [
    `DELETE /v1/funnel/${id} HTTP/1.1\r\n${head('')}`,
    get,
    `DELETE /v1/funnel/${id} HTTP/1.1\r\n${head('')}`,
    post('after 204'),
  ])
  t.strictSame(
    afterDeletion.map(({ status }) => status),
    [204, 200, 404, 201],
  )
  t.equal(afterDeletion[0]?.headers['content-length'], undefined)
  const asked = await conversation(port, [`OPTIONS /v1/me HTTP/1.1\r\n${head('')}`, get])
  t.strictSame(
    asked.map(({ status }) => status),
    [405, 200],
  )
  t.equal(asked[0]?.headers.allow, 'GET, HEAD')
})

t.test('a request that the HTTP server cannot parse has no effect and closes the connection', async (t) => {
  // A second request before the first response: closed. The first may have been executed.
  t.notMatch(await raw([post('pipelined') + post('behind it')]), 'behind it')
  const { body } = await client.request<{ data: { name: string }[] }>('GET', '/funnel', { key })
  t.notOk(
    body.data.some(({ name }) => name === 'behind it'),
    'what came behind is not carried out',
  )
  for (const length of ['2147483648', '10000000000', '99999999999999999999', '-1', '+5', '0x10', '1e3'])
    t.notMatch(
      await raw([`POST /v1/funnel HTTP/1.1\r\n${head(`Content-Length: ${length}\r\n`)}`], /never/, 1_000),
      /HTTP\/1\.1 [1235](?!05)/,
      length,
    )
  for (const line of ['GET http://x/v1/me HTTP/1.1', 'OPTIONS * HTTP/1.1', 'GET /v1/me HTTP/1.0'])
    t.notMatch(await raw([`${line}\r\n${head('')}`], /\r\n\r\n/, 200), /HTTP\/1\.1 [1235](?!05)/, line)
  t.equal((await client.request('GET', '/me', { key })).status, 200)
})

t.test('a client that disconnects while sending or waiting does no harm', async (t) => {
  await raw([`POST /v1/funnel HTTP/1.1\r\n${head('Content-Length: 100000\r\n')}`, '{"name":'], /never/, 100)
  await raw([`POST /v1/funnel HTTP/1.1\r\n${head('Transfer-Encoding: chunked\r\n')}5\r\n{"nam`], /never/, 100)
  await raw([`GET /v1/events HTTP/1.1\r\n${head('')}`], /never/, 1)
  t.equal((await client.request('GET', '/me', { key })).status, 200)
})

t.test('a client that disconnects while its key is looked up is dropped', async (t) => {
  const partial = ['Content-Length: 20\r\n\r\n{}', 'Transfer-Encoding: chunked\r\n\r\n5\r\nab']
  const before = await requestsGone()
  for (const rest of partial) {
    // A fresh key, so that Postgres is asked.
    const { key: fresh } = await api.workspace()
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.on('close', () => resolve())
      socket.on('error', () => {})
      socket.end(`POST /v1/funnel HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${fresh}\r\n${rest}`)
    })
  }
  await waitUntil(async () => (await requestsGone()) >= before + partial.length)
  t.equal(await requestsGone(), before + partial.length, 'each is over, and a drain has nothing to wait for')
})

/** How many requests ended because their client had gone. */
async function requestsGone(): Promise<number> {
  const metrics = await api.stage.metrics()
  const values = metrics.find(({ name }) => name === 'svc_api_requests_total')?.values ?? []
  return values
    .filter(({ labels }) => labels.status === '499')
    .reduce((sum, { value }) => sum + Number(value), 0)
}

t.test('a header that identifies the caller is refused if it comes twice', async (t) => {
  const { id } = await api.workspace()
  for (const [name, headers] of [
    ['Authorization', head('Authorization: Bearer tsk_api_other\r\n')],
    ['X-Workspace-Id', head(`X-Workspace-Id: ${id}\r\nx-workspace-id: ${id}\r\n`)],
  ] as const) {
    const text = await raw([`GET /v1/me HTTP/1.1\r\n${headers}`])
    t.match(text, /^HTTP\/1\.1 400 /)
    t.match(text, `"path":"header.${name}"`)
  }
})

t.test('an answer states how long its connection may be reused', async (t) => {
  const text = await raw([`GET /v1/me HTTP/1.1\r\n${head('')}`])
  t.match(text, /\r\nkeep-alive: timeout=6\r\n/i)
  const last = await raw([`GET /v1/me HTTP/1.1\r\n${head('Connection: close\r\n')}`])
  t.notMatch(last, /keep-alive/i)
})

t.test('only JSON media types are accepted', async (t) => {
  const body = JSON.stringify({ name: 'media', steps: [{ eventName: 'a' }] })
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'application/merge-patch+json',
    'x',
  ]) {
    const answer = await client.refused('POST', '/funnel', {
      key,
      rawBody: body,
      headers: { 'Content-Type': type },
    })
    t.equal(answer.status, 415, type)
    t.equal(answer.body.code, 'UNSUPPORTED_MEDIA_TYPE')
  }
  const gzip = await client.refused('POST', '/funnel', {
    key,
    rawBody: body,
    headers: { 'Content-Encoding': 'gzip' },
  })
  t.equal(gzip.status, 415)
  const fine = await client.request('POST', '/funnel', {
    key,
    rawBody: body,
    headers: { 'Content-Type': 'Application/JSON ; charset=utf-8' },
  })
  t.equal(fine.status, 201)
})

t.test('bodies that are not JSON are refused', async (t) => {
  const bodies = [
    '',
    '{',
    '{"name":}',
    "{'a':1}",
    '{"a":1}x',
    'NaN',
    '\ufeff{}',
    Buffer.from([0x22, 0xff, 0x22]),
    Buffer.from([0x7b, 0xed, 0xa0, 0x80, 0x7d]),
  ]
  for (const rawBody of bodies) {
    const answer = await client.refused('POST', '/funnel', { key, rawBody })
    t.equal(answer.status, 400, String(rawBody))
    t.equal(answer.body.code, 'MALFORMED_JSON', String(rawBody))
  }
  for (const rawBody of [
    'null',
    '5',
    '"x"',
    '[]',
    'true',
    '{}',
    '{"__proto__":{"name":"x"}}',
    '{"constructor":1}',
  ])
    t.equal(
      (await client.refused('POST', '/funnel', { key, rawBody })).body.code,
      'VALIDATION_FAILED',
      rawBody,
    )
  const deep = `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)},"steps":[{"eventName":"a"}]}`
  t.equal((await client.refused('POST', '/funnel', { key, rawBody: deep })).body.code, 'VALIDATION_FAILED')
  const wide = `{"name":"x","steps":[${'{},'.repeat(300_000)}{}]}`
  t.equal((await client.refused('POST', '/funnel', { key, rawBody: wide })).status, 400)
  const huge = await client.refused('POST', '/funnel', {
    key,
    rawBody: '{"name":"x","steps":[{"eventName":"a"}],"windowSeconds":1e999}',
  })
  t.strictSame(
    huge.body.details.map((detail) => detail.path),
    ['/windowSeconds'],
  )
  const many = JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`unknown${i}`, 1])))
  t.equal((await client.refused('POST', '/funnel', { key, rawBody: many })).body.details.length, 100)
})

t.test('the signal of a request aborts when its client disconnects', async (t) => {
  const server = new HyperExpress.Server({ auto_close: false })
  let arrived = (): void => {}
  const aborted = new Promise<unknown>((resolve) => {
    server.any('/*', (request, response) => {
      const exchange = new Exchange(request, response)
      exchange.signal.addEventListener('abort', () => resolve(exchange.signal.reason))
      arrived()
    })
  })
  await server.listen(0, '127.0.0.1')
  const client = connect(server.port, '127.0.0.1')
  client.write('GET /x HTTP/1.1\r\nHost: x\r\n\r\n')
  arrived = () => client.destroy()
  t.match(await aborted, { name: 'ClientGoneError' })
  server.close()
})
