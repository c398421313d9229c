import type { Static, TObject } from '@sinclair/typebox'
import type { Transaction } from '../postgres/driver/client.js'

/** The part of a job definition that a sender needs. */
export interface JobKind<Schema extends TObject = TObject> {
  /** Name of the queue. Stable, because jobs of an older version wait under it. */
  readonly name: string
  /** Always has a `workspaceId`. */
  readonly payload: Schema
}

/** A job that was sent once or more often: of jobs that wait under one key there is one. */
export interface SentJob {
  readonly name: string
  readonly key: string
}

export interface SendOptions {
  /** The subject of the job. At most one job of a key waits for its first attempt. */
  readonly key: string
  /** Delay before the first attempt, in milliseconds. @default 0 */
  readonly startAfterMs?: number
}

/** Work that waits in Postgres. Any process runs it, also after all of them were restarted. */
export interface Jobs {
  /**
   * Sends a job in the transaction of the write it belongs to. If a job of the key waits already, that one is
   * brought forward to the earlier time. One that has failed for good is replaced.
   *
   * @throws Error if this process has no definition of that name
   */
  send<Schema extends TObject>(
    tx: Transaction,
    job: JobKind<Schema>,
    payload: Static<Schema>,
    options: SendOptions,
  ): Promise<SentJob>
  /**
   * The keys that have a job that runs, waits for a retry, or has failed for good within a day. Work that is
   * still due after that deserves another job.
   */
  findActive(job: Pick<JobKind, 'name'>, keys: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Starts what was just sent and waits until it is done or has failed, at most `limitMs`. Waits through
   * retries, not for a job whose time has not come. Never rejects.
   */
  waitFor(sent: SentJob, limitMs: number): Promise<void>
}
