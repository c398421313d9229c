import t from 'tap'
import { formatKey, SCOPES } from '../../../domain/key.js'
import { connectPostgres } from '../../../postgres/driver/client.js'
import { createKey, revokeKey } from '../../../postgres/tables/keys.js'
import { createSession, revokeSession } from '../../../postgres/tables/sessions.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { withApi } from '../../test/support/api.js'
import { type ErrorView, send } from '../../test/support/client.js'

const api = await withApi(t)
const { client } = api
const workspace = await api.workspace()

t.test('a missing, malformed, unknown, expired or SDK key is 401 on every path', async (t) => {
  const expired = await createSession(api.sql, api.secretKey, {
    id: newId(),
    workspaceId: workspace.id,
    now: new Date(Date.now() - 2_000),
    expiresAt: new Date(Date.now() - 1_000),
  })
  const wrong: [string, string | undefined][] = [
    ['none', undefined],
    ['empty', ''],
    ['scheme alone', 'Bearer'],
    ['another scheme', `Basic ${workspace.key}`],
    ['no scheme', workspace.key],
    ['two keys', `Bearer ${workspace.key} ${workspace.key}`],
    ['two keys with a comma', `Bearer ${workspace.key},${workspace.key}`],
    ['shortened', `Bearer ${workspace.key.slice(0, -1)}`],
    ['another case', `Bearer ${workspace.key.toUpperCase()}`],
    ['wrong checksum', `Bearer ${workspace.key.slice(0, -1)}${workspace.key.endsWith('0') ? '1' : '0'}`],
    ['unknown', `Bearer ${formatKey('api', Buffer.alloc(64, 9))}`],
    ['server key', `Bearer ${workspace.serverKey}`],
    ['publishable key', `Bearer ${workspace.publishableKey}`],
    ['expired session', `Bearer ${expired.token}`],
    ['long', `Bearer ${'x'.repeat(3_000)}`],
  ]
  for (const [what, authorization] of wrong)
    for (const path of ['/me', '/audit', '/nowhere', '/funnel/x', '/funnel']) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
      const answer = await client.refused(path === '/funnel' ? 'POST' : 'GET', path, { headers })
      t.equal(answer.body.code, 'UNAUTHENTICATED', `${what} on ${path}`)
      t.notMatch(answer.text, workspace.key, 'a key is never repeated')
    }
  for (const [method, path] of [
    ['POST', '/'],
    ['GET', '/hooks'],
    ['GET', '/reference/nowhere'],
  ] as const)
    t.equal((await send(api.url, method, path)).status, 401, `${method} ${path}: also outside /v1`)
})

t.test('the scheme is accepted in any letter case, with spaces around the key', async (t) => {
  for (const authorization of [
    `bearer ${workspace.key}`,
    `BEARER ${workspace.key}`,
    `Bearer   ${workspace.key}  `,
  ])
    t.equal((await client.request('GET', '/me', { headers: { authorization } })).status, 200)
})

t.test(
  'a key works for its path prefixes only, however the path is written; a session works for all',
  async (t) => {
    const closed = [
      '/audit',
      '/nowhere',
      '/workspaces',
      '/keys/1',
      '',
      '/',
      '//me',
      '/ME',
      '/Me',
      '/me%2F..%2Faudit',
      '/%6de',
      '/.',
      '/..',
      '/../v1/audit',
      '/./me',
      '/%2e%2e/audit',
      '/meme',
      '/me;x',
      '/audit/',
      '/audit?x=/me',
      '/\\audit',
      '/me\\..\\audit',
    ]
    for (const path of closed) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await client.refused(method, path, { key: workspace.key })
        t.equal(answer.body.code, 'API_KEY_NOT_ALLOWED_HERE', `${method} /v1${path}`)
        t.equal(answer.status, 403)
      }
    }
    for (const path of [
      '/me/../audit',
      '/me/',
      '/me//',
      '/me/x',
      '/funnel/',
      '/funnel//',
      '/experiments/../audit',
      '/me/..%2faudit',
      '/learnings/',
    ])
      t.equal((await client.refused('GET', path, { key: workspace.key })).body.code, 'NOT_FOUND', path)
    t.equal((await client.request('GET', '/audit', { key: workspace.session })).status, 200)
    t.equal((await client.refused('GET', '/nowhere', { key: workspace.session })).body.code, 'NOT_FOUND')
    t.equal((await client.refused('GET', '/%61udit', { key: workspace.session })).body.code, 'NOT_FOUND')
    for (const path of ['/V1/me', '/me', '/v1', '//v1/audit', '/v1%2Faudit', '/V1/audit']) {
      const answer = await send(api.url, 'POST', path, { key: workspace.key })
      t.ok([403, 404].includes(answer.status), `${path} ${answer.status}`)
      if (path === '/v1') continue
      const page = await send(api.url, 'GET', path, { key: workspace.key })
      t.match(page.headers['content-type'], 'text/html', 'the console, which says nothing of a workspace')
    }
  },
)

t.test('a method that a path does not accept is 405 with Allow, after the key was checked', async (t) => {
  const wrong: [string, string, string][] = [
    ['DELETE', '/me', 'GET, HEAD'],
    ['PUT', '/funnel', 'GET, HEAD, POST'],
    ['POST', '/funnel/events', 'GET, HEAD'],
    ['PUT', `/funnel/${newId()}`, 'GET, HEAD, PATCH, DELETE'],
    ['GET', `/funnel/${newId()}/query`, 'POST'],
    ['OPTIONS', '/me', 'GET, HEAD'],
  ]
  for (const [method, path, allow] of wrong) {
    const answer = await client.refused(method, path, { key: workspace.key })
    t.equal(answer.status, 405, `${method} ${path}`)
    t.equal(answer.headers.allow, allow)
  }
  t.equal((await client.refused('DELETE', '/me')).status, 401)
})

t.test('HEAD is GET without its body', async (t) => {
  const get = await client.request('GET', '/me', { key: workspace.key })
  const head = await client.request('HEAD', '/me', { key: workspace.key })
  t.equal(head.status, 200)
  t.equal(head.text, '')
  t.equal(head.headers['content-length'], String(Buffer.byteLength(get.text)))
  t.equal(head.headers.etag, get.headers.etag)
})

t.test('X-Workspace-Id must name the workspace of the key', async (t) => {
  const other = await api.workspace('Other')
  const header = (id: string) => ({ key: workspace.key, headers: { 'X-Workspace-Id': id } })
  t.equal((await client.request('GET', '/me', header(workspace.id))).status, 200)
  t.equal((await client.request('GET', '/me', header(workspace.id.toUpperCase()))).status, 200)
  for (const id of [other.id, 'x', ''])
    t.equal((await client.refused('GET', '/me', header(id))).body.code, 'WORKSPACE_MISMATCH', id)
})

t.test(
  'a write needs a scope of both the key and its person, checked before the resource is looked up',
  async (t) => {
    const body = { name: 'x', steps: [{ eventName: 'a' }] }
    const absent = `/funnel/${newId()}`
    const limited = await workspace.person(['proposals.review'])
    const overreaching = await workspace.keyWith(SCOPES, limited.id)
    const other = await workspace.keyWith(['experiments.manage', 'experiments.decide', 'proposals.review'])
    for (const key of [workspace.readOnlyKey, overreaching.key, other.key, limited.session])
      for (const [method, path] of [
        ['POST', '/funnel'],
        ['PATCH', absent],
        ['DELETE', absent],
        ['PATCH', '/funnel/no-uuid'],
      ] as const) {
        const answer = await client.refused(method, path, { key, body })
        t.equal(answer.body.code, 'MISSING_PERMISSION', `${method} ${path}`)
        t.match(answer.body.message, 'funnels.manage')
        t.equal(answer.body.details[0]?.path, 'funnels.manage')
      }
    t.equal((await client.refused('DELETE', absent, { key: workspace.key })).body.code, 'NOT_FOUND')
    t.equal((await client.request('GET', '/funnel', { key: workspace.readOnlyKey })).status, 200)
    const allowed = await workspace.person(['funnels.manage'])
    t.equal((await client.request('POST', '/funnel', { key: allowed.session, body })).status, 201)
  },
)

t.test(
  'a revoked key or session is refused immediately, and so is a permission that a person lost',
  async (t) => {
    const { id, key } = await workspace.keyWith(SCOPES)
    t.equal((await client.request('GET', '/me', { key })).status, 200)
    await revokeKey(api.sql, { workspaceId: workspace.id, id, now: new Date() })
    await waitUntil(async () => (await client.request('GET', '/me', { key })).status === 401)

    const session = await createSession(api.sql, api.secretKey, {
      id: newId(),
      workspaceId: workspace.id,
      now: new Date(),
      expiresAt: new Date(Date.now() + 60_000),
    })
    t.equal((await client.request('GET', '/audit', { key: session.token })).status, 200)
    await revokeSession(api.sql, { workspaceId: workspace.id, id: session.id, now: new Date() })
    await waitUntil(
      async () => (await client.request('GET', '/audit', { key: session.token })).status === 401,
    )

    const person = await workspace.person(['funnels.manage'])
    const body = { name: 'permission', steps: [{ eventName: 'a' }] }
    t.equal((await client.request('POST', '/funnel', { key: person.session, body })).status, 201)
    await api.sql`update people set permissions = '{}' where id = ${person.id}`
    await waitUntil(
      async () => (await client.request('POST', '/funnel', { key: person.session, body })).status === 403,
    )
  },
)

t.test('a revocation takes effect even if its notification is lost', async (t) => {
  const { id, key } = await workspace.keyWith([])
  t.equal((await client.request('GET', '/me', { key })).status, 200)
  const quiet = connectPostgres({ url: api.postgresUrl, applicationName: 'quiet', maxConnections: 1 })
  t.teardown(() => quiet.end({ timeout: 1 }))
  await quiet`alter table api_keys disable trigger user`
  await revokeKey(quiet, { workspaceId: workspace.id, id, now: new Date() })
  await quiet`alter table api_keys enable trigger user`
  await waitUntil(async () => (await client.request('GET', '/me', { key })).status === 401)
})

t.test('a new key works immediately, even if it was refused before it was made', async (t) => {
  const random = Buffer.from(Array.from({ length: 64 }, (_, i) => (i * 37) % 248))
  const key = formatKey('api', random)
  t.equal((await client.refused('GET', '/me', { key })).status, 401)
  await createKey(api.sql, api.secretKey, {
    id: newId(),
    workspaceId: workspace.id,
    type: 'api',
    name: 'late',
    scopes: [],
    now: new Date(),
    random,
  })
  t.equal((await client.request('GET', '/me', { key })).status, 200)
})

t.test('the last use of a key is recorded in the background', async () => {
  const { id, key } = await workspace.keyWith([])
  await client.request('GET', '/me', { key })
  await waitUntil(async () => {
    const rows =
      await api.sql`select last_used_at from api_keys where id = ${id} and last_used_at is not null`
    return rows.length === 1
  })
})

t.test('keys are stored as hashes and appear in no answer', async (t) => {
  const audit = await client.request<ErrorView>('GET', '/audit', { key: workspace.session })
  const me = await client.request('GET', '/me', { key: workspace.key })
  for (const text of [audit.text, me.text]) t.notMatch(text, 'tsk_')
})
