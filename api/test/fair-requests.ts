import t from 'tap'
import { withDatabase } from '../../postgres/test/support/database.js'
import { waitUntil } from '../../test/support/wait-until.js'
import { BodyMemory } from '../http/body-memory.js'
import { buildOpenApi } from '../http/openapi/openapi.js'
import { routes } from '../routes.js'
import { makeWorkspace } from './support/api.js'
import { createContractClient } from './support/client.js'
import { noClickHouse, startStage } from './support/stage.js'

const { sql } = await withDatabase(t)
const secretKey = Buffer.alloc(32, 7)
const stage = await startStage({ sql, clickhouse: noClickHouse, secretKey })
t.teardown(() => stage.stop())
const client = createContractClient(JSON.parse(JSON.stringify(buildOpenApi(routes))), stage.url ?? '')
const noisy = await makeWorkspace(sql, secretKey, 'Noisy')
const quiet = await makeWorkspace(sql, secretKey, 'Quiet')

const funnel = (name: string) => ({ name, steps: [{ eventName: 'a' }] })

t.test('writes of one workspace that wait for one another leave connections to others', async (t) => {
  const { body } = await client.request<{ id: string }>('POST', '/funnel', {
    key: noisy.key,
    body: funnel('Locked'),
  })
  const patch = (n: number) =>
    client.request('PATCH', `/funnel/${body.id}`, { key: noisy.key, body: { description: `${n}` } })
  let patches: Promise<{ status: number }>[] = []
  const holder = await sql.reserve()
  await holder`begin`
  await holder`select from funnels where id = ${body.id} for update`
  patches = Array.from({ length: 40 }, (_, n) => patch(n))
  const blocked = async () => {
    const [row] =
      await holder`select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    return row?.count
  }
  await waitUntil(async () => (await blocked()) >= 8)
  t.equal(await blocked(), 8)
  t.equal((await client.request('GET', '/funnel', { key: quiet.key })).status, 200)
  t.equal((await client.request('POST', '/funnel', { key: quiet.key, body: funnel('Mine') })).status, 201)
  await holder`commit`
  holder.release()
  t.strictSame([...new Set((await Promise.all(patches)).map(({ status }) => status))], [200])
})

t.test('bodies at work have a memory limit for each workspace and for all', async (t) => {
  const memory = new BodyMemory()
  const megabyte = 1_048_576
  const held = Array.from({ length: 64 }, () => memory.reserve('noisy', megabyte))
  t.throws(() => memory.reserve('noisy', 1), { code: 'RATE_LIMITED' })
  memory.reserve('quiet', megabyte)()
  for (const release of held) release()
  for (const name of ['a', 'b', 'c', 'd']) memory.reserve(name, 64 * megabyte)
  t.throws(() => memory.reserve('e', 1), { code: 'RATE_LIMITED' })
})
