import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { seededRandom } from '../../../bench/support/random.js'
import { STATUSES } from '../../../domain/lifecycle.js'
import type { Results } from '../../../domain/statistics/index.js'
import { countByStatus } from '../../../management/experiments/list-experiments.js'
import { keepResults } from '../../../management/results/store.js'
import { connectPostgres, type Sql, type Transaction } from '../../../postgres/driver/client.js'
import { migratePostgres } from '../../../postgres/migrate.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { withDatabase } from '../../../postgres/test/support/database.js'
import { packageRoot } from '../../../runtime/package-root.js'
import { LONG, SEED } from '../../../test/support/cases.js'
import { waitUntil } from '../../../test/support/wait-until.js'

/**
 * Maintained totals equal counted ones, and lines of figures what was measured, for every reader at every
 * moment, beside all kinds of writers.
 */
const { sql, url } = await withDatabase(t)
const random = seededRandom(SEED)

function connectTo(database: string, max: number): Sql {
  const address = new URL(url)
  address.pathname = `/${database}`
  const connected = connectPostgres({ url: address.href, applicationName: 'svc test', maxConnections: max })
  t.teardown(() => connected.end({ timeout: 1 }))
  return connected
}

async function makeWorkspaces(on: Sql, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId)
  for (const id of ids)
    await on`insert into workspaces (id, name, created_at) values (${id}, 'Counted', now())`
  return ids
}

type Queries = Pick<Sql, 'unsafe'>

/** Inserts experiments into the workspace $1. Postgres draws the random choices. */
const insertExperiments = (count: string): string => `
  insert into experiments (id, workspace_id, key, name, mechanism, notes, hypothesis, search_text, kind, test_type, status, priority, origin,
    variants, conversion_targets, surfaces, changes, created_at, updated_at)
  select gen_random_uuid(), $1::uuid, gen_random_uuid()::text, 'Counted', '', '', '', 'counted',
    case when random() < 0.3 then 'feature' else 'experiment' end, 'dom', (array['proposed', 'approved', 'ended'])[1 + floor(random() * 3)::int],
    (array['low', 'medium', 'high'])[1 + floor(random() * 3)::int], 'api', '[]', '[]', '[]', '[]', now(), now()
  from generate_series(1, ${count})`
const MANY = insertExperiments('5000')

/** Statements of writers, each with the workspace as $1. */
const WRITES: readonly string[] = [
  insertExperiments('1 + floor(random() * 3)::int'),
  `update experiments set status = (array['running', 'concluded', 'approved'])[1 + floor(random() * 3)::int], rejected_stage = null, updated_at = now()
   where id in (select id from experiments where workspace_id = $1 order by random() limit 2 for update skip locked)`,
  `update experiments set pull_request = '{"number": 7}', status = 'rejected', rejected_stage = 'pr'
   where id in (select id from experiments where workspace_id = $1 and status <> 'rejected' order by random() limit 3 for update skip locked)`,
  `update experiments set changes = '[]'
   where id in (select id from experiments where workspace_id = $1 order by random() limit 2 for update skip locked)`,
  `delete from experiments
   where id in (select id from experiments where workspace_id = $1 order by random() limit 1 for update skip locked)`,
]

async function write(on: Queries, workspaceId: string): Promise<void> {
  // Half of the choices are inserts, so the number grows.
  const place = random() < 0.5 ? 0 : 1 + Math.floor(random() * (WRITES.length - 1))
  await on.unsafe(WRITES[place] ?? '', [workspaceId])
}

/** Measures one experiment. Every fourth measurement is rolled back, every fourth has no confidence. */
async function measure(on: Sql, workspaceId: string): Promise<void> {
  const undone = new Error('undone')
  await on
    .begin(async (tx) => {
      await tx`
        insert into experiment_measurements as m (experiment_id, workspace_id, users_exposed, estimated_lift, confidence, measured_at)
        select id, workspace_id, floor(random() * 9)::int, random(), case when random() < 0.75 then random() end, now()
        from (select id, workspace_id from experiments where workspace_id = ${workspaceId} order by random() limit 1 for share) as one
        on conflict (experiment_id) do update set users_exposed = m.users_exposed + 1, confidence = excluded.confidence`
      if (random() < 0.25) throw undone
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error
    })
}

/** Several writes in a transaction; every other one is rolled back in part or whole. */
async function transact(on: Sql, workspaceIds: readonly string[]): Promise<void> {
  const any = () => workspaceIds[Math.floor(random() * workspaceIds.length)] ?? ''
  const undone = new Error('undone')
  const keep = random()
  await on
    .begin(async (tx) => {
      await write(tx, any())
      await tx
        .savepoint(async (inner) => {
          await write(inner, any())
          if (keep < 0.25) throw undone
        })
        .catch((error: unknown) => {
          if (error !== undone) throw error
        })
      if (keep > 0.75) throw undone
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error
    })
}

/** How many totals of workspaces and facets, and lines of figures, are wrong in one snapshot. */
async function differences(on: Sql): Promise<number> {
  const rows = await on<{ found: number }[]>`
    with figures as (
      select workspace_id, id, created_at, facets, users_exposed, estimated_lift, confidence from experiment_figures
    ), measured as (
      select e.workspace_id, e.id, e.created_at,
        experiment_facets(e.status, e.priority_rank, e.origin, e.kind, e.test_type, e.rejected_stage, e.has_pr),
        m.users_exposed, m.estimated_lift, m.confidence
      from experiments e left join experiment_measurements m on m.experiment_id = e.id
    ), kept as (
      select workspace_id, facets, sum(difference) as total from experiment_counts group by 1, 2 having sum(difference) <> 0
    ), counted as (
      select workspace_id, experiment_facets(status, priority_rank, origin, kind, test_type, rejected_stage, has_pr) as facets, count(*) as total
      from experiments group by 1, 2
    )
    select ((select count(*) from kept full join counted using (workspace_id, facets) where kept.total is distinct from counted.total)
      + (select count(*) from ((table figures except table measured) union all (table measured except table figures)) as d))::int as found`
  return rows[0]?.found ?? Number.NaN
}

async function fold(on: Sql | Transaction, workspaceId: string): Promise<void> {
  await on`select fold_experiment_counts(${workspaceId})`
}

/** Repeats a step until told to stop and returns how often; an error rejects. */
function repeat(until: { readonly over: boolean }, step: () => Promise<void>): Promise<number> {
  const running = (async () => {
    for (let times = 0; ; times++) {
      if (until.over) return times
      await step()
    }
  })()
  running.catch(() => {})
  return running
}

t.test('counts are exact while many transactions write and fold', async (t) => {
  const workspaces = await makeWorkspaces(sql, 3)
  const writers = connectTo('postgres', 6)
  const until = { over: false }
  let transactions = 0
  const writing = Array.from({ length: 6 }, () =>
    repeat(until, async () => {
      await transact(writers, workspaces)
      transactions++
    }),
  )
  const folding = Array.from({ length: 2 }, () =>
    repeat(until, async () => {
      for (const id of workspaces) await fold(sql, id)
    }),
  )
  const measuring = Array.from({ length: 2 }, () =>
    repeat(until, async () => {
      for (const id of workspaces) await measure(sql, id)
    }),
  )
  const wrong: number[] = []
  let views = 0
  const reading = repeat(until, async () => {
    const found = await differences(sql)
    if (found > 0) wrong.push(found)
    views++
  })
  await waitUntil(() => views > 100 && transactions > (LONG ? 3_000 : 1_000))
  until.over = true
  await Promise.all([reading, ...writing, ...folding, ...measuring])
  t.strictSame(wrong, [], `${views} views beside ${transactions} transactions`)
  t.equal(await differences(sql), 0)
  for (const id of workspaces) {
    await fold(sql, id)
    const [experiments] = await sql`select count(*)::int as all from experiments where workspace_id = ${id}`
    const byStatus = Object.values(await countByStatus(sql, id)).reduce((sum, count) => sum + count)
    t.equal(byStatus, experiments?.all)
  }
})

t.test('folding blocks no writer, and can be killed', async (t) => {
  const [workspace = ''] = await makeWorkspaces(sql, 1)
  const insert = () => sql.unsafe(WRITES[0] ?? '', [workspace])
  for (let i = 0; i < 100; i++) await insert()
  const folder = connectTo('postgres', 1)
  const [own] = await folder<{ pid: number }[]>`select pg_backend_pid() as pid`
  let gone: Promise<unknown> = Promise.resolve()
  await new Promise<void>((resolve) => {
    gone = folder.begin(async (tx) => {
      await fold(tx, workspace)
      await tx`update experiments set priority = 'high' where workspace_id = ${workspace}`
      await fold(tx, workspace)
      resolve()
      await tx`select pg_sleep(60)`
    })
    gone.catch(() => {})
  })
  const begun = performance.now()
  for (let i = 0; i < 20; i++) await insert()
  await fold(sql, workspace)
  await fold(sql, workspace)
  t.ok(performance.now() - begun < 30_000, 'no writer waited for the one that sleeps')
  t.equal(await differences(sql), 0, 'what it has done is not seen')
  await sql`select pg_terminate_backend(${own?.pid ?? 0})`
  await t.rejects(gone)
  t.equal(await differences(sql), 0, 'and never was')
  await fold(sql, workspace)
  t.equal(await differences(sql), 0)
})

t.test('many writes leave few rows of differences', async (t) => {
  const [workspace = ''] = await makeWorkspaces(sql, 1)
  await sql.unsafe(`
    do $$ begin
      for i in 1..4000 loop
        insert into experiments (id, workspace_id, key, name, mechanism, notes, hypothesis, search_text, kind, test_type, status, priority,
          origin, variants, conversion_targets, surfaces, changes, created_at, updated_at)
        values (gen_random_uuid(), '${workspace}', i::text, '', '', '', '', '', 'experiment', 'dom', 'approved', 'low',
          'api', '[]', '[]', '[]', '[]', now(), now());
      end loop;
    end $$`)
  const [rows] = await sql`
    select count(*)::int as rows, sum(difference)::int as total from experiment_counts where workspace_id = ${workspace}`
  t.equal(rows?.total, 4_000)
  t.ok(rows?.rows < 1_000, `${rows?.rows} rows for 4,000 experiments`)
  await sql`update experiments set priority = 'medium' where workspace_id = ${workspace}`
  await sql`delete from experiments where workspace_id = ${workspace} and key < '2'`
  t.equal(await differences(sql), 0)
  await fold(sql, workspace)
  const left = await sql`select folded, difference from experiment_counts where workspace_id = ${workspace}`
  const [experiments] =
    await sql`select count(*)::int as all from experiments where workspace_id = ${workspace}`
  t.strictSame(
    [...left],
    [{ folded: true, difference: experiments?.all }],
    'without writers in between one row is left',
  )
})

/** @param first number of the first file that the older version lacks */
async function migrateBesideWriters(t: Test, first: string): Promise<void> {
  const database = `before_${first}`
  await sql.unsafe(`create database ${database}`)
  const folder = mkdtempSync(join(tmpdir(), 'svc-counts-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const schema = join(packageRoot(), 'postgres', 'schema')
  const before = join(folder, 'before')
  mkdirSync(before)
  for (const file of readdirSync(schema)) if (file < first) cpSync(join(schema, file), join(before, file))
  const migrating = connectTo(database, 1)
  await migratePostgres(migrating, before)
  const older = connectTo(database, 9)
  const workspaces = await makeWorkspaces(older, 40)
  // More than a migration copies in one transaction.
  await older.unsafe(MANY, [workspaces[0] ?? ''])
  for (const id of workspaces) for (let i = 0; i < 20; i++) await write(older, id)
  const isMeasured = first > '014'
  if (isMeasured) for (const id of workspaces) for (let i = 0; i < 5; i++) await measure(older, id)
  const until = { over: false }
  let written = 0
  const writing = Array.from({ length: 5 }, () =>
    repeat(until, async () => {
      await transact(older, workspaces)
      written++
    }),
  )
  const measuring = repeat(until, async () => {
    await (isMeasured ? measure : write)(older, workspaces[Math.floor(random() * workspaces.length)] ?? '')
  })
  // Some workspaces are created while others are counted.
  const growing = repeat(until, async () => {
    const [id = ''] = await makeWorkspaces(older, 1)
    await write(older, id)
    workspaces.push(id)
    await sleep(20)
  })
  // A migration waits for a transaction that takes longer.
  const slow = repeat(until, () =>
    older
      .begin(async (tx) => {
        await write(tx, workspaces[20] ?? '')
        await sleep(700)
        await write(tx, workspaces[21] ?? '')
      })
      .then(() => sleep(300)),
  )
  await waitUntil(() => workspaces.length > 45)
  await migratePostgres(migrating, schema, (version) => version <= Number(first))
  // Some are written after the triggers exist and before the copy.
  const enough = written + 50
  await waitUntil(() => written >= enough)
  await migratePostgres(migrating)
  until.over = true
  const transactions = await Promise.all(writing)
  t.ok((await growing) > 0 && (await slow) > 0 && (await measuring) > 0)
  t.equal(await differences(older), 0, `beside ${transactions} transactions`)
  await older`delete from experiments`
  t.equal(await differences(older), 0)
}

t.test(
  'a migration counts existing experiments once while others are written',
  { skip: LONG ? false : 'optional: only in long runs' },
  (t) => migrateBesideWriters(t, '011'),
)

t.test('a migration copies the figures of existing experiments while others are measured', (t) =>
  migrateBesideWriters(t, '041'),
)

t.test('an outcome and a refresh of one experiment do not end each other', async (t) => {
  const [workspace = ''] = await makeWorkspaces(sql, 1)
  await sql.unsafe(WRITES[0] ?? '', [workspace])
  const [experiment] = await sql<
    { id: string }[]
  >`select id from experiments where workspace_id = ${workspace}`
  const id = experiment?.id ?? ''
  const keep = (on: Sql | Transaction, usersExposed: number, asOf: Date) =>
    keepResults(on, workspace, id, {} as Results, {
      usersExposed,
      estimatedLift: null,
      confidence: null,
      asOf: asOf.toISOString(),
    })
  await keep(sql, 1, new Date(1_000))
  let refresh = Promise.resolve()
  await sql.begin(async (tx) => {
    await tx`update experiments set status = 'shipped' where id = ${id}`
    refresh = keep(sql, 2, new Date(2_000))
    refresh.catch(() => {})
    await waitUntil(async () => {
      const [waiting] = await sql`select count(*)::int as count from pg_locks where not granted`
      return waiting?.count > 0
    })
    await keep(tx, 3, new Date(3_000))
  })
  await refresh
  const [figures] =
    await sql`select users_exposed, facets & 15 as status from experiment_figures where id = ${id}`
  t.strictSame(figures, { users_exposed: 3, status: STATUSES.indexOf('shipped') })
})
