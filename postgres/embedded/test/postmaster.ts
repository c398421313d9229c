import { spawn } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { query, start, temporaryFolder } from '../../test/support/server.js'
import { readPostmaster } from '../postmaster.js'
import { findEmbeddedPostgres } from '../start.js'

t.test('a postmaster.pid whose process id now belongs to another program is no obstacle', async (test) => {
  const dataDir = join(temporaryFolder(test), 'postgres')
  const first = await start(test, dataDir)
  const pidFile = join(dataDir, 'cluster', 'postmaster.pid')
  const lines = readFileSync(pidFile, 'utf8').split('\n')
  await first.stop()
  // Of the same user: to another user's process Postgres may not even send a signal, and takes it for gone.
  const { uid, gid } = statSync(join(dataDir, 'cluster'))
  const bystander = spawn('sleep', ['60'], { stdio: 'ignore', uid, gid })
  test.teardown(() => bystander.kill('SIGKILL'))
  writeFileSync(pidFile, [String(bystander.pid), ...lines.slice(1)].join('\n'))
  test.equal(await findEmbeddedPostgres({ dataDir }), undefined)
  const second = await start(test, dataDir)
  await query(second.url, (sql) => sql`select 1`)
  test.equal(bystander.exitCode ?? bystander.signalCode, null, 'it is left alone')
})

t.test('a missing, empty or half-written postmaster.pid names no server', async (test) => {
  const cluster = temporaryFolder(test)
  test.equal(readPostmaster(cluster), undefined)
  for (const contents of ['', 'no number\n', '-5\n']) {
    writeFileSync(join(cluster, 'postmaster.pid'), contents)
    test.equal(readPostmaster(cluster), undefined, JSON.stringify(contents))
  }
  writeFileSync(join(cluster, 'postmaster.pid'), '123\n/data\n1700000000\n5432\n')
  test.strictSame(readPostmaster(cluster), { pid: 123, port: 5432, ready: false })
})
