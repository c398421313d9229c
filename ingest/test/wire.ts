import t from 'tap'
import { readHeader } from '../../log/record.js'
import { setQuota } from '../../postgres/tables/workspaces.js'
import { waitUntil } from '../../test/support/wait-until.js'
import { makeGateway, makeWorkspace, metric, startStores } from './support/gateway.js'
import { inTurn, isTurnedAway, type Part, wire } from './support/wire.js'

/** Clients split, pipeline, break and abuse a connection. */
const stores = await startStores()
t.teardown(() => stores.stop())
const workspace = await makeWorkspace(stores)
const gateway = await makeGateway(stores)
t.teardown(() => gateway.stop())

const one = JSON.stringify({ events: [{ event: 'page_viewed', userId: 'u1' }] })
const KEY = `Host: x\r\nAuthorization: Bearer ${workspace.serverKey}\r\n`
const post = (headers: string, body: string, line = 'POST /v1/events HTTP/1.1'): string =>
  `${line}\r\n${headers}\r\n${body}`
const sized = (body: string, headers = KEY): string =>
  post(`${headers}Content-Length: ${Buffer.byteLength(body)}\r\n`, body)
const good = sized(one)
const CHUNKED = `${KEY}Transfer-Encoding: chunked\r\n`
const chunk = (body: string): string => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`

async function appended(action: () => Promise<unknown>): Promise<number> {
  const before = gateway.appended.length
  await action()
  return gateway.appended.slice(before).reduce((sum, record) => sum + readHeader(record.payload).count, 0)
}

// From here on the gateway knows the key.
await wire(gateway.port, [good])

t.test('a header that identifies the sender is refused if it comes twice', async (t) => {
  const other = 'Authorization: Bearer tsk_secret_other\r\n'
  const workspaceId = `X-Workspace-Id: ${workspace.id}\r\n`
  const count = await appended(async () => {
    for (const [name, headers] of [
      ['Authorization', `${KEY}${other}`],
      ['Authorization', `Host: x\r\n${other}${KEY.slice('Host: x\r\n'.length)}`],
      ['X-Workspace-Id', `${KEY}${workspaceId}${workspaceId}`],
    ] as const) {
      const [answer] = (await wire(gateway.port, [sized(one, headers)])).answers
      t.match(JSON.parse(answer?.text ?? '{}'), {
        code: 'VALIDATION_FAILED',
        details: [{ path: `header.${name}` }],
      })
      t.equal(answer?.status, 400)
    }
  })
  t.equal(count, 0)
})

t.test('an idle connection lives longer than its answer promises', async (t) => {
  const { answers, closed } = await wire(gateway.port, [good, 6_200, good], { expect: 2 })
  t.same(
    answers.map(({ status, headers }) => [status, headers['keep-alive']]),
    [
      [202, 'timeout=6'],
      [202, 'timeout=6'],
    ],
  )
  t.notOk(closed)
  const [last] = (await wire(gateway.port, [sized(one, `${KEY}Connection: close\r\n`)])).answers
  t.equal(last?.headers['keep-alive'], undefined, 'nothing is promised of one that closes')
})

t.test('a request that the HTTP parser refuses closes the connection and records nothing', async (t) => {
  const cases: Readonly<Record<string, string>> = {
    'a length of 2^31': post(`${KEY}Content-Length: 2147483648\r\n`, one),
    'a length of 10^9': post(`${KEY}Content-Length: 1000000000\r\n`, one),
    'a length that is the right one modulo 2^32': post(
      `${KEY}Content-Length: ${2 ** 32 + one.length}\r\n`,
      one,
    ),
    'a length of twenty digits': post(`${KEY}Content-Length: 18446744073709551616\r\n`, one),
    'a length with a sign': post(`${KEY}Content-Length: +${one.length}\r\n`, one),
    'a list of lengths': post(`${KEY}Content-Length: ${one.length}, ${one.length}\r\n`, one),
    'two lengths': post(`${KEY}Content-Length: ${one.length}\r\nContent-Length: 5\r\n`, one),
    'a length and chunks': post(`${CHUNKED}Content-Length: 5\r\n`, `${chunk(one)}0\r\n\r\n`),
    'a length and chunks where nothing is': post(
      `${CHUNKED}Content-Length: 5\r\n`,
      `${chunk(one)}0\r\n\r\n`,
      'GET /x HTTP/1.1',
    ),
    'chunks twice': post(`${CHUNKED}Transfer-Encoding: chunked\r\n`, `${chunk(one)}0\r\n\r\n`),
    'a chunk size that is no number': post(CHUNKED, `zz\r\n${one}\r\n0\r\n\r\n`),
    'a size of a chunk past 64 bits': post(CHUNKED, `fffffffffffffffff\r\n${one}\r\n0\r\n\r\n`),
    'no host': post(`Authorization: Bearer ${workspace.serverKey}\r\nContent-Length: ${one.length}\r\n`, one),
    'a header block of 300 KB': sized(one, `${KEY}X: ${'a'.repeat(300_000)}\r\n`),
  }
  const count = await appended(async () => {
    for (const [name, bytes] of Object.entries(cases)) {
      t.ok(isTurnedAway(await wire(gateway.port, [bytes], { expect: 2 })), name)
    }
  })
  t.equal(count, 0)
})

t.test('a request that the parser does not understand has no effect and closes the connection', async (t) => {
  const headers = (count: number): string =>
    sized(one, KEY + Array.from({ length: count - 3 }, (_, i) => `X-${i}: a\r\n`).join(''))
  t.equal((await wire(gateway.port, [headers(48)])).answers[0]?.status, 202, '48 headers are taken')
  const cases: Readonly<Record<string, string>> = {
    'an absolute target': good.replace('/v1/events', 'http://x/v1/events'),
    'the target of a server': 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
    'HTTP/1.0': good.replace('HTTP/1.1', 'HTTP/1.0'),
    '120 headers': headers(120),
    'an extension of a chunk': post(CHUNKED, `${one.length.toString(16)};a=b\r\n${one}\r\n0\r\n\r\n`),
    'lines that end with a line feed only': good.replaceAll('\r\n', '\n'),
    'a folded header': sized(one, `${KEY}X: a\r\n b\r\n`),
    'a space before the colon': good.replace('Content-Length:', 'Content-Length :'),
    'a request that stops in its head': 'POST /v1/ev',
    'a request that stops in its body': good.slice(0, -1),
    'nothing at all': '',
  }
  const count = await appended(() =>
    Promise.all(
      Object.entries(cases).map(async ([name, bytes]) => {
        t.ok(isTurnedAway(await wire(gateway.port, [bytes], { expect: 2, waitMs: 40_000 })), name)
      }),
    ),
  )
  t.equal(count, 0)
})

t.test(
  'a pipelined request closes the connection, and only the request before it may be recorded',
  async (t) => {
    // Events accepted before a connection ended may be recorded after it, so count all three.
    const recorded = await appended(async () => {
      for (const bytes of [good + good, good + good + good]) {
        const result = await wire(gateway.port, [bytes])
        t.ok(result.closed)
        t.same(result.answers, [])
      }
      // If the rest of the second request is late, the first may be answered already; then the second is
      // ordinary.
      const { answers, closed } = await wire(gateway.port, [good + good.slice(0, 60), 5, good.slice(60)], {
        expect: 2,
      })
      t.ok(closed || answers.length === 2)
      t.ok(answers.every(({ status }) => status === 202))
      // A request that is answered after all earlier ones are recorded.
      await wire(gateway.port, [good], { expect: 1 })
    })
    t.ok(recorded <= 1 + 1 + 2 + 1, `${recorded} recorded`)
    // An immediate error is answered before the next request is read.
    const wrong = sized(one, 'Host: x\r\n')
    const result = await wire(gateway.port, [wrong + wrong + good], { expect: 3 })
    t.same(
      result.answers.map((answer) => answer.status),
      [401, 401, 202],
    )
    t.equal(await metric(gateway, 'svc_ingest_bytes_in_flight'), 0)
  },
)

t.test('a chunked body ends the connection, and bytes after it are never parsed as a request', async (t) => {
  const next = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n'
  // Anything before the response counts as pipelined.
  const later = { answers: 1 }
  const ends: Readonly<Record<string, readonly Part[]>> = {
    nothing: ['0\r\n\r\n', later, good],
    'a body that does not end where it should': ['0\r\nXX', later, next],
    'a request in the trailers': ['0\r\n', later, `\r\n${next}`],
  }
  for (const [name, parts] of Object.entries(ends)) {
    const count = await appended(async () => {
      const result = await wire(gateway.port, [post(CHUNKED, chunk(one)), ...parts], { expect: 2 })
      t.same(
        result.answers.map((answer) => answer.status),
        [202],
        name,
      )
      t.equal(result.answers[0]?.headers.connection, 'close')
      t.ok(result.closed, name)
    })
    t.equal(count, 1, name)
  }
})

t.test('a batch with trailers is either recorded and accepted or refused', async (t) => {
  const trailers = '0\r\nX-Checksum: abc\r\n\r\n'
  for (const parts of [
    [post(CHUNKED, chunk(one)) + trailers],
    [post(CHUNKED, chunk(one)), 20, trailers],
    [post(CHUNKED, chunk(one)), 20, trailers, { answers: 1 }, good],
  ]) {
    let statuses: number[] = []
    const count = await appended(async () => {
      const result = await wire(gateway.port, parts, { expect: 2 })
      t.ok(result.closed)
      statuses = result.answers.map(({ status }) => status)
    })
    t.same([statuses, count], count === 1 ? [[202], 1] : [[505], 0])
  }
})

t.test('a refused chunked body is read to its end before the connection closes', async (t) => {
  const refusals: readonly (readonly [number, string])[] = [
    [401, post('Host: x\r\nTransfer-Encoding: chunked\r\n', '')],
    [403, post(`${CHUNKED}Origin: https://a.example\r\n`, '')],
    [404, post(CHUNKED, '', 'POST /x HTTP/1.1')],
    [405, post(CHUNKED, '', 'PUT /v1/events HTTP/1.1')],
    [415, post(`${CHUNKED}Content-Type: text/html\r\n`, '')],
    [413, post(CHUNKED, chunk(' '.repeat(9 * 1024 * 1024)))],
    [400, post(CHUNKED, chunk('{'))],
  ]
  for (const [status, head] of refusals) {
    const early = await wire(gateway.port, [head, chunk('abc')], { waitMs: 60 })
    t.same(early.answers, [], `${status}: not before the end`)
    const result = await wire(gateway.port, [head, chunk('abc'), 20, '0\r\n\r\n', { answers: 1 }, good], {
      expect: 2,
    })
    t.same(
      result.answers.map((answer) => answer.status),
      [status],
    )
    t.ok(result.closed, String(status))
  }
  t.equal(await metric(gateway, 'svc_ingest_bytes_in_flight'), 0)
})

t.test('a connection can be reused after HEAD and OPTIONS', async (t) => {
  for (const method of ['HEAD', 'OPTIONS']) {
    const bare = `${method} /v1/events HTTP/1.1\r\nHost: x\r\n\r\n`
    const result = await wire(gateway.port, [bare, { answers: 1 }, good], {
      expect: 2,
      toHead: method === 'HEAD',
    })
    t.equal(result.answers[0]?.status, 405)
    t.equal(result.answers[0]?.headers.allow, 'POST')
    t.equal(result.answers[1]?.status, 202)
  }
})

t.test('a client that sends Expect: 100-continue can send its body', async (t) => {
  const head = sized(one, `${KEY}Expect: 100-continue\r\n`).slice(0, -one.length)
  const result = await wire(gateway.port, [head, 50, one])
  t.equal(result.answers[0]?.status, 202)
})

t.test('if another header comes twice, the first one counts', async (t) => {
  const status = async (headers: string): Promise<number | undefined> =>
    (await wire(gateway.port, [sized(one, headers)])).answers[0]?.status
  t.equal(await status(`${KEY}Content-Type: application/json\r\nContent-Type: text/html\r\n`), 202)
  t.equal(await status(`${KEY}Content-Type: text/html\r\nContent-Type: application/json\r\n`), 415)
  t.equal(await status(`${KEY}Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n`), 415)
  t.equal(await status(`${KEY}Content-Length: ${one.length}\r\n`), 202, 'the same length twice is one length')
})

t.test('a small request that is cut at any byte is recorded only if it was complete', async (t) => {
  const bytes = Buffer.from(good)
  const count = await appended(async () => {
    for (let from = 0; from < bytes.length; from += 50)
      await Promise.all(
        Array.from({ length: Math.min(50, bytes.length - from) }, (_, i) =>
          wire(gateway.port, [bytes.subarray(0, from + i), 5], { waitMs: 0 }),
        ),
      )
    await waitUntil(async () => (await metric(gateway, 'svc_ingest_bytes_in_flight')) === 0)
    t.equal((await wire(gateway.port, [bytes])).answers[0]?.status, 202)
  })
  t.equal(count, 1, 'only the request that was complete')
  t.equal(
    await appended(async () => {
      const before = gateway.appended.length
      await wire(gateway.port, [bytes, 30], { waitMs: 0 })
      await waitUntil(() => gateway.appended.length > before)
    }),
    1,
  )
})

t.test('a request that arrives byte by byte is accepted', async (t) => {
  const parts = [...good].flatMap((byte, i) => (i % 5 === 0 ? [byte, 1] : [byte]))
  t.equal((await wire(gateway.port, parts)).answers[0]?.status, 202)
})

t.test('a connection can be reused after a slow refusal', async (t) => {
  const limited = await makeWorkspace(stores)
  const key = `Host: x\r\nAuthorization: Bearer ${limited.serverKey}\r\n`
  await setQuota(stores.sql, { workspaceId: limited.id, dailyEvents: 1 })
  const two = JSON.stringify({ events: Array.from({ length: 2 }, () => ({ event: 'e', userId: 'u' })) })
  const alias = (userId: string): string =>
    sized(JSON.stringify({ anonymousId: 'a', userId }), key).replace('/v1/events', '/v1/alias')
  const requests = [alias('u1'), alias('u1'), alias('u2'), sized(two, key), sized(one, key), sized(one, key)]
  const result = await wire(gateway.port, inTurn(requests), { expect: requests.length })
  t.same(
    result.answers.map((answer) => answer.status),
    [202, 202, 409, 429, 202, 429],
  )
  t.notOk(result.closed)
})
