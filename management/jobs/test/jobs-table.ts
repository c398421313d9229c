import fc from 'fast-check'
import t from 'tap'
import { withDatabase } from '../../../postgres/test/support/database.js'
import { cases } from '../../../test/support/cases.js'
import { LeaseLostError } from '../failure.js'
import {
  type ClaimedJob,
  claimJob,
  completeJob,
  countJobs,
  expireLeases,
  extendLease,
  failJob,
  insertJob,
  isOpen,
  JOBS_CHANNEL,
  pendingQueues,
  releaseJob,
  rescheduleJob,
} from '../jobs-table.js'
import { jobsOf } from './support/jobs.js'

const { sql } = await withDatabase(t)
const NAME = 'test'

t.beforeEach(async () => {
  await sql`truncate jobs`
})

const insert = (
  key: string,
  more: { serialKey?: string | null; workspaceId?: string; delayMs?: number } = {},
) => {
  const { serialKey = null, workspaceId = 'w', delayMs = 0 } = more
  return sql.begin((tx) => insertJob(tx, { name: NAME, key, serialKey, payload: { workspaceId }, delayMs }))
}

async function claim(): Promise<ClaimedJob> {
  const job = await claimJob(sql, NAME)
  if (job === undefined) throw new Error('nothing to claim')
  return job
}

const silence = ({ id }: ClaimedJob) =>
  sql`update jobs set locked_until = now() - interval '1 second' where id = ${id}`
const complete = (job: ClaimedJob) => sql.begin((tx) => completeJob(tx, job))

type Outcome = 'complete' | 'retry' | 'release' | 'silent' | 'fail'
interface Planned {
  readonly serialKey: string | null
  readonly workspaceId: string
  /** The outcome of each attempt. Attempts after the last entry complete. */
  readonly outcomes: readonly Outcome[]
}

/** Claims and ends jobs until none is left, beside other workers. */
async function work(planned: readonly Planned[], seen: Seen): Promise<void> {
  while ((await sql`select 1 from jobs where failed_at is null`).length > 0) {
    const job = await claimJob(sql, NAME)
    if (job === undefined) continue
    const { serialKey, outcomes } = planned[Number(job.key)] ?? { serialKey: null, outcomes: [] }
    seen.begin(job.key, serialKey)
    await sql`select pg_sleep(0.002)`
    // Before the statement: another worker may have the job before its answer is here.
    seen.end(job.key, serialKey)
    const outcome = outcomes[job.attempt - 1] ?? 'complete'
    if (outcome === 'complete') await complete(job)
    else if (outcome === 'retry')
      await rescheduleJob(sql, job, { delayMs: 0, error: 'once more', maxElapsedMs: undefined })
    else if (outcome === 'release') await releaseJob(sql, job)
    else if (outcome === 'fail') await sql.begin((tx) => failJob(tx, job, 'no'))
    else {
      await silence(job)
      await expireLeases(sql)
      await complete(job).then(
        () => seen.faults.push(`${job.key} completed after its lease`),
        (error: unknown) => {
          if (!(error instanceof LeaseLostError)) throw error
        },
      )
    }
    if (outcome === 'complete' || outcome === 'fail') seen.ended.push(job.key)
  }
}

class Seen {
  readonly ended: string[] = []
  readonly faults: string[] = []
  private readonly running = new Set<string>()

  begin(key: string, serialKey: string | null): void {
    for (const one of namesOf(key, serialKey)) {
      if (this.running.has(one)) this.faults.push(`two of ${one} at once`)
      this.running.add(one)
    }
  }

  end(key: string, serialKey: string | null): void {
    for (const one of namesOf(key, serialKey)) this.running.delete(one)
  }
}

const namesOf = (key: string, serialKey: string | null): string[] => [
  `job ${key}`,
  ...(serialKey === null ? [] : [`serial key ${serialKey}`]),
]

t.test('with many workers each job ends once, and jobs of one serial key never overlap', async (t) => {
  const plan = fc.record({
    serialKey: fc.constantFrom(null, 'a', 'b', 'c'),
    workspaceId: fc.constantFrom('x', 'y'),
    outcomes: fc.array(fc.constantFrom<Outcome>('complete', 'retry', 'release', 'silent', 'fail'), {
      maxLength: 4,
    }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 40 }), async (planned) => {
      await sql`truncate jobs`
      await Promise.all(
        planned.map(({ serialKey, workspaceId }, key) => insert(`${key}`, { serialKey, workspaceId })),
      )
      const seen = new Seen()
      await Promise.all(Array.from({ length: 8 }, () => work(planned, seen)))
      t.strictSame(seen.faults, [])
      t.strictSame(
        seen.ended.map(Number).sort((a, b) => a - b),
        planned.map((_, key) => key),
      )
    }),
    { numRuns: cases(15) },
  )
})

t.test('a job is claimed again after its lease, and its first worker is fenced', async (t) => {
  await insert('one')
  const first = await claim()
  t.equal(await claimJob(sql, NAME), undefined, 'it has its lease')
  await silence(first)
  t.equal(await extendLease(sql, first), true, 'late, but before another worker')
  await expireLeases(sql)
  t.equal(await claimJob(sql, NAME), undefined, 'extended in time')
  await silence(first)
  await expireLeases(sql)
  const second = await claim()
  t.match(second, { id: first.id, attempt: 2, expiredLeases: 1 })
  t.equal(await extendLease(sql, first), false)
  t.equal(await rescheduleJob(sql, first, { delayMs: 0, error: '', maxElapsedMs: undefined }), false)
  await releaseJob(sql, first)
  await t.rejects(
    sql.begin((tx) => failJob(tx, first, 'late')),
    LeaseLostError,
  )
  await t.rejects(complete(first), LeaseLostError)
  t.match(await jobsOf(sql, 'one'), [{ state: 'running', lastError: null }])
  await complete(second)
  t.strictSame(await jobsOf(sql, 'one'), [])
})

t.test('retries end when their time is over, counted from the first failure that counts', async (t) => {
  await insert('one')
  const again = async (maxElapsedMs: number | undefined) =>
    rescheduleJob(sql, await claim(), { delayMs: 0, error: 'away', maxElapsedMs })
  t.equal(await again(undefined), true)
  t.equal((await jobsOf(sql, 'one'))[0]?.firstFailedAt, null, 'a store that is away does not count')
  t.equal(await again(60_000), true)
  await sql`update jobs set first_failed_at = now() - interval '61 seconds'`
  t.equal(await again(60_000), false)
  t.match(await jobsOf(sql, 'one'), [{ state: 'running', attempt: 3 }], 'to be failed by its worker')
})

t.test('jobs that can be claimed are announced when they are committed', async (t) => {
  const heard: string[] = []
  const { unlisten } = await sql.listen(JOBS_CHANNEL, (name) => void heard.push(name))
  await sql
    .begin(async (tx) => {
      await insertJob(tx, { name: 'undone', key: 'k', serialKey: null, payload: {}, delayMs: 0 })
      throw new Error('not now')
    })
    .catch(() => {})
  await insert('later', { delayMs: 60_000 })
  await insert('now')
  await releaseJob(sql, await claim())
  await sql`select pg_notify(${JOBS_CHANNEL}, 'the end')`
  for (let tries = 0; heard.at(-1) !== 'the end' && tries < 200; tries++) await sql`select pg_sleep(0.02)`
  t.strictSame(heard, [NAME, NAME, 'the end'])
  await unlisten()
})

t.test('jobs are claimed, counted and looked up by key, workspace and queue', async (t) => {
  await insert('busy-1', { workspaceId: 'busy' })
  await insert('busy-2', { workspaceId: 'busy' })
  await insert('busy-3', { workspaceId: 'busy' })
  await insert('quiet', { workspaceId: 'quiet' })
  await insert('later', { delayMs: 60_000 })
  t.equal((await claim()).key, 'busy-1', 'due for longest')
  t.equal((await claim()).key, 'quiet', 'of the workspace with the fewest running jobs')
  t.equal(await claimJob(sql, NAME, ['busy', 'quiet']), undefined)
  t.equal(await claimJob(sql, 'another'), undefined)
  t.strictSame(await pendingQueues(sql, [NAME, 'another']), [NAME])
  t.equal(await isOpen(sql, { name: NAME, key: 'busy-1' }), true)
  t.equal(await isOpen(sql, { name: NAME, key: 'later' }), false, 'its time has not come')
  const counts = await countJobs(sql)
  t.strictSame(Object.fromEntries(counts.map(({ state, jobs }) => [state, jobs])), {
    due: 2,
    running: 2,
    waiting: 1,
  })
})
