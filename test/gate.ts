import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { script } from './support/scripts.js'

/*
 * Of the test run itself: nothing that goes wrong may pass for something that went well.
 */

interface Result {
  readonly passed: number
  readonly failed: number
  readonly skips: readonly { readonly name: string; readonly reason: string }[]
  readonly failures: readonly { readonly path: readonly string[]; readonly diag: unknown }[]
  readonly ended: string | undefined
  readonly processorSeconds: number | undefined
  readonly left: readonly string[]
  readonly seconds: number
  readonly output: string
}
interface Lists {
  readonly whole: Record<string, string>
  readonly rest: Record<string, string>
  readonly seeds: readonly string[]
}

const { runFile } = await script<{
  runFile(
    file: string,
    options: { timeoutMs: number; lingerMs?: number; env?: Record<string, string> },
  ): Promise<Result>
}>('gate/run-file.mjs')
const { createReport } = await script<{
  createReport(options: { strictSkips: boolean; say: (line: string) => void }): {
    file(label: string, result: Result): void
    finish(): number
  }
}>('gate/report.mjs')
const { faultsOf, tiers } = await script<{
  faultsOf(lists: Lists, files: string[]): string[]
  tiers(): { fast: string[]; whole: string[]; suites: { name: string; file: string }[] }
}>('gate/suites.mjs')
const { fillCores } = await script<{
  fillCores<T>(
    tasks: readonly T[],
    limits: { load: number; tasks: number; loadOf(task: T): number; isExclusive(task: T): boolean },
    work: (task: T) => Promise<void>,
  ): Promise<void>
}>('gate/pool.mjs')
interface Suite {
  readonly name: string
}
const { createPlan, ordered } = await script<{
  ordered(suites: Suite[], secondsOf: (suite: Suite) => number, turn?: number): Suite[]
  createPlan(options: {
    suites: Suite[]
    again: Suite[]
    secondsOf: (suite: Suite) => number
    left: () => number
    seed: number
  }): { next(): { suite: Suite; seed: number } | undefined; waiting(): Suite[] }
}>('gate/plan.mjs')
const { isTest } = await script<{ isTest(file: string): boolean }>('folders.mjs')

const LONG_ENOUGH_MS = 60_000

/** Runs a text as a test file. */
function run(t: Test, text: string, timeoutMs = LONG_ENOUGH_MS): Promise<Result> {
  const folder = t.testdir({ 'file.mjs': `import t from 'tap'\n${text}` })
  return runFile(join(folder, 'file.mjs'), { timeoutMs })
}

t.jobs = 3

t.test('nested assertions are counted, and the innermost failure is reported', async (t) => {
  const result = await run(
    t,
    `t.test('outer', async (t) => {
       t.ok(true)
       await t.test('inner', async (t) => { t.equal(1, 1); t.equal(1, 2, 'one is two') })
     })
     t.test('a property asserts nothing', async () => {})
     t.test('later', { skip: 'optional: no browser' }, async () => {})
     t.ok(true, 'now', { skip: 'for another reason' })`,
  )
  t.match(result, { passed: 3, failed: 1, ended: undefined })
  t.same(
    result.failures.map(({ path }) => path),
    [['outer', 'inner', 'one is two']],
  )
  t.match(result.failures[0]?.diag, { diff: /-2\n\+1/ })
  t.same(result.skips.map(({ reason }) => reason).sort(), ['for another reason', 'optional: no browser'])
  t.ok(Number(result.processorSeconds) > 0)
})

t.test('a whole file may be skipped, with its reason', async (t) => {
  const result = await run(t, "t.plan(0, 'no broker')")
  t.match(result, { passed: 0, failed: 0, ended: undefined, skips: [{ reason: 'no broker' }] })
})

t.test('a file that ends before its plan has failed', async (t) => {
  const texts = [
    'process.exit(0)',
    "process.kill(process.pid, 'SIGKILL')",
    "t.test('x', async () => {}); process.exitCode = 3",
    "t.test('x', { timeout: 100 }, () => new Promise(() => setInterval(() => {}, 50)))",
    't.plan(2); t.ok(true)',
    "throw new Error('at once')",
  ]
  const folder = t.testdir(
    Object.fromEntries(texts.map((text, i) => [`${i}.mjs`, `import t from 'tap'\n${text}`])),
  )
  for (const [i, text] of texts.entries()) {
    const { failed, ended } = await runFile(join(folder, `${i}.mjs`), {
      timeoutMs: LONG_ENOUGH_MS,
      lingerMs: 1_000,
    })
    t.ok(failed > 0 || ended !== undefined, text)
  }
})

t.test(
  'a time-out is a failure, and no process outlives it: neither a new group nor a detached child',
  async (t) => {
    const result = await run(
      t,
      `import { spawn } from 'node:child_process'
     const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore', env: {} })
     console.log('# child', child.pid)
     t.test('for ever', () => new Promise(() => setInterval(() => {}, 1_000)))`,
      2_500,
    )
    t.match(result.ended, /longer than 2.5 s/)
    t.notOk(await lives(result))
  },
)

t.test('processes that a test leaves running end with it', async (t) => {
  const result = await run(
    t,
    `import { spawn } from 'node:child_process'
     const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore', env: {} })
     child.unref()
     console.log('# child', child.pid)
     t.test('waits', async (t) => { await new Promise((resolve) => setTimeout(resolve, 1_500)); t.ok(true) })`,
  )
  t.match(result, { passed: 1, failed: 0, ended: undefined, left: ['sleep'] })
  t.notOk(await lives(result))
})

t.test('if every part is required, a skip counts as a failure unless it is optional', async (t) => {
  const result = {
    passed: 2,
    failed: 0,
    failures: [],
    ended: undefined,
    processorSeconds: 0,
    left: [],
    seconds: 0,
    output: '',
  }
  const said = (strictSkips: boolean, reason: string): readonly [number, string | undefined] => {
    const lines: string[] = []
    const report = createReport({ strictSkips, say: (line) => lines.push(line) })
    report.file('x', { ...result, skips: [{ name: 'y', reason }] })
    return [report.finish(), lines.at(-1)]
  }
  t.same(said(false, 'no broker'), [0, '2 passed, 0 failed, 1 skipped'])
  t.same(said(true, 'optional: no broker'), [0, '2 passed, 0 failed, 1 skipped'])
  t.same(said(true, 'no broker'), [1, '2 passed, 1 failed, 0 skipped'])
})

t.test('a file that crashes counts as one failure with its output', async (t) => {
  const lines: string[] = []
  const report = createReport({ strictSkips: false, say: (line) => lines.push(line) })
  report.file('x', {
    passed: 5,
    failed: 0,
    skips: [],
    failures: [],
    ended: 'ended by SIGSEGV',
    processorSeconds: undefined,
    left: [],
    seconds: 1,
    output: 'its last words',
  })
  t.equal(report.finish(), 1)
  t.match(lines.join('\n'), /ended by SIGSEGV[\s\S]*its last words[\s\S]*\n5 passed, 1 failed, 0 skipped$/)
})

t.test(
  'every test file is in a tier, a new one in the fast tier, and a missing listed file is reported',
  async (t) => {
    const { fast, whole, suites } = tiers()
    t.same(
      fast.filter((file) => whole.includes(file)),
      [],
    )
    t.ok(fast.includes('test/gate.ts') && whole.length > 0)
    t.equal(new Set(suites.map(({ name }) => name)).size, suites.length, 'names are distinct')
    t.same(
      faultsOf({ whole: { a: 'a/test/a.ts', b: 'gone' }, rest: { a: 'a/test/a.ts' }, seeds: ['c'] }, [
        'a/test/a.ts',
      ]),
      ['whole: b is gone, which is no test file', 'a: twice', 'seeds: c is no long suite'],
    )
  },
)

t.test('test files are recognised by their path', async (t) => {
  const yes = [
    'api/test/x.ts',
    'api/experiments/test/room/x.ts',
    'test/x.ts',
    'test/e2e/x.ts',
    'test/e2e/room/x.ts',
    'test/chaos/test/x.ts',
  ]
  const no = [
    'api/x.ts',
    'api/test/support/x.ts',
    'test/support/x.ts',
    'test/chaos/x.ts',
    'test/e2e/suites/x.ts',
    'test/chaos/test/support/room/x.ts',
    'api/test/x.json',
  ]
  t.same(
    yes.filter((file) => !isTest(file)),
    [],
  )
  t.same(no.filter(isTest), [])
})

t.test('tasks that fit run side by side, one of a kind at a time, and all of them run', async (t) => {
  const tasks = Array.from({ length: 40 }, (_, id) => ({
    id,
    load: [0.3, 0.5, 1, 0.25, 3][id % 5] ?? 1,
    broker: id % 4 === 0,
  }))
  type Task = (typeof tasks)[number]
  const running = new Set<Task>()
  const wrong: string[] = []
  const began: number[] = []
  let most = 0
  const limits = {
    load: 2,
    tasks: 5,
    loadOf: ({ load }: Task) => load,
    isExclusive: ({ broker }: Task) => broker,
  }
  await fillCores(tasks, limits, async (task) => {
    running.add(task)
    began.push(task.id)
    most = Math.max(most, running.size)
    const load = [...running].reduce((sum, one) => sum + one.load, 0)
    if (running.size > 1 && load > 2.001) wrong.push(`${task.id}: ${load} under way`)
    if ([...running].filter(({ broker }) => broker).length > 1) wrong.push(`${task.id}: two of a kind`)
    for (let turns = (task.id * 7) % 11; turns > 0; turns--) await setImmediate()
    running.delete(task)
  })
  t.same(wrong, [])
  t.ok(most > 2 && most <= 5, `${most} at a time`)
  t.equal(began[0], 0)
  t.same(
    began.sort((a, b) => a - b),
    tasks.map(({ id }) => id),
  )
})

t.test('a task that throws ends the run', async (t) => {
  const limits = { load: 1, tasks: 2, loadOf: () => 1, isExclusive: () => false }
  await t.rejects(
    fillCores(['a', 'b'], limits, () => Promise.reject(new Error('broken'))),
    /broken/,
  )
})

t.test(
  'suites that fit into the time run, then other seeds, and over some runs every suite comes first',
  async (t) => {
    const suites = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => ({ name }))
    const secondsOf = ({ name }: Suite): number => (name === 'c' ? 500 : 10)
    let left = 100
    const plan = createPlan({ suites, again: suites.slice(0, 3), secondsOf, left: () => left, seed: 7 })
    const begun: string[] = []
    for (let next = plan.next(); next !== undefined; next = plan.next()) {
      begun.push(`${next.suite.name} ${next.seed}`)
      left -= 10
    }
    t.same(begun, ['a 7', 'b 7', 'd 7', 'e 7', 'f 7', 'g 7', 'a 8', 'b 9', 'a 10'])
    t.same(plan.waiting(), [{ name: 'c' }], 'what would take longer is not begun')
    const early = new Set([5, 6, 7].flatMap((turn) => ordered(suites, secondsOf, turn).slice(0, 3)))
    t.equal(early.size, suites.length)
    t.same(ordered(suites, secondsOf)[0], { name: 'c' }, 'the longest first where there is time')
  },
)

/** Whether the child that a test has named is still there after a moment; a zombie is not. */
async function lives({ output }: Result): Promise<boolean> {
  const pid = /# child (\d+)/.exec(output)?.[1] ?? ''
  for (const end = performance.now() + 5_000; performance.now() < end; await sleep(20))
    if (/^State:\s+[^Z]/m.exec(statusOf(pid)) === null) return false
  return true
}

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
