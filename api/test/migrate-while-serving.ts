import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openEmbeddedClickHouse } from '../../clickhouse/embedded/open.js'
import { connectPostgres } from '../../postgres/driver/client.js'
import { migratePostgres } from '../../postgres/migrate.js'
import { newId } from '../../postgres/tables/workspaces.js'
import { withDatabase } from '../../postgres/test/support/database.js'
import { packageRoot } from '../../runtime/package-root.js'
import { waitUntil } from '../../test/support/wait-until.js'
import { makeWorkspace } from './support/api.js'
import { send } from './support/client.js'
import { experimentBody, putExperiment } from './support/experiments.js'
import { startStage } from './support/stage.js'

/** The previous version keeps serving while a newer one migrates, even if someone holds a table for long. */
const { sql: root, url } = await withDatabase(t)
const folder = mkdtempSync(join(tmpdir(), 'svc-migrate-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
const schema = join(packageRoot(), 'postgres', 'schema')
const files = readdirSync(schema).sort()

/** A folder with the first files of the schema, and what a future version may add. */
function schemaFolder(name: string, upTo: number, more: Readonly<Record<string, string>> = {}): string {
  const path = join(folder, name)
  mkdirSync(path)
  for (const file of files.slice(0, upTo)) cpSync(join(schema, file), join(path, file))
  for (const [file, text] of Object.entries(more)) writeFileSync(join(path, file), text)
  return path
}

t.test('upgrades to this version and to the next one cause no failed request', async (t) => {
  await root`create database older`
  const address = new URL(url)
  address.pathname = '/older'
  const connect = (name: string, max: number) => {
    const sql = connectPostgres({ url: address.href, applicationName: name, maxConnections: max })
    t.teardown(() => sql.end({ timeout: 1 }))
    return sql
  }
  const sql = connect('serving', 6)
  await migratePostgres(sql, schemaFolder('before', files.indexOf('008-experiment-lines.sql')))
  const secretKey = Buffer.alloc(32, 7)
  const older = newId()
  await sql`insert into workspaces (id, name, created_at) values (${older}, 'Older', now())`
  const fixtures = { sql, clock: { now: () => Date.now() } }

  // The previous version's statements.
  const declare = (times = 1) => sql`
    insert into experiments (id, workspace_id, key, name, mechanism, notes, hypothesis, search_text, kind, test_type, status, priority,
      origin, variants, conversion_targets, surfaces, changes, created_at, updated_at)
    select gen_random_uuid(), ${older}, gen_random_uuid()::text, 'Older', '', '', '', 'older', 'experiment', 'dom', 'ended',
      'medium', 'api', '[]', '[]', '[]', '[]', now(), now() from generate_series(1, ${times})`
  // More than one transaction copies.
  await declare(5_000)
  let before = true
  let said = 0
  const working = Promise.all(
    [0, 1, 2].map(async () => {
      while (before) {
        await declare()
        await sql`
          update experiments set status = 'concluded', updated_at = now()
          where id = (select id from experiments where status = 'ended' limit 1 for update skip locked)`
        await sql`select * from experiments where search_text like '%older%' order by created_at desc limit 20`
        said += 3
      }
    }),
  )
  working.catch(() => {})
  const migrations = connect('migrating', 1)
  await migratePostgres(migrations)
  before = false
  await working
  const workspace = await makeWorkspace(sql, secretKey, 'Served')
  t.ok(said > 10, `${said} statements went on`)
  const [counts] = await sql`
    select (select count(*)::int from experiments) as rows, (select count(*)::int from experiment_lines) as lines`
  t.equal(counts?.lines, counts?.rows, 'what was written meanwhile is there as well')
  const [stale] = await sql`
    select count(*)::int as count from experiments e join experiment_lines l using (workspace_id, id)
    where l.facets <> experiment_facets(e.status, e.priority_rank, e.origin, e.kind, e.test_type, e.rejected_stage, e.has_pr)
      or l.updated_at <> e.updated_at`
  t.equal(stale?.count, 0, 'and as it is now')
  const [uncounted] = await sql`
    select count(*)::int as count from (
      (select workspace_id, facets, sum(difference) from experiment_counts group by 1, 2 having sum(difference) <> 0)
      except select workspace_id, facets, count(*) from experiment_lines group by 1, 2
    ) as d`
  t.equal(uncounted?.count, 0, 'and counted once')

  const clickhouse = await openEmbeddedClickHouse({ path: join(folder, 'clickhouse'), readers: 1 })
  t.teardown(() => clickhouse.close())
  const stage = await startStage({ sql, clickhouse, secretKey })
  t.teardown(() => stage.stop())

  let serving = true
  const statuses: Record<number, number> = {}
  let slowest = 0
  const client = async (turn: number): Promise<void> => {
    while (serving) {
      const begun = performance.now()
      const id = await putExperiment(fixtures, workspace, 'ended')
      const requests = [
        ['POST', '/experiments', experimentBody({ name: `Served ${newId()}` })],
        ['GET', '/experiments?limit=20&search=put', undefined],
        ['PATCH', `/experiments/${id}`, { conversionTargets: [{ eventName: 'x' }] }],
        ['POST', `/experiments/${id}/ship`, {}],
        ['GET', '/learnings', undefined],
        ['POST', '/funnel', { name: newId(), steps: [{ eventName: 'x' }] }],
      ] as const
      const [method, path, body] = requests[(turn++ + requests.length) % requests.length] ?? requests[0]
      const answer = await send(stage.url ?? '', method, `/v1${path}`, {
        key: workspace.key,
        ...(body === undefined ? {} : { body }),
      })
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      slowest = Math.max(slowest, performance.now() - begun)
    }
  }
  const clients = Promise.all([0, 1, 2].map(client))
  clients.catch(() => {})
  t.teardown(() => {
    serving = false
  })
  const answers = () => Object.values(statuses).reduce((sum, count) => sum + count, 0)
  const untilMoreAnswers = async (): Promise<void> => {
    const before = answers()
    await waitUntil(() => answers() >= before + 10)
  }
  await untilMoreAnswers()

  const next = schemaFolder('next', files.length, {
    '900-more.sql': `
      alter table experiments add column reviewed_at timestamptz(3);
      alter table experiments add column weight integer not null default 1;
      create table experiment_notes (id uuid primary key, experiment_id uuid not null references experiments);`,
  })
  // A report that reads for longer than a migration may wait.
  let reportBegun = (): void => {}
  const begun = new Promise<void>((resolve) => {
    reportBegun = resolve
  })
  const reading = connect('reading', 1).begin(async (tx) => {
    await tx`select count(*) from experiments`
    reportBegun()
    await sleep(3_500)
  })
  await begun
  await migratePostgres(migrations, next)
  await reading
  await untilMoreAnswers()
  serving = false
  await clients
  t.comment(`answers by status: ${JSON.stringify(statuses)}, the slowest after ${Math.round(slowest)} ms`)
  t.strictSame(
    Object.keys(statuses).filter((status) => !['200', '201', '409'].includes(status)),
    [],
  )
  t.ok((statuses[200] ?? 0) + (statuses[201] ?? 0) > 10)
  const [row] = await sql`select version from schema_migrations order by version desc limit 1`
  t.equal(row?.version, 900)
  await t.rejects(migratePostgres(migrations), {
    name: 'MigrationError',
    message: /version 900, newer than/,
  })
})
