import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { isAlive } from '../../../runtime/process-info.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { connectPostgres } from '../../driver/client.js'
import { hold, letGo, query, start, temporaryFolder } from '../../test/support/server.js'
import { isServing } from '../postmaster.js'
import { findEmbeddedPostgres, startEmbeddedPostgres } from '../start.js'

/** Shared by subtests that do not depend on its content, because each initdb costs a second. */
const shared = join(temporaryFolder(t), 'postgres')

const inUse = { name: 'DataDirectoryError', inUse: true }

t.test('Postgres keeps its data over restarts and leaves no process running', async (test) => {
  const dataDir = join(temporaryFolder(test), 'data', 'postgres')
  test.equal(await findEmbeddedPostgres({ dataDir }), undefined)
  // Durable, as in service; the other tests save the time.
  const first = await startEmbeddedPostgres({ dataDir })
  test.teardown(() => first.stop())
  test.match(first.url, /^postgres:\/\/svc:[\w-]{32}@127\.0\.0\.1:\d+\/postgres$/)
  test.strictSame(await findEmbeddedPostgres({ dataDir }), { url: first.url })
  const settings = await query(first.url, async (sql) => {
    await sql`create table kept (word text)`
    await sql`insert into kept values ('naïve 日本')`
    const rows = await sql<{ name: string; setting: string }[]>`select name, setting from pg_settings`
    return new Map(rows.map(({ name, setting }) => [name, setting]))
  })
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum', 'data_checksums'])
    test.equal(settings.get(name), 'on', name)
  test.equal(settings.get('server_encoding'), 'UTF8')
  test.equal(settings.get('jit'), 'off')
  test.equal(settings.get('TimeZone'), 'UTC')
  test.equal(settings.get('listen_addresses'), '127.0.0.1')
  test.equal(statSync(join(dataDir, 'cluster')).mode & 0o777, 0o700)
  test.equal(statSync(join(dataDir, 'cluster', 'svc-password')).mode & 0o777, 0o600)
  await first.stop()
  test.notOk(isAlive(first.pid))
  test.equal(await findEmbeddedPostgres({ dataDir }), undefined)
  test.notOk(existsSync(join(dataDir, 'svc.lock')), 'the folder is free again')

  const second = await start(test, dataDir)
  const words = await query(second.url, (sql) => sql<{ word: string }[]>`select word from kept`)
  test.strictSame([...words], [{ word: 'naïve 日本' }])
})

t.test('a wrong password is refused', async (test) => {
  const server = await start(test, shared)
  const url = server.url.replace(/:[\w-]{32}@/, ':guess@')
  await test.rejects(
    query(url, (sql) => sql`select 1`),
    { code: '28P01' },
  )
})

t.test(
  'after kill -9 of its owner the remaining server is replaced, and committed data is there',
  async (test) => {
    const dataDir = shared
    const held = await hold(test, dataDir)
    await query(held.url, (sql) => sql`create table kept as select 1 as number`)
    held.child.kill('SIGKILL')
    await once(held.child, 'exit')
    test.ok(isServing(join(dataDir, 'cluster'), held.pid), 'it outlives its owner')
    const server = await start(test, dataDir)
    test.notOk(isAlive(held.pid))
    test.strictSame([...(await query(server.url, (sql) => sql`select number from kept`))], [{ number: 1 }])
  },
)

t.test('kill -9 of the server itself is reported, and the next start recovers', async (test) => {
  const dataDir = join(temporaryFolder(test), 'postgres')
  let reason = ''
  const first = await start(test, dataDir, {
    durable: true,
    onExit: (text) => {
      reason = text
    },
  })
  const sql = connectPostgres({ url: first.url, applicationName: 'svc test', maxConnections: 1 })
  test.teardown(() => sql.end({ timeout: 0 }))
  await sql`create table kept as select 1 as number`
  // A busy backend is still attached to the shared memory when the next start comes.
  const sleeping = sql`select pg_sleep(30)`.catch(() => {})
  const busy = () =>
    query(
      first.url,
      (other) => other`select from pg_stat_activity where state = 'active' and query like 'select pg_sleep%'`,
    )
  await waitUntil(async () => (await busy()).length > 0)
  process.kill(first.pid, 'SIGKILL')
  await waitUntil(() => reason !== '')
  test.equal(reason, 'the embedded Postgres ended with SIGKILL')
  const second = await start(test, dataDir)
  await first.stop()
  test.strictSame([...(await query(second.url, (again) => again`select number from kept`))], [{ number: 1 }])
  await test.rejects(
    startEmbeddedPostgres({ dataDir, durable: false, lockWaitMs: 0 }),
    inUse,
    'stopping the dead one has not freed the folder',
  )
  await sleeping
})

t.test('the second of two concurrent starts waits for the first, or is refused', async (test) => {
  const dataDir = shared
  const held = await hold(test, dataDir)
  await test.rejects(startEmbeddedPostgres({ dataDir, durable: false, lockWaitMs: 0 }), inUse)
  test.ok(isAlive(held.pid), 'the first is untouched')
  const waiting = start(test, dataDir)
  await delay(200)
  held.child.kill('SIGTERM')
  await query((await waiting).url, (sql) => sql`select 1`)
  test.notOk(isAlive(held.pid))
})

t.test('a Ctrl-C in the terminal reaches svc and not the server', async (test) => {
  const held = await hold(test, shared)
  const { pid } = held.child
  if (pid === undefined) throw new Error('no child')
  process.kill(-pid, 'SIGINT')
  await delay(300)
  test.strictSame([...(await query(held.url, (sql) => sql`select 1 as one`))], [{ one: 1 }])
  await letGo(held)
  test.notOk(isAlive(held.pid))
})

t.test('a port that was taken meanwhile is passed over', async (test) => {
  const squatter = createServer()
  squatter.listen(0, '127.0.0.1')
  await once(squatter, 'listening')
  test.teardown(() => squatter.close())
  const address = squatter.address()
  const taken = typeof address === 'object' && address !== null ? address.port : 0
  const probe = createServer()
  probe.listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const other = probe.address()
  const free = typeof other === 'object' && other !== null ? other.port : 0
  probe.close()
  const ports = [taken, free]
  const server = await startEmbeddedPostgres({
    dataDir: shared,
    durable: false,
    choosePort: async () => ports.shift() ?? 0,
  })
  test.teardown(() => server.stop())
  test.equal(Number(new URL(server.url).port), free)
})

t.test('a failed start reports the last lines of the server and frees the folder', async (test) => {
  const dataDir = shared
  await (await start(test, dataDir)).stop()
  const configuration = join(dataDir, 'cluster', 'postgresql.conf')
  const before = readFileSync(configuration, 'utf8')
  writeFileSync(configuration, `${before}\nno_such_setting = 1\n`)
  await test.rejects(startEmbeddedPostgres({ dataDir, durable: false }), {
    name: 'EmbeddedPostgresError',
    message: /did not start.*\n.*no_such_setting/s,
  })
  writeFileSync(configuration, before)
  await start(test, dataDir)
})
