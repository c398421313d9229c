import { randomUUID } from 'node:crypto'
import t from 'tap'
import { SCOPES } from '../../domain/key.js'
import { withApi } from './support/api.js'
import { send } from './support/client.js'
import { storeEvents } from './support/events.js'

const api = await withApi(t)
const { client } = api
const workspace = await api.workspace('Acme "& Söhne"')

t.test('/me returns the workspace, name, scopes and person of a key', async (t) => {
  const { body } = await client.request('GET', '/me', { key: workspace.key })
  t.strictSame(body, {
    workspace: { id: workspace.id, name: 'Acme "& Söhne"' },
    key: { id: workspace.keyId, name: 'api key', scopes: [...SCOPES] },
    person: {
      id: workspace.ownerId,
      name: 'Owner of Acme "& Söhne"',
      email: 'owner@example.com',
      owner: true,
    },
  })
  const person = await workspace.person(['experiments.manage'])
  const limited = await workspace.keyWith(['experiments.manage', 'funnels.manage'], person.id)
  t.match((await client.request('GET', '/me', { key: limited.key })).body, {
    key: { scopes: ['experiments.manage'] },
    person: { id: person.id },
  })
  t.match((await client.request('GET', '/me', { key: workspace.session })).body, {
    key: null,
    person: { id: workspace.ownerId },
  })
})

t.test('/me/permissions returns the permissions of a key or a session', async (t) => {
  const permissions = async (key: string) => (await client.request('GET', '/me/permissions', { key })).body
  t.strictSame(await permissions(workspace.key), { data: [...SCOPES] })
  t.strictSame(await permissions(workspace.readOnlyKey), { data: [] })
  t.strictSame(await permissions(workspace.session), { data: [...SCOPES] }, 'an owner may do everything')
  const person = await workspace.person(['experiments.manage'])
  const limited = await workspace.keyWith(['experiments.manage', 'funnels.manage'], person.id)
  t.strictSame(await permissions(limited.key), { data: ['experiments.manage'] })
})

t.test('single resources have an ETag, and 304 if the client has the current version', async (t) => {
  const first = await client.request('GET', '/me', { key: workspace.key })
  const etag = first.headers.etag ?? ''
  const again = await client.request('GET', '/me', { key: workspace.key, headers: { 'If-None-Match': etag } })
  t.equal(again.status, 304)
  t.equal(again.text, '')
  t.equal(again.headers.etag, etag)
  const other = await client.request('GET', '/me', {
    key: workspace.readOnlyKey,
    headers: { 'If-None-Match': etag },
  })
  t.equal(other.status, 200)
  const funnel = await client.request<{ id: string }>('POST', '/funnel', {
    key: workspace.key,
    body: { name: 'tagged', steps: [{ eventName: 'a' }] },
  })
  const path = `/funnel/${funnel.body.id}`
  const before = (await client.request('GET', path, { key: workspace.key })).headers.etag ?? ''
  const conditional = { key: workspace.key, headers: { 'If-None-Match': `"x", W/${before}` } }
  t.equal((await client.request('GET', path, conditional)).status, 304)
  await client.request('PATCH', path, { key: workspace.key, body: { description: 'changed' } })
  t.equal((await client.request('GET', path, conditional)).status, 200)
})

t.test('/readiness names the stores that are unavailable', async (t) => {
  interface View {
    canGenerate: boolean
    canRun: boolean
    checks: { code: string; ok: boolean; fix: string }[]
    refusedLinks: object
  }
  await api.sql`insert into refused_links (workspace_id, day, cause, events) values
    (${workspace.id}, current_date, 'placeholder', 4), (${workspace.id}, current_date - 1, 'placeholder', 3),
    (${workspace.id}, current_date - 9, 'placeholder', 5), (${workspace.id}, current_date, 'contradicted', 2)`
  const before = await client.request<View>('GET', '/readiness', { key: workspace.key })
  t.match(before.body, { canGenerate: false, canRun: false })
  t.same(before.body.refusedLinks, { placeholder: 7, contradicted: 2 }, 'of seven days')
  t.strictSame(
    before.body.checks.map((check) => [check.code, check.ok]),
    [
      ['repository', false],
      ['generator', true],
      ['events_received', false],
      ['log', false],
      ['clickhouse', true],
    ],
    'no gateway has reported',
  )
  for (const check of before.body.checks) t.equal(check.fix === '', check.ok, check.code)
  await storeEvents(api, workspace.id, Date.now(), [{ event: 'a', userId: 'u' }])
  const [log, good, bad] = [randomUUID(), randomUUID(), randomUUID()]
  await api.sql`insert into logs (id, partitions, identity_partitions) values (${log}, 1, 1)`
  await api.sql`
    insert into log_writers (id, log_id, name, problem, renewed_at, expires_at) values
      (${good}, ${log}, 'good', null, now(), now() + interval '1 minute'),
      (${bad}, ${log}, 'bad', 'no leader', now(), now() + interval '1 minute')`
  const logCheck = async () => {
    const { body } = await client.request<View>('GET', '/readiness', { key: workspace.key })
    return { canRun: body.canRun, ...body.checks.find(({ code }) => code === 'log') }
  }
  t.match(await logCheck(), { canRun: true, ok: true, fix: '' }, 'one gateway can write')
  await api.sql`update log_writers set renewed_at = now() - interval '16 seconds' where id = ${good}`
  t.match(await logCheck(), { canRun: false, ok: false, message: 'The event log takes no records' })
  await api.sql`update logs set closing_at = now()`
  t.match(await logCheck(), { canRun: false, ok: false, message: 'No ingestion gateway has reported lately' })
})

t.test('responses with data must not be stored; the API reference needs no key', async (t) => {
  const me = await client.request('GET', '/me', { key: workspace.key })
  t.equal(me.headers['cache-control'], 'no-store')
  t.equal(me.headers['content-type'], 'application/json; charset=utf-8')
  for (const path of ['/reference', '/v1/reference']) {
    const page = await send(api.url, 'GET', path)
    t.equal(page.status, 200)
    t.match(page.headers, {
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-request-id': /.{36}/,
    })
    t.match(page.headers['content-security-policy'], "default-src 'none'")
    const script = await send(api.url, 'GET', `${path}/swagger-ui-bundle.js`)
    t.equal(script.status, 200)
    const headers = { 'If-None-Match': String(script.headers.etag) }
    t.equal((await send(api.url, 'GET', `${path}/swagger-ui-bundle.js`, { headers })).status, 304)
  }
  for (const path of ['/reference/openapi.json', '/v1/reference/openapi.json'])
    t.strictSame((await send(api.url, 'GET', path)).body, api.openapi)
  t.equal((await send(api.url, 'GET', '/reference/nothing')).status, 401)
  const refused = await send(api.url, 'POST', '/reference')
  t.match(refused, { status: 405, headers: { allow: 'GET, HEAD' }, body: { code: 'METHOD_NOT_ALLOWED' } })
})
