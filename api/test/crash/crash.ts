import t from 'tap'
import type { Status } from '../../../domain/lifecycle.js'
import { statesOf } from '../../../management/jobs/test/support/jobs.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import type { ApiFaultPoint } from '../../server.js'
import { makeWorkspace } from '../support/api.js'
import { type ContractAnswer, send } from '../support/client.js'
import { withCrashStores } from '../support/crash/crash.js'
import { putExperiment } from '../support/experiments.js'
import { startStage } from '../support/stage.js'

/**
 * Kills processes at every step between a request and its effects. A write is whole or absent, and the next
 * process carries on, once.
 */
const { sql, secretKey, clickhouse, startChild, letLeasesEnd } = await withCrashStores(t, {
  clickhouse: true,
})
const workspace = await makeWorkspace(sql, secretKey, 'Crash')
const fixtures = { sql, clock: { now: () => Date.now() } }

interface Action {
  readonly path: string
  readonly body: object
  /** The audit entry of the request itself. */
  readonly audit: string
  /** Whether its time has to pass first, which is audited too. */
  readonly settles?: true
  readonly end: Status
  readonly learned: string
}

const ACTIONS = {
  decide: {
    path: 'decide',
    body: { outcome: 'ship', variant: 'treatment' },
    audit: 'experiment.decide',
    settles: true,
    end: 'shipped',
    learned: 'ship',
  },
  force: {
    path: 'decide',
    body: { outcome: 'reject', force: true },
    audit: 'experiment.decide',
    end: 'rejected',
    learned: 'reject',
  },
  ship: { path: 'ship', body: {}, audit: 'experiment.ship', end: 'shipped', learned: 'ship' },
  conclude: {
    path: 'end',
    body: { conclude: true },
    audit: 'experiment.end',
    end: 'concluded',
    learned: 'conclude',
  },
} as const satisfies Record<string, Action>

/** The next process, inside this one; its clock may be ahead. */
async function startNext(test: { teardown(fn: () => unknown): unknown }, aheadMs = 0): Promise<string> {
  const stage = await startStage(
    { sql, clickhouse, secretKey },
    { settlingHours: 0, now: () => Date.now() + aheadMs },
  )
  test.teardown(() => stage.stop())
  return stage.url ?? ''
}

const allAudited = ({ audit, settles }: Action) => (settles ? [audit, 'experiment.settled'] : [audit])

const ask = (url: string, id: string, action: Action): Promise<ContractAnswer<unknown>> =>
  send(url, 'POST', `/v1/experiments/${id}/${action.path}`, {
    key: workspace.key,
    body: action.body,
    headers: { 'Idempotency-Key': `crash-${id}` },
  })

async function traces(id: string) {
  const [row] = await sql<{ status: Status }[]>`select status from experiments where id = ${id}`
  const audit = await sql<{ action: string }[]>`
    select action from audit_entries where resource_id = ${id} order by action`
  const learned = await sql<
    { decision: string }[]
  >`select decision from learnings where experiment_id = ${id}`
  const jobs = await statesOf(sql, id)
  return {
    status: row?.status,
    audit: audit.map((entry) => entry.action),
    learned: learned.map((entry) => entry.decision),
    jobs,
  }
}

async function untilQuiet(id: string): Promise<void> {
  await waitUntil(async () => {
    const { status, jobs } = await traces(id)
    return status !== 'settling' && jobs.length === 0
  })
}

const KILLS: readonly [ApiFaultPoint, keyof typeof ACTIONS][] = [
  ['api:written', 'decide'],
  ['api:committed', 'force'],
  ['job:taken', 'decide'],
  ['job:taken', 'conclude'],
  ['job:marked', 'ship'],
  ['job:carried-out', 'force'],
]

for (const [killAt, name] of KILLS)
  t.test(`${name}, killed at ${killAt}`, async (t) => {
    const action = ACTIONS[name]
    const id = await putExperiment(fixtures, workspace, 'ended')
    const child = await startChild(t, killAt)
    await ask(child.url, id, action).catch(() => undefined)
    t.strictSame(await child.exited, [null, 'SIGKILL'])
    const left = await traces(id)
    if (killAt === 'api:written')
      t.strictSame(left, { status: 'ended', audit: [], learned: [], jobs: [] }, 'nothing')
    else {
      t.strictSame(left.audit, [action.audit])
      t.not(left.status, 'ended')
      t.equal(left.jobs.length, killAt === 'job:carried-out' ? 0 : 1, 'the job came with the write')
    }
    await letLeasesEnd()
    // The claim of a dead process can be taken over after 20 seconds.
    const url = await startNext(t, killAt === 'api:written' ? 20_001 : 0)
    const again = await ask(url, id, action)
    t.equal(again.status, action.path === 'decide' ? 202 : 200)
    t.equal(again.headers['idempotent-replayed'], killAt === 'api:written' ? undefined : 'true')
    await untilQuiet(id)
    t.strictSame(await traces(id), {
      status: action.end,
      audit: allAudited(action),
      learned: [action.learned],
      jobs: [],
    })
  })

t.test('two of three processes that share the work are killed, and each job is done once', async (t) => {
  const ids = await Promise.all(Array.from({ length: 30 }, () => putExperiment(fixtures, workspace, 'ended')))
  const children = await Promise.all([startChild(t, 'job:taken', 4), startChild(t, 'job:carried-out', 3)])
  const last = await startNext(t)
  const urls = [...children.map((child) => child.url), last]
  const gone = children.map((child) => child.exited)
  await Promise.all(
    ids.map(async (id, i) => {
      await ask(urls[i % 3] ?? last, id, ACTIONS.decide).catch(() => undefined)
    }),
  )
  for (const child of children) child.process.kill('SIGKILL')
  await Promise.all(gone)
  // Clients repeat their request when a connection breaks.
  for (const id of ids) {
    const answer = await ask(last, id, ACTIONS.decide)
    t.equal(answer.status, 202)
  }
  await letLeasesEnd()
  for (const id of ids) {
    await untilQuiet(id)
    t.strictSame(await traces(id), {
      status: 'shipped',
      audit: allAudited(ACTIONS.decide),
      learned: ['ship'],
      jobs: [],
    })
  }
})
