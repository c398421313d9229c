import t from 'tap'
import { jobsOf } from '../../../management/jobs/test/support/jobs.js'
import { openTestQueue, type TestQueue } from '../../../management/jobs/test/support/queue.js'
import { outcomeJob, sendDueOutcomes } from '../../../management/workflows/outcome.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { withApi } from '../support/api.js'
import { type ExperimentView, putExperiment } from '../support/experiments.js'
import { startStage } from '../support/stage.js'

const api = await withApi(t)
const { client, sql } = api
const workspace = await api.workspace()
const key = workspace.key

/** Decided, and due in the next hour. */
async function settling(outcome: 'ship' | 'reject'): Promise<string> {
  const id = await putExperiment(api, workspace, 'settling')
  await sql`
    update experiments set decision_outcome = ${outcome}, decision_reason = 'why',
      decision_variant = ${outcome === 'ship' ? 'treatment' : null} where id = ${id}`
  return id
}

const statusOf = async (id: string) =>
  (await client.request<ExperimentView>('GET', `/experiments/${id}/status`, { key })).body

const waiting = (ids: readonly string[]) => jobsOf(sql, ...ids)

/** A second process with the same clock. */
const openQueue = (t: { teardown(fn: () => unknown): unknown }) => openTestQueue(t, sql, [outcomeJob])
function workWith(queue: TestQueue): void {
  queue.work({ now: () => api.clock.now(), clickhouse: api.clickhouse })
}

const anHourOn = () => Date.now() + 3_600_001
t.afterEach(() => {
  api.clock.now = () => Date.now()
})

async function untilSettled(id: string): Promise<ExperimentView> {
  await waitUntil(async () => (await statusOf(id)).status !== 'settling')
  return statusOf(id)
}

/** The states of an experiment's jobs once none of them runs. */
async function untilRetried(id: string): Promise<string[]> {
  const states = async () => (await waiting([id])).map(({ state }) => state)
  await waitUntil(async () => (await states()).every((one) => one === 'retrying'))
  return states()
}

t.test(
  'sweeps send a job for each row that is nearly due, and each experiment is settled once',
  async (t) => {
    const [soon = '', later = ''] = [await settling('ship'), await settling('reject')]
    await sql`update experiments set settles_at = now() + interval '90 seconds' where id = ${soon}`
    const queue = await openQueue(t)
    const { jobs } = queue
    await Promise.all([1, 2, 3].map(() => sendDueOutcomes(sql, jobs, Date.now)))
    const sent = await waiting([soon, later])
    t.strictSame(
      sent.map(({ key, state }) => [key, state]),
      [[soon, 'unclaimed']],
    )
    t.ok(sent[0] && sent[0].seconds > 60 && sent[0].seconds < 91, `due in ${sent[0]?.seconds} s`)

    api.clock.now = anHourOn
    await Promise.all([1, 2, 3].map(() => sendDueOutcomes(sql, jobs, anHourOn)))
    t.ok(
      (await waiting([soon, later])).every(({ seconds }) => seconds <= 0),
      'brought forward by a clock that was moved',
    )
    for (const queue of await Promise.all([1, 2].map(() => openQueue(t)))) workWith(queue)
    t.match(await untilSettled(soon), { status: 'shipped', settled: true, rejectedStage: null })
    t.match(await untilSettled(later), { status: 'rejected', settled: true, rejectedStage: 'outcome' })
    const noted = await sql<{ action: string; name: string; person: string | null }[]>`
      select action, actor_person_name as name, actor_person_id as person from audit_entries
      where resource_id = any(${[soon, later]}) and action = 'experiment.settled'`
    t.strictSame(
      noted.map((row) => ({ ...row })),
      Array(2).fill({ action: 'experiment.settled', name: 'svc', person: null }),
      'the clock has no person',
    )
    const learned = await sql<{ decision: string; variant: string | null; interpretation: string }[]>`
    select decision, variant, interpretation from learnings where experiment_id = any(${[soon, later]}) order by decision desc`
    t.strictSame(
      learned.map((row) => ({ ...row })),
      [
        { decision: 'ship', variant: 'treatment', interpretation: 'why' },
        { decision: 'reject', variant: null, interpretation: 'why' },
      ],
    )
  },
)

t.test('a job that comes too early waits again', async (t) => {
  const id = await settling('ship')
  const queue = await openQueue(t)
  const { jobs } = queue
  const lastJobId = async () =>
    (
      await sql<
        { last: number }[]
      >`select last_value::int as last from pg_sequences where sequencename = 'jobs_id_seq'`
    )[0]?.last ?? 0
  const before = await lastJobId()
  await sql.begin((tx) =>
    jobs.send(tx, outcomeJob, { workspaceId: workspace.id, experimentId: id }, { key: id }),
  )
  // The clock stands still until a job was too early: a slow machine must not let the decision fall due.
  const early = Date.now() + 3_600_000 - 1_500
  api.clock.now = () => early
  workWith(queue)
  await waitUntil(async () => (await lastJobId()) >= before + 2)
  t.match(await statusOf(id), { status: 'settling' })
  const [sentEarly, from] = [await lastJobId(), Date.now()]
  api.clock.now = () => early + Date.now() - from
  t.match(await untilSettled(id), { status: 'shipped' })
  const sent = (await lastJobId()) - sentEarly
  t.ok(sent <= 5, `${sent} jobs came of it`)
})

t.test('an experiment that cannot be settled delays no other, and is tried again', async (t) => {
  const broken = await settling('ship')
  const whole = await settling('reject')
  await sql.unsafe(`
    create function refuse_one() returns trigger language plpgsql as $$ begin raise exception 'not this one'; end $$;
    create trigger refuse_one before insert on learnings for each row when (new.experiment_id = '${broken}')
      execute function refuse_one();`)
  const queue = await openQueue(t)
  const { jobs } = queue
  api.clock.now = anHourOn
  workWith(queue)
  await sendDueOutcomes(sql, jobs, anHourOn)
  t.match(await untilSettled(whole), { status: 'rejected' })
  t.strictSame(await untilRetried(broken), ['retrying'])
  await sendDueOutcomes(sql, jobs, anHourOn)
  t.equal((await waiting([broken])).length, 1, 'the sweep leaves what is tried again alone')
  t.match(await statusOf(broken), { status: 'settling' }, 'all or nothing')
  await sql.unsafe('drop trigger refuse_one on learnings; drop function refuse_one;')
  t.match(await untilSettled(broken), { status: 'shipped' })
})

t.test('a service that starts after a decision was due carries it out', async (t) => {
  const id = await settling('reject')
  api.clock.now = anHourOn
  const stage = await startStage(api, { now: anHourOn })
  t.teardown(() => stage.stop())
  t.match(await untilSettled(id), { status: 'rejected' })
})

t.test('without settling hours a decision takes effect within seconds', async (t) => {
  const stage = await startStage(api, { settlingHours: 0 })
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
  t.match(await untilSettled(id), { status: 'shipped' })
})
