import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from '@sinclair/typebox'
import t from 'tap'
import { connectPostgres, type Sql } from '../../../postgres/driver/client.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { withDatabase } from '../../../postgres/test/support/database.js'
import { startFaultProxy } from '../../../test/support/network/fault-proxy.js'
import { defineJob, type JobDefinition } from '../definition.js'
import { JobError, permanent } from '../failure.js'
import type { Jobs } from '../port.js'
import { openTestQueue } from './support/queue.js'

const { sql, url } = await withDatabase(t)
await sql`create table effects (key text not null)`

const payload = Type.Object({ workspaceId: Type.String(), subject: Type.String() })
const NAME = 'test-job'
const HOUR_MS = 3_600_000
const kind = { name: NAME, payload }

/** A job that notes its subject, and does what else it is told to. */
function testJob(
  more: Partial<JobDefinition<typeof payload>> & { serialBy?: 'workspaceId' | 'subject' } = {},
): JobDefinition {
  return defineJob<typeof payload, unknown>({
    ...kind,
    concurrency: 1,
    retry: { maxElapsedMs: HOUR_MS, initialIntervalMs: 1_000, maxIntervalMs: 60_000 },
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
const states = async (key: string) =>
  (
    await sql<
      { state: string }[]
    >`select state from jobs.job where singleton_key = ${key} order by created_on`
  ).map((row) => row.state)
const output = async (key: string) =>
  (
    await sql<
      { output: Record<string, unknown> | null }[]
    >`select output from jobs.job where singleton_key = ${key}`
  )[0]?.output
async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !(await holds()); await sleep(20))
    if (Date.now() > end) throw new Error(`not within 20 s: ${what}`)
}
/** As another process finds it, when one has said nothing for a minute. */
const letLeasesEnd = () =>
  sql`update jobs.job set started_on = now() - interval '1 minute' where state = 'active'`
/** Brings what waits for its next try forward. */
const tryNow = (key: string) => sql`update jobs.job set start_after = now() where singleton_key = ${key}`

t.afterEach(async () => {
  await sql`truncate effects`
  await sql`delete from jobs.job`
})

t.test('several processes at once make the tables and the queues', async (t) => {
  const queues = await Promise.all([1, 2, 3, 4].map(() => openTestQueue(t, sql, [testJob()])))
  t.equal(queues.length, 4)
  const names = await sql<{ name: string }[]>`select name from jobs.queue`
  t.strictSame(
    names.map((row) => row.name),
    [NAME],
  )
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
  for (const key of keys) await until(key, async () => (await effects(key)) > 0)
  await until(
    'all marked',
    async () => (await sql`select 1 from jobs.job where state <> 'completed'`).length === 0,
  )
  t.equal((await sql`select 1 from effects`).length, 60, 'each once')
  t.equal(await effects('rolled-back'), 0)
  t.equal((await sql`select 1 from jobs.job where singleton_key = 'rolled-back'`).length, 0)
})

t.test('of a key one waits, and comes at the earliest time asked for', async (t) => {
  const queue = await openTestQueue(t, sql, [testJob()])
  const { jobs } = queue
  await send(jobs, 'one', 3_600_000)
  await send(jobs, 'one', 7_200_000)
  t.strictSame(await states('one'), ['created'])
  const [waiting] = await sql<{ minutes: number }[]>`
    select extract(epoch from start_after - now())::float8 / 60 as minutes from jobs.job where singleton_key = 'one'`
  t.ok(waiting && waiting.minutes > 59 && waiting.minutes < 61, `${waiting?.minutes}`)
  const [old] = await sql<{ kept: boolean }[]>`
    select keep_until > now() + interval '1 year' as kept from jobs.job where singleton_key = 'one'`
  t.ok(old?.kept, 'also by a service that is away for long')
  await Promise.all([send(jobs, 'two'), send(jobs, 'two'), send(jobs, 'two')])
  t.strictSame(await states('two'), ['created'])
  queue.work()
  await over(jobs, 'two')
  t.equal(await effects('two'), 1)
  t.strictSame(await states('one'), ['created'], 'what waits for its time waits')
  await send(jobs, 'one')
  await over(jobs, 'one')
  t.strictSame(await states('one'), ['completed'], 'brought forward')
})

t.test('a failure is tried again, later and later', async (t) => {
  let runs = 0
  const queue = await openTestQueue(t, sql, [
    testJob({
      // So long that nothing is tried before it is asked for.
      retry: { maxElapsedMs: 100 * HOUR_MS, initialIntervalMs: HOUR_MS, maxIntervalMs: 100 * HOUR_MS },
      async effect() {
        if (++runs < 3) throw new Error('not yet')
      },
    }),
  ])
  const { jobs, metric } = queue
  const hoursUntilNext = async (): Promise<number> => {
    const [next] = await sql<{ hours: number }[]>`
      select extract(epoch from start_after - now())::float8 / 3600 as hours from jobs.job where singleton_key = 'failing'`
    return next?.hours ?? Number.NaN
  }
  queue.work()
  await send(jobs, 'failing')
  await until('failed once', async () => (await states('failing'))[0] === 'retry')
  t.equal(await metric('svc_jobs', { state: 'retrying' }), 1)
  t.match(await output('failing'), { message: 'not yet' })
  t.strictSame([...(await jobs.findActive(kind, ['failing', 'another']))], ['failing'])
  const first = await hoursUntilNext()
  t.ok(first > 0.9 && first <= 2, `after one or two of its pauses: ${first}`)
  await tryNow('failing')
  await until('failed again', async () => runs === 2 && (await states('failing'))[0] === 'retry')
  const second = await hoursUntilNext()
  t.ok(second > 1.9 && second <= 4, `then two to four: ${second}`)
  await tryNow('failing')
  await until('done', async () => (await states('failing'))[0] === 'completed')
  t.equal(runs, 3)
})

t.test('what cannot be mended has failed at once, with its reason, and is concluded as failed', async (t) => {
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
  t.strictSame(await output('hopeless'), { reason: 'the branch is protected' })
  t.equal(await effects('hopeless: the branch is protected'), 1)
  t.strictSame(told, ['hopeless'], 'answers that wait are written with it')
  t.equal(await queue.metric('svc_jobs', { state: 'failed' }), 1)
  await sql`update jobs.job set completed_on = now() - interval '2 days' where singleton_key = 'hopeless'`
  await queue.jobs.maintain()
  await sleep(1_200)
  t.equal(runs, 1, 'nobody revives it')
  const again = await openTestQueue(t, sql, [testJob()])
  again.work()
  await sleep(1_200)
  t.strictSame(await states('hopeless'), ['failed'], 'not by a start either')
})

t.test('what can be mended is tried for its time, and not before it is asked to', async (t) => {
  let runs = 0
  const queue = await openTestQueue(t, sql, [
    testJob({
      retry: { maxElapsedMs: 900_000, initialIntervalMs: 1_000, maxIntervalMs: 60_000 },
      async effect() {
        runs++
        throw new JobError('the host is disturbed', { retryable: true, retryAfterMs: 120_000 })
      },
    }),
  ])
  queue.work()
  await send(queue.jobs, 'disturbed')
  await until('tried', async () => (await states('disturbed'))[0] === 'retry')
  const [next] = await sql<{ seconds: number }[]>`
    select extract(epoch from start_after - now())::float8 as seconds from jobs.job where singleton_key = 'disturbed'`
  t.ok(next && next.seconds > 110 && next.seconds < 121, `${next?.seconds} s`)
  const since = (await output('disturbed'))?.since
  await tryNow('disturbed')
  await until('tried again', () => runs === 2)
  await until('put off', async () => (await states('disturbed'))[0] === 'retry')
  t.equal((await output('disturbed'))?.since, since, 'the time counts from the first failure')
  await sql`
    update jobs.job set output = output || jsonb_build_object('since', now() - interval '14 minutes 50 seconds'), start_after = now()
    where singleton_key = 'disturbed'`
  await until('tried within its time', () => runs === 3)
  await until('put off', async () => (await states('disturbed'))[0] === 'retry')
  await sql`
    update jobs.job set output = output || jsonb_build_object('since', now() - interval '15 minutes'), start_after = now()
    where singleton_key = 'disturbed'`
  await until('given up', async () => (await states('disturbed'))[0] === 'failed')
  t.strictSame(await output('disturbed'), { reason: 'the host is disturbed' })
})

t.test('a store of our own that is away is waited for without end', async (t) => {
  let away = true
  let runs = 0
  const queue = await openTestQueue(t, sql, [
    testJob({
      retry: { maxElapsedMs: 1, initialIntervalMs: 50, maxIntervalMs: 100 },
      async effect() {
        runs++
        if (away) throw Object.assign(new Error('no connection'), { code: 'ECONNREFUSED' })
      },
    }),
  ])
  queue.work()
  await send(queue.jobs, 'patient')
  await until('tried and tried', () => runs > 2)
  await until('put off', async () => (await states('patient'))[0] === 'retry')
  t.equal((await output('patient'))?.since, null)
  away = false
  await until('done', async () => (await states('patient'))[0] === 'completed')
})

t.test('a job that ends its processes has failed in the end', async (t) => {
  const queue = await openTestQueue(t, sql, [testJob()])
  await send(queue.jobs, 'deadly')
  for (let i = 0; i < 10; i++) {
    await sql`update jobs.job set state = 'active', started_on = now() - interval '1 minute' where singleton_key = 'deadly'`
    await queue.jobs.maintain()
    t.strictSame(await states('deadly'), ['retry'])
  }
  queue.work()
  await until('given up', async () => (await states('deadly'))[0] === 'failed')
  t.match((await output('deadly'))?.reason, /10 processes ended/)
  t.equal(await effects('deadly'), 0)
})

t.test('a payload of another version is refused, and not guessed at', async (t) => {
  const queue = await openTestQueue(t, sql, [testJob()])
  await send(queue.jobs, 'strange')
  await sql`update jobs.job set data = '{"workspaceId": "w"}' where singleton_key = 'strange'`
  queue.work()
  await until('failed', async () => (await states('strange'))[0] === 'failed')
})

t.test('slow jobs of two workspaces run side by side, those of one kind one after the other', async (t) => {
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

t.test('many slow jobs of one workspace hold no other up', async (t) => {
  const order: string[] = []
  const release = new AbortController()
  const queue = await openTestQueue(t, sql, [
    testJob({
      concurrency: 3,
      async effect({ payload: { workspaceId } }) {
        order.push(workspaceId)
        if (workspaceId === 'busy') await sleep(20_000, undefined, { signal: release.signal }).catch(() => {})
      },
    }),
  ])
  for (let i = 0; i < 6; i++) await send(queue.jobs, `busy-${i}`, 0, 'busy')
  queue.work()
  await until('as many as it may', () => order.length === 2)
  await send(queue.jobs, 'quick', 0, 'another')
  await over(queue.jobs, 'quick')
  t.equal(await effects('quick'), 1)
  t.strictSame(order, ['busy', 'busy', 'another'])
  release.abort()
  await until('all done', async () => (await sql`select 1 from effects`).length === 7)
})

t.test('a job of a silent process passes on, and what that process does then leaves nothing', async (t) => {
  const other = await openTestQueue(t, sql, [testJob()])
  const silent = await openTestQueue(t, sql, [
    testJob({
      async effect() {
        await letLeasesEnd()
        await other.jobs.maintain()
        other.work()
        await until('done by the other', async () => (await states('passed-on'))[0] === 'completed')
      },
    }),
  ])
  await send(silent.jobs, 'passed-on')
  silent.work()
  await until('both over', async () => (await silent.metric('svc_job_runs_total', { outcome: 'lost' })) === 1)
  t.equal(await effects('passed-on'), 1)
  t.equal(await other.metric('svc_job_runs_total', { outcome: 'done' }), 1)
  t.strictSame(await states('passed-on'), ['completed'])
})

t.test('two processes never have one job at once, though its state is the same for both', async (t) => {
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
  await until('taken', async () => (await states('fenced'))[0] === 'active')
  await letLeasesEnd()
  await second.jobs.maintain()
  second.work()
  await until('taken again', async () => (await states('fenced'))[0] === 'active')
  release()
  await until('lost', async () => (await first.metric('svc_job_runs_total', { outcome: 'lost' })) === 1)
  t.equal(await effects('fenced'), 0, 'what the first concludes leaves nothing')
  goOn()
  await over(second.jobs, 'fenced')
  t.equal(await effects('fenced'), 1)
})

t.test('stopping takes nothing more and waits for what is under way', async (t) => {
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
  await until('taken', async () => (await states('slow-1'))[0] === 'active')
  const stopping = jobs.stop()
  await sleep(100)
  release()
  await stopping
  t.equal(finished, 1)
  t.strictSame(await states('slow-1'), ['completed'])
  t.strictSame(await states('slow-2'), ['created'])
})

t.test('what takes too long is told to end when the process does, and given back, not failed', async (t) => {
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
  await until('taken', async () => (await states('endless'))[0] === 'active')
  await queue.jobs.stop()
  t.strictSame(await states('endless'), ['retry'])
  t.equal(await output('endless'), null, 'no failure is noted')
  t.equal(await queue.metric('svc_job_runs_total', { outcome: 'given-back' }), 1)
  const next = await openTestQueue(t, sql, [testJob()])
  next.work()
  await over(next.jobs, 'endless')
  t.equal(await effects('endless'), 1, 'the next one has it at once')
})

t.test('failures of a version that tried them again each hour get a new start', async (t) => {
  const first = await openTestQueue(t, sql, [testJob()])
  await send(first.jobs, 'older')
  await sql`
    update jobs.job set state = 'failed', completed_on = now(), output = '{"message": "by then"}' where singleton_key = 'older'`
  const next = await openTestQueue(t, sql, [testJob()])
  next.work()
  await over(next.jobs, 'older')
  t.equal(await effects('older'), 1)
})

t.test('Postgres gone: nothing ends, and the queue goes on by itself', async (t) => {
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
    await sleep(2_500)
    await t.rejects(jobs.maintain(), mode)
    await jobs.waitFor({ name: own.name, key: mode }, 300)
    await proxy.set('pass')
    proxy.cut()
    // A job that was taken while the answer was lost waits for its lease.
    await letLeasesEnd()
    await until(`back after ${mode}`, async () => {
      await jobs.maintain().catch(() => {})
      return (await states(mode))[0] === 'completed'
    })
    t.equal(await effects(mode), 1, `${mode}: once`)
  }
  await Promise.all((['refuse', 'hang', 'mute'] as const).map(goneAndBack))
})
