import { request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { withApi } from '../support/api.js'

t.setTimeout(120_000)
const api = await withApi(t)
const { id, key } = await api.workspace()
const other = await api.workspace('Other')
const now = Date.UTC(2026, 10, 20, 12)
api.clock.now = () => now

/** Steps that take the engine seconds on the events below. */
const steps = Array.from({ length: 20 }, (_, index) => ({ eventName: 'abc'[index % 3] }))
await api.clickhouse.command(
  `INSERT INTO events (workspace_id, received_at, timestamp, log_offset, person_key, event, properties)
   SELECT {id:UUID}, at, at, number, sipHash64(number % 40000), ['a', 'b', 'c'][1 + number % 3], '{}'
   FROM (SELECT number, fromUnixTimestamp64Milli({from:Int64} + toInt64(number * 100), 'UTC') AS at FROM numbers(600000))`,
  { params: { id, from: now - 86_400_000 } },
)
const { body: funnel } = await api.client.request<{ id: string }>('POST', '/funnel', {
  key,
  body: { name: 'Long', steps },
})

async function running(): Promise<number> {
  const { rows } = await api.clickhouse.query<{ n: number }>(
    `SELECT count() AS n FROM system.processes WHERE query LIKE '%arrayFold%' AND query NOT LIKE '%system.processes%'`,
  )
  return rows[0]?.n ?? 0
}

t.test('a client that goes away takes its query out of the engine', async (t) => {
  const sent = request(`${api.url}/v1/funnel/${funnel.id}/query`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
  })
  const closed = new Promise((resolve) => sent.on('error', resolve).on('close', resolve))
  sent.end(JSON.stringify({ order: 'strict' }))
  while ((await running()) === 0) await setTimeout(10)
  sent.destroy()
  await closed
  const gone = performance.now()
  while ((await running()) > 0 && performance.now() - gone < 10_000) await setTimeout(20)
  t.equal(await running(), 0, `after ${Math.round(performance.now() - gone)} ms`)
  // The connection it ran on can be used again.
  const answer = await api.client.request('POST', `/funnel/${funnel.id}/query`, {
    key,
    body: { from: '2025-01-01T00:00:00Z', to: '2025-01-02T00:00:00Z' },
  })
  t.equal(answer.body.entered, 0)
})

t.test('an answer holds nothing of another workspace, whatever is asked', async (t) => {
  const made = await api.client.request<{ id: string }>('POST', '/funnel', {
    key: other.key,
    body: { name: 'Short', steps: steps.slice(0, 3) },
  })
  for (const body of [
    {},
    { order: 'strict' },
    { order: 'any' },
    { exclusions: [{ eventName: 'b', fromStep: 0, toStep: 2 }] },
    { breakdown: { property: 'p' }, interval: 'day' },
  ]) {
    const answer = await api.client.request('POST', `/funnel/${made.body.id}/query`, { key: other.key, body })
    t.equal(answer.body.entered, 0, JSON.stringify(body))
  }
  const foreign = await api.client.refused('POST', `/funnel/${funnel.id}/query`, { key: other.key, body: {} })
  t.equal(foreign.status, 404)
})

t.test('a query that grows too large is refused by the field that causes it', async (t) => {
  await api.clickhouse.command(
    `INSERT INTO events (workspace_id, received_at, timestamp, log_offset, person_key, event, properties)
     SELECT {id:UUID}, at, at, 1000000 + number, number, 'a', concat('{"p":{"q":', toString(number), '}}')
     FROM (SELECT number, fromUnixTimestamp64Milli({from:Int64}, 'UTC') AS at FROM numbers(5001))`,
    { params: { id: other.id, from: now - 86_400_000 } },
  )
  const made = await api.client.request<{ id: string }>('POST', '/funnel', {
    key: other.key,
    body: { name: 'Objects', steps: steps.slice(0, 1) },
  })
  const ask = (property: string) => ({ key: other.key, body: { breakdown: { property, limit: 2 } } })
  const refused = await api.client.refused('POST', `/funnel/${made.body.id}/query`, ask('p'))
  t.equal(refused.status, 400)
  t.strictSame(
    refused.body.details.map((detail) => detail.path),
    ['/breakdown/property'],
  )
  const inside = await api.client.request('POST', `/funnel/${made.body.id}/query`, ask('p.q'))
  t.match(inside.body, {
    entered: 5_001,
    breakdown: [
      { value: 0, entered: 1 },
      { value: 1, entered: 1 },
    ],
  })
})
