import { once } from 'node:events'
import { type IncomingMessage, request as post } from 'node:http'
import { Registry } from 'prom-client'
import t from 'tap'
import { formatKey } from '../../domain/key.js'
import { SignInCodes } from '../../management/sign-in-codes.js'
import { newId } from '../../postgres/tables/workspaces.js'
import { withDatabase } from '../../postgres/test/support/database.js'
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
  { signInCodes, registry: new Registry() },
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
  const audit = await client.request<{ data: object[] }>('GET', '/audit?action=session.create', {
    key: body.token,
  })
  t.match(audit.body.data, [
    {
      resourceType: 'session',
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
