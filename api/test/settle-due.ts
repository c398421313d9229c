import { setTimeout as sleep } from 'node:timers/promises'
import { Registry } from 'prom-client'
import t from 'tap'
import { newId } from '../../postgres/workspaces.js'
import { createLogger } from '../../runtime/logger.js'
import { settleDue } from '../experiments/settle-due.js'
import { startApi } from '../server.js'
import { withApi } from './support/api.js'
import { type ExperimentView, putExperiment } from './support/experiments.js'

const api = await withApi(t)
const { client, sql } = api
const workspace = await api.workspace()
const key = workspace.key

/** Decided, and due the hour after. */
async function settling(outcome: 'ship' | 'reject'): Promise<string> {
  const id = await putExperiment(api, workspace, 'settling')
  await sql`
    update experiments set decision_outcome = ${outcome}, decision_reason = 'why',
      decision_variant = ${outcome === 'ship' ? 'treatment' : null} where id = ${id}`
  return id
}

const statusOf = async (id: string) =>
  (await client.request<ExperimentView>('GET', `/experiments/${id}/status`, { key })).body

t.test('what is due is settled, once, by however many; what is not waits', async (t) => {
  const ids = [await settling('ship'), await settling('reject')]
  t.equal(await settleDue(sql, Date.now, newId), 0)
  for (const id of ids) t.match(await statusOf(id), { status: 'settling', settled: false })
  const later = () => Date.now() + 3_600_001
  const settled = await Promise.all([1, 2, 3].map(() => settleDue(sql, later, newId)))
  t.equal(
    settled.reduce((sum, count) => sum + count, 0),
    2,
  )
  t.match(await statusOf(ids[0] ?? ''), { status: 'shipped', settled: true, rejectedStage: null })
  t.match(await statusOf(ids[1] ?? ''), { status: 'rejected', settled: true, rejectedStage: 'outcome' })
  const learned = await sql<{ decision: string; variant: string | null; interpretation: string }[]>`
    select decision, variant, interpretation from learnings where experiment_id = any(${ids}) order by decision desc`
  t.strictSame(
    learned.map((row) => ({ ...row })),
    [
      { decision: 'ship', variant: 'treatment', interpretation: 'why' },
      { decision: 'reject', variant: null, interpretation: 'why' },
    ],
  )
  t.equal(await settleDue(sql, later, newId), 0)
})

t.test('one that cannot be settled keeps no other waiting', async (t) => {
  const broken = await settling('ship')
  const whole = await settling('reject')
  await sql`update experiments set settles_at = settles_at - interval '1 minute' where id = ${broken}`
  await sql.unsafe(`
    create function refuse_one() returns trigger language plpgsql as $$ begin raise exception 'not this one'; end $$;
    create trigger refuse_one before insert on learnings for each row when (new.experiment_id = '${broken}')
      execute function refuse_one();`)
  const later = () => Date.now() + 3_600_001
  await t.rejects(settleDue(sql, later, newId), /not this one/)
  t.match(await statusOf(broken), { status: 'settling' }, 'all or nothing')
  t.match(await statusOf(whole), { status: 'rejected' })
  await sql.unsafe('drop trigger refuse_one on learnings; drop function refuse_one;')
  t.equal(await settleDue(sql, later, newId), 1)
  t.match(await statusOf(broken), { status: 'shipped' })
})

t.test('a service that starts after the time carries the decision out', async (t) => {
  const id = await settling('reject')
  const stage = await startApi({
    sql,
    clickhouse: api.clickhouse,
    secretKey: api.secretKey,
    host: '127.0.0.1',
    port: 0,
    logger: createLogger('silent', 'api test'),
    registry: new Registry(),
    now: () => Date.now() + 3_600_001,
    newId,
  })
  t.teardown(() => stage.stop())
  for (let tries = 0; (await statusOf(id)).status === 'settling' && tries < 100; tries++) await sleep(50)
  t.match(await statusOf(id), { status: 'rejected' })
})

t.test('without settling hours a decision takes effect within seconds', async (t) => {
  const stage = await startApi({
    sql,
    clickhouse: api.clickhouse,
    secretKey: api.secretKey,
    host: '127.0.0.1',
    port: 0,
    settlingHours: 0,
    logger: createLogger('silent', 'api test'),
    registry: new Registry(),
    now: Date.now,
    newId,
  })
  t.teardown(() => stage.stop())
  const id = await putExperiment(api, workspace, 'ended')
  const answer = await fetch(`${stage.url}/v1/experiments/${id}/decide`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ outcome: 'ship', variant: 'treatment' }),
  })
  t.equal(answer.status, 202)
  t.equal(answer.headers.get('retry-after'), '1')
  const decided = (await answer.json()) as ExperimentView
  t.equal(decided.status, 'settling')
  t.equal(decided.decision?.settlesAt, decided.endedAt)
  for (let tries = 0; (await statusOf(id)).status === 'settling' && tries < 100; tries++) await sleep(50)
  t.match(await statusOf(id), { status: 'shipped' })
})
