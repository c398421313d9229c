import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { DataDirectoryError, lockDataDirectory } from '../data-directory.js'

t.test('a directory has one owner at a time and can be given back', async (t) => {
  const folder = join(t.testdir(), 'new/deep')
  const giveBack = lockDataDirectory(folder)
  t.throws(() => lockDataDirectory(folder), { message: /in use by another svc \(process \d+\)/ })
  giveBack()
  t.notOk(existsSync(join(folder, 'svc.lock')))
  lockDataDirectory(folder)()
  t.same(readdirSync(folder), [], 'nothing is left behind')
})

t.test('a directory that others could read is closed to them, and files of others in it stay', (t) => {
  const dataDir = t.testdir({ log: { 'data.mdb': '' }, clickhouse: {}, 'secret.key': '', 'of-others': '' })
  chmodSync(dataDir, 0o755)
  for (const name of ['log', 'clickhouse']) chmodSync(join(dataDir, name), 0o775)
  for (const name of ['secret.key', 'of-others']) chmodSync(join(dataDir, name), 0o644)
  lockDataDirectory(dataDir)()
  const modes = ['.', 'log', 'clickhouse', 'secret.key', 'of-others'].map((name) =>
    (statSync(join(dataDir, name)).mode & 0o777).toString(8),
  )
  t.same(modes, ['700', '700', '700', '600', '644'])
  chmodSync(dataDir, 0o1777)
  lockDataDirectory(dataDir)()
  t.equal(statSync(dataDir).mode & 0o7777, 0o1777, 'a folder that all users share is not taken from them')
  t.end()
})

t.test(
  'the lock of a dead process is taken over, also when its number lives on in another process',
  async (t) => {
    const folder = t.testdir()
    const child = spawn(process.execPath, ['-e', ''])
    await new Promise((resolve) => child.once('exit', resolve))
    writeFileSync(join(folder, 'svc.lock'), `${child.pid} 1\n`)
    lockDataDirectory(folder)()
    writeFileSync(join(folder, 'svc.lock'), `${process.ppid} 1\n`)
    const giveBack = lockDataDirectory(folder)
    t.match(readFileSync(join(folder, 'svc.lock'), 'utf8'), new RegExp(`^${process.pid} `))
    giveBack()
    writeFileSync(join(folder, 'svc.lock'), '')
    lockDataDirectory(folder)()
  },
)

/** A process that tries to lock a folder, prints the outcome, and stays until it is killed. */
function contender(folder: string, command: readonly string[] = []) {
  const file = new URL('../data-directory.js', import.meta.url).href
  const program = `const { lockDataDirectory } = await import(${JSON.stringify(file)})
    let outcome = 'won'
    try { lockDataDirectory(${JSON.stringify(folder)}) } catch (error) { outcome = error.inUse ? 'lost' : String(error) }
    process.stdout.write(outcome)
    setInterval(() => {}, 1_000)`
  const [name = process.execPath, ...before] = [...command, process.execPath]
  const child = spawn(name, [...before, '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const outcome = new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))))
  const end = () =>
    new Promise<void>((resolve) => {
      child.once('exit', () => resolve())
      child.kill('SIGKILL')
    })
  return { outcome, end }
}

t.test('of many starts at once exactly one wins', async (t) => {
  const folder = t.testdir()
  writeFileSync(join(folder, 'svc.lock'), '4194303 1\n')
  const all = Array.from({ length: 6 }, () => contender(folder))
  const outcomes = await Promise.all(all.map(({ outcome }) => outcome))
  await Promise.all(all.map(({ end }) => end()))
  t.same(outcomes.sort(), ['lost', 'lost', 'lost', 'lost', 'lost', 'won'])
})

t.test('a killed holder leaves no lock', async (t) => {
  const folder = t.testdir()
  const first = contender(folder)
  t.equal(await first.outcome, 'won')
  t.throws(() => lockDataDirectory(folder), { message: /in use by another svc \(process \d+\)/ })
  await first.end()
  lockDataDirectory(folder)()
})

const unshare = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc']
const canUnshare = spawnSync(unshare[0] ?? '', [...unshare.slice(1), 'true']).status === 0

t.test(
  'a holder in another container is seen',
  { skip: canUnshare ? false : 'optional: no namespaces here' },
  async (t) => {
    const folder = t.testdir()
    const release = lockDataDirectory(folder)
    const other = contender(folder, unshare)
    t.equal(await other.outcome, 'lost')
    await other.end()
    release()
  },
)

t.test('a directory that cannot be made says which variable to set', async (t) => {
  t.throws(() => lockDataDirectory('/proc/nothing'), { message: /SVC_DATA_DIR/ })
  t.throws(() => lockDataDirectory('/proc/nothing'), DataDirectoryError)
})
