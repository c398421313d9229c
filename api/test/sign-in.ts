import { once } from 'node:events'
import { type IncomingMessage, request as post } from 'node:http'
import { Registry } from 'prom-client'
import t from 'tap'
import { formatKey } from '../../domain/key.js'
import { SignInCodes } from '../../management/sessions/index.js'
import { writeSessionUse } from '../../postgres/tables/sessions.js'
import { newId } from '../../postgres/tables/workspaces.js'
import { withDatabase } from '../../postgres/test/support/database.js'
import { until } from '../../test/support/service.js'
import { buildOpenApi } from '../http/openapi/openapi.js'
import { routes } from '../routes.js'
import { makeWorkspace } from './support/api.js'
import { createContractClient } from './support/client.js'
import { noClickHouse, startStage } from './support/stage.js'

const { sql } = await withDatabase(t)
const secretKey = Buffer.alloc(32, 7)
let now = Date.now()
const signInCodes = new SignInCodes({ sql, secretKey, now: () => now, newId })
const stage = await startStage(
  { sql, clickhouse: noClickHouse, secretKey },
  { signInCodes, registry: new Registry(), now: () => now },
)
t.teardown(() => stage.stop())
const client = createContractClient(JSON.parse(JSON.stringify(buildOpenApi(routes))), stage.url ?? '')
const workspace = await makeWorkspace(sql, secretKey, 'Signed in')

interface Session {
  token: string
  expiresAt: string
}
const redeem = (key: string, method = 'POST', path = '/sessions') =>
  client.request<Session & { code?: string }>(method, path, { key })

async function statusFrom(localAddress: string, key: string): Promise<number | undefined> {
  const request = post(`${stage.url}/v1/sessions`, {
    method: 'POST',
    localAddress,
    headers: { Authorization: `Bearer ${key}` },
  })
  request.end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

t.test('a code opens one session of the owner', async (t) => {
  const code = signInCodes.issue(workspace.id)
  const { status, body, headers } = await redeem(code)
  t.equal(status, 200)
  t.equal(Date.parse(body.expiresAt), now + 30 * 86_400_000)
  const me = await client.request<{ person: { id: string } }>('GET', '/me', { key: body.token })
  t.equal(me.body.person.id, workspace.ownerId)
  t.equal((await redeem(code)).status, 401, 'used up')
  const own = await client.request<{ id: string }>('GET', '/sessions/current', { key: body.token })
  const audit = await client.request<{ data: object[] }>('GET', '/audit?action=session.create', {
    key: body.token,
  })
  t.match(audit.body.data, [
    {
      resourceType: 'session',
      resourceId: own.body.id,
      actorApiKeyId: null,
      actorPersonId: workspace.ownerId,
      requestId: headers['x-request-id'],
      summary: /^Signed in /,
    },
  ])
})

t.test('of two concurrent uses of a code one signs in', async (t) => {
  const code = signInCodes.issue(workspace.id)
  const both = await Promise.all([redeem(code), redeem(code)])
  t.strictSame(both.map(({ status }) => status).sort(), [200, 401])
})

t.test('a code opens nothing else, and nothing else opens a session', async (t) => {
  const code = signInCodes.issue(workspace.id)
  for (const [method, path] of [
    ['GET', '/me'],
    ['GET', '/sessions'],
    ['POST', '/sessions/'],
    ['POST', '/funnel'],
  ] as const)
    t.equal((await client.refused(method, path, { key: code })).status, 401, `${method} ${path}`)
  t.equal((await redeem(workspace.session)).status, 401)
  t.equal((await redeem(workspace.key)).body.code, 'API_KEY_NOT_ALLOWED_HERE')
  t.equal((await client.refused('POST', '/sessions')).status, 401)
  t.equal((await redeem(code)).status, 200, 'and was not used up by that')
})

t.test('a code expires after five minutes', async (t) => {
  const code = signInCodes.issue(workspace.id)
  now += 300_000
  t.equal((await redeem(code)).status, 401)
})

t.test('after ten wrong codes in a minute no code is accepted until the minute is over', async (t) => {
  now += 60_000
  const wrong = (i: number) => formatKey('once', Buffer.alloc(64, i))
  for (let i = 0; i < 10; i++) t.equal((await redeem(wrong(i))).status, 401)
  const code = signInCodes.issue(workspace.id)
  const refused = await client.refused('POST', '/sessions', { key: code })
  t.strictSame([refused.status, refused.body.code], [429, 'RATE_LIMITED'])
  t.equal(refused.headers['retry-after'], '60')
  t.equal(await statusFrom('127.0.0.2', signInCodes.issue(workspace.id)), 200, 'another address may')
  now += 60_000
  t.equal((await redeem(code)).status, 200)
})

t.test('of many wrong codes at once only ten are looked up', async (t) => {
  now += 60_000
  const wrong = Array.from({ length: 40 }, (_, i) => formatKey('once', Buffer.alloc(64, i)))
  const statuses = (await Promise.all(wrong.map((code) => redeem(code)))).map(({ status }) => status)
  t.equal(statuses.filter((status) => status === 401).length, 10)
  now += 60_000
})

const FROM_CONSOLE = { 'X-Svc-Console': '1' }

/** Signs in as the console does, and returns the cookie. */
async function cookieFor(key: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await client.request('POST', '/sessions', { key, headers: { ...FROM_CONSOLE, ...headers } })
  t.equal(answer.status, 204, answer.text)
  t.equal(answer.text, '')
  return String(answer.headers['set-cookie'])
}
const pairOf = (cookie: string) => cookie.split(';')[0] ?? ''

t.test('a browser gets a session that no script can read', async (t) => {
  const cookie = await cookieFor(signInCodes.issue(workspace.id), { 'User-Agent': 'Browser/1' })
  t.match(cookie, /^svc_session=tsk_sess_\w+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=7776000$/)
  const secure = await cookieFor(workspace.session, {
    Origin: 'https://svc.example.com',
    'Sec-Fetch-Site': 'same-origin',
  })
  t.match(secure, /^__Host-svc_session=tsk_sess_\w+; Secure; Path=\/; HttpOnly; SameSite=Strict; /)
  for (const Cookie of [pairOf(cookie), pairOf(secure), `other=1; ${pairOf(cookie)}; last="2"`]) {
    const me = await client.request<{ person: { id: string } }>('GET', '/me', { headers: { Cookie } })
    t.equal(me.body.person.id, workspace.ownerId)
  }
  const state = async (headers: Record<string, string>) =>
    (await client.request('GET', '/sign-in', { headers })).body
  t.strictSame(await state({ Cookie: pairOf(cookie) }), { signedIn: true, provider: null })
  t.strictSame(await state({}), { signedIn: false, provider: null })
  t.strictSame(await state({ Cookie: 'svc_session=nothing' }), { signedIn: false, provider: null })
})

t.test('an API key, another cookie or two session cookies sign no one in', async (t) => {
  const cookie = pairOf(await cookieFor(workspace.session))
  const twice = `${cookie}; ${pairOf(await cookieFor(workspace.session))}`
  for (const Cookie of [`svc_session=${workspace.key}`, `${cookie}x`, 'svc_session=', twice])
    t.equal((await client.refused('GET', '/me', { headers: { Cookie } })).status, 401)
  const console = { key: workspace.key, headers: FROM_CONSOLE }
  t.equal((await client.refused('POST', '/sessions', console)).body.code, 'API_KEY_NOT_ALLOWED_HERE')
  t.equal(
    (await client.refused('POST', '/sessions', { headers: { Cookie: cookie, ...FROM_CONSOLE } })).status,
    401,
  )
  const key = { key: workspace.key, headers: { Cookie: 'svc_session=nothing' } }
  t.equal((await client.request('GET', '/me', key)).status, 200, 'a header Authorization is what counts')
})

t.test('requests that another site could make are refused', async (t) => {
  const Cookie = pairOf(await cookieFor(workspace.session))
  const host = new URL(stage.url ?? '').host
  const body = { name: 'Written by cookie', steps: [{ eventName: 'a' }] }
  const write = async (headers: Record<string, string>) =>
    (await client.request('POST', '/funnel', { headers: { Cookie, ...headers }, body })).status
  for (const headers of [
    {},
    { Origin: `http://${host}` },
    { ...FROM_CONSOLE, 'Sec-Fetch-Site': 'cross-site' },
    { ...FROM_CONSOLE, 'Sec-Fetch-Site': 'same-site' },
    { ...FROM_CONSOLE, Origin: 'http://evil.example' },
    { ...FROM_CONSOLE, Origin: 'null' },
  ])
    t.equal(await write(headers), 403, JSON.stringify(headers))
  const read = { headers: { Cookie, 'Sec-Fetch-Site': 'cross-site' } }
  t.equal((await client.refused('GET', '/me', read)).body.code, 'CROSS_SITE_REQUEST')
  const planted = { key: workspace.session, headers: { ...FROM_CONSOLE, Origin: 'http://evil.example' } }
  t.equal((await client.refused('POST', '/sessions', planted)).body.code, 'CROSS_SITE_REQUEST')
  t.equal(await write({ ...FROM_CONSOLE, Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin' }), 201)
})

interface OwnSession {
  id: string
  current: boolean
  userAgent: string | null
  lastUsedAt: string | null
  expiresAt: string
  endsAt: string
}

t.test('people list their sessions and end them', async (t) => {
  const own = await makeWorkspace(sql, secretKey, 'Several sessions')
  const other = await own.person([])
  const Cookie = pairOf(await cookieFor(own.session, { 'User-Agent': 'Browser/2' }))
  const headers = { Cookie, ...FROM_CONSOLE }
  const list = async () =>
    (await client.request<{ data: OwnSession[] }>('GET', '/sessions', { headers })).body.data
  t.match(await list(), [
    { current: true, userAgent: 'Browser/2' },
    { current: false, userAgent: null },
  ])
  const [, token] = await list()
  const one = await client.request('GET', '/sessions/current', { headers })
  t.match(one.body, { current: true, userAgent: 'Browser/2' })
  t.equal((await client.request('DELETE', `/sessions/${token?.id}`, { headers })).status, 204)
  t.equal((await client.refused('GET', '/me', { key: own.session })).status, 401)
  t.equal((await client.refused('DELETE', `/sessions/${token?.id}`, { headers })).status, 404, 'it has ended')
  const [theirs] = (await client.request<{ data: OwnSession[] }>('GET', '/sessions', { key: other.session }))
    .body.data
  t.equal(
    (await client.refused('DELETE', `/sessions/${theirs?.id}`, { headers })).status,
    404,
    'of another person',
  )
  t.equal((await client.refused('GET', `/sessions/${theirs?.id}`, { headers })).status, 404)

  const out = await client.request('DELETE', '/sessions/current', { headers })
  t.equal(out.status, 204)
  t.match(String(out.headers['set-cookie']), /svc_session=; .*Max-Age=0/)
  t.equal(
    (await client.refused('GET', '/me', { headers })).status,
    401,
    'the cookie alone opens nothing any more',
  )
  t.strictSame(
    (
      await sql`
      select summary from audit_entries where workspace_id = ${own.id} and action <> 'session.refused'
      order by at, id`
    ).map((row) => row.summary),
    [
      'Signed in Owner of Several sessions with a session token',
      'Ended a session of Owner of Several sessions',
      'Signed out Owner of Several sessions',
    ],
  )
})

t.test('a session of a browser lasts 30 days without use, and 90 in all', async (t) => {
  const own = await makeWorkspace(sql, secretKey, 'Long session')
  const DAY = 86_400_000
  const Cookie = pairOf(await cookieFor(own.session))
  const [session] = await sql<{ id: string }[]>`
    select id from sessions where workspace_id = ${own.id} and ends_at is not null`
  const id = session?.id ?? ''
  const times = async () => {
    const [row] = await sql<{ expires: Date; ends: Date; used: Date | null }[]>`
      select expires_at as expires, ends_at as ends, last_used_at as used from sessions where id = ${id}`
    return {
      expires: row?.expires.getTime() ?? 0,
      ends: row?.ends.getTime() ?? 0,
      used: row?.used?.getTime(),
    }
  }
  const created = await times()
  t.strictSame([created.expires - now, created.ends - now], [30 * DAY, 90 * DAY])
  await sql`update sessions set expires_at = ${new Date(now + DAY)} where id = ${id}`
  t.equal((await client.request('GET', '/me', { headers: { Cookie } })).status, 200)
  const moved = await until(times, ({ expires }) => expires !== now + DAY)
  t.strictSame([moved.expires - now, moved.used], [30 * DAY, now], 'use moves the end')
  await writeSessionUse(sql, [[id, now + 29 * DAY]])
  await writeSessionUse(sql, [[id, now + 58 * DAY]])
  t.equal((await times()).expires, now + 88 * DAY)
  await writeSessionUse(sql, [[id, now + 80 * DAY]])
  t.equal((await times()).expires, now + 90 * DAY, 'never beyond 90 days')
  await writeSessionUse(sql, [[id, now + 91 * DAY]])
  t.equal((await times()).used, now + 80 * DAY, 'no use after the end')
  now += 90 * DAY
  t.equal((await client.refused('GET', '/me', { headers: { Cookie } })).status, 401)
})
