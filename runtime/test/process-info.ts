import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { waitUntil } from '../../test/support/wait-until.js'
import { isAlive, startTimeOf } from '../process-info.js'

t.test('isAlive for a process that has ended, an invalid number, and a running process', async (t) => {
  t.ok(isAlive(process.pid))
  for (const pid of [2 ** 22 + 1, 0, -1, 1.5, Number.NaN, 2 ** 53]) t.notOk(isAlive(pid), String(pid))
  const child = spawn('sleep', ['60'], { stdio: 'ignore' })
  const pid = child.pid ?? 0
  t.ok(isAlive(pid))
  child.kill('SIGKILL')
  await once(child, 'exit')
  t.notOk(isAlive(pid))
})

t.test('a zombie process is not alive', { skip: process.platform !== 'linux' }, async (t) => {
  // The shell becomes a program that never waits for the child it has inherited.
  const parent = spawn('sh', ['-c', 'sleep 0.05 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.teardown(() => parent.kill('SIGKILL'))
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(line.toString())
  await waitUntil(() => !isAlive(pid))
  t.doesNotThrow(() => process.kill(pid, 0), 'though its number is still taken')
})

t.test(
  'the start time distinguishes processes with the same id',
  { skip: process.platform !== 'linux' },
  async (t) => {
    t.match(startTimeOf(process.pid), /^\d+$/)
    t.equal(startTimeOf(process.pid), startTimeOf(process.pid))
    t.equal(startTimeOf(2 ** 22 + 1), undefined)
  },
)
