import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { readPostmaster } from '../../../postgres/embedded/postmaster.js'
import { findEmbeddedPostgres } from '../../../postgres/embedded/start.js'
import { hold, letGo, temporaryFolder } from '../../../postgres/test/support/server.js'
import { lockDataDirectory } from '../../../runtime/data-directory.js'
import { isAlive } from '../../../runtime/process-info.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { MAIN, svc } from '../../test/support/run.js'

t.test('if no svc runs, each command starts Postgres, and concurrent commands take turns', async (test) => {
  const dataDir = join(temporaryFolder(test), 'data')
  const environment = { SVC_DATA_DIR: dataDir }
  const created = await Promise.all(
    ['A', 'B', 'C'].map((name) =>
      svc(['admin', 'workspace', 'create', '--name', name, '--json'], environment),
    ),
  )
  test.strictSame(
    created.map(({ code, err }) => [code, err]),
    [
      [0, ''],
      [0, ''],
      [0, ''],
    ],
  )
  const { out } = await svc(['admin', 'workspace', 'list', '--json'], environment)
  test.equal((JSON.parse(out) as { data: unknown[] }).data.length, 3)
  test.equal(
    await findEmbeddedPostgres({ dataDir: join(dataDir, 'postgres') }),
    undefined,
    'none is left running',
  )
  test.equal(statSync(join(dataDir, 'secret.key')).mode & 0o777, 0o600)

  const key = readFileSync(join(dataDir, 'secret.key'), 'utf8')
  const rotate = () => svc(['admin', 'secrets', 'rotate'], environment)
  test.match(await rotate(), { code: 0, err: '' })
  const rotated = readFileSync(join(dataDir, 'secret.key'), 'utf8')
  test.not(rotated, key)
  // A kill between the database and the file leaves the old key with the next one beside it.
  writeFileSync(join(dataDir, 'secret.key.next'), rotated)
  writeFileSync(join(dataDir, 'secret.key'), key)
  test.match(await svc(['admin', 'workspace', 'list'], environment), { code: 0 })
  test.match(await rotate(), { code: 0, err: '' })
  test.equal(
    readFileSync(join(dataDir, 'secret.key'), 'utf8'),
    rotated,
    'the repetition goes on with that key',
  )
  test.notOk(existsSync(join(dataDir, 'secret.key.next')))
})

t.test('if svc runs, a command uses its Postgres and leaves it running', async (test) => {
  const dataDir = temporaryFolder(test)
  const held = await hold(test, join(dataDir, 'postgres'))
  const { code, err } = await svc(['admin', 'workspace', 'create', '--name', 'A'], { SVC_DATA_DIR: dataDir })
  test.strictSame([code, err], [0, ''])
  test.ok(isAlive(held.pid))
  test.strictSame(await findEmbeddedPostgres({ dataDir: join(dataDir, 'postgres') }), { url: held.url })
  await letGo(held)
})

t.test('a command waits for the one before it, also while svc runs', async (test) => {
  const dataDir = temporaryFolder(test)
  const held = await hold(test, join(dataDir, 'postgres'))
  const release = lockDataDirectory(join(dataDir, 'postgres', 'admin'))
  test.teardown(release)
  const waiting = svc(['admin', 'workspace', 'list', '--json'], { SVC_DATA_DIR: dataDir })
  test.equal(await Promise.race([waiting, delay(1_500, 'waits')]), 'waits')
  release()
  test.strictSame(await waiting, { code: 0, out: '{"data":[]}\n', err: '' })
  await letGo(held)
})

t.test('an interrupted command stops the Postgres that it started', async (test) => {
  const dataDir = temporaryFolder(test)
  const cluster = join(dataDir, 'postgres', 'cluster')
  const child = spawn(process.execPath, [MAIN, 'admin', 'workspace', 'list'], {
    env: { SVC_DATA_DIR: dataDir },
    stdio: 'ignore',
  })
  await waitUntil(() => existsSync(cluster) && readPostmaster(cluster) !== undefined)
  const pid = readPostmaster(cluster)?.pid ?? 0
  child.kill('SIGINT')
  await once(child, 'exit')
  test.notOk(isAlive(pid))
})

t.test('an impossible data directory is reported in one line', async (test) => {
  const { code, err } = await svc(['admin', 'workspace', 'list'], { SVC_DATA_DIR: '/proc/none' })
  test.equal(code, 1)
  test.match(err, /^svc: the data directory \/proc\/none.*SVC_DATA_DIR\n$/)
})
