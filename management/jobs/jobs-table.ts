import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { isUniqueViolation } from '../../postgres/driver/errors.js'
import { jsonColumn } from '../../postgres/driver/json-column.js'
import type { SentJob } from '../jobs-port.js'
import { LeaseLostError } from './failure.js'

/** Postgres announces the queue here when one of its jobs can be claimed. */
export const JOBS_CHANNEL = 'svc_jobs'
/** A running job passes to another worker if its own has not extended the lease for this long. */
export const LEASE_MS = 30_000

export const JOB_STATES = ['waiting', 'due', 'retrying', 'running', 'failed'] as const

/** A job that this process runs. */
export interface ClaimedJob extends SentJob {
  readonly id: string
  readonly payload: { readonly workspaceId: string; readonly traceparent?: string }
  /** Attempt number, starting at 1. */
  readonly attempt: number
  /** How many workers went silent while they ran it. */
  readonly expiredLeases: number
  /** Fence: the statements below change a job only while its row still has this token. */
  readonly lockToken: string
}

const ms = (sql: Sql | Transaction, value: number) => sql`${value} * interval '1 millisecond'`
const unlocked = (sql: Sql | Transaction) => sql`lock_token = null, locked_until = null`
const held = (sql: Sql | Transaction, job: ClaimedJob) =>
  sql`id = ${job.id} and lock_token = ${job.lockToken}`
const claimable = (sql: Sql) => sql`lock_token is null and failed_at is null and run_at <= now()`

/**
 * Adds a job in place of one of its key that has failed for good, or brings the unclaimed one forward. Takes
 * a delay, because clocks may differ.
 */
export async function insertJob(
  tx: Transaction,
  job: SentJob & { readonly serialKey: string | null; readonly payload: object; readonly delayMs: number },
): Promise<void> {
  await tx`
    with failed as (
      delete from jobs where queue = ${job.name} and key = ${job.key} and failed_at is not null
    ), sent as (
      insert into jobs (queue, key, serial_key, payload, run_at)
      values (${job.name}, ${job.key}, ${job.serialKey}, ${jsonColumn(tx, job.payload)}, now() + ${ms(tx, job.delayMs)})
      on conflict (queue, key) where attempt = 0 do update set run_at = least(jobs.run_at, excluded.run_at)
      returning run_at
    )
    select pg_notify(${JOBS_CHANNEL}, ${job.name}) from sent where run_at <= now()`
}

/**
 * Claims the job of a queue that has been due for longest, of the workspace with the fewest running jobs, and
 * of several such the one that was not served recently. Undefined if there is none to claim.
 *
 * @param except workspaces whose jobs stay where they are
 * @param recent workspaces that were served, the latest last
 */
export async function claimJob(
  sql: Sql,
  name: string,
  except: readonly string[] = [],
  recent: readonly string[] = [],
): Promise<ClaimedJob | undefined> {
  for (;;)
    try {
      const [claimed] = await sql<ClaimedJob[]>`
        with running as materialized (
          select workspace_id, serial_key from jobs where queue = ${name} and lock_token is not null
        ), next as (
          select id from jobs
          where queue = ${name} and ${claimable(sql)}
            and (serial_key = any(array(select serial_key from running))) is not true
            and (workspace_id = any(${[...except]})) is not true
          order by cardinality(array_positions(array(select workspace_id from running), workspace_id)),
            coalesce(array_position(${[...recent]}::text[], workspace_id), 0), run_at, id
          limit 1 for update skip locked
        )
        update jobs set attempt = attempt + 1, lock_token = gen_random_uuid(), locked_until = now() + ${ms(sql, LEASE_MS)}
        from next where jobs.id = next.id
        returning jobs.id, queue as name, key, payload, attempt, expired_leases as "expiredLeases", lock_token as "lockToken"`
      return claimed
    } catch (error) {
      // Another worker has just claimed a job of the same serial key, which the next statement sees.
      if (!isUniqueViolation(error)) throw error
    }
}

/** Of these queues, those that have a job to claim. */
export async function pendingQueues(sql: Sql, names: readonly string[]): Promise<string[]> {
  const rows = await sql<{ queue: string }[]>`
    select distinct queue from jobs where queue = any(${[...names]}) and ${claimable(sql)}`
  return rows.map(({ queue }) => queue)
}

/** @throws LeaseLostError if another worker has the job */
export async function completeJob(tx: Transaction, job: ClaimedJob): Promise<void> {
  requireHeld(await tx`delete from jobs where ${held(tx, job)}`, job)
}

/** Keeps the reason with the job. @throws LeaseLostError if another worker has the job */
export async function failJob(tx: Transaction, job: ClaimedJob, reason: string): Promise<void> {
  const failed = await tx`
    update jobs set ${unlocked(tx)}, failed_at = now(), last_error = ${reason} where ${held(tx, job)}`
  requireHeld(failed, job)
}

function requireHeld({ count }: { readonly count: number }, { id }: ClaimedJob): void {
  if (count === 0) throw new LeaseLostError(`another worker has the job ${id}`)
}

/**
 * Puts a job back until its next attempt.
 *
 * @param maxElapsedMs time limit from the first failure; undefined if this failure does not count against it
 * @returns false if the time limit is over, or another worker has the job
 */
export async function rescheduleJob(
  sql: Sql,
  job: ClaimedJob,
  retry: { readonly delayMs: number; readonly error: string; readonly maxElapsedMs: number | undefined },
): Promise<boolean> {
  const { delayMs, error, maxElapsedMs } = retry
  const counts =
    maxElapsedMs === undefined ? sql`` : sql`, first_failed_at = coalesce(first_failed_at, now())`
  const inTime =
    maxElapsedMs === undefined
      ? sql``
      : sql`and coalesce(first_failed_at + ${ms(sql, maxElapsedMs)} > now(), true)`
  const { count } = await sql`
    update jobs set ${unlocked(sql)}, run_at = now() + ${ms(sql, delayMs)}, last_error = ${error} ${counts}
    where ${held(sql, job)} ${inTime}`
  return count === 1
}

/** Puts a job back to be claimed by another worker at once. */
export async function releaseJob(sql: Sql, job: ClaimedJob): Promise<void> {
  await sql`
    with released as (
      update jobs set ${unlocked(sql)}, run_at = now() where ${held(sql, job)} returning queue
    )
    select pg_notify(${JOBS_CHANNEL}, queue) from released`
}

/** @returns false if another worker has the job */
export async function extendLease(sql: Sql, job: ClaimedJob): Promise<boolean> {
  const { count } = await sql`
    update jobs set locked_until = now() + ${ms(sql, LEASE_MS)} where ${held(sql, job)}`
  return count === 1
}

/**
 * Puts back the jobs of workers that have gone silent.
 *
 * @param all whether every worker has ended, as when the only process of the data directory starts
 */
export async function expireLeases(sql: Sql, all = false): Promise<void> {
  await sql`
    update jobs set ${unlocked(sql)}, run_at = now(), expired_leases = expired_leases + 1
    where lock_token is not null and (${all} or locked_until < now())`
}

/** Forgets a job that has failed for good, so that its key can be sent again. */
export async function forgetFailedJob(tx: Transaction, { name, key }: SentJob): Promise<void> {
  await tx`delete from jobs where queue = ${name} and key = ${key} and failed_at is not null`
}

/** The keys with a job that runs, waits for a retry, or has failed for good within a day. */
export async function findActiveKeys(sql: Sql, name: string, keys: readonly string[]): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select distinct key from jobs where queue = ${name} and key = any(${[...keys]}) and attempt > 0
      and (failed_at is null or failed_at > now() - interval '1 day')`
  return rows.map(({ key }) => key)
}

/** Whether a job of the key is due, runs, or waits for a retry. */
export async function isOpen(sql: Sql, { name, key }: SentJob): Promise<boolean> {
  const open = await sql`
    select from jobs
    where queue = ${name} and key = ${key} and failed_at is null and (attempt > 0 or run_at <= now()) limit 1`
  return open.length > 0
}

export interface JobCount {
  readonly name: string
  readonly state: (typeof JOB_STATES)[number]
  readonly jobs: number
  /** Seconds that the oldest of them has been due. */
  readonly lateSeconds: number
}

export async function countJobs(sql: Sql): Promise<JobCount[]> {
  return await sql<JobCount[]>`
    select queue as name, state, count(*)::int as jobs,
      greatest(extract(epoch from now() - min(run_at)), 0)::float8 as "lateSeconds"
    from (
      select queue, run_at, case
        when failed_at is not null then 'failed' when lock_token is not null then 'running'
        when attempt > 0 then 'retrying' when run_at <= now() then 'due' else 'waiting' end as state
      from jobs
    ) as counted
    group by queue, state`
}
