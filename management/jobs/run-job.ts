import type { Static, TObject } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import type { Logger } from '../../runtime/logger.js'
import { withSpan } from '../../runtime/tracing.js'
import type { SentJob } from '../jobs-port.js'
import type { Services } from '../services.js'
import type { JobAttempt, JobDefinition } from './definition.js'
import { classifyError, permanent, type RetryDecision } from './failure.js'
import {
  type ClaimedJob,
  completeJob,
  extendLease,
  failJob,
  LEASE_MS,
  releaseJob,
  rescheduleJob,
} from './jobs-table.js'
import type { JobMetrics, JobOutcome } from './metrics.js'
import { retryDelayMs } from './retry-policy.js'

const RENEW_MS = LEASE_MS / 3
/** A job that so many workers did not survive has failed. */
const MAX_EXPIRED_LEASES = 10

export type JobFaultPoint = 'job:taken' | 'job:effected' | 'job:marked' | 'job:carried-out'

export interface JobRunOptions {
  readonly sql: Sql
  readonly logger: Logger
  readonly metrics: JobMetrics
  /** Called in the transaction that ends a job: answers that wait for it are written there. */
  readonly concluded?: ((tx: Transaction, sent: SentJob) => Promise<void>) | undefined
  /** Called where a crash tells most. Only for tests. */
  readonly faultPoint?: ((name: JobFaultPoint) => void) | undefined
}

/** The arguments of running one job. */
export interface JobRun {
  readonly options: JobRunOptions
  readonly services: Services
  readonly definition: JobDefinition
  readonly job: ClaimedJob
  /** Aborted when this process stops. */
  readonly stopping: AbortSignal
}

/** Runs a claimed job and extends its lease meanwhile. Never rejects. */
export async function runJob(run: JobRun): Promise<void> {
  const { options, services, job, stopping } = run
  const { logger, metrics } = options
  const startedAt = performance.now()
  const lost = new AbortController()
  const renewal = setInterval(() => void renew(run, lost), RENEW_MS)
  const work: JobAttempt<Static<TObject>> = {
    services,
    payload: { ...job.payload },
    signal: AbortSignal.any([lost.signal, stopping]),
    attempt: job.attempt,
  }
  let outcome: JobOutcome = 'done'
  try {
    await withSpan(
      `job ${job.name}`,
      {
        kind: 'consumer',
        traceparent: job.payload.traceparent,
        attributes: { 'svc.job.key': job.key, 'svc.job.attempt': job.attempt },
      },
      () => perform(run, work),
    )
  } catch (error) {
    outcome = lost.signal.aborted ? 'lost' : await handleFailure(run, work, error)
    logger.warn({ err: error, job: job.name, payload: job.payload, outcome }, 'Job attempt did not succeed')
  } finally {
    clearInterval(renewal)
    metrics.observe(job.name, outcome, (performance.now() - startedAt) / 1_000)
  }
}

async function perform(
  { options, definition, job }: JobRun,
  work: JobAttempt<Static<TObject>>,
): Promise<void> {
  const { sql, faultPoint, concluded } = options
  faultPoint?.('job:taken')
  if (job.expiredLeases >= MAX_EXPIRED_LEASES)
    throw permanent(`${job.expiredLeases} processes ended while they ran this job`)
  if (!Value.Check(definition.payload, job.payload))
    throw permanent('this version cannot read the payload of the job')
  const outcome = await definition.effect?.(work)
  faultPoint?.('job:effected')
  await sql.begin(async (tx) => {
    await definition.conclude(tx, work, outcome)
    await concluded?.(tx, { name: job.name, key: job.key })
    await completeJob(tx, job)
    faultPoint?.('job:marked')
  })
  faultPoint?.('job:carried-out')
}

/** Retries, releases or fails a job. If that fails too, the job is retried after its lease. Never rejects. */
async function handleFailure(
  run: JobRun,
  work: JobAttempt<Static<TObject>>,
  error: unknown,
): Promise<Exclude<JobOutcome, 'done'>> {
  const { options, definition, job, stopping } = run
  const { sql, logger } = options
  const decision = classifyError(error)
  if (decision.kind === 'lost') return 'lost'
  try {
    if (decision.kind !== 'end') {
      if (stopping.aborted) {
        await releaseJob(sql, job)
        return 'given-back'
      }
      if (await retryLater(run, decision)) return 'failed'
    }
    const { reason } = decision
    await sql.begin(async (tx) => {
      await definition.failed?.(tx, work, reason)
      await options.concluded?.(tx, { name: job.name, key: job.key })
      await failJob(tx, job, reason)
    })
    logger.error({ job: job.name, payload: job.payload, reason }, 'Job failed for good')
  } catch (further) {
    if (classifyError(further).kind === 'lost') return 'lost'
    logger.warn(
      { err: further, job: job.name },
      'Failure of a job was not recorded: it is retried after its lease',
    )
  }
  return 'failed'
}

/** @returns false if the time for retries is over, or another worker has the job */
function retryLater(
  { options, definition: { retry }, job }: JobRun,
  { kind, reason, retryAfterMs }: RetryDecision,
): Promise<boolean> {
  return rescheduleJob(options.sql, job, {
    delayMs: Math.max(retryAfterMs, retryDelayMs(retry, job.attempt, Math.random())),
    error: reason,
    maxElapsedMs: kind === 'wait' ? undefined : retry.maxElapsedMs,
  })
}

async function renew({ options, job }: JobRun, lost: AbortController): Promise<void> {
  try {
    if (!(await extendLease(options.sql, job))) lost.abort()
  } catch (error) {
    options.logger.warn({ err: error, job: job.name }, 'Lease of a job was not extended')
  }
}
