import { randomBytes } from 'node:crypto'
import t from 'tap'
import { SCOPES, type Scope } from '../../domain/key.js'
import { withApi } from './support/api.js'

const api = await withApi(t)
const { client } = api
const workspace = await api.workspace()
const member = await workspace.person(['funnels.manage'])
// Tests move the clock by days.
await api.sql`update sessions set expires_at = now() + interval '1 year'`

interface KeyView {
  id: string
  name: string
  type: string
  scopes: Scope[]
  personId: string
  last4: string
  expiresAt: string | null
  lastUsedAt: string | null
  revokedAt: string | null
}
type Issued = KeyView & { key: string; code?: string; details?: { path: string }[] }

const create = (session: string, body: object, headers = {}) =>
  client.request<Issued>('POST', '/keys', {
    key: session,
    body: { name: 'CI', type: 'api', ...body },
    headers,
  })
const rotate = (session: string, id: string, body: object = {}, headers = {}) =>
  client.request<Issued>('POST', `/keys/${id}/rotate`, { key: session, body, headers })
const listed = async (session: string) =>
  (await client.request<{ data: KeyView[] }>('GET', '/keys', { key: session })).body.data
const statusOf = async (key: string) => (await client.request('GET', '/me', { key })).status
const audited = async (id: string) =>
  (
    await client.request<{ data: { action: string; resourceId: string; summary: string }[] }>(
      'GET',
      '/audit',
      {
        key: workspace.session,
      },
    )
  ).body.data.filter(({ resourceId, action }) => resourceId === id && action.startsWith('key.'))

t.test('a key is shown once, works at once, and ends when it is revoked', async (t) => {
  const { status, body } = await create(workspace.session, { scopes: ['funnels.manage'], expiresInDays: 30 })
  t.equal(status, 201)
  t.match(body, { name: 'CI', type: 'api', platform: 'Api', scopes: ['funnels.manage'], revokedAt: null })
  t.match(body, { personId: workspace.ownerId, last4: body.key.slice(-4) })
  const days = (Date.parse(body.expiresAt ?? '') - Date.now()) / 86_400_000
  t.ok(days > 29.9 && days <= 30)
  t.equal(await statusOf(body.key), 200)
  const { key, ...view } = body
  t.strictSame((await listed(workspace.session))[0], view, 'the newest first, without the key')
  t.notOk(JSON.stringify(await api.sql`select * from api_keys`).includes(key.slice(8, -6)))

  const revoke = () => client.request('DELETE', `/keys/${body.id}`, { key: workspace.session })
  t.equal((await revoke()).status, 204)
  t.equal(await statusOf(key), 401)
  t.equal((await revoke()).status, 204, 'again changes nothing')
  t.match((await listed(workspace.session))[0], { id: body.id, revokedAt: /Z$/ })
  t.strictSame(
    (await audited(body.id)).map(({ action, summary }) => [action, summary]),
    [
      ['key.delete', 'Revoked the key "CI"'],
      ['key.create', 'Created the key "CI"'],
    ],
  )
})

t.test('a workspace has at most 1,000 live keys, and a list of 2,000', async (t) => {
  const crowded = await api.workspace('Crowded')
  const insert = (count: number, revokedAt: Date | null) => api.sql`
    insert into api_keys (id, workspace_id, person_id, type, name, scopes, key_hash, last4, created_at, revoked_at)
    select gen_random_uuid(), ${crowded.id}, ${crowded.ownerId}, 'api', 'many', '{}', uuid_send(gen_random_uuid()),
      'last', now(), ${revokedAt}
    from generate_series(1, ${count})`
  await insert(995, null)
  t.equal((await create(crowded.session, {})).status, 201)
  t.match(await create(crowded.session, {}), { status: 400, body: { code: 'VALIDATION_FAILED' } })
  await insert(3_000, new Date())
  const keys = await listed(crowded.session)
  t.equal(keys.length, 2_000)
  t.equal(keys.filter(({ revokedAt }) => revokedAt === null).length, 1_000, 'live ones before others')
})

t.test('a key ends with its lifetime, even if it is cached', async (t) => {
  const { body } = await create(workspace.session, { expiresInDays: 1 })
  t.equal(await statusOf(body.key), 200)
  const start = Date.now()
  api.clock.now = () => start + 86_400_001
  t.equal(await statusOf(body.key), 401)
  t.equal((await rotate(workspace.session, body.id)).body.code, 'ILLEGAL_TRANSITION')
  api.clock.now = () => Date.now()
})

t.test('members manage their own API keys with their own scopes, owners all keys', async (t) => {
  const beyond = await create(member.session, { scopes: ['experiments.decide', 'funnels.manage'] })
  t.match(beyond, { status: 403, body: { code: 'MISSING_PERMISSION' } })
  t.strictSame(
    beyond.body.details?.map(({ path }) => path),
    ['experiments.decide'],
  )
  for (const type of ['server', 'publishable'])
    t.match(await create(member.session, { type }), { status: 403, body: { details: [{ path: 'owner' }] } })
  const own = await create(member.session, { scopes: ['funnels.manage'] })
  t.equal(own.status, 201)
  t.strictSame(
    (await listed(member.session)).map(({ id }) => id),
    [own.body.id],
  )
  t.ok((await listed(workspace.session)).some(({ id }) => id === own.body.id))
  const others = workspace.keyId
  const found = async (session: string, id: string) =>
    (await client.request('GET', `/keys/${id}`, { key: session })).status
  t.strictSame([await found(member.session, own.body.id), await found(member.session, others)], [200, 404])
  t.equal(await found(workspace.session, own.body.id), 200)
  t.equal((await rotate(member.session, others)).body.code, 'MISSING_PERMISSION')
  const remove = (session: string, id: string) => client.request('DELETE', `/keys/${id}`, { key: session })
  t.equal((await remove(member.session, others)).status, 403)
  const rotated = await rotate(workspace.session, own.body.id)
  t.match(rotated.body, { personId: member.id, scopes: ['funnels.manage'] })
  t.equal((await remove(member.session, rotated.body.id)).status, 204)
})

t.test('scopes must fit the type of a key', async (t) => {
  for (const [type, scope] of [
    ['api', 'exposures.send'],
    ['server', 'funnels.manage'],
    ['publishable', 'exposures.send'],
  ] as const)
    t.match(await create(workspace.session, { type, scopes: [scope] }), {
      status: 400,
      body: { details: [{ path: '/scopes/0' }] },
    })
  t.strictSame(
    (await create(workspace.session, { type: 'server', scopes: ['exposures.send'] })).body.scopes,
    ['exposures.send'],
  )
})

t.test('a rotated key works for the grace period, and the new key has the same lifetime', async (t) => {
  const start = Date.now()
  api.clock.now = () => start
  const old = (await create(workspace.session, { scopes: SCOPES, expiresInDays: 10 })).body
  api.clock.now = () => start + 3_600_000
  const made = await rotate(workspace.session, old.id, { graceHours: 2 })
  t.equal(made.status, 201)
  t.match(made.body, { name: old.name, scopes: SCOPES, personId: old.personId })
  t.equal(Date.parse(made.body.expiresAt ?? ''), start + 3_600_000 + 10 * 86_400_000)
  t.strictSame([await statusOf(old.key), await statusOf(made.body.key)], [200, 200])
  api.clock.now = () => start + 3 * 3_600_000
  t.strictSame([await statusOf(old.key), await statusOf(made.body.key)], [401, 200])
  t.match(await audited(old.id), [{ action: 'key.rotate' }, { action: 'key.create' }])
  api.clock.now = () => Date.now()

  const atOnce = (await create(workspace.session, {})).body
  await rotate(workspace.session, atOnce.id, { graceHours: 0 })
  t.equal(await statusOf(atOnce.key), 401)
})

t.test('one of several concurrent rotations makes a key', async (t) => {
  for (let round = 0; round < 3; round++) {
    const { body } = await create(workspace.session, {})
    const before = (await listed(workspace.session)).length
    const answers = await Promise.all(Array.from({ length: 6 }, () => rotate(workspace.session, body.id)))
    t.strictSame(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409])
    t.equal((await listed(workspace.session)).length, before + 1)
  }
})

t.test('a repeated request gets the same key, which is stored sealed', async (t) => {
  const headers = { 'Idempotency-Key': `key-${randomBytes(8).toString('hex')}` }
  const first = await create(workspace.session, {}, headers)
  const again = await create(workspace.session, {}, headers)
  t.equal(again.text, first.text)
  t.equal(again.headers['idempotent-replayed'], 'true')
  const records = await api.sql`select body from idempotency_records`
  t.ok(records.length > 0)
  t.notOk(JSON.stringify(records).includes(first.body.key))
})

t.test('if a person loses a scope, their keys and rotated keys lose it too', async (t) => {
  const person = await workspace.person(['funnels.manage', 'experiments.manage'])
  const { body } = await create(person.session, { scopes: ['funnels.manage', 'experiments.manage'] })
  await api.sql`update people set permissions = '{funnels.manage}' where id = ${person.id}`
  const permissions = await client.request('GET', '/me/permissions', { key: body.key })
  t.strictSame(permissions.body, { data: ['funnels.manage'] })
  t.strictSame((await rotate(person.session, body.id)).body.scopes, ['funnels.manage'])
})
