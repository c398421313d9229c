import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from '@sinclair/typebox'
import t from 'tap'
import { connectPostgres, type Sql } from '../../../postgres/driver/client.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { withDatabase } from '../../../postgres/test/support/database.js'
import { createLogger, type Logger } from '../../../runtime/logger.js'
import { startFaultProxy } from '../../../test/support/network/fault-proxy.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import type { Jobs } from '../../jobs-port.js'
import { defineJob, type JobDefinition } from '../definition.js'
import { JobError, permanent } from '../failure.js'
import { retryPolicy } from '../retry-policy.js'
import { endLeases, jobsOf, runNow, statesOf } from './support/jobs.js'
import { openTestQueue } from './support/queue.js'

const { sql, url } = await withDatabase(t)
await sql`create table effects (key text not null)`

const payload = Type.Object({ workspaceId: Type.String(), subject: Type.String() })
const NAME = 'test-job'
const HOUR_MS = 3_600_000
const kind = { name: NAME, payload }

/** A job that notes its subject and runs the given effect. */
function testJob(
  more: Partial<JobDefinition<typeof payload>> & { serialBy?: 'workspaceId' | 'subject' } = {},
): JobDefinition {
  return defineJob<typeof payload, unknown>({
    ...kind,
    concurrency: 1,
    retry: retryPolicy({ maxElapsedMs: HOUR_MS }),
    async conclude(tx, work) {
      await tx`insert into effects values (${work.payload.subject})`
    },
    ...more,
  })
}

const send = (jobs: Jobs, key: string, startAfterMs = 0, workspaceId = newId()) =>
  sql.begin((tx) => jobs.send(tx, kind, { workspaceId, subject: key }, { key, startAfterMs }))
const over = (jobs: Jobs, key: string, limitMs = 30_000) => jobs.waitFor({ name: NAME, key }, limitMs)
const effects = async (key: string) => (await sql`select 1 from effects where key = ${key}`).length
const states = (key: string) => statesOf(sql, key)
const jobOf = async (key: string) => (await jobsOf(sql, key))[0]

t.afterEach(async () => {
  await sql`truncate effects`
  await sql`delete from jobs`
})

t.test('a job is sent with its transaction or not at all, and is done once among several', async (t) => {
  const queues = await Promise.all(
    [1, 2, 3].map(() => openTestQueue(t, sql, [testJob({ concurrency: 3, serialBy: 'subject' })])),
  )
  for (const queue of queues) queue.work()
  const { jobs } = queues[0] ?? (await openTestQueue(t, sql, [testJob()]))
  await t.rejects(
    sql.begin(async (tx) => {
      await jobs.send(tx, kind, { workspaceId: '', subject: 'rolled-back' }, { key: 'rolled-back' })
      throw new Error('not now')
    }),
    /not now/,
  )
  const keys = Array.from({ length: 60 }, (_, i) => `key-${i}`)
  await Promise.all(keys.map((key) => send(jobs, key)))
  for (const key of keys) await waitUntil(async () => (await effects(key)) > 0)
  await waitUntil(async () => (await sql`select 1 from jobs`).length === 0)
  t.equal((await sql`select 1 from effects`).length, 60, 'each once')
  t.equal(await effects('rolled-back'), 0)
  t.strictSame(await states('rolled-back'), [])
})

t.test('at most one job of a key waits, due at the earliest requested time', async (t) => {
  const queue = await openTestQueue(t, sql, [testJob()])
  const { jobs } = queue
  await send(jobs, 'one', 3_600_000)
  await send(jobs, 'one', 7_200_000)
  t.strictSame(await states('one'), ['unclaimed'])
  const minutes = ((await jobOf('one'))?.seconds ?? 0) / 60
  t.ok(minutes > 59 && minutes < 61, `${minutes}`)
  await Promise.all([send(jobs, 'two'), send(jobs, 'two'), send(jobs, 'two')])
  t.strictSame(await states('two'), ['unclaimed'])
  queue.work()
  await over(jobs, 'two')
  t.equal(await effects('two'), 1)
  t.strictSame(await states('one'), ['unclaimed'], 'what waits for its time waits')
  await send(jobs, 'one')
  await over(jobs, 'one')
  t.strictSame(await states('one'), [], 'brought forward')
})

t.test('a failed job is retried after growing pauses', async (t) => {
  let runs = 0
  const queue = await openTestQueue(t, sql, [
    testJob({
      // So long that the test decides about each retry.
      retry: retryPolicy({
        maxElapsedMs: 100 * HOUR_MS,
        initialIntervalMs: HOUR_MS,
        maxIntervalMs: 100 * HOUR_MS,
      }),
      async effect() {
        if (++runs < 3) throw new Error('not yet')
      },
    }),
  ])
  const { jobs, metric } = queue
  const hoursUntilNext = async () => ((await jobOf('failing'))?.seconds ?? Number.NaN) / 3_600
  queue.work()
  await send(jobs, 'failing')
  await waitUntil(async () => (await states('failing'))[0] === 'retrying')
  t.equal(await metric('svc_jobs', { state: 'retrying' }), 1)
  t.match(await jobOf('failing'), { lastError: 'not yet', attempt: 1 })
  t.strictSame([...(await jobs.findActive(kind, ['failing', 'another']))], ['failing'])
  const first = await hoursUntilNext()
  t.ok(first > 0.9 && first <= 2, `after one or two of its pauses: ${first}`)
  await runNow(sql, 'failing')
  await waitUntil(async () => runs === 2 && (await states('failing'))[0] === 'retrying')
  const second = await hoursUntilNext()
  t.ok(second > 1.9 && second <= 4, `then two to four: ${second}`)
  await runNow(sql, 'failing')
  await waitUntil(async () => (await states('failing')).length === 0)
  t.equal(runs, 3)
})

t.test('a permanent error fails the job at once, and its reason is stored', async (t) => {
  const told: string[] = []
  let runs = 0
  const queue = await openTestQueue(
    t,
    sql,
    [
      testJob({
        async effect() {
          runs++
          throw permanent('the branch is protected')
        },
        async failed(tx, work, reason) {
          await tx`insert into effects values (${`${work.payload.subject}: ${reason}`})`
        },
      }),
    ],
    { concluded: async (_tx, { key }) => void told.push(key) },
  )
  queue.work()
  await send(queue.jobs, 'hopeless')
  await over(queue.jobs, 'hopeless')
  t.strictSame(await states('hopeless'), ['failed'])
  t.match(await jobOf('hopeless'), { lastError: 'the branch is protected' })
  t.equal(await effects('hopeless: the branch is protected'), 1)
  t.strictSame(told, ['hopeless'], 'answers that wait are written with it')
  t.equal(await queue.metric('svc_jobs', { state: 'failed' }), 1)
  await queue.jobs.maintain()
  // Jobs are claimed in the order in which they were due, so a later one ends after any second run.
  await send(queue.jobs, 'later')
  await over(queue.jobs, 'later')
  t.equal(runs, 2, 'each was run once')
  await queue.jobs.stop()
  const again = await openTestQueue(t, sql, [testJob()])
  again.work()
  await send(again.jobs, 'after a restart')
  await over(again.jobs, 'after a restart')
  t.equal(await effects('after a restart'), 1)
  t.strictSame(await states('hopeless'), ['failed'], 'a restart does not run it either')
  const isActive = async () => (await again.jobs.findActive(testJob(), ['hopeless'])).has('hopeless')
  t.equal(await isActive(), true, 'work that is due leaves it alone for a day')
  await sql`update jobs set failed_at = failed_at - interval '25 hours' where key = 'hopeless'`
  t.equal(await isActive(), false)
  await send(again.jobs, 'hopeless')
  await over(again.jobs, 'hopeless')
  t.strictSame(await states('hopeless'), [], 'then another job takes its place')
})

t.test('a retryable error is retried within its time limit, and not before retryAfterMs', async (t) => {
  let runs = 0
  const queue = await openTestQueue(t, sql, [
    testJob({
      retry: retryPolicy(),
      async effect() {
        runs++
        throw new JobError('the host is disturbed', { retryable: true, retryAfterMs: 120_000 })
      },
    }),
  ])
  queue.work()
  await send(queue.jobs, 'disturbed')
  await waitUntil(async () => (await states('disturbed'))[0] === 'retrying')
  const next = await jobOf('disturbed')
  t.ok(next && next.seconds > 110 && next.seconds < 121, `${next?.seconds} s`)
  await runNow(sql, 'disturbed')
  await waitUntil(() => runs === 2)
  await waitUntil(async () => (await states('disturbed'))[0] === 'retrying')
  t.strictSame(
    (await jobOf('disturbed'))?.firstFailedAt,
    next?.firstFailedAt,
    'the time counts from the first failure',
  )
  await sql`update jobs set first_failed_at = now() - interval '14 minutes 50 seconds', run_at = now()`
  await waitUntil(() => runs === 3)
  await waitUntil(async () => (await states('disturbed'))[0] === 'retrying')
  await sql`update jobs set first_failed_at = now() - interval '15 minutes', run_at = now()`
  await waitUntil(async () => (await states('disturbed'))[0] === 'failed')
  t.match(await jobOf('disturbed'), { lastError: 'the host is disturbed' })
})

t.test('a job is retried without a limit as long as a store is unavailable', async (t) => {
  let away = true
  let runs = 0
  const queue = await openTestQueue(t, sql, [
    testJob({
      retry: retryPolicy({ maxElapsedMs: 1, initialIntervalMs: 50, maxIntervalMs: 100 }),
      async effect() {
        runs++
        if (away) throw Object.assign(new Error('no connection'), { code: 'ECONNREFUSED' })
      },
    }),
  ])
  queue.work()
  await send(queue.jobs, 'patient')
  await waitUntil(() => runs > 2)
  await waitUntil(async () => (await states('patient'))[0] === 'retrying')
  t.equal((await jobOf('patient'))?.firstFailedAt, null)
  away = false
  await waitUntil(async () => (await states('patient')).length === 0)
})

t.test('a job that crashes its process again and again fails', async (t) => {
  const queue = await openTestQueue(t, sql, [testJob()])
  await send(queue.jobs, 'deadly')
  for (let i = 0; i < 10; i++) {
    await sql`update jobs set attempt = attempt + 1, lock_token = gen_random_uuid(), locked_until = now() - interval '1 minute'`
    await queue.jobs.maintain()
    t.strictSame(await states('deadly'), ['retrying'])
  }
  queue.work()
  await waitUntil(async () => (await states('deadly'))[0] === 'failed')
  t.match((await jobOf('deadly'))?.lastError, /10 processes ended/)
  t.equal(await effects('deadly'), 0)
})

t.test('a payload of another version fails the job', async (t) => {
  const queue = await openTestQueue(t, sql, [testJob()])
  await send(queue.jobs, 'strange')
  await sql`update jobs set payload = '{"workspaceId": "w"}' where key = 'strange'`
  queue.work()
  await waitUntil(async () => (await states('strange'))[0] === 'failed')
})

t.test('slow jobs of two workspaces overlap, those of one workspace do not', async (t) => {
  const running = new Map<string, number>()
  let most = 0
  let sideBySide = 0
  const slow = () =>
    testJob({
      concurrency: 4,
      serialBy: 'workspaceId',
      async effect({ payload: { workspaceId } }) {
        running.set(workspaceId, (running.get(workspaceId) ?? 0) + 1)
        most = Math.max(most, ...running.values())
        sideBySide = Math.max(sideBySide, [...running.values()].filter((count) => count > 0).length)
        await sleep(150)
        running.set(workspaceId, (running.get(workspaceId) ?? 1) - 1)
      },
    })
  const queues = await Promise.all([1, 2].map(() => openTestQueue(t, sql, [slow()])))
  for (const queue of queues) queue.work()
  const { jobs } = queues[0] ?? (await openTestQueue(t, sql, []))
  const keys = ['a', 'b', 'c'].flatMap((workspace) =>
    [1, 2, 3, 4].map((n) => ({ workspace, key: `${workspace}${n}` })),
  )
  await Promise.all(keys.map(({ workspace, key }) => send(jobs, key, 0, workspace)))
  for (const { key } of keys) await over(jobs, key)
  t.equal((await sql`select 1 from effects`).length, keys.length)
  t.equal(most, 1, 'never two of a workspace')
  t.ok(sideBySide >= 2, `${sideBySide} workspaces at once`)
})

t.test('many slow jobs of one workspace do not delay other workspaces', async (t) => {
  const order: string[] = []
  const release = new AbortController()
  const queue = await openTestQueue(t, sql, [
    testJob({
      concurrency: 3,
      async effect({ payload: { workspaceId } }) {
        order.push(workspaceId)
        if (workspaceId === 'busy') await sleep(60_000, undefined, { signal: release.signal }).catch(() => {})
      },
    }),
  ])
  for (let i = 0; i < 6; i++) await send(queue.jobs, `busy-${i}`, 0, 'busy')
  queue.work()
  await waitUntil(() => order.length === 2)
  await send(queue.jobs, 'quick', 0, 'another')
  await over(queue.jobs, 'quick')
  t.equal(await effects('quick'), 1)
  t.strictSame(order, ['busy', 'busy', 'another'])
  release.abort()
  await waitUntil(async () => (await sql`select 1 from effects`).length === 7)
})

t.test('workspaces take turns with jobs that run one at a time', async (t) => {
  const order: string[] = []
  const queue = await openTestQueue(t, sql, [
    testJob({
      async effect({ payload: { workspaceId } }) {
        order.push(workspaceId)
      },
    }),
  ])
  for (const workspace of ['busy', 'eager', 'busy', 'eager', 'busy', 'eager', 'quiet'])
    await send(queue.jobs, newId(), 0, workspace)
  queue.work()
  await waitUntil(() => order.length === 7)
  t.strictSame(order.slice(0, 3), ['busy', 'eager', 'quiet'])
})

t.test('another process takes over the job of a silent one, whose late result is dropped', async (t) => {
  const other = await openTestQueue(t, sql, [testJob()])
  const silent = await openTestQueue(t, sql, [
    testJob({
      async effect() {
        await endLeases(sql)
        await other.jobs.maintain()
        other.work()
        await waitUntil(async () => (await states('passed-on')).length === 0)
      },
    }),
  ])
  await send(silent.jobs, 'passed-on')
  silent.work()
  await waitUntil(async () => (await silent.metric('svc_job_runs_total', { outcome: 'lost' })) === 1)
  t.equal(await effects('passed-on'), 1)
  t.equal(await other.metric('svc_job_runs_total', { outcome: 'done' }), 1)
  t.strictSame(await states('passed-on'), [])
})

t.test('if two processes run one job, only its current owner completes it', async (t) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const first = await openTestQueue(t, sql, [testJob({ effect: () => held })])
  let goOn = () => {}
  const looked = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const second = await openTestQueue(t, sql, [testJob({ effect: () => looked })])
  await send(first.jobs, 'fenced')
  first.work()
  await waitUntil(async () => (await states('fenced'))[0] === 'running')
  await endLeases(sql)
  await second.jobs.maintain()
  second.work()
  await waitUntil(async () => (await states('fenced'))[0] === 'running')
  release()
  await waitUntil(async () => (await first.metric('svc_job_runs_total', { outcome: 'lost' })) === 1)
  t.equal(await effects('fenced'), 0, 'what the first concludes leaves nothing')
  goOn()
  await over(second.jobs, 'fenced')
  t.equal(await effects('fenced'), 1)
})

t.test('stopping claims no more jobs and waits for the running one', async (t) => {
  let finished = 0
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const queue = await openTestQueue(t, sql, [
    testJob({
      async effect() {
        await released
        finished++
      },
    }),
  ])
  const { jobs } = queue
  queue.work()
  await send(jobs, 'slow-1')
  await send(jobs, 'slow-2')
  await waitUntil(async () => (await states('slow-1'))[0] === 'running')
  const stopping = jobs.stop()
  release()
  await stopping
  t.equal(finished, 1)
  t.strictSame(await states('slow-1'), [])
  t.strictSame(await states('slow-2'), ['unclaimed'])
})

t.test('a job that outlasts the drain time is aborted and released, not failed', async (t) => {
  const queue = await openTestQueue(
    t,
    sql,
    [
      testJob({
        effect: ({ signal }) => sleep(60_000, undefined, { signal }),
      }),
    ],
    { drainMs: 200 },
  )
  queue.work()
  await send(queue.jobs, 'endless')
  await waitUntil(async () => (await states('endless'))[0] === 'running')
  await queue.jobs.stop()
  t.strictSame(await states('endless'), ['retrying'])
  t.match(await jobOf('endless'), { lastError: null, firstFailedAt: null }, 'no failure is noted')
  t.equal(await queue.metric('svc_job_runs_total', { outcome: 'given-back' }), 1)
  const next = await openTestQueue(t, sql, [testJob()])
  next.work()
  await over(next.jobs, 'endless')
  t.equal(await effects('endless'), 1, 'the next one has it at once')
})

t.test('a job sent by one process starts in another without waiting for its next poll', async (t) => {
  const sender = await openTestQueue(t, sql, [testJob()])
  const worker = await openTestQueue(t, sql, [testJob()])
  worker.work()
  await send(sender.jobs, 'first')
  await waitUntil(async () => (await effects('first')) === 1)
  const tookMs: number[] = []
  for (let i = 0; i < 10; i++) {
    const startedAt = performance.now()
    await send(sender.jobs, `heard-${i}`)
    await waitUntil(async () => (await effects(`heard-${i}`)) === 1)
    tookMs.push(performance.now() - startedAt)
  }
  // A busy machine may be late with some of them. A poll comes a second after the one before.
  t.ok(Math.min(...tookMs) < 500, `${tookMs} ms`)
})

t.test('a missing jobs table shows in the check, the metrics and the log', async (t) => {
  const logged: string[] = []
  const note = (level: string) => (fields: { operation?: string }, message: string) =>
    void logged.push(`${level} ${fields.operation}: ${message}`)
  const logger = {
    ...createLogger('silent', 'jobs test'),
    info: note('info'),
    error: note('error'),
  } as unknown as Logger
  const queue = await openTestQueue(t, sql, [testJob()], { logger })
  const { jobs } = queue
  queue.work()
  await jobs.check()
  t.equal(await queue.metric('svc_jobs', { state: 'due' }), 0)
  await sql`alter table jobs rename to jobs_elsewhere`
  await t.rejects(jobs.check(), /"jobs" does not exist/)
  await t.rejects(sql.begin((tx) => jobs.send(tx, kind, { workspaceId: '', subject: '' }, { key: 'k' })))
  const polls = () =>
    logged.filter((line) => line === 'error poll: Job queue failed: jobs whose time has come do not run')
  await waitUntil(() => polls().length === 1)
  const failedPolls = async () =>
    (await queue.metric('svc_job_queue_errors_total', { operation: 'poll' })) ?? 0
  await waitUntil(async () => (await failedPolls()) >= 3)
  t.equal(polls().length, 1, 'logged once, not at each poll')
  t.equal(await queue.metric('svc_jobs', { state: 'due' }), undefined, 'no figure, and not a 0')
  await sql`alter table jobs_elsewhere rename to jobs`
  await waitUntil(() => logged.includes('info poll: Job queue works again'))
  // A claim that failed meanwhile is tried again after the poll.
  const works = () =>
    jobs.check().then(
      () => true,
      () => false,
    )
  await waitUntil(works)
  await send(jobs, 'afterwards')
  await jobs.waitFor({ name: NAME, key: 'afterwards' }, 20_000)
  t.equal(await effects('afterwards'), 1)

  await sql`alter table jobs rename expired_leases to counted_otherwise`
  await send(jobs, 'not claimed')
  await waitUntil(async () => /cannot be claimed/.test(String(await jobs.check().catch((error) => error))))
  await sql`alter table jobs rename counted_otherwise to expired_leases`
  await jobs.waitFor({ name: NAME, key: 'not claimed' }, 20_000)
  t.equal(await effects('not claimed'), 1)
  await jobs.check()
})

t.test('a job that this process does not know is not sent', async (t) => {
  const { jobs } = await openTestQueue(t, sql, [])
  await t.rejects(send(jobs, 'unknown'), /no job named test-job/)
  t.strictSame(await states('unknown'), [])
})

t.test('waiting for a job ends at its limit, which need not be a whole number', async (t) => {
  const release = new AbortController()
  const queue = await openTestQueue(t, sql, [
    testJob({
      effect: () => sleep(60_000, undefined, { signal: release.signal }).catch(() => {}),
    }),
  ])
  queue.work()
  await send(queue.jobs, 'slow')
  const startedAt = performance.now()
  await over(queue.jobs, 'slow', 120.5)
  const tookMs = performance.now() - startedAt
  t.ok(tookMs > 115 && tookMs < 30_000, `${tookMs} ms`)
  release.abort()
  await over(queue.jobs, 'slow')
  t.strictSame(await states('slow'), [])
})

t.test('the queue survives an outage of Postgres and continues by itself', async (t) => {
  const { hostname, port } = new URL(url)
  const goneAndBack = async (mode: 'refuse' | 'hang' | 'mute'): Promise<void> => {
    const own = { name: `gone-${mode}`, payload }
    const proxy = await startFaultProxy({ host: hostname, port: Number(port) })
    t.teardown(() => proxy.close())
    const address = new URL(url)
    address.port = String(proxy.port)
    const through: Sql = connectPostgres({
      url: address.href,
      applicationName: 'svc jobs test',
      maxConnections: 4,
      statementMs: 2_000,
    })
    t.teardown(() => through.end({ timeout: 1 }))
    const queue = await openTestQueue(t, through, [testJob(own)])
    const { jobs } = queue
    queue.work()
    await proxy.set(mode)
    await sql.begin((tx) => jobs.send(tx, own, { workspaceId: newId(), subject: mode }, { key: mode }))
    const errors = async () => (await queue.metric('svc_job_queue_errors_total')) ?? 0
    await waitUntil(async () => (await errors()) > 0)
    await jobs.maintain()
    await jobs.waitFor({ name: own.name, key: mode }, 300)
    await proxy.set('pass')
    proxy.cut()
    // A job that was taken while the answer was lost waits for its lease.
    await endLeases(sql)
    await waitUntil(async () => {
      await jobs.maintain()
      return (await states(mode)).length === 0
    })
    t.equal(await effects(mode), 1, `${mode}: once`)
  }
  await Promise.all((['refuse', 'hang', 'mute'] as const).map(goneAndBack))
})
