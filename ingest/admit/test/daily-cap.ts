import t, { type Test } from 'tap'
import { LogUnavailableError } from '../../../log/port.js'
import { readHeader } from '../../../log/record.js'
import { createKey } from '../../../postgres/tables/keys.js'
import { newId, setQuota } from '../../../postgres/tables/workspaces.js'
import { waitUntil } from '../../../test/support/wait-until.js'
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

const NOON = Date.parse('2026-03-31T12:00:00.000Z')
const DAY = 86_400_000

async function setUp(t: Test, dailyEvents: number | null) {
  const workspace = await makeWorkspace(stores)
  await setQuota(stores.sql, { workspaceId: workspace.id, dailyEvents })
  let at = NOON
  const gateways = [
    await makeGateway(stores, { now: () => at }),
    await makeGateway(stores, { now: () => at }),
  ] as const
  t.teardown(async () => {
    for (const gateway of gateways) await gateway.stop()
  })
  return {
    workspace,
    gateways,
    setTime: (milliseconds: number) => {
      at = milliseconds
    },
  }
}

async function send(gateway: TestGateway, workspace: TestWorkspace, events: number) {
  const body = JSON.stringify({ events: Array.from({ length: events }, () => ({ event: 'e', userId: 'u' })) })
  const head = `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${workspace.serverKey}\r\nContent-Length: ${body.length}\r\n\r\n`
  const { answers } = await wire(gateway.port, [head + body])
  const answer = answers[0]
  if (answer === undefined) throw new Error('no answer')
  return answer
}

const used = async (workspace: TestWorkspace): Promise<number> => {
  const rows = await stores.sql<{ events: string }[]>`
    select events from daily_usage where workspace_id = ${workspace.id} order by day`
  return Number(rows.at(-1)?.events ?? 0)
}

const recorded = (gateways: readonly TestGateway[]): number =>
  gateways
    .flatMap((gateway) => gateway.appended)
    .reduce((sum, record) => sum + readHeader(record.payload).count, 0)

t.test('a batch that would cross the cap is refused whole, a smaller one still fits', async (t) => {
  const { workspace, gateways } = await setUp(t, 10)
  t.equal((await send(gateways[0], workspace, 7)).status, 202)
  const refused = await send(gateways[0], workspace, 4)
  t.equal(refused.status, 429)
  t.match(JSON.parse(refused.text), { code: 'DAILY_CAP_REACHED', field: null, message: /cap of 10 events/ })
  t.equal(refused.headers['retry-after'], String(12 * 3_600))
  t.equal(refused.headers['ratelimit-limit'], '10')
  t.equal(refused.headers['ratelimit-remaining'], '3')
  t.equal(refused.headers['ratelimit-reset'], String(12 * 3_600))
  t.equal((await send(gateways[1], workspace, 3)).status, 202, 'at the other gateway')
  t.equal((await send(gateways[0], workspace, 1)).status, 429)
  t.equal(recorded(gateways), 10)
})

t.test('a cap of zero refuses every event', async (t) => {
  const { workspace, gateways } = await setUp(t, 0)
  t.equal((await send(gateways[0], workspace, 1)).status, 429)
})

t.test('two gateways reach the cap exactly and never cross it', async (t) => {
  const { workspace, gateways } = await setUp(t, 1_000)
  const answers = await Promise.all(
    Array.from({ length: 400 }, (_, i) =>
      send(i % 2 === 0 ? gateways[0] : gateways[1], workspace, (i % 5) + 1),
    ),
  )
  const accepted = answers
    .filter((answer) => answer.status === 202)
    .reduce((sum, answer) => sum + Number(JSON.parse(answer.text).accepted), 0)
  t.ok(answers.every((answer) => answer.status === 202 || answer.status === 429))
  t.equal(recorded(gateways), accepted)
  t.ok(accepted <= 1_000 && accepted > 995, `${accepted}`)
  for (let i = accepted; i < 1_000; i++) t.equal((await send(gateways[0], workspace, 1)).status, 202)
  t.equal((await send(gateways[1], workspace, 1)).status, 429)
})

t.test('the count starts again at midnight UTC', async (t) => {
  const { workspace, gateways, setTime } = await setUp(t, 5)
  setTime(NOON + DAY / 2 - 1)
  t.equal((await send(gateways[0], workspace, 5)).status, 202)
  const refused = await send(gateways[0], workspace, 1)
  t.equal(refused.status, 429)
  t.equal(refused.headers['retry-after'], '1')
  setTime(NOON + DAY / 2)
  t.equal((await send(gateways[0], workspace, 5)).status, 202)
  t.equal((await send(gateways[0], workspace, 1)).status, 429)
})

t.test('the count survives a restart', async (t) => {
  const { workspace, gateways } = await setUp(t, 5)
  t.equal((await send(gateways[0], workspace, 4)).status, 202)
  await gateways[0].stop()
  const again = await makeGateway(stores, { now: () => NOON })
  t.teardown(() => again.stop())
  t.equal((await send(again, workspace, 2)).status, 429)
  t.equal((await send(again, workspace, 1)).status, 202)
})

t.test('events that were not recorded do not count', async (t) => {
  const { workspace, gateways } = await setUp(t, 5)
  gateways[0].faults.before = () => Promise.reject(new LogUnavailableError('disk full'))
  t.equal((await send(gateways[0], workspace, 5)).status, 503)
  gateways[0].faults.before = undefined
  await waitUntil(async () => (await used(workspace)) === 0)
  t.equal((await send(gateways[0], workspace, 5)).status, 202)
})

t.test('a new cap counts the earlier events of the day, and a removed cap no longer applies', async (t) => {
  const { workspace, gateways } = await setUp(t, null)
  for (let i = 0; i < 2; i++) t.equal((await send(gateways[0], workspace, 500)).status, 202)
  await waitUntil(async () => (await used(workspace)) >= 1_000)
  t.equal(await used(workspace), 1_000)
  await setQuota(stores.sql, { workspaceId: workspace.id, dailyEvents: 1_001 })
  // The gateway hears of the cap a little later. Counted from then on, its events would last for longer.
  await waitUntil(async () => (await send(gateways[0], workspace, 2)).status === 429, { pollMs: 200 })
  await setQuota(stores.sql, { workspaceId: workspace.id, dailyEvents: null })
  await waitUntil(async () => (await send(gateways[0], workspace, 2)).status === 202)
})

t.test('without Postgres the events of a capped workspace are refused', async (t) => {
  const { workspace, gateways } = await setUp(t, 5)
  t.equal((await send(gateways[0], workspace, 1)).status, 202)
  gateways[0].proxy.set('hang')
  const answer = await send(gateways[0], workspace, 1)
  t.equal(answer.status, 503)
  t.ok(Number(answer.headers['retry-after']) >= 1)
  gateways[0].proxy.set('pass')
  t.equal(recorded(gateways), 1)
})

t.test('a reservation that commits after its batch was refused is given back', async (t) => {
  const { workspace, gateways } = await setUp(t, 5)
  t.equal((await send(gateways[0], workspace, 1)).status, 202)
  await stores.sql.begin(async (tx) => {
    await tx`select 1 from daily_usage where workspace_id = ${workspace.id} for update`
    t.equal((await send(gateways[0], workspace, 4)).status, 503)
  })
  await waitUntil(async () => (await used(workspace)) === 5)
  await waitUntil(async () => (await used(workspace)) === 1)
  t.equal((await send(gateways[0], workspace, 4)).status, 202)
})

t.test('an exposure key sends nothing else and uses only its own cap', async (t) => {
  const { workspace, gateways } = await setUp(t, 5)
  await setQuota(stores.sql, { workspaceId: workspace.id, dailyExposures: 10 })
  const { key: relayKey } = await createKey(stores.sql, stores.secretKey, {
    id: newId(),
    workspaceId: workspace.id,
    type: 'server',
    name: 'relay',
    scopes: ['exposures.send'],
    now: new Date(),
  })
  const call = async (key: string, path: string, body: object) => {
    const response = await fetch(`${gateways[0].url}${path}`, {
      method: path === '/v1/serving' ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(path === '/v1/serving' ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const exposures = (count: number) => ({
    events: Array.from({ length: count }, (_, i) => ({ event: '$exposure', anonymousId: `v${i}` })),
  })
  const order = { event: 'ordered', anonymousId: 'v' }
  t.equal((await call(relayKey, '/v1/events', exposures(10))).status, 202)
  t.match(await call(relayKey, '/v1/events', exposures(1)), {
    status: 429,
    body: { code: 'DAILY_CAP_REACHED', message: /10 exposures a day/ },
  })
  t.match(await call(relayKey, '/v1/events', { events: [...exposures(1).events, order] }), {
    status: 403,
    body: { code: 'MISSING_PERMISSION', field: 'events[1].event' },
  })
  const stolen = { events: [{ ...exposures(1).events[0], insertId: 'order-777' }] }
  t.match(await call(relayKey, '/v1/events', stolen), {
    status: 403,
    body: { code: 'MISSING_PERMISSION', field: 'events[0].insertId' },
  })
  t.match(await call(relayKey, '/v1/alias', { anonymousId: 'v', userId: 'u' }), {
    status: 403,
    body: { code: 'MISSING_PERMISSION' },
  })
  t.equal((await call(relayKey, '/v1/serving', {})).status, 200)
  const shop = await call(workspace.serverKey, '/v1/events', { events: Array(5).fill(order) })
  t.equal(shop.status, 202, 'the whole cap is left for the shop')
  t.equal((await call(workspace.serverKey, '/v1/events', exposures(1))).status, 429)
  t.equal(recorded(gateways), 15)
})
