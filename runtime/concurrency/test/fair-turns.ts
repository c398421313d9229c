import t from 'tap'
import { FairTurns } from '../fair-turns.js'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Records which work ran, and lets each take some milliseconds of a clock that stands still otherwise. */
function setUp() {
  let now = 0
  const turns = new FairTurns(() => now)
  const done: string[] = []
  const send = (workspace: string, name: string, milliseconds: number): boolean => {
    const work = (): void => {
      done.push(name)
      now += milliseconds
    }
    if (!turns.mayRun(workspace)) return turns.wait(workspace, work)
    turns.run(workspace, work)
    return true
  }
  return { send, done }
}

t.test('work runs at once until its workspace has used its share of the turn', async (t) => {
  const { send, done } = setUp()
  for (let i = 0; i < 4; i++) send('a', `a${i}`, 5)
  send('b', 'b0', 5)
  t.same(done, ['a0', 'a1', 'b0'])
  while (done.length < 5) await nextTurn()
  t.same(done, ['a0', 'a1', 'b0', 'a2', 'a3'], 'in order')
  send('a', 'a4', 5)
  t.equal(done.at(-1), 'a4', 'and at once again')
})

t.test('workspaces with waiting work take turns by time, and others come between', async (t) => {
  const { send, done } = setUp()
  for (let i = 0; i < 6; i++) send('heavy', `heavy${i}`, 40)
  for (let i = 0; i < 12; i++) send('light', `light${i}`, 4)
  t.same(done, ['heavy0', 'light0', 'light1'])
  while (done.length < 13) {
    await nextTurn()
    if (done.length === 5) send('new', 'new', 1)
  }
  const heavy = done.filter((name) => name.startsWith('heavy')).length
  t.ok(heavy <= 3, `${done}`)
  while (done.filter((name) => name.startsWith('heavy')).length < 6) await nextTurn()
  t.equal(done.filter((name) => name.startsWith('light')).length, 12)
})

t.test('a workspace cannot queue without bound', async (t) => {
  const { send, done } = setUp()
  send('a', 'first', 10)
  const accepted = Array.from({ length: 1_000 }, () => send('a', 'waits', 0))
  t.ok(accepted.every(Boolean))
  t.notOk(send('a', 'is refused', 0))
  t.ok(send('b', 'another', 0))
  while (done.length < 1_002) await nextTurn()
  t.notOk(done.includes('is refused'))
})
