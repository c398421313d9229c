import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { connectPostgres } from '../../../postgres/driver/client.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { startFaultProxy } from '../../../test/support/network/fault-proxy.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { acceptsApiKeys, type Route } from '../../http/route.js'
import { routes } from '../../routes.js'
import { withApi } from '../support/api.js'
import { type ContractAnswer, createContractClient, send } from '../support/client.js'
import { storeEvents } from '../support/events.js'
import { operationCase } from '../support/operations.js'
import { startStage } from '../support/stage.js'

/**
 * Every operation while Postgres refuses, hangs or is cut off during a write: 503 in time, all of a write or
 * nothing, and recovery without help.
 */
const api = await withApi(t)
const workspace = await api.workspace()
await storeEvents(api, workspace.id, Date.now(), [{ event: 'order_paid', userId: 'u' }])

const address = new URL(api.postgresUrl)
const proxy = await startFaultProxy({ host: address.hostname, port: Number(address.port) })
address.port = String(proxy.port)
const sql = connectPostgres({
  url: address.href,
  applicationName: 'through a proxy',
  maxConnections: 10,
  statementMs: 10_000,
})
const stage = await startStage({ ...api, sql }, { now: () => api.clock.now() })
t.teardown(async () => {
  await stage.stop()
  await sql.end({ timeout: 0 })
  await proxy.close()
})
const url = stage.url ?? ''
const client = createContractClient(api.openapi, url)
const keyOf = (route: Route): string => (acceptsApiKeys(route) ? workspace.key : workspace.session)

interface Sent {
  readonly route: Route
  readonly path: string
  readonly ask: () => Promise<ContractAnswer<{ code?: string }>>
}

async function prepare(route: Route): Promise<Sent> {
  const { path, body } = await operationCase(route.operationId).prepare({ api, workspace })
  const headers: Record<string, string> =
    route.method === 'POST' ? { 'Idempotency-Key': `gone-${newId()}` } : {}
  const options = { key: keyOf(route), headers, ...(body === undefined ? {} : { body }) }
  return { route, path, ask: () => client.request(route.method, path, options) }
}

const works = (answer: ContractAnswer<unknown>, route: Route) =>
  answer.status === operationCase(route.operationId).status

/** Retries as a client does after a 503 or Retry-After. */
async function insist({ route, ask }: Sent): Promise<ContractAnswer<{ code?: string }>> {
  for (const end = Date.now() + 30_000; ; await sleep(50)) {
    const answer = await ask()
    const again = answer.status === 503 || answer.body?.code === 'IDEMPOTENCY_IN_FLIGHT'
    if (!again) return answer
    if (Date.now() > end) throw new Error(`${route.operationId} does not come back: ${answer.text}`)
    // The claim of a request that could not release it ends after a minute.
    if (answer.status === 409) passAMinute()
  }
}

let ahead = 0
api.clock.now = () => Date.now() + ahead
function passAMinute(): void {
  ahead += 61_000
}

async function auditOf(path: string): Promise<number> {
  const [, id = ''] = /^\/(?:funnel\/(?:insights|dashboards)|[^/]+)\/([^/]+)/.exec(path) ?? []
  const rows = await api.sql`
    select 1 from audit_entries where resource_id = ${id} and actor_person_id is not null`
  return rows.length
}

for (const mode of ['refuse', 'hang'] as const)
  t.test(`Postgres ${mode}s`, async (t) => {
    const all = await Promise.all(routes.filter((route) => !route.public).map(prepare))
    await proxy.set(mode)
    // Notifications of revoked keys are missed, so keys are served from memory for a second at most.
    for (const key of [workspace.key, workspace.session])
      for (const end = Date.now() + 20_000; (await client.request('GET', '/me', { key })).status !== 503; )
        if (Date.now() > end) throw new Error('keys are still served from memory')
    const took = await Promise.all(
      all.map(async ({ route, ask }) => {
        const begun = performance.now()
        const answer = await ask()
        t.equal(answer.status, 503, route.operationId)
        t.equal(answer.body.code, 'UNAVAILABLE')
        t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
        return performance.now() - begun
      }),
    )
    t.ok(Math.max(...took) < 30_000, `all within ${Math.round(Math.max(...took))} ms`)
    t.equal((await send(url, 'GET', '/reference/openapi.json')).status, 200, 'the reference needs no store')
    t.equal((await client.refused('GET', '/me', { key: 'nonsense' })).status, 401, 'garbage needs no look-up')
    t.match(await stage.checks(), [
      { name: 'postgres', ok: false },
      { name: 'clickhouse', ok: true },
    ])

    if (mode === 'hang') proxy.abandon()
    await proxy.set('pass')
    for (const sent of all) {
      const answer = await insist(sent)
      t.ok(works(answer, sent.route), `${sent.route.operationId} ${answer.status} afterwards`)
      if (sent.route.audit !== undefined && /\{(?!eventName)/.test(sent.route.path) && answer.status < 300)
        t.equal(await auditOf(sent.path), 1, `${sent.route.operationId} was done once`)
    }
    t.match(await stage.checks(), [
      { name: 'postgres', ok: true },
      { name: 'clickhouse', ok: true },
      { name: 'jobs', ok: true },
    ])
  })

const written = routes.filter(
  (route) => route.scope !== null && operationCase(route.operationId).status < 300,
)

/** Milliseconds after the request at which connections are cut; what each hits depends on the machine. */
const CUTS = [0, 1, 2, 4, 6, 9, 14, 20]

t.test('a write that is cut off happens whole or not at all, with its audit entry', async (t) => {
  let failed = 0
  for (const [i, route] of [...written, ...written].entries()) {
    const sent = await prepare(route)
    const { path } = sent
    const countAudit = async () =>
      (
        await api.sql`
          select 1 from audit_entries where workspace_id = ${workspace.id} and actor_person_id is not null`
      ).length
    const before = await countAudit()
    const stateBefore = await stateOf(path)
    const asked = sent.ask()
    await sleep(CUTS[(i * 3) % CUTS.length])
    proxy.cut()
    const first = await asked
    t.ok(works(first, route) || first.status === 503, `${route.operationId} ${first.status}`)
    if (first.status === 503) failed++
    // A cut-off statement may still run.
    await untilIdle()
    const audited = (await countAudit()) - before
    const changed = (await stateOf(path)) !== stateBefore
    t.ok(audited <= 1, `${route.operationId} audited ${audited} times`)
    if (path.includes('/', 1) && route.params !== undefined)
      t.equal(changed, audited === 1, `${route.operationId}: changed if and only if audited`)
    if (works(first, route)) t.equal(audited, 1, `${route.operationId}: what was acknowledged stays`)
    if (route.method !== 'POST') continue
    passAMinute()
    const again = await insist(sent)
    t.ok(works(again, route), `${route.operationId} again: ${again.status} ${again.text.slice(0, 100)}`)
    t.equal((await countAudit()) - before, 1, `${route.operationId}: once after a retry`)
    if (audited === 1 && first.status === 503) t.equal(again.headers['idempotent-replayed'], 'true')
  }
  t.comment(`${failed} of ${2 * written.length} were answered by 503`)
  t.ok(failed > 0)
})

t.test(
  'a retry repeats the answer of an operation that was committed before the answer was lost',
  async (t) => {
    for (const route of written
      .filter(({ method, path }) => method === 'POST' && path.includes('{'))
      .slice(0, 5)) {
      const sent = await prepare(route)
      const asked = sent.ask()
      // From the start of the write nothing from Postgres gets through until it is done.
      const giveUp = performance.now() + 2_000
      for (let begun = false; !begun && performance.now() < giveUp; ) {
        const [open] = await api.sql`
        select 1 from pg_stat_activity where application_name = 'through a proxy' and backend_xid is not null`
        begun = open !== undefined
      }
      await proxy.set('mute')
      await sleep(30)
      await proxy.set('pass')
      const first = await asked
      t.ok(works(first, route) || first.status === 503, route.operationId)
      await untilIdle()
      passAMinute()
      const again = await insist(sent)
      t.ok(works(again, route), `${route.operationId} again: ${again.status}`)
      t.equal(await auditOf(sent.path), 1, route.operationId)
    }
  },
)

/** The row behind a path, as text. */
async function stateOf(path: string): Promise<string> {
  const [, kind, id = '', name = ''] = path.split('/')
  if (id === 'events')
    return JSON.stringify([
      await api.sql`select hidden_at from hidden_event_names where pattern = ${name}`,
      await api.sql`select description, hidden from vocabulary_entries where event_name = ${name}`,
    ])
  if (id === 'insights' || id === 'dashboards')
    return JSON.stringify(
      await api.sql`select to_jsonb(r) as row from ${api.sql(id)} r where id::text = ${name}`,
    )
  const table = { experiments: 'experiments', learnings: 'learnings', funnel: 'funnels' }[kind ?? '']
  if (table === undefined || !/^[0-9a-f-]{36}$/.test(id)) return ''
  const rows = await api.sql`select to_jsonb(r) as row from ${api.sql(table)} r where id = ${id}`
  return JSON.stringify(rows)
}

const writes = () => api.sql`
  select 1 from pg_stat_activity where application_name = 'through a proxy' and backend_xid is not null`
const untilIdle = () => waitUntil(async () => (await writes()).length === 0)
