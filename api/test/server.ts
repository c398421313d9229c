import { connect } from 'node:net'
import { Registry } from 'prom-client'
import t from 'tap'
import { openEmbeddedClickHouse } from '../../clickhouse/embedded/open.js'
import { newId } from '../../postgres/tables/workspaces.js'
import { freePort } from '../../test/support/network/free-port.js'
import { waitUntil } from '../../test/support/wait-until.js'
import { withApi } from './support/api.js'
import { createContractClient, send } from './support/client.js'
import { startStage } from './support/stage.js'

const api = await withApi(t)
const workspace = await api.workspace()
const { key } = workspace

function start(over: Parameters<typeof startStage>[1] = {}) {
  return startStage(api, over)
}

t.test('without ClickHouse only requests that need it are answered with 503', async (t) => {
  const clickhouse = await openEmbeddedClickHouse({ path: api.clickhousePath })
  await clickhouse.close()
  const stage = await start({ clickhouse })
  t.teardown(() => stage.stop())
  const client = createContractClient(api.openapi, stage.url ?? '')
  const made = await client.request<{ id: string }>('POST', '/funnel', {
    key,
    body: { name: 'without events', steps: [{ eventName: 'a' }] },
  })
  t.equal(made.status, 201)
  for (const [method, path] of [
    ['GET', '/events'],
    ['GET', '/funnel/events'],
    ['POST', `/funnel/${made.body.id}/query`],
  ] as const)
    t.equal((await client.refused(method, path, { key })).body.code, 'UNAVAILABLE', path)
  const readiness = await client.request<{ canRun: boolean; checks: unknown[] }>('GET', '/readiness', { key })
  t.equal(readiness.body.canRun, false)
  t.match(readiness.body.checks, [
    {},
    {},
    { code: 'events_received', ok: false },
    // No gateway runs here.
    { code: 'log', ok: false },
    { code: 'clickhouse', ok: false },
  ])
  t.match(await stage.checks(), [{ ok: true }, { name: 'clickhouse', ok: false }, { name: 'jobs', ok: true }])
})

t.test('requests are counted by route, never by path', async (t) => {
  const registry = new Registry()
  const stage = await start({ registry })
  t.teardown(() => stage.stop())
  const url = stage.url ?? ''
  await send(url, 'GET', `/v1/funnel/${newId()}`, { key })
  await send(url, 'GET', `/v1/funnel/${newId()}`, { key })
  await send(url, 'GET', '/v1/me')
  await send(url, 'GET', '/reference')
  const metrics = await stage.metrics()
  const requests = metrics.find((metric) => metric.name === 'svc_api_requests_total')
  t.strictSame(
    requests?.values.map(({ labels, value }) => [labels.route, labels.method, labels.status, value]).sort(),
    [
      ['/reference', 'GET', '200', 1],
      ['/v1/funnel/{funnelId}', 'GET', '404', 2],
      ['unmatched', 'GET', '401', 1],
    ],
  )
  t.ok(metrics.some((metric) => metric.name === 'svc_api_request_seconds'))
})

t.test('a stop lets requests in flight finish and frees the port', async (t) => {
  const port = await freePort()
  const stage = await start({ port })
  const url = stage.url ?? ''
  const locked = await api.sql.reserve()
  await locked`begin`
  await locked`lock table funnels in access exclusive mode`
  const waiting = fetch(`${url}/v1/funnel`, { headers: { Authorization: `Bearer ${key}` } })
  const idle = connect(port, '127.0.0.1')
  idle.on('error', () => {})
  await waitUntil(async () => (await api.sql`select 1 from pg_locks where not granted`).length > 0)
  const stopping = stage.stop()
  const isRefused = () =>
    send(url, 'GET', '/v1/me', { key }).then(
      () => false,
      () => true,
    )
  await waitUntil(isRefused)
  await locked`rollback`
  locked.release()
  const answer = await waiting
  t.equal(answer.status, 200)
  t.equal(answer.headers.get('connection'), 'close')
  await answer.text()
  await stopping
  const again = await start({ port })
  t.equal((await send(again.url ?? '', 'GET', '/v1/me', { key })).status, 200)
  await again.stop()
  idle.destroy()
})

t.test('an address that cannot be listened on is an error', async (t) => {
  await t.rejects(start({ host: '203.0.113.1' }), /cannot listen on 203\.0\.113\.1/)
})
