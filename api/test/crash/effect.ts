import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { waitUntil } from '../../../test/support/wait-until.js'
import type { ApiFaultPoint } from '../../server.js'
import { makeWorkspace } from '../support/api.js'
import { type ContractAnswer, send } from '../support/client.js'
import { withCrashStores } from '../support/crash/crash.js'
import { effectOperation } from '../support/crash/effect-operation.js'
import { type ExperimentView, putExperiment } from '../support/experiments.js'
import { noClickHouse, startStage } from '../support/stage.js'

/**
 * An operation with an effect outside of Postgres. Processes are killed at each of its steps; the effect
 * happens once, and a retry with the same Idempotency-Key gets the response that the conclusion wrote.
 */
const { sql, secretKey, folder, startChild, letLeasesEnd } = await withCrashStores(t, { effect: true })
const workspace = await makeWorkspace(sql, secretKey, 'Effects')
const fixtures = { sql, clock: { now: () => Date.now() } }

/** A process inside this one; its clock may be ahead. */
async function startHere(test: { teardown(fn: () => unknown): unknown }, aheadMs = 0): Promise<string> {
  const stage = await startStage(
    { sql, clickhouse: noClickHouse, secretKey },
    { testOnly: effectOperation(folder), now: () => Date.now() + aheadMs },
  )
  test.teardown(() => stage.stop())
  return stage.url ?? ''
}

const ask = (url: string, id: string) =>
  send(url, 'POST', `/v1/experiments/${id}/test-effect`, {
    key: workspace.key,
    body: {},
    headers: { 'Idempotency-Key': `effect-${id}` },
  }) as Promise<ContractAnswer<ExperimentView>>

async function traces(id: string) {
  const [row] = await sql<{ status: string; notes: string }[]>`
    select status, notes from experiments where id = ${id}`
  const audit = await sql`select 1 from audit_entries where resource_id = ${id}`
  const jobs = await sql`select 1 from jobs where key = ${id} and failed_at is null`
  const log = join(folder, 'writes')
  const writes = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []
  return {
    status: row?.status,
    notes: row?.notes,
    audited: audit.length,
    jobs: jobs.length,
    written: writes.filter((line) => line === id).length,
  }
}

/** State after a process was killed at a fault point. */
const LEFT: Readonly<Record<ApiFaultPoint, object>> = {
  'api:written': { status: 'proposed', audited: 0, jobs: 0, written: 0 },
  'api:committed': { status: 'generating_pr', audited: 1, jobs: 1, written: 0 },
  'job:taken': { status: 'generating_pr', audited: 1, jobs: 1, written: 0 },
  'job:effected': { status: 'generating_pr', audited: 1, jobs: 1, written: 1 },
  'job:marked': { status: 'generating_pr', audited: 1, jobs: 1, written: 1 },
  'job:carried-out': { status: 'pr_open', audited: 1, jobs: 0, written: 1 },
}

for (const [killAt, left] of Object.entries(LEFT))
  t.test(`killed at ${killAt}`, async (t) => {
    const id = await putExperiment(fixtures, workspace, 'proposed', { notes: '' })
    const { process: child, url, exited } = await startChild(t, killAt)
    await ask(url, id).catch(() => undefined)
    t.strictSame(await exited, [null, 'SIGKILL'])
    t.match(await traces(id), left)
    await letLeasesEnd()
    const next = await startHere(t, killAt === 'api:written' ? 20_001 : 0)
    const again = await ask(next, id)
    t.equal(again.status, 200)
    t.equal(again.body.status, 'pr_open', 'the concluded answer')
    t.equal(again.headers['idempotent-replayed'], killAt === 'api:written' ? undefined : 'true')
    t.equal((await ask(next, id)).text, again.text)
    t.match(await traces(id), { status: 'pr_open', audited: 1, jobs: 0, written: 1 })
    const byWhom = ['job:effected', 'job:marked', 'job:carried-out'].includes(killAt)
      ? child.pid
      : process.pid
    t.equal((await traces(id)).notes, `written by ${byWhom}`, 'what was done is found again')
  })

t.test('a request is answered if the effect of its job fails permanently', async (t) => {
  const url = await startHere(t)
  const id = await putExperiment(fixtures, workspace, 'proposed', { hypothesis: 'impossible' })
  const answer = await ask(url, id)
  t.match(answer, { status: 200, body: { status: 'pr_failed', notes: 'the disk is made of stone' } })
  t.equal((await ask(url, id)).text, answer.text)
  t.match(await traces(id), { audited: 1, jobs: 0, written: 0 })
})

t.test('an operation that outlasts the wait gets an interim answer, which a retry repeats', async (t) => {
  const url = await startHere(t)
  const id = await putExperiment(fixtures, workspace, 'proposed', { hypothesis: 'slow 10000' })
  const begun = performance.now()
  const asked = ask(url, id)
  await waitUntil(async () => (await traces(id)).status === 'generating_pr')
  const [first, second] = await Promise.all([asked, ask(url, id)])
  const took = performance.now() - begun
  t.ok(took > 1_900, `${took} ms`)
  t.match(first, { status: 200, body: { status: 'generating_pr' } })
  t.equal(second.text, first.text, 'a retry in between waits for it')
  t.equal(second.headers['idempotent-replayed'], 'true')
  await waitUntil(async () => (await traces(id)).status === 'pr_open')
  t.equal((await ask(url, id)).text, first.text, 'the answer that was given stays')
})

t.test('a stopping process releases its job, and the next one claims it at once', async (t) => {
  const id = await putExperiment(fixtures, workspace, 'proposed', { hypothesis: 'slow 30000' })
  const stage = await startStage(
    { sql, clickhouse: noClickHouse, secretKey },
    { testOnly: effectOperation(folder), drainJobsMs: 100 },
  )
  await ask(stage.url ?? '', id)
  await stage.stop()
  t.match(await traces(id), { status: 'generating_pr', jobs: 1, written: 0 })
  await sql`update experiments set hypothesis = '' where id = ${id}`
  await startHere(t)
  await waitUntil(async () => (await traces(id)).status === 'pr_open')
  t.match(await traces(id), { written: 1 })
})
