import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { newId } from '../../../postgres/tables/workspaces.js'
import { LONG } from '../../../test/support/cases.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { acceptsApiKeys, type Route } from '../../http/route.js'
import { routes } from '../../routes.js'
import { withApi } from '../support/api.js'
import { createContractClient } from '../support/client.js'
import { storeEvents } from '../support/events.js'
import { operationCase } from '../support/operations.js'
import { startStage } from '../support/stage.js'

/**
 * Every POST is repeated under one Idempotency-Key: twenty times concurrently, after a restart, and after the
 * key has expired.
 */
const api = await withApi(t)
const { client } = api
const workspace = await api.workspace()
const { key } = workspace
await storeEvents(api, workspace.id, Date.now(), [{ event: 'order_paid', userId: 'u' }])
const posts = routes.filter(
  (route) => route.method === 'POST' && operationCase(route.operationId).status < 300,
)

async function prepared(route: Route) {
  const { prepare } = operationCase(route.operationId)
  const { path, body } = await prepare({ api, workspace })
  const headers = { 'Idempotency-Key': `retried-${newId()}` }
  const asker = acceptsApiKeys(route) ? key : workspace.session
  return { path, options: { key: asker, headers, ...(body === undefined ? {} : { body }) } }
}

/** Everything a write leaves behind, without times. */
async function traces(path: string) {
  const [, , id = ''] = path.split('/')
  const [counts] = await api.sql`
    select (select count(*)::int from audit_entries
        where workspace_id = ${workspace.id} and actor_person_id is not null) as audited,
      (select count(*)::int from experiments where workspace_id = ${workspace.id}) as experiments,
      (select count(*)::int from funnels where workspace_id = ${workspace.id}) as funnels,
      (select count(*)::int from learnings where workspace_id = ${workspace.id} and experiment_id::text = ${id}) as learnings,
      (select count(*)::int from jobs where key = ${id}) as jobs`
  return counts
}

const otherProcess = async () => {
  const stage = await startStage(api, { now: () => api.clock.now() })
  return { stage, client: createContractClient(api.openapi, stage.url ?? '') }
}

t.test('of twenty equal requests to two processes one does the work and all get its answer', async (t) => {
  const { stage, client: other } = await otherProcess()
  t.teardown(() => stage.stop())
  for (const route of posts) {
    const { path, options } = await prepared(route)
    const before = await traces(path)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? client : other).request('POST', path, options)),
    )
    const { status } = operationCase(route.operationId)
    t.strictSame(
      [...new Set(answers.map((answer) => `${answer.status} ${answer.text}`))].length,
      1,
      route.operationId,
    )
    t.equal(answers[0]?.status, status, route.operationId)
    t.equal(answers.filter((answer) => answer.headers['idempotent-replayed'] === undefined).length, 1)
    for (const name of ['location', 'retry-after'])
      t.equal(new Set(answers.map((answer) => answer.headers[name])).size, 1, `${route.operationId} ${name}`)
    const after = await traces(path)
    const audited = Number(after?.audited) - Number(before?.audited)
    t.equal(audited, route.audit === undefined ? 0 : 1, route.operationId)
    for (const kind of ['experiments', 'funnels', 'learnings', 'jobs'])
      t.ok(Number(after?.[kind]) - Number(before?.[kind]) <= 1, `${route.operationId} ${kind}`)
  }
})

t.test(
  'after a restart the first answer is repeated, and after ten minutes the request is a new one',
  async (t) => {
    // The clock stands still, so the duration of requests does not matter.
    const start = Date.now()
    api.clock.now = () => start
    const done = []
    for (const route of posts) {
      const { path, options } = await prepared(route)
      done.push({ route, path, options, first: await client.request('POST', path, options) })
    }
    const { stage, client: restarted } = await otherProcess()
    api.clock.now = () => start + 595_000
    for (const { route, path, options, first } of done) {
      const again = await restarted.request('POST', path, options)
      t.equal(again.text, first.text, route.operationId)
      t.equal(again.status, first.status)
      t.equal(again.headers.location, first.headers.location)
      t.equal(again.headers['idempotent-replayed'], 'true')
    }
    api.clock.now = () => start + 601_000
    for (const { route, path, options } of done) {
      const anew = await restarted.request<{ code?: string }>('POST', path, options)
      t.equal(anew.headers['idempotent-replayed'], undefined, route.operationId)
      // A transition cannot be repeated, and a name stays taken.
      if (route.path.includes('{') && route.scope !== null)
        t.equal(anew.body.code, 'ILLEGAL_TRANSITION', route.operationId)
    }
    api.clock.now = () => Date.now()
    await stage.stop()
  },
)

t.test('a refusal is not stored for any operation', async (t) => {
  for (const route of posts.filter((route) => route.path.startsWith('/experiments/{id}/'))) {
    const { path, options } = await prepared(route)
    const [, , id = ''] = path.split('/')
    const [row] = await api.sql`select status from experiments where id = ${id}`
    await api.sql`update experiments set status = 'dismissed' where id = ${id}`
    t.equal((await client.request('POST', path, options)).status, 409, route.operationId)
    await api.sql`update experiments set status = ${row?.status} where id = ${id}`
    const answer = await client.request('POST', path, options)
    t.equal(answer.status, operationCase(route.operationId).status, route.operationId)
    t.equal(answer.headers['idempotent-replayed'], undefined)
  }
})

/** The product's wait in the long suite, a short one otherwise. */
const RETRY_WAIT_MS = LONG ? 20_000 : 1_000

t.test('a retry waits for the first request, and gets IDEMPOTENCY_IN_FLIGHT after a while', async (t) => {
  const route = posts.find(({ operationId }) => operationId === 'decideExperiment')
  if (route === undefined) throw new Error('there is no such route')
  const { path, options } = await prepared(route)
  const [, , id = ''] = path.split('/')
  // The first request is in progress while the test holds the row.
  let reportLocked = (): void => {}
  const locked = new Promise<void>((resolve) => {
    reportLocked = resolve
  })
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const held = api.sql.begin(async (tx) => {
    await tx`select 1 from experiments where id = ${id} for update`
    reportLocked()
    await released
  })
  await locked
  const first = client.request('POST', path, options)
  const waits = () => api.sql`select 1 from pg_locks where not granted`
  await waitUntil(async () => (await waits()).length > 0)
  const second = client.request('POST', path, options)
  // Time enough for the retry to answer, if it did not wait.
  await sleep(200)
  release()
  await held
  t.equal((await first).status, 202)
  t.equal((await second).text, (await first).text)
  t.equal((await second).headers['idempotent-replayed'], 'true')

  const claimed = `claimed-${newId()}`
  await api.sql`
    insert into idempotency_records (credential_id, workspace_id, route, key, body_hash, owner, claimed_until, expires_at)
    select credential_id, workspace_id, ${'POST /v1/experiments/generate'}, ${claimed},
      sha256('{}'::bytea), ${newId()}, now() + interval '35 seconds', now() + interval '1 hour'
    from idempotency_records limit 1`
  const stage = await startStage(api, LONG ? {} : { retryWaitMs: RETRY_WAIT_MS })
  t.teardown(() => stage.stop())
  const begun = performance.now()
  const refused = await createContractClient(api.openapi, stage.url ?? '').refused(
    'POST',
    '/experiments/generate',
    {
      key,
      body: {},
      headers: { 'Idempotency-Key': claimed },
    },
  )
  const waited = performance.now() - begun
  t.equal(refused.body.code, 'IDEMPOTENCY_IN_FLIGHT')
  t.match(refused.headers['retry-after'], /^[1-9]\d*$/)
  t.ok(waited > RETRY_WAIT_MS - 500, `${waited} ms`)
})
