import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { setQuota } from '../../../postgres/tables/workspaces.js'
import { LONG } from '../../../test/support/cases.js'
import {
  makeGateway,
  makeWorkspace,
  startStores,
  type TestGateway,
  type TestWorkspace,
} from '../../test/support/gateway.js'
import { wire } from '../../test/support/wire.js'

const stores = await startStores()
t.teardown(() => stores.stop())
// Buckets fill by Postgres' clock, so the tests wait, in parallel, each in its own workspace.
t.jobs = 3

async function setUp(t: Test, limits: { requestsPerSecond?: number; eventsPerSecond?: number }) {
  const workspace = await makeWorkspace(stores)
  await setQuota(stores.sql, { workspaceId: workspace.id, ...limits })
  const gateways = [await makeGateway(stores), await makeGateway(stores)] as const
  t.teardown(async () => {
    for (const gateway of gateways) await gateway.stop()
  })
  return { workspace, gateways }
}

function requestBytes(workspace: TestWorkspace, events = 1): string {
  const body = JSON.stringify({ events: Array.from({ length: events }, () => ({ event: 'e', userId: 'u' })) })
  return `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${workspace.serverKey}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

async function send(gateway: TestGateway, workspace: TestWorkspace, events = 1) {
  const { answers } = await wire(gateway.port, [requestBytes(workspace, events)])
  const answer = answers[0]
  if (answer === undefined) throw new Error('no answer')
  return answer
}

/**
 * At most the allowed number is accepted, and not much less, unless less was sent. On a busy machine the
 * gateways get their shares late.
 */
function isKept(
  t: Test,
  floods: readonly { readonly taken: number; readonly asked: number }[],
  events: number,
  allowed: number,
): void {
  const sum = (which: 'taken' | 'asked'): number => floods.reduce((all, one) => all + one[which], 0) * events
  const [taken, asked] = [sum('taken'), sum('asked')]
  t.ok(taken < allowed * 1.1, `${taken} of ${Math.round(allowed)}`)
  t.ok(taken > Math.min(asked, allowed) * 0.4, `${taken} of ${Math.round(allowed)}, and ${asked} sent`)
}

/** Sends until there is a refusal. */
async function untilRefused(gateway: TestGateway, workspace: TestWorkspace) {
  for (let i = 0; i < 50; i++) {
    const answer = await send(gateway, workspace)
    if (answer.status === 429) return answer
  }
  throw new Error('never refused')
}

const FLOOD_MS = LONG ? 4_000 : 2_000

/**
 * Floods a gateway over several connections; returns how many requests were accepted and how many were
 * answered.
 */
async function flood(
  gateway: TestGateway,
  workspace: TestWorkspace,
  milliseconds: number,
  events: number,
): Promise<{ readonly taken: number; readonly asked: number }> {
  const end = performance.now() + milliseconds
  let taken = 0
  let asked = 0
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      while (performance.now() < end) {
        const { status } = await send(gateway, workspace, events)
        if (status === 202) taken++
        // A busy machine may time out looking up a key (503).
        if (status !== 503) asked++
        if (![202, 429, 503].includes(status)) throw new Error(`status ${status}`)
        await delay(2)
      }
    }),
  )
  return { taken, asked }
}

t.test('the limit of requests per second holds over two gateways', async (t) => {
  const { workspace, gateways } = await setUp(t, { requestsPerSecond: 100 })
  const start = performance.now()
  const taken = await Promise.all(gateways.map((gateway) => flood(gateway, workspace, FLOOD_MS, 1)))
  const seconds = (performance.now() - start) / 1_000
  isKept(t, taken, 1, 100 * (seconds + 2))
})

t.test('the limit of events per second holds over two gateways', async (t) => {
  const { workspace, gateways } = await setUp(t, { eventsPerSecond: 1_000 })
  const start = performance.now()
  const taken = await Promise.all(gateways.map((gateway) => flood(gateway, workspace, FLOOD_MS, 50)))
  const seconds = (performance.now() - start) / 1_000
  isKept(t, taken, 50, 1_000 * (seconds + 2))
})

t.test('after Retry-After a request is accepted again', async (t) => {
  const { workspace, gateways } = await setUp(t, { requestsPerSecond: 2 })
  const [gateway] = gateways
  for (let i = 0; i < 4; i++) t.equal((await send(gateway, workspace)).status, 202)
  const refused = await untilRefused(gateway, workspace)
  t.equal(refused.status, 429)
  t.match(JSON.parse(refused.text), { code: 'RATE_LIMITED', field: null, message: /2 requests per second/ })
  t.equal(refused.headers['retry-after'], '1')
  t.equal(refused.headers['ratelimit-limit'], '2')
  t.equal(refused.headers['ratelimit-remaining'], '0')
  t.equal(refused.headers['ratelimit-reset'], '1')
  await delay(1_000)
  t.equal((await send(gateway, workspace)).status, 202)
})

t.test('a batch above the burst passes if the bucket is full, and later requests wait for it', async (t) => {
  const { workspace, gateways } = await setUp(t, { eventsPerSecond: 100 })
  t.equal((await send(gateways[0], workspace, 300)).status, 202)
  let refused = await send(gateways[0], workspace, 1)
  // A machine that stood still has let the debt be paid.
  for (let i = 0; i < 10 && refused.status === 202; i++) refused = await send(gateways[0], workspace, 300)
  t.equal(refused.status, 429)
  const wait = Number(refused.headers['retry-after'])
  t.ok(wait >= 1 && wait <= 4, `${wait}`)
  await delay(wait * 1_000)
  t.equal((await send(gateways[1], workspace, 1)).status, 202)
})

t.test('keys do not share a limit', async (t) => {
  const { workspace, gateways } = await setUp(t, { requestsPerSecond: 1 })
  const other = await makeWorkspace(stores)
  await untilRefused(gateways[0], workspace)
  t.equal((await send(gateways[0], other)).status, 202)
})

t.test('without Postgres the gateway keeps the limit by itself', async (t) => {
  const { workspace, gateways } = await setUp(t, { requestsPerSecond: 20 })
  const [gateway] = gateways
  t.equal((await send(gateway, workspace)).status, 202)
  gateway.proxy.set('hang')
  const start = performance.now()
  const { taken } = await flood(gateway, workspace, 3_000, 1)
  const seconds = (performance.now() - start) / 1_000
  t.ok(taken > 5 && taken < 20 * (seconds + 2) * 1.1 + 1, `${taken} in ${seconds} s`)
  gateway.proxy.set('pass')
})
