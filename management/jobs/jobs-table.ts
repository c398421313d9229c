import PgBoss from 'pg-boss'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { isUniqueViolation } from '../../postgres/errors.js'
import { transactionConnection } from './connection.js'
import type { JobDefinition, RetryPolicy } from './definition.js'
import { LeaseLostError } from './failure.js'

/** The schema of the library's tables, which it makes and migrates by itself. */
export const JOB_SCHEMA = 'jobs'

/** A running job whose process says nothing for so long passes to another one. */
export const LEASE_SECONDS = 30
/** A job whose service was away for years is still there. */
export const KEPT_DAYS = 3_650

/** The library would end leases by its own rules, which tell a lost process from a failure no more: so it has nothing to end. */
const LIBRARY_EXPIRY_SECONDS = 82_800
/** Any number will do, as long as nothing else in this database locks it. */
const PREPARE_LOCK = 7_341_520_919

/** A job in this process' hands. `take` counts how often it was taken, so that what another process has taken since is told apart. */
export interface ClaimedJob {
  readonly id: string
  readonly key: string
  readonly payload: { readonly workspaceId: string }
  readonly take: number
  /** How many processes were lost with it. */
  readonly lost: number
}

const job = (sql: Sql | Transaction) => sql`${sql(JOB_SCHEMA)}.job`
const own = (sql: Sql | Transaction, name: string, { id, take }: ClaimedJob) =>
  sql`name = ${name} and id = ${id} and state = 'active' and retry_count = ${take}`

/**
 * Makes or migrates the library's tables, and a queue for each kind: what is sent to a queue that does not exist is lost without a word. Of several processes
 * one after the other.
 */
export async function prepareTables(
  tx: Transaction,
  definitions: readonly JobDefinition[],
  settings: (db: PgBoss.Db) => PgBoss.ConstructorOptions,
): Promise<void> {
  await tx`select pg_advisory_xact_lock(${PREPARE_LOCK})`
  const boss = new PgBoss(settings(transactionConnection(tx)))
  await boss.start()
  for (const definition of definitions) {
    const queue: PgBoss.Queue = {
      name: definition.name,
      // One waits at a time, whatever runs or is tried again.
      policy: 'short',
      expireInSeconds: LIBRARY_EXPIRY_SECONDS,
      // Said in minutes: the library forgets about days here.
      retentionMinutes: KEPT_DAYS * 1_440,
    }
    await boss.createQueue(definition.name, queue)
    await boss.updateQueue(definition.name, queue)
    await indexRunning(tx, definition)
  }
  // A version that tried failed jobs again each hour kept no reason with them: each gets a new start under these rules.
  await tx`
    update ${job(tx)} set state = 'retry', start_after = now(), completed_on = null, output = null
    where state = 'failed' and output->>'reason' is null`
}

/** What runs is found by an index, which for what is serial lets no two of one kind run. */
async function indexRunning(tx: Transaction, { name, serialBy }: JobDefinition): Promise<void> {
  const wanted = `running ${name} ${serialBy ?? ''}`.trim()
  const [queue] = await tx<{ partition: string; indexes: string[] }[]>`
    select partition_name as partition, array(
        select indexname::text from pg_indexes
        where schemaname = ${JOB_SCHEMA} and tablename = partition_name and indexname like 'running %') as indexes
    from ${tx(JOB_SCHEMA)}.queue where name = ${name}`
  if (queue === undefined || queue.indexes.includes(wanted)) return
  for (const old of queue.indexes) await tx`drop index ${tx(JOB_SCHEMA)}.${tx(old)}`
  // Two of one kind may run by the rules of before: they are taken again, one after the other.
  await tx`update ${job(tx)} set state = 'retry', start_after = now() where name = ${name} and state = 'active'`
  const unique = serialBy === undefined ? '' : 'unique'
  const field = serialBy ?? 'workspaceId'
  // No statement of this kind takes parameters; the names come from definitions.
  await tx.unsafe(
    `create ${unique} index "${wanted}" on ${JOB_SCHEMA}."${queue.partition}" ((data->>'${field}')) where state = 'active'`,
  )
}

/**
 * Takes the job that has been due for longest, of the workspace that has the fewest at work; undefined where none can be taken now.
 *
 * @param except workspaces that get no further place
 */
export async function claimJob(
  sql: Sql,
  { name, serialBy }: JobDefinition,
  except: readonly string[],
): Promise<ClaimedJob | undefined> {
  const lane = serialBy === undefined ? sql`null::text` : sql`data->>${serialBy}::text`
  const free =
    serialBy === undefined
      ? sql``
      : sql`and not exists (select 1 from running where lane = j.data->>${serialBy}::text)`
  const allowed =
    except.length === 0 ? sql`` : sql`and coalesce(j.data->>'workspaceId' <> all(${[...except]}), true)`
  try {
    const [taken] = await sql<ClaimedJob[]>`
      with running as materialized (
        select data->>'workspaceId' as workspace, ${lane} as lane from ${job(sql)} where name = ${name} and state = 'active'
      ), next as (
        select id from ${job(sql)} j
        where name = ${name} and state < 'active' and start_after <= now() ${free} ${allowed}
        order by (select count(*) from running where workspace = j.data->>'workspaceId'), created_on, id
        limit 1 for update skip locked
      )
      update ${job(sql)} j
      set state = 'active', started_on = now(),
        retry_count = case when started_on is null then retry_count else retry_count + 1 end
      from next where j.name = ${name} and j.id = next.id
      returning j.id, j.singleton_key as key, j.data as payload, j.retry_count as take,
        coalesce((j.output->>'lost')::int, 0) as lost`
    return taken
  } catch (error) {
    // Another process has just taken one of the same lane.
    if (isUniqueViolation(error)) return undefined
    throw error
  }
}

/** Of which of these kinds there is a job to take. */
export async function pendingQueues(sql: Sql, names: readonly string[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct name from ${job(sql)}
    where name = any(${[...names]}) and state < 'active' and start_after <= now()`
  return rows.map(({ name }) => name)
}

/** Throws LeaseLostError where another process has the job. */
export async function completeJob(tx: Transaction, name: string, taken: ClaimedJob): Promise<void> {
  const marked = await tx`
    update ${job(tx)} set state = 'completed', completed_on = now() where ${own(tx, name, taken)}`
  requireOwn(marked.count, taken)
}

/** Keeps the reason with the job. Throws LeaseLostError where another process has it. */
export async function failJob(
  tx: Transaction,
  name: string,
  taken: ClaimedJob,
  reason: string,
): Promise<void> {
  const marked = await tx`
    update ${job(tx)} set state = 'failed', completed_on = now(), output = jsonb_build_object('reason', ${reason}::text)
    where ${own(tx, name, taken)}`
  requireOwn(marked.count, taken)
}

function requireOwn(count: number, { id }: ClaimedJob): void {
  if (count === 0) throw new LeaseLostError(`the job ${id} has passed to another process`)
}

/**
 * Has a job tried again after a pause.
 *
 * @param forMs for how long after the first failure; undefined without end
 * @returns false where that time is over, or another process has the job
 */
export async function rescheduleJob(
  sql: Sql,
  name: string,
  taken: ClaimedJob,
  { initialIntervalMs: firstMs, maxIntervalMs: longestMs }: RetryPolicy,
  { forMs, reason, retryAfterMs }: { forMs: number | undefined; reason: string; retryAfterMs: number },
): Promise<boolean> {
  const doubled = firstMs * 2 ** Math.min(taken.take, 16)
  const inTime =
    forMs === undefined || forMs === Number.POSITIVE_INFINITY
      ? sql``
      : sql`and coalesce((output->>'since')::timestamptz + ${forMs} * interval '1 millisecond' > now(), true)`
  // What was waited for does not count as the beginning of what is tried again.
  const since = forMs === undefined ? sql`output->>'since'` : sql`coalesce(output->>'since', now()::text)`
  const put = await sql`
    update ${job(sql)} set state = 'retry',
      start_after = now() + greatest(${retryAfterMs}, least(${longestMs}, ${doubled} * (1 + random()))) * interval '1 millisecond',
      output = jsonb_build_object('message', ${reason}::text, 'since', ${since}, 'lost', output->'lost')
    where ${own(sql, name, taken)} ${inTime}`
  return put.count === 1
}

/** Gives a job back as it was: whoever is there takes it at once. */
export async function releaseJob(sql: Sql, name: string, taken: ClaimedJob): Promise<void> {
  await sql`update ${job(sql)} set state = 'retry', start_after = now() where ${own(sql, name, taken)}`
}

/** Counts the time that a job may still take from now on; false where another process has it. */
export async function renewLease(sql: Sql, name: string, taken: ClaimedJob): Promise<boolean> {
  const renewed = await sql`update ${job(sql)} set started_on = now() where ${own(sql, name, taken)}`
  return renewed.count === 1
}

/** Gives back the jobs of processes that said nothing for too long. */
export async function expireLeases(sql: Sql): Promise<void> {
  await sql`
    update ${job(sql)} set state = 'retry', start_after = now(),
      output = coalesce(output, '{}') || jsonb_build_object('lost', coalesce((output->>'lost')::int, 0) + 1)
    where state = 'active' and started_on < now() - ${LEASE_SECONDS} * interval '1 second'`
}

/** Whether a job of the key runs, is to be tried again, or is due. */
export async function isOpen(sql: Sql, name: string, key: string): Promise<boolean> {
  const open = await sql`
    select 1 from ${job(sql)}
    where name = ${name} and singleton_key = ${key} and state < 'completed' and (state <> 'created' or start_after <= now())
    limit 1`
  return open.length > 0
}
