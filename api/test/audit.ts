import t from 'tap'
import { Refusals } from '../../management/refusals.js'
import { JOBS } from '../../management/workflows/job-registry.js'
import { findCredential, hashCredential } from '../../postgres/tables/credentials.js'
import { newId } from '../../postgres/tables/workspaces.js'
import { waitUntil } from '../../test/support/wait-until.js'
import { routes } from '../routes.js'
import { withApi } from './support/api.js'
import { linesOf } from './support/client.js'

const api = await withApi(t)
const { client } = api
const workspace = await api.workspace()

interface PageView {
  data: {
    id: string
    action: string
    at: string
    actorApiKeyId: string | null
    resourceId: string
    summary: string
  }[]
  pagination: { total: number; hasMore: boolean }
}
const audit = (query = '') => client.request<PageView>('GET', `/audit${query}`, { key: workspace.session })

const start = Date.UTC(2026, 10, 1)
const second = await workspace.keyWith(['funnels.manage'])
// Not in the order of time, as clocks of several processes differ.
for (const i of [3, 0, 5, 1, 4, 2]) {
  api.clock.now = () => start + i * 1_000
  const made = await client.request<{ id: string }>('POST', '/funnel', {
    key: i % 2 === 0 ? workspace.key : second.key,
    body: { name: `audit ${i}`, steps: [{ eventName: 'a' }] },
  })
  if (i >= 4) await client.request('DELETE', `/funnel/${made.body.id}`, { key: workspace.session })
}

t.test('entries are listed newest first, in pages', async (t) => {
  const whole = (await audit('?limit=100')).body
  t.equal(whole.pagination.total, 8)
  t.strictSame(
    [...whole.data]
      .map((entry) => entry.at)
      .sort()
      .reverse(),
    whole.data.map((entry) => entry.at),
  )
  const cut: string[] = []
  for (let offset = 0; offset < 8; offset += 3)
    cut.push(...(await audit(`?limit=3&offset=${offset}`)).body.data.map((entry) => entry.id))
  t.strictSame(
    cut,
    whole.data.map((entry) => entry.id),
  )
  const past = await audit('?offset=9007199254740991')
  t.strictSame(past.body.data, [])
  t.equal(past.body.pagination.hasMore, false)
})

t.test('filters work alone and together', async (t) => {
  const count = async (query: string) => (await audit(query)).body.pagination.total
  t.equal(await count(`?actorApiKeyId=${second.id}`), 3)
  t.equal(await count(`?actorApiKeyId=${newId()}`), 0)
  t.equal(await count('?action=funnel.delete'), 2)
  t.equal(await count('?action=funnel.nothing'), 0)
  t.equal(await count(`?actorPersonId=${workspace.ownerId}`), 8, 'a key acts as its person')
  t.equal(await count('?resourceType=funnel'), 8)
  const [newest] = (await audit('?limit=1')).body.data
  t.equal(await count(`?resourceId=${newest?.resourceId}`), 2, 'created and deleted')
  const at = (ms: number) => new Date(start + ms).toISOString()
  t.equal(await count(`?from=${at(1_000)}`), 7, 'from is inclusive')
  t.equal(await count(`?to=${at(1_000)}`), 1, 'to is exclusive')
  t.equal(await count(`?from=${at(0)}&to=${at(4_000)}&actorApiKeyId=${second.id}&action=funnel.create`), 2)
  t.equal(await count(`?from=${encodeURIComponent('2026-11-01T01:00:01+01:00')}`), 7)
  for (const query of [
    '?from=x',
    '?to=2026-11-01',
    '?actorApiKeyId=5',
    '?action=Funnel',
    '?limit=101',
    '?from=0000-01-01T00:00:00Z',
    '?actor=1',
    '?format=csv',
    `?from=${at(1)}&to=${at(0)}`,
  ])
    t.equal((await client.refused('GET', `/audit${query}`, { key: workspace.session })).status, 400, query)
})

t.test('an export streams every entry that the filters match, newest first', async (t) => {
  await api.sql`
    insert into audit_entries (id, workspace_id, at, action, resource_type, resource_id, actor_person_name, request_id, summary)
    select gen_random_uuid(), ${workspace.id}, to_timestamp(${start / 1_000} - n / 100), 'bulk.add', 'bulk', 'b', 'svc', '', repeat('x', 200)
    from generate_series(1, 3000) n`
  const exported = async (query: string) =>
    linesOf<PageView['data'][number]>((await audit(`?format=ndjson${query}`)).text)
  const all = await exported('')
  t.equal(all.length, 3_008)
  t.strictSame(all.slice(0, 100), (await audit('?limit=100')).body.data)
  t.equal(new Set(all.map(({ id }) => id)).size, all.length, 'each once')
  t.equal((await exported('&action=funnel.delete&limit=1')).length, 2)
  t.equal((await exported('&resourceId=nothing')).length, 0)
  t.equal((await client.refused('GET', '/audit?format=ndjson', { key: workspace.key })).status, 403)
})

t.test('an export breaks off when its reader is signed out', async (t) => {
  const { id, session } = await workspace.person([])
  const held = await api.sql.reserve()
  await held`begin`
  await held`lock table audit_entries in access exclusive mode`
  const refused = t.rejects(client.request('GET', '/audit?format=ndjson', { key: session }), /hang up/)
  await waitUntil(async () => (await api.sql`select from pg_locks where not granted`).length > 0)
  await api.sql`update sessions set revoked_at = now() where person_id = ${id}`
  await waitUntil(async () => (await client.request('GET', '/me', { key: session })).status === 401)
  await held`rollback`
  held.release()
  await refused
})

t.test('a write is rolled back if its audit entry cannot be written', async (t) => {
  await api.sql`alter table audit_entries add constraint stop check (action <> 'funnel.create') not valid`
  const answer = await client.refused('POST', '/funnel', {
    key: workspace.key,
    body: { name: 'half', steps: [{ eventName: 'a' }] },
    headers: { 'Idempotency-Key': 'half-done-1' },
  })
  t.equal(answer.body.code, 'INTERNAL')
  t.notMatch(answer.text, /constraint|audit_entries/, 'nothing of the inside is told')
  t.equal((await api.sql`select 1 from funnels where name = 'half'`).length, 0)
  await api.sql`alter table audit_entries drop constraint stop`
  const retried = await client.request('POST', '/funnel', {
    key: workspace.key,
    body: { name: 'half', steps: [{ eventName: 'a' }] },
    headers: { 'Idempotency-Key': 'half-done-1' },
  })
  t.equal(retried.status, 201)
})

t.test('entries cannot be changed or removed by SQL', async (t) => {
  const refused = { code: '23001', message: /cannot be changed or removed/ }
  await t.rejects(api.sql`update audit_entries set summary = 'nothing'`, refused)
  await t.rejects(api.sql`delete from audit_entries`, refused)
  await t.rejects(api.sql`truncate audit_entries`, refused)
  await t.rejects(api.sql`truncate workspaces cascade`, refused)
})

t.test('refused sign-ins and denied writes are audited, of many at once some are only counted', async (t) => {
  const summaries = async (action: string) =>
    (await audit(`?limit=100&action=${action}`)).body.data.map(({ summary }) => summary)
  const { id, session } = await workspace.person([])
  await client.refused('POST', '/funnel', { key: session, body: { name: 'x', steps: [{ eventName: 'a' }] } })
  await client.refused('GET', '/audit', { key: workspace.key })
  t.strictSame(await summaries('access.denied'), [
    'Refused POST /v1/funnel: The person lacks the scope funnels.manage',
  ])
  await api.sql`update sessions set revoked_at = now() where person_id = ${id}`
  await waitUntil(async () => (await client.request('GET', '/me', { key: session })).status === 401)
  await client.refused('GET', '/me', { key: 'nonsense' })
  await client.refused('GET', '/me')
  t.match(await summaries('session.refused'), [/malformed: copy all of it/, /unknown, revoked or expired/])

  let now = start
  const { sql, secretKey } = api
  const other = await api.workspace('Refused')
  const credential = await findCredential(sql, hashCredential(secretKey, other.readOnlyKey))
  if (credential === undefined) throw new Error('the key is unknown')
  const refusals = new Refusals({ sql, secretKey, newId, now: () => now })
  const listed = async () => {
    const rows = await sql<{ summary: string }[]>`
      select summary from audit_entries where workspace_id = ${other.id} order by at, id`
    return rows.map(({ summary }) => summary)
  }
  const deny = (i: number) => refusals.denied(credential, { requestId: '', summary: `denied ${i}` })
  for (let i = 0; i < 1_000; i++) await deny(i)
  t.equal((await listed()).length, 20)
  await refusals.writeCounts()
  await refusals.writeCounts()
  t.strictSame((await listed()).slice(19), ['denied 19', 'Refused 980 more requests'])
  now += 60_000
  await Promise.all([deny(1_000), deny(1_001)])
  t.equal((await listed()).length, 22, 'one a minute')
  await refusals.signIn('nonsense', { requestId: '', summary: 'of an unknown person' })
  t.equal((await listed()).length, 22, 'of several workspaces none is meant')
})

t.test('every route that writes and every job that changes something has its entries', async (t) => {
  /** Without an action of an operation. */
  const others: Readonly<Record<string, string>> = {
    'POST /funnel/query': 'only reads',
    'POST /funnel/{funnelId}/query': 'only reads',
    'POST /experiments/power': 'only reads',
    'POST /events/trends': 'only reads',
    'POST /events/retention': 'only reads',
    'POST /sessions': 'session.create',
    'POST /sign-in/provider': 'only begins; the callback writes session.create',
  }
  for (const { method, path, audit } of routes)
    if (method !== 'GET') t.ok(audit ?? others[`${method} ${path}`], `${method} ${path}`)
  const jobs: Readonly<Record<string, string>> = {
    'experiment-outcome': 'experiment.settled, learning.create',
    'pull-request': 'experiment.opened, experiment.failed',
    'pull-request-branch': 'removes what a failed pull request left',
    'pull-request-repair': 'experiment.repair',
    'pull-request-rewrite': 'experiment.rewritten',
    generation: 'experiment.generated, experiment.generation-failed',
    refinement: 'experiment.refined, experiment.refinement-failed',
    'hook-delivery': 'posts what has an entry',
    erasure: 'erasure.done, erasure.fail',
    export: 'only reads; what operators ask for is export.request',
    retention: 'retention.remove',
  }
  t.strictSame(JOBS.map(({ name }) => name).sort(), Object.keys(jobs).sort())
})
