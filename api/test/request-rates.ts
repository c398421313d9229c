import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { formatKey } from '../../domain/key.js'
import { withDatabase } from '../../postgres/test/support/database.js'
import { buildOpenApi } from '../http/openapi/openapi.js'
import { routes } from '../routes.js'
import { makeWorkspace } from './support/api.js'
import { createContractClient } from './support/client.js'
import { noClickHouse, startStage } from './support/stage.js'

const RATE = 10
const BURST = 2 * RATE
/** Requests that a test sends first, so that its keys are known. */
const USED_BEFORE = 8
/** Tokens that come back while a test runs. */
const SLACK = 2 * RATE
// They come back at a fifth of the rate, because a busy machine takes seconds for a flood.
const { now } = performance
performance.now = () => now.call(performance) / 5

const { sql } = await withDatabase(t)
const secretKey = Buffer.alloc(32, 7)
const stage = await startStage(
  { sql, clickhouse: noClickHouse, secretKey },
  {
    requestsPerSecond: RATE,
    trustedProxies: ['127.0.0.1'],
  },
)
t.teardown(() => stage.stop())
const client = createContractClient(JSON.parse(JSON.stringify(buildOpenApi(routes))), stage.url ?? '')
const workspaceOf = (name: string) => makeWorkspace(sql, secretKey, name)

/** The answers to requests that are sent concurrently. */
const flood = (count: number, key: string | ((n: number) => string), path = '/me') =>
  Promise.all(
    Array.from({ length: count }, (_, n) =>
      client.request('GET', path, { key: typeof key === 'string' ? key : key(n) }),
    ),
  )
/** A key that is not known yet counts for its address. */
const use = (key: string) => client.request('GET', '/me', { key })
const admitted = (answers: readonly { readonly status: number }[]) =>
  answers.filter(({ status }) => status !== 429).length
const between = (t: Test, count: number, least: number) =>
  t.ok(count >= least - USED_BEFORE && count <= least + SLACK, `${count} of ${least}`)

t.test('a key has a rate, and refused requests count', async (t) => {
  const workspace = await workspaceOf('One')
  for (const [key, path] of [
    [workspace.key, '/me'],
    [workspace.readOnlyKey, '/nowhere'],
  ] as const) {
    await use(key)
    const answers = await flood(60, key, path)
    between(t, admitted(answers), BURST)
    const refused = answers.find(({ status }) => status === 429)
    t.equal(refused?.body.code, 'RATE_LIMITED')
    t.match(refused?.headers, {
      'retry-after': '1',
      'ratelimit-limit': String(RATE),
      'ratelimit-remaining': '0',
      'ratelimit-reset': '1',
    })
  }
  const other = await workspaceOf('Other')
  t.equal((await client.request('GET', '/me', { key: other.key })).status, 200)
})

t.test('a workspace has twice the rate, over all its keys and sessions', async (t) => {
  const workspace = await workspaceOf('Many keys')
  const keys = [workspace.key, workspace.readOnlyKey, workspace.session]
  for (let n = 0; n < 2; n++) keys.push((await workspace.keyWith([])).key)
  for (const key of keys) await use(key)
  const answers = await flood(150, (n) => keys[n % keys.length] ?? '')
  between(t, admitted(answers), 2 * BURST)
})

t.test('wrong keys count for their address, which does not lock out keys that are in use', async (t) => {
  const workspace = await workspaceOf('In use')
  await use(workspace.key)
  // The notification that the key was made arrives late, and makes the process forget it once.
  await pause(500)
  await use(workspace.key)
  const wrong = await flood(80, (n) => formatKey('api', Buffer.alloc(64, n)))
  t.ok(admitted(wrong) <= BURST + SLACK, `${admitted(wrong)} looked up`)
  t.strictSame([...new Set(wrong.map(({ status }) => status))].sort(), [401, 429])
  t.ok(admitted(await flood(40, 'no key')) <= SLACK)
  t.equal((await client.request('GET', '/me', { key: workspace.key })).status, 200)
})

t.test('addresses behind a trusted proxy are told apart', async (t) => {
  const asked = (address: string) =>
    Promise.all(
      Array.from({ length: 40 }, () =>
        client.request('GET', '/me', {
          key: 'no key',
          headers: { 'X-Forwarded-For': `1.2.3.4, ${address}` },
        }),
      ),
    )
  between(t, admitted(await asked('203.0.113.1')), BURST)
  between(t, admitted(await asked('203.0.113.2')), BURST)
})
