import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../runtime/package-root.js'
import { LONG } from '../../test/support/cases.js'
import { waitUntil } from '../../test/support/wait-until.js'
import { connectPostgres, type Sql } from '../driver/client.js'
import { migratePostgres } from '../migrate.js'
import { newId } from '../tables/workspaces.js'
import { withDatabase } from './support/database.js'
import { configure } from './support/server.js'

const { sql, url, cluster } = await withDatabase(t)

/** A new schema, so that the subtests do not meet. */
async function emptySchema(test: typeof t, name: string, database?: string) {
  const address = new URL(url)
  if (database === undefined) await sql`create schema ${sql(name)}`
  else address.pathname = `/${database}`
  address.searchParams.set('search_path', name)
  const connect = () => {
    const connected = connectPostgres({ url: address.href, applicationName: 'svc test', maxConnections: 2 })
    test.teardown(() => connected.end({ timeout: 1 }))
    return connected
  }
  const folder = mkdtempSync(join(tmpdir(), 'svc-migrate-'))
  test.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text)
  return { connect, folder, write }
}

const subtest = (name: string, body: (test: typeof t) => Promise<void>) =>
  t.test(name, async (test) => body(test as unknown as typeof t))

await subtest('the real schema: applied once, and again without effect', async (test) => {
  const before = await sql`select version, name, checksum, applied_at from schema_migrations order by version`
  test.equal(before[0]?.version, 1)
  test.equal(before[0]?.name, 'foundation')
  await migratePostgres(sql)
  const after = await sql`select version, name, checksum, applied_at from schema_migrations order by version`
  test.strictSame([...after], [...before])
  test.equal((await sql`select to_regclass('workspaces') is not null as there`)[0]?.there, true)
})

await subtest(
  'a file whose mark of repetition is not a line of its own is refused, not run once',
  async (test) => {
    const { connect, folder, write } = await emptySchema(test, 'marked')
    write('001-first.sql', 'create table first (n integer)')
    write('002-copy.sql', '-- @repeat Copies the rows.\ninsert into first values (1)')
    await test.rejects(
      migratePostgres(connect(), folder),
      /^the first line of the migration copy must be -- @repeat and nothing else$/,
    )
  },
)

await subtest('several processes at once: each file runs once', async (test) => {
  const { connect, folder, write } = await emptySchema(test, 'together')
  write('001-first.sql', 'create table first (n integer); select pg_sleep(0.2);')
  write('002-second.sql', 'insert into first values (2);')
  await Promise.all([1, 2, 3].map(() => migratePostgres(connect(), folder)))
  const one = connect()
  test.strictSame([...(await one`select n from first`)], [{ n: 2 }])
  test.strictSame(
    [...(await one`select version, name from schema_migrations order by version`)],
    [
      { version: 1, name: 'first' },
      { version: 2, name: 'second' },
    ],
  )
})

await subtest('a file that fails leaves nothing of itself and keeps those before it', async (test) => {
  const { connect, folder, write } = await emptySchema(test, 'failing')
  const one = connect()
  write('001-first.sql', 'create table first (n integer);')
  write('002-second.sql', 'create table second (n integer); select 1 / 0;')
  await test.rejects(migratePostgres(one, folder), { code: '22012' })
  test.strictSame([...(await one`select version from schema_migrations`)], [{ version: 1 }])
  test.equal((await one`select to_regclass('second') is null as gone`)[0]?.gone, true)
  write('002-second.sql', 'create table second (n integer);')
  await migratePostgres(one, folder)
  test.equal((await one`select to_regclass('second') is null as gone`)[0]?.gone, false)
})

await subtest('a schema of a newer svc, and one with another history, are refused', async (test) => {
  const { connect, folder, write } = await emptySchema(test, 'refused')
  const one = connect()
  write('001-first.sql', 'create table first (n integer);')
  await migratePostgres(one, folder)
  write('001-first.sql', 'create table first (n bigint);')
  await test.rejects(migratePostgres(one, folder), { name: 'MigrationError', message: /another version 1/ })
  write('001-first.sql', 'create table first (n integer);')
  await one`insert into schema_migrations (version, name, checksum) values (7, 'future', 'x')`
  await test.rejects(migratePostgres(one, folder), {
    name: 'MigrationError',
    message: /version 7, newer than the 1/,
  })
})

for (const { begins, waitedFor } of [
  { begins: 'has read', waitedFor: ['014', '016', '017', '042', '043'] },
  {
    begins: 'has written',
    waitedFor: [
      '011',
      '012',
      '013',
      '014',
      '016',
      '017',
      '018',
      '020',
      '021',
      '022',
      '025',
      '041',
      '042',
      '043',
      '045',
    ],
  },
] as const)
  await subtest(`a transaction that ${begins} finishes beside every change of the schema`, async (test) => {
    const database = begins.replace(' ', '_')
    await sql`create database ${sql(database)}`
    const { connect, folder } = await emptySchema(test, 'public', database)
    const [migrating, writing] = [connect(), connect()]
    const real = join(packageRoot(), 'postgres', 'schema')
    const files = readdirSync(real).sort()
    const copy = (file: string): void => cpSync(join(real, file), join(folder, file))
    // Before them experiments had other columns.
    const first = files.findIndex((file) => file.startsWith('011'))
    for (const file of files.slice(0, first)) copy(file)
    await migratePostgres(migrating, folder)
    const workspace = newId()
    await writing`insert into workspaces (id, name, created_at) values (${workspace}, 'Written to', now())`
    const insert = (on: Pick<Sql, 'unsafe'>) =>
      on.unsafe(
        `insert into experiments (id, workspace_id, key, name, mechanism, notes, hypothesis, search_text, kind, test_type, status, priority,
          origin, variants, conversion_targets, surfaces, changes, created_at, updated_at)
        values (gen_random_uuid(), $1, gen_random_uuid()::text, '', '', '', '', '', 'experiment', 'dom', 'approved', 'low',
          'api', '[]', '[]', '[]', '[]', now(), now())`,
        [workspace],
      )
    await insert(writing)
    await insert(writing)
    const waited: string[] = []
    for (const file of files.slice(first)) {
      copy(file)
      const at = { end: false }
      let migrated: Promise<void> = Promise.resolve()
      await writing.begin(async (tx) => {
        await tx`select from experiments for update`
        if (begins === 'has written') await insert(tx)
        migrated = migratePostgres(migrating, folder).finally(() => {
          at.end = true
        })
        migrated.catch(() => {})
        // A migration that changes no table in use does not wait.
        const waits = () => sql`select from pg_locks where not granted`
        await waitUntil(async () => at.end || (await waits()).length > 0)
        if (!at.end) waited.push(file.slice(0, 3))
        // Less than the migration waits for a lock, before it lets others pass.
        await tx`set local lock_timeout = '200ms'`
        await insert(tx)
        await tx`update experiments set status = 'running'`
        await tx`
          insert into audit_entries (id, workspace_id, at, action, resource_type, resource_id, actor_person_id, actor_person_name, request_id, summary)
          values (gen_random_uuid(), ${workspace}, now(), 'deleted', 'experiment', '', gen_random_uuid(), '', '', '')`
        await tx`delete from experiments where ctid in (select ctid from experiments limit 1)`
      })
      await migrated
    }
    test.strictSame(waited, waitedFor)
  })

if (LONG)
  await subtest('a vacuum that Postgres runs by itself gives way', async (test) => {
    const { connect, folder, write } = await emptySchema(test, 'vacuumed')
    const one = connect()
    await one`create table wide (n integer) with (
    autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)`
    await one`insert into wide select generate_series(1, 200000)`
    await one`delete from wide where n % 2 = 0`
    test.teardown(() => configure(cluster, 'autovacuum_naptime = 1min'))
    configure(cluster, 'autovacuum_naptime = 1s')
    const atWork = async () =>
      (
        await sql`select from pg_locks where relation = 'vacuumed.wide'::regclass and mode = 'ShareUpdateExclusiveLock'`
      ).length > 0
    await waitUntil(atWork)
    write('001-wider.sql', 'alter table wide add column more integer;')
    await migratePostgres(one, folder)
    const [vacuumed] =
      await sql`select last_autovacuum from pg_stat_user_tables where relid = 'vacuumed.wide'::regclass`
    test.equal(vacuumed?.last_autovacuum, null, 'it was ended, not waited for')
  })
