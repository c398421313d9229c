import type { Transaction } from '../../postgres/driver/client.js'

/** Every kind of job there is, and what it carries. */
export interface JobPayloads {
  /** What follows the decision of an experiment, at once or when it has settled. */
  'experiment-outcome': { readonly workspaceId: string; readonly experimentId: string }
}
export type JobName = keyof JobPayloads

export interface SendOptions {
  /** What the job is about. One job of a key waits at a time. */
  readonly key: string
  /** Not before so many milliseconds from now; at once where left out. */
  readonly startAfterMs?: number
}

export interface Job<Name extends JobName> {
  readonly payload: JobPayloads[Name]
  /** Aborted when the job has passed to another process, or this one stops. */
  readonly signal: AbortSignal
  /**
   * Marks the job as done in the transaction of what it did: both stay, or none. Throws JobLost where the job has passed to another process, so that the
   * transaction leaves nothing. A handler that returns without it is done as well, a moment later.
   */
  done(tx: Transaction): Promise<void>
}

/** Carries a job out. It may come again after a crash or a failure, so twice must be as once. */
export type JobHandler<Name extends JobName> = (job: Job<Name>) => Promise<void>

/** Work that waits in Postgres: any process carries it out, over restarts of all of them. */
export interface Jobs {
  /**
   * Sends a job in the transaction of what it belongs to. Where one of the key waits already nothing is added: that one comes at the earlier time of the two.
   */
  send<Name extends JobName>(
    tx: Transaction,
    name: Name,
    payload: JobPayloads[Name],
    options: SendOptions,
  ): Promise<void>
  /** Carries out the jobs of a name in this process, one after the other. Called once a name. */
  work<Name extends JobName>(name: Name, handler: JobHandler<Name>): void
  /** Which of the keys have a job that runs, is to be tried again, or has failed for now. */
  underWay(name: JobName, keys: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Has what was just sent carried out now, and waits until no job of the key is due, for so long at most. Never rejects: what is not done by then is done
   * later.
   */
  hurry(name: JobName, key: string, limitMs: number): Promise<void>
}

/** Another process carries the job out: this one was silent for too long. */
export class JobLost extends Error {
  override readonly name = 'JobLost'
}
