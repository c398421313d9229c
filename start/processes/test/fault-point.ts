import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { waitUntil } from '../../../test/support/wait-until.js'
import { faultPointOf } from '../fault-point.js'

const MODULE = new URL('../fault-point.js', import.meta.url).href

/** Passes fault points in a separate process, the leader of a group, and returns how it ended. */
function passing(setting: string, names: readonly string[]): { signal: string | null; output: string } {
  const { signal, stdout, stderr } = spawnSync(process.execPath, argumentsFor(setting, names), {
    encoding: 'utf8',
    // The group is its own, so that a signal to the group does not reach this test.
    ...({ detached: true } as object),
  })
  return { signal, output: `${stdout}${stderr}` }
}

function argumentsFor(setting: string, names: readonly string[]): readonly string[] {
  const code = `const { faultPointOf } = await import(${JSON.stringify(MODULE)})
    const pass = faultPointOf(${JSON.stringify(setting)})
    for (const name of ${JSON.stringify(names)}) { pass(name); console.log(name) }`
  return ['--input-type=module', '-e', code]
}

t.test('without a setting no fault is injected', async (t) => {
  t.doesNotThrow(() => faultPointOf(undefined)('consumer:inserted'))
})

t.test('a fault point fails at the chosen pass and only there', async (t) => {
  const pass = faultPointOf('consumer:inserted:2:fail')
  pass('consumer:inserted')
  pass('consumer:marked')
  t.throws(() => pass('consumer:inserted'), /failing at consumer:inserted:2:fail/)
  t.doesNotThrow(() => pass('consumer:inserted'))
})

t.test('a file arms a point and takes it back while the process runs', async (t) => {
  const file = join(t.testdir(), 'point')
  writeFileSync(file, '')
  const pass = faultPointOf(`@${file}`)
  pass('job:taken')
  writeFileSync(file, 'job:taken:2:fail')
  pass('job:taken')
  t.throws(() => pass('job:taken'), /failing at job:taken:2:fail/)
  writeFileSync(file, 'job:taken:1:fail')
  writeFileSync(file, '')
  t.doesNotThrow(() => pass('job:taken'))
})

t.test('a fault point kills the process and logs its name', async (t) => {
  for (const setting of ['a:b', 'a:b:1', 'a:b:1:kill', 'a:b:1:kill-group']) {
    const { signal, output } = passing(setting, ['other', 'a:b', 'after'])
    t.equal(signal, 'SIGKILL', setting)
    t.match(output, `svc: fault point ${setting}\n`)
    t.notMatch(output, 'after')
  }
})

t.test('a fault point freezes the process until SIGCONT', async (t) => {
  const child = spawn(process.execPath, argumentsFor('a:b:1:stop', ['a:b', 'after']))
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await waitUntil(() => stateOf(child) === 'T')
  t.equal(output, '')
  child.kill('SIGCONT')
  t.equal(await ended, 0)
  t.equal(output, 'a:b\nafter\n')
})

/** As Linux shows it; `T` is stopped. */
function stateOf({ pid }: ChildProcess): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[0]
}
