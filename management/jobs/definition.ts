import type { Static, TObject } from '@sinclair/typebox'
import type { Transaction } from '../../postgres/driver/client.js'
import type { JobKind } from '../jobs-port.js'
import type { Services } from '../services.js'
import { type RetryPolicy, retryPolicy } from './retry-policy.js'

export interface JobAttempt<Payload> {
  readonly services: Services
  readonly payload: Payload
  /** Aborted when another worker has the job, or when this process stops and the job is released. */
  readonly signal: AbortSignal
  /** Attempt number, starting at 1. */
  readonly attempt: number
}

/**
 * A kind of job, one object beside its feature.
 *
 * `effect` runs outside of any transaction: it calls a host, a model or ClickHouse. It may run again after a
 * crash at any point, so it first looks for what it has done already. An error carries `retryable` and
 * `retryAfterMs` (`JobError`). A permanent error ends the job at once. Others are retried within
 * `retry.maxElapsedMs`, and without a limit as long as Postgres or ClickHouse cannot be reached.
 *
 * `conclude` writes the outcome in the transaction that completes the job and writes the answers that wait
 * for it. `failed` does the same for a job that has failed for good. Its reason is shown to people.
 */
export interface JobDefinition<Schema extends TObject = TObject, Outcome = unknown> extends JobKind<Schema> {
  /** How many jobs this process runs at a time. The last slot is for workspaces that have none running. */
  readonly concurrency: number
  /** Field of the payload. Of jobs with the same value one runs at a time, over all processes. */
  readonly serialBy?: string
  readonly retry: RetryPolicy
  effect?(work: JobAttempt<Static<Schema>>): Promise<Outcome>
  conclude(tx: Transaction, work: JobAttempt<Static<Schema>>, outcome: Outcome): Promise<void>
  failed?(tx: Transaction, work: JobAttempt<Static<Schema>>, reason: string): Promise<void>
}

/** A definition as a feature writes it: the retry policy may be left out, in part or whole. */
type JobSource<Schema extends TObject, Outcome> = Omit<
  JobDefinition<Schema, Outcome>,
  'retry' | 'serialBy'
> & {
  readonly serialBy?: keyof Static<Schema> & string
  readonly retry?: Partial<RetryPolicy>
}

/** Completes a definition with defaults. @throws RangeError if its retry policy makes no sense */
export function defineJob<Schema extends TObject, Outcome = void>(
  source: JobSource<Schema, Outcome>,
): JobDefinition<Schema, Outcome> {
  return { ...source, retry: retryPolicy(source.retry) }
}
