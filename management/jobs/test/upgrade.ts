import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import t from 'tap'
import { connectPostgres, type Sql } from '../../../postgres/driver/client.js'
import { withDatabase } from '../../../postgres/test/support/database.js'
import { packageRoot } from '../../../runtime/package-root.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { defineJob } from '../definition.js'
import { jobsOf, statesOf } from './support/jobs.js'
import { createPgBossTables, sendByPgBoss } from './support/pg-boss.js'
import { openTestQueue } from './support/queue.js'

const { sql: first, url } = await withDatabase(t)
let sql = first
const QUEUES = [
  ['experiment-outcome', 'experimentId'],
  ['pull-request', 'workspaceId'],
  ['generation', 'workspaceId'],
  ['refinement', 'experimentId'],
] as const
type Queue = (typeof QUEUES)[number][0]

const MIGRATION = readFileSync(join(packageRoot(), 'postgres', 'schema', '019-jobs.sql'), 'utf8')
const migrate = () => sql.begin((tx) => tx.unsafe(MIGRATION))

/** The empty database of the version before. A new connection, as prepared statements know the old types. */
async function goBack(): Promise<void> {
  sql = connectPostgres({ url, applicationName: 'svc test', maxConnections: 10 })
  await sql.unsafe(`
    drop table jobs;
    drop schema if exists jobs cascade;
    drop function if exists redirect_pgboss_job;
    drop function if exists serial_key_of`)
  await createPgBossTables(sql, QUEUES)
}

const subject = (name: string) => ({
  workspaceId: `workspace of ${name}`,
  experimentId: `experiment of ${name}`,
})

/** A job of the version before, in any state. */
async function put(name: Queue, key: string, columns: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const { output, ...others } = columns as Readonly<Record<string, Date | number | string | null>>
  await sql`
    insert into jobs.job ${sql({
      name,
      singleton_key: key,
      policy: 'short',
      data: sql.json(subject(key)) as never,
      ...(output === undefined ? {} : { output: sql.json(output as never) as never }),
      ...others,
    })}`
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)

await sql`create table effects (key text not null)`
t.beforeEach(async () => {
  await goBack()
  await sql`truncate effects`
})
t.afterEach(() => sql.end({ timeout: 1 }))

/** Runs all jobs as the four jobs of the product do, and notes each. */
async function runAll(t: { teardown(fn: () => unknown): unknown }) {
  const payload = Type.Object({ workspaceId: Type.String(), experimentId: Type.String() })
  const definitions = QUEUES.map(([name, serialBy]) =>
    defineJob({
      name,
      payload,
      concurrency: 2,
      serialBy,
      async conclude(tx, work) {
        await tx`insert into effects values (${work.payload.experimentId})`
      },
    }),
  )
  const queue = await openTestQueue(t, sql, definitions)
  queue.work()
  return queue
}

/**
 * Keys of the jobs that were run, once there are `count`. A later call also returns jobs that ran too often.
 */
async function done(count: number): Promise<string[]> {
  const effects = () => sql<{ key: string }[]>`select key from effects order by key`
  let rows = await effects()
  await waitUntil(async () => {
    rows = await effects()
    return rows.length >= count
  })
  return rows.map(({ key }) => key.replace('experiment of ', ''))
}

t.test('jobs of the previous version run once each and keep their state', async (t) => {
  await put('experiment-outcome', 'due')
  await put('experiment-outcome', 'in an hour', { start_after: new Date(Date.now() + 3_600_000) })
  await put('pull-request', 'retried', {
    state: 'retry',
    retry_count: 3,
    started_on: ago(60),
    output: { message: 'the host is away', since: ago(600).toISOString(), lost: 2 },
  })
  await put('generation', 'running', { state: 'active', started_on: ago(5) })
  await put('refinement', 'silent', { state: 'active', started_on: ago(60), retry_count: 1 })
  await put('generation', 'failed', {
    state: 'failed',
    completed_on: ago(60),
    output: { reason: 'no repository' },
  })
  await put('generation', 'failed without a reason', { state: 'failed', output: { message: 'by then' } })
  await put('generation', 'completed', { state: 'completed', completed_on: ago(60) })

  await migrate()
  t.match(await jobsOf(sql, 'due'), [{ state: 'unclaimed', attempt: 0 }])
  t.match(await jobsOf(sql, 'retried'), [{ state: 'retrying', attempt: 4, lastError: 'the host is away' }])
  t.ok((await jobsOf(sql, 'retried'))[0]?.firstFailedAt instanceof Date)
  t.match(await jobsOf(sql, 'running'), [{ state: 'running', attempt: 1 }])
  t.match(await jobsOf(sql, 'failed'), [{ state: 'failed', lastError: 'no repository' }])
  t.strictSame(await statesOf(sql, 'completed'), [])
  const [later] = await jobsOf(sql, 'in an hour')
  t.ok(later && later.seconds > 3_500)
  const keys = await sql<
    { serialKey: string }[]
  >`select serial_key as "serialKey" from jobs where key = 'silent'`
  t.equal(keys[0]?.serialKey, 'experiment of silent')

  const { jobs } = await runAll(t)
  await jobs.maintain()
  t.strictSame(await done(4), ['due', 'failed without a reason', 'retried', 'silent'])
  t.strictSame(await statesOf(sql, 'running'), ['running'], 'its process may still run it')
  await sql`update jobs set locked_until = now() - interval '1 second' where key = 'running'`
  await jobs.maintain()
  t.strictSame(await done(5), ['due', 'failed without a reason', 'retried', 'running', 'silent'])
  t.strictSame(await statesOf(sql, 'in an hour'), ['unclaimed'])
  t.strictSame(await statesOf(sql, 'failed'), ['failed'])
})

t.test(
  'jobs that the previous version sends later run once, and it cannot complete its running ones',
  async (t) => {
    await put('pull-request', 'held', { state: 'active', started_on: ago(1) })
    await migrate()
    t.equal(await sendByPgBoss(sql, 'pull-request', 'sent', subject('sent')), false)
    t.equal(await sendByPgBoss(sql, 'pull-request', 'sent', subject('sent')), false, 'one of a key waits')
    t.strictSame(await statesOf(sql, 'sent'), ['unclaimed'])
    const late = await sql`
    update jobs.job set state = 'completed' where state = 'active' and singleton_key = 'held' and retry_count = 0`
    t.equal(late.count, 0, 'another process will run it')
    await runAll(t)
    t.strictSame(await done(1), ['sent'])
  },
)

t.test('a job that is being sent while the tables change is moved too', async (t) => {
  let reportInserted = (): void => {}
  const inserted = new Promise<void>((resolve) => {
    reportInserted = resolve
  })
  const sent = sql.begin(async (tx) => {
    await sendByPgBoss(tx as unknown as Sql, 'generation', 'in between', subject('in between'))
    reportInserted()
    // Committed only when the migration waits for it.
    const waits = () => sql`select 1 from pg_locks where not granted`
    await waitUntil(async () => (await waits()).length > 0)
  })
  await inserted
  await Promise.all([sent, migrate()])
  t.strictSame(await statesOf(sql, 'in between'), ['unclaimed'])
  t.equal((await sql`select 1 from jobs.job`).length, 0)
})

t.test('two running jobs with one serial key: the second waits for the first', async (t) => {
  await sql`drop index jobs."running generation workspaceId"`
  for (const key of ['older', 'newer'])
    await put('generation', key, {
      state: 'active',
      started_on: ago(key === 'older' ? 20 : 5),
      data: subject('both'),
    })
  await migrate()
  t.strictSame([await statesOf(sql, 'older'), await statesOf(sql, 'newer')], [['retrying'], ['running']])
})

t.test('a new installation has no tables of pg-boss', async (t) => {
  await sql.unsafe('drop schema jobs cascade')
  await migrate()
  t.equal((await sql`select to_regclass('jobs') as jobs, to_regclass('jobs.job') as old`)[0]?.old, null)
})
