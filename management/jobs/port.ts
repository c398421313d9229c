import type { Static, TObject } from '@sinclair/typebox'
import type { Transaction } from '../../postgres/driver/client.js'

/** What a job is sent by: a definition has more, which whoever sends it need not know. */
export interface JobKind<Schema extends TObject = TObject> {
  /** Stable: jobs of an older version wait under it. */
  readonly name: string
  /** What it carries; a `workspaceId` is always part of it. */
  readonly payload: Schema
}

/** A job that was sent, however often: what of one key waits is one job. */
export interface SentJob {
  readonly name: string
  readonly key: string
}

export interface SendOptions {
  /** What the job is about. One job of a key waits at a time. */
  readonly key: string
  /** Not before so many milliseconds from now; at once where left out. */
  readonly startAfterMs?: number
}

/** Work that waits in Postgres: any process carries it out, over restarts of all of them. */
export interface Jobs {
  /**
   * Sends a job in the transaction of what it belongs to. Where one of the key waits already nothing is added: that one comes at the earlier time of the two.
   */
  send<Schema extends TObject>(
    tx: Transaction,
    job: JobKind<Schema>,
    payload: Static<Schema>,
    options: SendOptions,
  ): Promise<SentJob>
  /** Which of the keys have a job that runs, is to be tried again, or has failed. */
  findActive(job: Pick<JobKind, 'name'>, keys: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Has what was just sent taken up now, and waits until it is over, carried out or failed, for so long at most. What waits for a later time is not waited
   * for; what is tried again is. Never rejects: what is not over by then is over later.
   */
  waitFor(sent: SentJob, limitMs: number): Promise<void>
}
