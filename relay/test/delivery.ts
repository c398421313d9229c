import t, { type Test } from 'tap'
import { until } from '../../test/support/service.js'
import { exposure, fetchHandler, nodeHandler, startFront, startIngestion } from './support/ingestion.js'

interface Failure {
  readonly message: string
  readonly status: number | null
  readonly lost: readonly { readonly anonymousId: string }[]
}

const ingestion = await startIngestion(t)

/** A fetch handler. It shares everything except reading requests with the Node handler. */
function relayTo(t: Test, ingestUrl: string, options: { capacity?: number; closeWithinMs?: number } = {}) {
  const failures: Failure[] = []
  const handler = fetchHandler({
    ingestUrl,
    serverKey: ingestion.serverKey,
    onError: (failure) => void failures.push(failure),
    ...options,
  })
  t.teardown(() => handler.close())
  const post = async (visitor: string, context?: unknown): Promise<Response> =>
    handler(
      new Request('https://shop.example/_svc/exposures', {
        method: 'POST',
        body: JSON.stringify(exposure(visitor)),
      }),
      context,
    )
  return { handler, failures, post }
}

const recorded = (prefix: string): string[] =>
  ingestion
    .recorded()
    .map(({ anonymousId }) => anonymousId)
    .filter((visitor) => visitor.startsWith(prefix))
const arrived = (prefix: string, count: number) =>
  until(
    async () => recorded(prefix),
    (found) => found.length >= count,
    60,
  )
const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`)

t.test('exposures are sent in order, at most 500 per request', async (t) => {
  const front = await startFront(t, ingestion.url)
  const { post } = relayTo(t, front.url)
  const visitors = numbered('batch-', 1_200)
  const answers = await Promise.all(visitors.map((visitor) => post(visitor)))
  t.ok(answers.every(({ status }) => status === 204))
  t.same((await arrived('batch-', 1_200)).sort(), [...visitors].sort())
  // A batch whose answer comes too late is sent again unchanged. The front records it after answering.
  const sent = await until(
    async () => [...new Map(front.seen.map(({ insertIds }) => [insertIds.join(), insertIds])).values()],
    (found) => found.flat().length >= visitors.length,
    60,
  )
  t.same(
    sent.flat(),
    visitors.map((visitor) => exposure(visitor).insertId),
  )
  t.ok(sent.every((insertIds) => insertIds.length <= 500))
  t.ok(sent.length <= 10, `${sent.length} requests`)
})

t.test('no accepted exposure is lost while ingestion is full, broken or away', async (t) => {
  const front = await startFront(t, ingestion.url)
  const { post, failures } = relayTo(t, front.url)
  front.next(
    { status: 503, retryAfter: '1' },
    { status: 500 },
    { status: 429, retryAfter: '1' },
    'break',
    'pass',
  )
  t.equal((await post('held-0')).status, 204)
  await until(
    async () => front.seen.length,
    (count) => count > 0,
  )
  t.equal((await post('held-1')).status, 204, 'more is taken meanwhile')
  await arrived('held-', 3)
  const tries = front.seen.filter(({ insertIds }) => insertIds.includes(exposure('held-0').insertId))
  t.same(
    tries.map(({ status }) => status),
    [503, 500, 429, 202, 202],
    'until it is certain',
  )
  t.same(new Set(tries.map(({ insertIds }) => insertIds.join())).size, 1, 'the same batch with the same ids')
  for (const i of [0, 2]) t.ok((tries[i + 1]?.at ?? 0) - (tries[i]?.at ?? 0) >= 990, 'Retry-After is kept to')
  t.same(new Set(recorded('held-')), new Set(['held-0', 'held-1']))
  t.same(
    failures.map(({ status }) => status),
    [503, 500, 429, null],
  )
  t.same(
    failures.flatMap(({ lost }) => lost),
    [],
  )
})

t.test('a revoked key is reported, and exposures are kept', async (t) => {
  const front = await startFront(t, ingestion.url)
  const { post, failures } = relayTo(t, front.url)
  front.next({ status: 401 }, { status: 403 })
  await post('key-0')
  t.same(await arrived('key-', 1), ['key-0'])
  t.same(
    failures.map(({ status }) => status),
    [401, 403],
  )
})

t.test('one refused exposure does not affect the others of its request', async (t) => {
  // As if the relay's rules and ingestion's differed.
  const front = await startFront(t, ingestion.url, (body) =>
    body.replaceAll(
      '"event":"$exposure","anonymousId":"split-7"',
      '"event":"not allowed","anonymousId":"split-7"',
    ),
  )
  const { post, failures } = relayTo(t, front.url)
  const visitors = numbered('split-', 40)
  for (const visitor of visitors) t.equal((await post(visitor)).status, 204)
  t.same((await arrived('split-', 39)).sort(), visitors.filter((visitor) => visitor !== 'split-7').sort())
  await until(
    async () => failures.length,
    (count) => count > 0,
  )
  t.same(
    failures.map(({ status, lost }) => [status, lost.map(({ anonymousId }) => anonymousId)]),
    [[400, ['split-7']]],
  )
})

t.test('a full relay answers 503, and accepts exposures again once it has room', async (t) => {
  const front = await startFront(t, ingestion.url)
  const { post } = relayTo(t, front.url, { capacity: 20 })
  front.next(...Array.from({ length: 3 }, () => ({ status: 503 })))
  const statuses = await Promise.all(
    numbered('full-', 30).map(async (visitor) => (await post(visitor)).status),
  )
  t.same(statuses, [...Array(20).fill(204), ...Array(10).fill(503)])
  const refused = await post('full-late')
  t.equal(refused.status, 503)
  t.match(refused.headers.get('retry-after'), /^\d+$/)
  t.same((await arrived('full-', 20)).sort(), numbered('full-', 20).sort())
  t.equal(
    (
      await until(
        () => post('full-again'),
        ({ status }) => status === 204,
      )
    ).status,
    204,
  )
  await arrived('full-', 21)
})

t.test('closing sends the queued exposures, and accepts no more', async (t) => {
  const front = await startFront(t, ingestion.url)
  const { post, handler, failures } = relayTo(t, front.url)
  front.next({ status: 503 })
  for (const visitor of numbered('close-', 5)) await post(visitor)
  await handler.close()
  t.same(recorded('close-').sort(), numbered('close-', 5))
  t.equal((await post('close-late')).status, 503)
  t.same(
    failures.flatMap(({ lost }) => lost),
    [],
  )
})

t.test('closing is bounded in time, and reports the exposures that could not be sent', async (t) => {
  const { post, handler, failures } = relayTo(t, 'http://127.0.0.1:1', { closeWithinMs: 300 })
  for (const visitor of numbered('gone-', 3)) t.equal((await post(visitor)).status, 204)
  await handler.close()
  t.same(
    failures.flatMap(({ lost }) => lost.map(({ anonymousId }) => anonymousId)),
    numbered('gone-', 3),
  )
  t.ok(failures.every(({ message }) => !message.includes(ingestion.serverKey)))
})

t.test('on an edge runtime the relay answers 204 only after ingestion has accepted', async (t) => {
  const front = await startFront(t, ingestion.url)
  const { post, handler } = relayTo(t, front.url)
  const works: Promise<unknown>[] = []
  const context = { waitUntil: (work: Promise<unknown>) => void works.push(work) }
  front.next({ status: 503 }, 'pass')
  const answer = await post('edge-0', context)
  t.equal(answer.status, 204)
  t.same(recorded('edge-'), ['edge-0'])
  await handler.close()
  t.equal((await post('edge-1', context)).status, 503)
  await Promise.all(works)
  t.same(recorded('edge-'), ['edge-0'])
})

t.test('wrong options are refused at the start, without showing the key', async (t) => {
  const good = { ingestUrl: 'https://ingest.example/', serverKey: 'tsk_secret_x' }
  for (const bad of [
    { ...good, ingestUrl: 'ingest.example' },
    { ...good, ingestUrl: 'ftp://ingest.example' },
    { ...good, ingestUrl: 'https://ingest.example/v1' },
    { ...good, ingestUrl: 'https://ingest.example/v1/' },
    { ...good, ingestUrl: 'https://ingest.example?a=1' },
    { ...good, serverKey: '' },
    { ...good, serverKey: 'two\nlines' },
    { ...good, capacity: 0 },
    { ...good, closeWithinMs: 1.5 },
  ])
    for (const make of [nodeHandler, fetchHandler])
      t.throws(() => make(bad), {
        name: 'TypeError',
        message: /^(?!.*two)(ingestUrl|serverKey|capacity|closeWithinMs) must /,
      })
  await nodeHandler(good).close()
})
