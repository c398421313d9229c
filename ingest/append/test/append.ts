import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openEmbeddedLog } from '../../../log/embedded/log.js'
import { workspaceHashKeys } from '../../../log/hash-keys.js'
import { LogOutcomeUnknownError, LogUnavailableError } from '../../../log/port.js'
import { encodeEvents, readHeader } from '../../../log/record.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { faultyLog } from '../../test/support/faulty-log.js'
import {
  makeGateway,
  makeWorkspace,
  metric,
  startStores,
  type TestGateway,
} from '../../test/support/gateway.js'
import { wire } from '../../test/support/wire.js'
import { type AppendOutcome, createAppender, LinkedKeys } from '../append.js'

const stores = await startStores()
t.teardown(() => stores.stop())
const workspace = await makeWorkspace(stores)
// Each has its own gateway, and several wait for seconds.
t.jobs = 4

async function setUp(t: Test, options: { readonly maxBytesInFlight?: number } = {}): Promise<TestGateway> {
  const gateway = await makeGateway(stores, options)
  t.teardown(() => gateway.stop())
  return gateway
}

function requestBytes(body: string, key = workspace.serverKey): string {
  return `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

const one = JSON.stringify({ events: [{ event: 'e', userId: 'u' }] })
const send = (gateway: TestGateway, body = one, waitMs = 30_000, key = workspace.serverKey) =>
  wire(gateway.port, [requestBytes(body, key)], { waitMs })

/** Lets the gateway look up the key, so that requests sent together need not. */
const knowKey = (gateway: TestGateway) =>
  waitUntil(async () => (await send(gateway)).answers[0]?.status === 202)

t.test('requests get 503 while the log refuses appends, and then work again', async (t) => {
  const gateway = await setUp(t)
  gateway.faults.before = () => Promise.reject(new LogUnavailableError('disk full'))
  const { answers } = await send(gateway)
  t.equal(answers[0]?.status, 503)
  t.match(JSON.parse(answers[0]?.text ?? ''), { code: 'UNAVAILABLE', field: null })
  t.match(answers[0]?.headers['retry-after'], /^[1-9]\d*$/)
  t.equal(await metric(gateway, 'svc_ingest_events_accepted_total'), 0)
  gateway.faults.before = undefined
  t.equal((await send(gateway)).answers[0]?.status, 202, 'and goes on without a restart')
})

t.test('a request gets no answer if the outcome of its append is unknown', async (t) => {
  const gateway = await setUp(t)
  for (const error of [new LogOutcomeUnknownError('time-out'), new Error('a fault of the adapter')]) {
    gateway.faults.after = () => Promise.reject(error)
    const result = await send(gateway)
    t.same(result.answers, [])
    t.ok(result.closed)
  }
  t.equal(await metric(gateway, 'svc_ingest_requests_total', { status: '0' }), 2)
  t.equal(await metric(gateway, 'svc_ingest_bytes_in_flight'), 0)
})

t.test(
  'a silent log ends requests after five seconds without an answer, and later durable events count',
  async (t) => {
    const gateway = await setUp(t)
    let release = (): void => {}
    gateway.faults.before = () =>
      new Promise((resolve) => {
        release = resolve
      })
    const start = performance.now()
    const result = await send(gateway, one, 20_000)
    const took = performance.now() - start
    t.same(result.answers, [])
    t.ok(result.closed && took > 4_500, `${took} ms`)
    t.equal(await metric(gateway, 'svc_ingest_events_accepted_total'), 0)
    release()
    const accepted = () => metric(gateway, 'svc_ingest_events_accepted_total')
    await waitUntil(async () => (await accepted()) > 0)
    t.equal(await accepted(), 1)
  },
)

t.test('the bound on bytes in flight leaves a share to other workspaces', async (t) => {
  const most = 1_000_000
  const gateway = await setUp(t, { maxBytesInFlight: most })
  await knowKey(gateway)
  const waiting: (() => void)[] = []
  let taken = 0
  gateway.faults.before = (records) => {
    taken += records.length
    return new Promise((resolve) => waiting.push(resolve))
  }
  const body = one.padEnd(100_000, ' ')
  let answered = 0
  const sent = Array.from({ length: 30 }, async () => {
    const result = await send(gateway, body, 20_000)
    answered++
    return result
  })
  await waitUntil(() => answered + taken >= 30)
  t.ok((await metric(gateway, 'svc_ingest_bytes_in_flight')) <= 0.8 * most)
  const own = taken
  t.ok(own >= 6 && own <= 8, `${own} of one workspace`)
  const other = await makeWorkspace(stores)
  const beside = send(gateway, body, 20_000, other.serverKey)
  await waitUntil(() => taken !== own)
  for (const resolve of waiting) resolve()
  t.equal((await beside).answers[0]?.status, 202)
  const answers = (await Promise.all(sent)).map((result) => result.answers[0])
  const refused = answers.filter((answer) => answer?.status === 429)
  t.equal(answers.filter((answer) => answer?.status === 202).length, own)
  t.equal(refused.length, 30 - own)
  t.ok(refused.every((answer) => Number(answer?.headers['retry-after']) >= 1))
  t.equal(await metric(gateway, 'svc_ingest_bytes_in_flight'), 0)
  gateway.faults.before = undefined
  t.equal((await send(gateway, body)).answers[0]?.status, 202)
})

t.test('a chunked body that outgrows the bytes left is refused with 503', async (t) => {
  const gateway = await setUp(t, { maxBytesInFlight: 100_000 })
  const head = `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${workspace.serverKey}\r\nTransfer-Encoding: chunked\r\n\r\n`
  const piece = `${(60_000).toString(16)}\r\n${' '.repeat(60_000)}\r\n`
  await knowKey(gateway)
  const result = await wire(gateway.port, [head, piece, 50, piece, '0\r\n\r\n'])
  t.same(
    result.answers.map((answer) => answer.status),
    [503],
  )
  t.equal((await send(gateway)).answers[0]?.status, 202)
  t.equal(await metric(gateway, 'svc_ingest_bytes_in_flight'), 0)
})

t.test('stopping answers requests in flight, then closes', async (t) => {
  const gateway = await setUp(t)
  await knowKey(gateway)
  let release = (): void => {}
  const reached = new Promise<void>((atLog) => {
    gateway.faults.before = () =>
      new Promise((resolve) => {
        release = resolve
        atLog()
      })
  })
  const idle = wire(gateway.port, [requestBytes('x')], { expect: 2 })
  const busy = send(gateway)
  await reached
  const stopped = gateway.stop()
  await t.rejects(fetch(gateway.url), 'new connections are refused')
  release()
  const { answers } = await busy
  t.equal(answers[0]?.status, 202)
  t.equal(answers[0]?.headers.connection, 'close')
  await stopped
  t.ok((await idle).closed)
})

t.test('stopping does not wait for a body that never ends', async (t) => {
  const gateway = await setUp(t)
  const slow = wire(gateway.port, [requestBytes(one).slice(0, -5)], { expect: 2 })
  // The gateway waits for the rest.
  await waitUntil(async () => (await metric(gateway, 'svc_ingest_bytes_in_flight')) > 0)
  await gateway.stop()
  t.ok((await slow).closed)
})

t.test('concurrent requests are all recorded', async (t) => {
  const gateway = await setUp(t)
  const results = await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      send(
        gateway,
        JSON.stringify({
          events: Array.from({ length: (i % 7) + 1 }, () => ({ event: 'e', userId: `u${i}` })),
        }),
      ),
    ),
  )
  const accepted = results.reduce(
    // A busy machine may time out looking up the key (503).
    (sum, { answers: [answer] }) =>
      answer?.status === 202 ? sum + Number(JSON.parse(answer.text).accepted) : sum,
    0,
  )
  t.ok(accepted > 0)
  const appended = gateway.appended.reduce((sum, record) => sum + readHeader(record.payload).count, 0)
  t.equal(appended, accepted)
  t.equal(await metric(gateway, 'svc_ingest_events_accepted_total'), accepted)
})

t.test('requests of one turn are appended together, in order, and each gets its answer', async (t) => {
  const real = await openEmbeddedLog({
    path: mkdtempSync(join(stores.folder, 'together-')),
    partitions: 1,
    identityPartitions: 1,
  })
  t.teardown(() => real.close())
  const { log, faults, appended } = faultyLog(real)
  let durable = 0
  const append = createAppender({
    log,
    linked: new LinkedKeys(10),
    durable: (events) => {
      durable += events
    },
  })
  const calls: number[] = []
  let failure: Error | undefined
  faults.before = (records) => {
    calls.push(records.length)
    return failure === undefined ? Promise.resolve() : Promise.reject(failure)
  }
  const keys = workspaceHashKeys(stores.secretKey, workspace.id)
  const request = (receivedAt: number, properties = '{}') =>
    new Promise<AppendOutcome>((resolve) => {
      const batch = {
        workspaceId: workspace.id,
        keyId: workspace.keyId,
        receivedAt,
        sentAt: undefined,
        events: Array.from({ length: properties === '{}' ? 1 : 100 }, () => ({
          event: 'e',
          userId: 'u',
          anonymousId: undefined,
          properties,
          timestamp: undefined,
          insertId: undefined,
          sdkVersion: undefined,
        })),
      }
      append(encodeEvents(batch, keys, log), resolve)
    })
  const outcomes = await Promise.all([1, 2, 3].map((at) => request(at)))
  t.same(
    outcomes.map((outcome) => outcome.kind),
    ['durable', 'durable', 'durable'],
  )
  t.same(calls, [3])
  t.equal(durable, 3)
  // 300 KB are flushed before the end of the turn, with what came before.
  const large = JSON.stringify({ p: 'x'.repeat(3_000) })
  await Promise.all([request(4), request(5, large), request(6)])
  t.same(calls, [3, 2, 1])
  t.same(
    appended.map((record) => readHeader(record.payload).receivedAt),
    [1, 2, 3, 4, 5, 6],
  )
  failure = new LogUnavailableError('full')
  t.same(
    (await Promise.all([request(7), request(8)])).map((outcome) => outcome.kind),
    ['unavailable', 'unavailable'],
  )
  t.equal(durable, 105)
})

t.test('the set of linked keys is bounded and keeps the latest', async (t) => {
  const keys = new LinkedKeys(100)
  for (let i = 0n; i < 1_000n; i++) keys.add(i)
  t.notOk(keys.has(0n))
  let kept = 0
  for (let i = 0n; i < 1_000n; i++) if (keys.has(i)) kept++
  t.ok(kept >= 100 && kept <= 200)
  t.ok(keys.has(999n))
})
