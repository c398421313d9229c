import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
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

t.test('of many starts at once on a stale lock exactly one wins', async (t) => {
  const folder = t.testdir()
  writeFileSync(join(folder, 'svc.lock'), '4194303 1\n')
  const file = new URL('../data-directory.js', import.meta.url).href
  const program = `const { takeDataDirectory } = await import(${JSON.stringify(file)})
    try { takeDataDirectory(${JSON.stringify(folder)}); process.stdout.write('won') } catch { process.stdout.write('lost') }
    setTimeout(() => {}, 3000)`
  const outcomes = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const outcome = await new Promise<string>((resolve) =>
        child.stdout.once('data', (data) => resolve(String(data))),
      )
      return { child, outcome }
    }),
  )
  for (const { child } of outcomes) child.kill('SIGKILL')
  t.equal(
    outcomes.filter(({ outcome }) => outcome === 'won').length,
    1,
    outcomes.map((o) => o.outcome).join(),
  )
})

t.test('a directory that cannot be made says which variable to set', async (t) => {
  t.throws(() => lockDataDirectory('/proc/nothing'), { message: /SVC_DATA_DIR/ })
  t.throws(() => lockDataDirectory('/proc/nothing'), DataDirectoryError)
})
