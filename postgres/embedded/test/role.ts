import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { migratePostgres } from '../../migrate.js'
import { query, start, temporaryFolder } from '../../test/support/server.js'
import { chooseAccount, launchAs } from '../account.js'
import { findBinaries } from '../binaries.js'

t.test('the role of svc reads no file and runs no program, and can do all that svc does', async (test) => {
  const server = await start(test, join(temporaryFolder(test), 'postgres'))
  await query(server.url, async (sql) => {
    test.strictSame(
      [...(await sql`select rolname, rolsuper from pg_roles where rolcanlogin order by rolname`)],
      [
        { rolname: 'svc', rolsuper: false },
        { rolname: 'svc_superuser', rolsuper: true },
      ],
    )
    for (const statement of [
      "select pg_read_file('/etc/shadow')",
      "select pg_ls_dir('/')",
      "copy (select 1) to program 'id'",
      "create temporary table shadow (line text); copy shadow from '/etc/shadow'",
      "alter system set fsync = 'off'",
      'set role svc_superuser',
      'alter role svc superuser',
    ])
      await test.rejects(sql.unsafe(statement), { code: '42501' }, statement)
    await migratePostgres(sql)
    test.equal((await sql`select from pg_extension where extname in ('pg_trgm', 'btree_gin')`).length, 2)
  })
  const superuser = server.url.replace('//svc:', '//svc_superuser:')
  await test.rejects(
    query(superuser, (sql) => sql`select 1`),
    { code: '28P01' },
    'the superuser has no password',
  )
})

/** Runs statements as the superuser on a stopped cluster. */
function asSuperuser(dataDir: string, sql: string): void {
  const cluster = join(dataDir, 'cluster')
  const { postgres, root } = findBinaries()
  const { file, args, ...as } = launchAs(
    chooseAccount(cluster),
    postgres,
    ['--single', '-D', cluster, '-c', 'exit_on_error=on', '-j', 'postgres'],
    [root, cluster],
  )
  execFileSync(file, args, { ...as, input: `${sql}\n\n`, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] })
}

t.test('a cluster of an earlier version loses the superuser, and nothing of its data', async (test) => {
  const dataDir = join(temporaryFolder(test), 'postgres')
  const first = await start(test, dataDir)
  await first.stop()
  // As earlier versions made it: the first role is the one that svc uses.
  asSuperuser(
    dataDir,
    `do $$ begin
      create role helper superuser;
      set session authorization helper;
      alter database postgres owner to svc_superuser;
      drop role svc;
      alter role svc_superuser rename to svc;
      set session authorization svc;
      drop role helper;
      alter role svc password '${new URL(first.url).password}';
    end $$;`,
  )
  asSuperuser(
    dataDir,
    `create schema boss;
    create type boss.state as enum ('made');
    create table boss.job (id bigserial, state boss.state, n integer generated always as (1) stored) partition by range (id);
    create table boss.jobs partition of boss.job for values from (1) to (9);
    create table kept (id integer generated always as identity, word text);
    insert into kept (word) values ('kept');
    create sequence counted;
    create view seen as select word from kept;
    create function twice(n integer) returns integer language sql as 'select 2 * n';
    create extension pg_trgm;`,
  )
  const done = join(dataDir, 'cluster', 'svc-role-limited')
  test.ok(existsSync(done))
  rmSync(done)
  for (const time of ['first', 'second']) {
    const server = await start(test, dataDir)
    await query(server.url, async (sql) => {
      test.strictSame([...(await sql`select word from seen`)], [{ word: 'kept' }], time)
      await test.rejects(sql`select pg_read_file('/etc/shadow')`, { code: '42501' })
    })
    await server.stop()
    // A kill before the file is written repeats the change.
    if (time === 'first') rmSync(done)
  }
  const last = await start(test, dataDir)
  await query(last.url, async (sql) => {
    await migratePostgres(sql)
    await sql.unsafe(`alter table kept add column more text; alter table boss.job add column more text;
      drop view seen; drop sequence counted; drop function twice; drop table boss.job; drop type boss.state; drop schema boss`)
  })
})
