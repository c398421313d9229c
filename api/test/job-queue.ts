import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { connectPostgres, type Sql } from '../../postgres/driver/client.js'
import { migratePostgres } from '../../postgres/migrate.js'
import { withDatabase } from '../../postgres/test/support/database.js'
import { newId } from '../../postgres/tables/workspaces.js'
import { startFaultProxy } from '../../test/support/fault-proxy.js'
import { JobLost, type Jobs } from '../../management/jobs/port.js'
import { openTestQueue } from './support/job-queue.js'

const NAME = 'experiment-outcome'
const { sql, url } = await withDatabase(t)
await sql`create table effects (key text not null)`

/** A database of one's own in the same server: where connections to it are lost, others notice nothing. */
async function anotherDatabase(t: Test, name: string): Promise<{ own: Sql; address: URL }> {
  await sql`create database ${sql(name)}`
  const address = new URL(url)
  address.pathname = `/${name}`
  const own = connectPostgres({ url: address.href, applicationName: 'svc test', maxConnections: 4 })
  t.teardown(() => own.end({ timeout: 1 }))
  await migratePostgres(own)
  await own`create table effects (key text not null)`
  return { own, address }
}

const send = (jobs: Jobs, key: string, startAfterMs = 0, on = sql) =>
  on.begin((tx) => jobs.send(tx, NAME, { workspaceId: newId(), experimentId: key }, { key, startAfterMs }))
const effects = async (key: string, on = sql) => (await on`select 1 from effects where key = ${key}`).length
const states = async (key: string, on = sql) =>
  (
    await on<{ state: string }[]>`select state from jobs.job where singleton_key = ${key} order by created_on`
  ).map((row) => row.state)
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await holds()); await sleep(20))
    if (Date.now() > end) throw new Error(`not within 20 s: ${what}`)
}

t.beforeEach(() => sql`truncate effects`)

t.test('several processes at once make the tables and the queues', async (t) => {
  const queues = await Promise.all([1, 2, 3, 4].map(() => openTestQueue(t, sql)))
  t.equal(queues.length, 4)
  const names = await sql<{ name: string }[]>`select name from jobs.queue`
  t.strictSame(
    names.map((row) => row.name),
    [NAME],
  )
})

t.test('a job is sent with its transaction or not at all, and is done once among several', async (t) => {
  const queues = await Promise.all([1, 2, 3].map(() => openTestQueue(t, sql)))
  for (const { jobs } of queues)
    jobs.work(NAME, ({ payload, done }) =>
      sql.begin(async (tx) => {
        await tx`insert into effects values (${payload.experimentId})`
        await done(tx)
      }),
    )
  const { jobs } = queues[0] ?? (await openTestQueue(t, sql))
  await t.rejects(
    sql.begin(async (tx) => {
      await jobs.send(tx, NAME, { workspaceId: '', experimentId: 'rolled-back' }, { key: 'rolled-back' })
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
  const { jobs } = await openTestQueue(t, sql)
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
  let runs = 0
  jobs.work(NAME, async () => void runs++)
  await jobs.hurry(NAME, 'two', 5_000)
  t.equal(runs, 1)
  t.strictSame(await states('one'), ['created'], 'what waits for its time waits')
  await send(jobs, 'one')
  await jobs.hurry(NAME, 'one', 5_000)
  t.strictSame(await states('one'), ['completed'], 'brought forward')
})

t.test(
  'a failure is tried again, later and later; then it has failed, is counted, and gets another chance',
  async (t) => {
    const { jobs, metric } = await openTestQueue(t, sql)
    let runs = 0
    jobs.work(NAME, async () => {
      if (++runs < 3) throw new Error('not yet')
    })
    const begun = performance.now()
    await send(jobs, 'failing')
    await until('failed once', async () => (await states('failing'))[0] === 'retry')
    t.equal(await metric('svc_jobs', { state: 'retrying' }), 1)
    t.strictSame([...(await jobs.underWay(NAME, ['failing', 'another']))], ['failing'])
    await until('done', async () => (await states('failing'))[0] === 'completed')
    const took = performance.now() - begun
    t.equal(runs, 3)
    t.ok(took > 3_000 && took < 12_000, `after one or two seconds, then two to four: ${took} ms`)

    runs = -1_000
    await send(jobs, 'hopeless')
    await sql`update jobs.job set retry_count = retry_limit, started_on = now() where singleton_key = 'hopeless'`
    await until('failed for now', async () => (await states('hopeless'))[0] === 'failed')
    t.equal(await metric('svc_jobs', { state: 'failed' }), 1)
    await jobs.maintain()
    t.strictSame(await states('hopeless'), ['failed'], 'not at once')
    runs = 1_000
    await sql`update jobs.job set completed_on = now() - interval '61 minutes' where singleton_key = 'hopeless'`
    await jobs.maintain()
    await until('done in the end', async () => (await states('hopeless'))[0] === 'completed')
    t.equal(await metric('svc_jobs', { state: 'failed' }), 0)
  },
)

t.test('a job of a silent process passes on, and what that process does then leaves nothing', async (t) => {
  const { jobs, metric } = await openTestQueue(t, sql)
  const heard: unknown[] = []
  let passedOn = false
  jobs.work(NAME, async ({ payload, done }) => {
    const frozen = !passedOn
    passedOn = true
    // As another process finds it, when this one has said nothing for a minute.
    if (frozen) {
      await sql`update jobs.job set started_on = now() - interval '1 minute' where singleton_key = 'passed-on'`
      await jobs.maintain()
    }
    await sql
      .begin(async (tx) => {
        await tx`insert into effects values (${payload.experimentId})`
        await done(tx)
      })
      .catch((error: unknown) => {
        heard.push(error)
        throw error
      })
  })
  await send(jobs, 'passed-on')
  await until('done', async () => (await states('passed-on'))[0] === 'completed')
  t.equal(heard.length, 1)
  t.ok(heard[0] instanceof JobLost)
  t.equal(await effects('passed-on'), 1)
  t.equal(await metric('svc_job_runs_total', { outcome: 'lost' }), 1)
  t.equal(await metric('svc_job_runs_total', { outcome: 'done' }), 1)
})

t.test('stopping takes nothing more and waits for what is under way', async (t) => {
  const { jobs } = await openTestQueue(t, sql)
  let finished = 0
  jobs.work(NAME, async () => {
    await sleep(500)
    finished++
  })
  await send(jobs, 'slow-1')
  await send(jobs, 'slow-2')
  await until('taken', async () => (await states('slow-1'))[0] === 'active')
  await jobs.stop()
  t.equal(finished, 1)
  t.strictSame(await states('slow-1'), ['completed'])
  t.strictSame(await states('slow-2'), ['created'])
  await sql`delete from jobs.job`
})

t.test('Postgres gone: nothing ends, and the queue goes on by itself', async (t) => {
  await Promise.all((['refuse', 'hang', 'mute'] as const).map((mode) => goesOnAfter(t, mode)))
})

async function goesOnAfter(t: Test, mode: 'refuse' | 'hang' | 'mute'): Promise<void> {
  const { own, address } = await anotherDatabase(t, `gone_${mode}`)
  const proxy = await startFaultProxy({ host: address.hostname, port: Number(address.port) })
  t.teardown(() => proxy.close())
  address.port = String(proxy.port)
  const through: Sql = connectPostgres({
    url: address.href,
    applicationName: 'svc jobs test',
    maxConnections: 4,
    statementMs: 2_000,
  })
  t.teardown(() => through.end({ timeout: 1 }))
  const { jobs } = await openTestQueue(t, through)
  jobs.work(NAME, ({ payload, done }) =>
    through.begin(async (tx) => {
      await tx`insert into effects values (${payload.experimentId})`
      await done(tx)
    }),
  )
  await proxy.set(mode)
  await send(jobs, mode, 0, own)
  await sleep(2_500)
  await t.rejects(jobs.maintain(), mode)
  await jobs.hurry(NAME, mode, 300)
  await proxy.set('pass')
  proxy.cut()
  // A job that was taken while the answer was lost waits for its lease.
  await own`update jobs.job set started_on = now() - interval '1 minute' where state = 'active'`
  await until(`back after ${mode}`, async () => {
    await jobs.maintain().catch(() => {})
    return (await states(mode, own))[0] === 'completed'
  })
  t.equal(await effects(mode, own), 1, `${mode}: once`)
}
