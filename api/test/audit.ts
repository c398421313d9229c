import t from 'tap'
import { newId } from '../../postgres/tables/workspaces.js'
import { withApi } from './support/api.js'

const api = await withApi(t)
const { client } = api
const workspace = await api.workspace()

interface PageView {
  data: { id: string; action: string; at: string; actorApiKeyId: string | null }[]
  pagination: { total: number; hasMore: boolean }
}
const audit = (query = '') => client.request<PageView>('GET', `/audit${query}`, { key: workspace.session })

const start = Date.UTC(2026, 10, 1)
const second = await workspace.keyWith(['funnels.manage'])
for (let i = 0; i < 6; i++) {
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
    `?from=${at(1)}&to=${at(0)}`,
  ])
    t.equal((await client.refused('GET', `/audit${query}`, { key: workspace.session })).status, 400, query)
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
