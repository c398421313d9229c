import type { Static, TObject } from '@sinclair/typebox'
import type { Transaction } from '../../postgres/driver/client.js'
import type { Services } from '../services.js'
import type { JobKind } from './port.js'

/** How a failure that may pass is tried again: after a pause that doubles, from about `firstMs` up to `longestMs`. */
export interface RetryPolicy {
  /** Milliseconds from the first failure after which it has failed for good. A store of our own that is away does not count: that is waited for. */
  readonly maxElapsedMs: number
  readonly initialIntervalMs: number
  readonly maxIntervalMs: number
}

/** As long as hosts that are disturbed are given. Source: API.md section 3. */
export const HOST_RETRY: RetryPolicy = {
  maxElapsedMs: 900_000,
  initialIntervalMs: 1_000,
  maxIntervalMs: 60_000,
}

export interface Work<Payload> {
  readonly services: Services
  readonly payload: Payload
  /** Aborted when the job has passed to another process, or this one stops: then it is given back, and what the effect did by then is found again. */
  readonly signal: AbortSignal
  /** From 1. */
  readonly attempt: number
}

/**
 * A kind of job, one object beside its feature.
 *
 * `effect` runs outside of any transaction: a host, a model, ClickHouse. It may come again after a crash at any point of it or right after it, so it first looks
 * for what it may have done already and takes that. How it fails is data on the error (`JobError`, or anything with `retryable` and `retryAfterMs`): what cannot be mended by
 * trying again ends at once, what can is tried again for `retry.forMs`, and a store of our own that is away is waited for as long as it takes.
 *
 * `conclude` writes what came out, in the transaction that marks the job as done and writes the answers that wait for it. `failed` is the same for an
 * effect that has failed for good: it goes by the reason, which is for people.
 */
export interface JobDefinition<Schema extends TObject = TObject, Outcome = unknown> extends JobKind<Schema> {
  /** How many this process carries out side by side. The last place is kept from workspaces that have one already. */
  readonly concurrency: number
  /** The field of the payload by which only one runs at a time, over all processes: the workspace, the repository, the experiment. */
  readonly serialBy?: string
  readonly retry: RetryPolicy
  effect?(work: Work<Static<Schema>>): Promise<Outcome>
  conclude(tx: Transaction, work: Work<Static<Schema>>, outcome: Outcome): Promise<void>
  failed?(tx: Transaction, work: Work<Static<Schema>>, reason: string): Promise<void>
}

/** Gives a definition its types. */
export function defineJob<Schema extends TObject, Outcome = void>(
  definition: JobDefinition<Schema, Outcome> & { readonly serialBy?: keyof Static<Schema> & string },
): JobDefinition<Schema, Outcome> {
  return definition
}
