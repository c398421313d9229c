import t from 'tap'
import { oldestRelayVisit } from '../../postgres/tables/serving.js'
import { newId } from '../../postgres/tables/workspaces.js'
import { waitUntil } from '../../test/support/wait-until.js'
import { makeGateway, makeWorkspace, startStores } from './support/gateway.js'

const stores = await startStores()
let skippedMs = 0
let heldAt: number | undefined
const clock = () => (heldAt ?? performance.now()) + skippedMs
const gateways = [await makeGateway(stores, { clock }), await makeGateway(stores)]
t.teardown(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()))
  await stores.stop()
})
const [gateway] = gateways

interface Shown {
  readonly status: number
  readonly etag: string | null
  readonly body: { readonly version: number; readonly experiments: Record<string, true | string> } | undefined
}

async function ask(
  { key, url = gateway?.url }: { readonly key: string; readonly url?: string | undefined },
  headers: Record<string, string> = {},
): Promise<Shown> {
  const response = await fetch(`${url}/v1/serving`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  })
  const text = await response.text()
  return {
    status: response.status,
    etag: response.headers.get('etag'),
    body: response.status === 200 ? JSON.parse(text) : undefined,
  }
}

async function addExperiment(
  workspaceId: string,
  key: string,
  status: string,
  winner?: string,
): Promise<string> {
  const id = newId()
  await stores.sql`
    insert into experiments (id, workspace_id, key, name, mechanism, notes, hypothesis, search_text, kind, test_type, status,
      priority, origin, variants, conversion_targets, surfaces, changes, decision_outcome, decision_variant, created_at, updated_at)
    values (${id}, ${workspaceId}, ${key}, ${key}, '', '', '', '', 'experiment', 'dom', ${status}, 'medium', 'api', '[]', '[]', '[]', '[]',
      ${winner === undefined ? null : 'ship'}, ${winner ?? null}, now(), now())`
  return id
}

/** Asks every gateway until its state is as expected: a change takes up to two seconds to reach it. */
async function becomes(key: string, expected: Record<string, true | string>): Promise<void> {
  const wanted = JSON.stringify(expected)
  for (const { url } of gateways)
    await waitUntil(async () => JSON.stringify((await ask({ key, url })).body?.experiments) === wanted)
}

t.test('running experiments and shipped winners are served, everything else is not', async (t) => {
  const workspace = await makeWorkspace(stores)
  for (const status of ['proposed', 'approved', 'ready', 'paused', 'ended', 'concluded', 'pr_open'])
    await addExperiment(workspace.id, `in-${status.replace('_', '-')}`, status)
  await addExperiment(workspace.id, 'runs', 'running')
  await addExperiment(workspace.id, 'won', 'shipped', 'treatment')
  const other = await makeWorkspace(stores)
  await addExperiment(other.id, 'not-yours', 'running')
  await becomes(workspace.serverKey, { runs: true, won: 'treatment' })
  const answers = await Promise.all(gateways.map(({ url }) => ask({ key: workspace.serverKey, url })))
  t.equal(answers[0]?.etag, answers[1]?.etag, 'two gateways agree on the ETag')
  t.equal((await ask({ key: workspace.serverKey }, { 'if-none-match': answers[0]?.etag ?? '' })).status, 304)
})

t.test('a change is served on every gateway', async () => {
  const workspace = await makeWorkspace(stores)
  const id = await addExperiment(workspace.id, 'hero', 'running')
  await becomes(workspace.serverKey, { hero: true })
  await stores.sql`update experiments set status = 'paused' where id = ${id}`
  await becomes(workspace.serverKey, {})
})

t.test('a winner is served until 30 days after its cleanup was merged', async () => {
  const workspace = await makeWorkspace(stores)
  const id = await addExperiment(workspace.id, 'hero', 'shipped', 'b')
  await stores.sql`
    insert into pull_requests (id, workspace_id, experiment_id, purpose, kind, location, branch, operation, state, created_at, updated_at)
    values (${newId()}, ${workspace.id}, ${id}, 'cleanup', 'local', '/site', 'svc/hero-cleanup', 'x', 'merged', now(), now() - interval '29 days')`
  await becomes(workspace.serverKey, { hero: 'b' })
  await stores.sql`update pull_requests set updated_at = now() - interval '31 days' where experiment_id = ${id}`
  await becomes(workspace.serverKey, {})
})

t.test('only a live server key may ask for the state, with GET', async (t) => {
  const workspace = await makeWorkspace(stores)
  for (const key of ['', workspace.apiKey, workspace.publishableKey])
    t.equal((await ask({ key })).status, 401)
  t.equal((await ask({ key: workspace.serverKey }, { origin: 'https://shop.example' })).status, 403)
  const posted = await fetch(`${gateway?.url}/v1/serving`, {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.serverKey}` },
  })
  t.equal(posted.status, 405)
  t.equal(posted.headers.get('allow'), 'GET, HEAD')
})

t.test(
  'without Postgres the last state is served; without a state the answer is 503, never an empty list',
  async (t) => {
    const workspace = await makeWorkspace(stores)
    const other = await makeWorkspace(stores)
    await addExperiment(workspace.id, 'hero', 'running')
    await becomes(workspace.serverKey, { hero: true })
    // The other key is known, its state is not.
    await fetch(`${gateway?.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${other.serverKey}` },
      body: '{"events":[{"event":"seen","userId":"ada"}]}',
    })
    gateway?.proxy.set('hang')
    t.teardown(() => gateway?.proxy.set('pass'))
    // The state is read again after a second.
    skippedMs += 1_100
    const shown = await ask({ key: workspace.serverKey })
    t.same(shown.body?.experiments, { hero: true })
    t.equal((await ask({ key: other.serverKey })).status, 503)
  },
)

t.test('the oldest visit of the current relays is recorded', async (t) => {
  const workspace = await makeWorkspace(stores)
  const before = Date.now()
  await ask({ key: workspace.serverKey }, { 'svc-relay': 'one' })
  await ask({ key: workspace.serverKey }, { 'svc-relay': 'two' })
  await waitUntil(async () => (await oldestRelayVisit(stores.sql, workspace.id)) !== null)
  const oldest = await oldestRelayVisit(stores.sql, workspace.id)
  t.ok(oldest !== null && oldest.getTime() >= before, 'the first visit is written')
})

t.test('a key has a rate of reads', async (t) => {
  const { serverKey: key } = await makeWorkspace(stores)
  await ask({ key })
  heldAt = performance.now()
  t.teardown(() => {
    heldAt = undefined
  })
  let asked = 0
  while (asked < 1_100 && (await ask({ key })).status !== 429) asked++
  t.ok(asked >= 999 && asked <= 1_000, `${asked} at once`)
  t.equal((await ask({ key: (await makeWorkspace(stores)).serverKey })).status, 200, 'another key')
  skippedMs += 1_000
  t.equal((await ask({ key })).status, 200, 'a second later')
})
