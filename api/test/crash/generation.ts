import t from 'tap'
import { makeRepository } from '../../../repositories/test/support/git-repository.js'
import { makeWorkspace } from '../support/api.js'
import { type ContractAnswer, send } from '../support/client.js'
import { withCrashStores } from '../support/crash/crash.js'
import { connectTo, until } from '../support/repository.js'
import { PATIENCE_S, type RunView, SHOP } from '../support/shop.js'
import { startStage } from '../support/stage.js'

/**
 * Kills a process at each step of a batch. The next one carries on: the run ends, its proposals exist once,
 * and no run stays open.
 */
const { sql, secretKey, clickhouse, startChild, letLeasesEnd } = await withCrashStores(t, {
  clickhouse: true,
})
const stage = await startStage({ sql, clickhouse, secretKey })
await stage.stop()

const EDGES = ['api:committed', 'job:taken', 'job:effected', 'job:marked', 'job:carried-out'] as const
const STEPS = ['read', 'understand', 'propose', 'ground', 'filter', 'store'] as const

/** Progress of a run whose process was killed. */
const LEFT: Readonly<Record<string, string>> = {
  'api:committed': 'queued',
  'job:taken': 'queued',
  // This step begins it.
  'step read': 'queued',
  'job:carried-out': 'succeeded',
}

/** Makes the job wait at a step until `letGo`. */
async function holdAt(step: string): Promise<{ reached(): Promise<unknown>; letGo(): Promise<void> }> {
  await sql.unsafe(`
    create or replace function hold_run() returns trigger language plpgsql as $$
    begin
      if new.step = '${step}' and new.status = 'running' then perform pg_advisory_xact_lock(4711); end if;
      return new;
    end $$;
    create or replace trigger hold_run before update on generation_runs for each row execute function hold_run();`)
  const holder = await sql.reserve()
  await holder`select pg_advisory_lock(4711)`
  return {
    reached: () =>
      until(
        () => sql<{ pid: number }[]>`
          select pid from pg_locks where locktype = 'advisory' and objid = 4711 and not granted`,
        (waiting) => waiting.length > 0,
        PATIENCE_S,
      ),
    async letGo() {
      // A statement of a dead process continues until Postgres notices.
      await sql`
        select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = 4711 and not granted`
      await holder`select pg_advisory_unlock(4711)`
      holder.release()
      await sql`drop trigger hold_run on generation_runs`
    },
  }
}

for (const at of [...EDGES, ...STEPS.map((step) => `step ${step}`)])
  t.test(`killed at ${at}`, async (t) => {
    const workspace = await makeWorkspace(sql, secretKey, at)
    const repository = makeRepository(t, { files: SHOP, bare: true })
    await connectTo({ sql, secretKey }, workspace, { location: repository.path })
    const ask = (url: string) =>
      send(url, 'POST', '/v1/experiments/generate', {
        key: workspace.key,
        body: { count: 3 },
        headers: { 'Idempotency-Key': `batch-${workspace.id}` },
      }) as Promise<ContractAnswer<{ runId: string; status: string }>>
    const held = at.startsWith('step ') ? await holdAt(at.slice(5)) : undefined
    const child = await startChild(t, at)
    const asked = ask(child.url).catch(() => undefined)
    if (held !== undefined) {
      await held.reached()
      child.process.kill('SIGKILL')
    }
    t.strictSame(await child.exited, [null, 'SIGKILL'])
    await asked
    await held?.letGo()
    const [left] = await sql<{ status: string }[]>`
      select status from generation_runs where workspace_id = ${workspace.id}`
    t.equal(left?.status, LEFT[at] ?? 'running')
    const stored = await sql`select from experiments where workspace_id = ${workspace.id}`
    t.equal(stored.length, at === 'job:carried-out' ? 3 : 0, 'all or nothing')

    await letLeasesEnd()
    const next = await startStage({ sql, clickhouse, secretKey })
    t.teardown(() => next.stop())
    const url = next.url ?? ''
    const again = await ask(url)
    t.equal(again.status, 202)
    const run = await until(
      async () =>
        (await send(url, 'GET', `/v1/experiment-runs/${again.body.runId}`, { key: workspace.key }))
          .body as RunView,
      ({ status }) => status === 'succeeded' || status === 'failed',
      PATIENCE_S,
    )
    t.match(run, { status: 'succeeded', survived: 3, error: null })
    const runs = await sql`select from generation_runs where workspace_id = ${workspace.id}`
    t.equal(runs.length, 1, 'the request is the same one')
    const rows = await sql`
      select from experiments where workspace_id = ${workspace.id} and experiment_run_id = ${run.id}`
    t.equal(rows.length, 3)
  })
