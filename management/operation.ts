/**
 * How the product changes something: `record(tx)`, then a job if the change has an effect outside of
 * Postgres.
 *
 * `record` checks the rules, writes the new state and sends the job, in one transaction with the audit entry
 * and, if the request has an Idempotency-Key, with its answer.
 *
 * Effects (a host, a model, ClickHouse) belong to the job, so a crash anywhere leaves a job that goes on.
 * `record` names the job as `awaits`. The request waits for it, up to `waitMs`, and answers with the state at
 * that time. The answer that the Idempotency-Key repeats is written when the job concludes, or when the wait
 * ends first.
 *
 * `workflows/approve.ts` is an operation with a job, `funnels/operations.ts` has some without.
 */
import type { Sql, Transaction } from '../postgres/driver/client.js'
import type { Credential } from '../postgres/tables/credentials.js'
import { withTimeout } from '../runtime/concurrency/with-timeout.js'
import { auditByPerson } from './audit.js'
import type { SentJob } from './jobs-port.js'
import type { Services } from './services.js'

/** The caller of an operation, and the time until which they wait. */
export interface Caller {
  readonly services: Services
  readonly workspaceId: string
  readonly credential: Credential
  readonly requestId: string
  /** Aborts when the caller stops waiting. Reads of `prepare` may end then. */
  readonly signal: AbortSignal
  /** Deadline of the answer, by `performance.now()`. */
  readonly answerBy: number
}

export type RecordedOperation<Result> = {
  /** The state it wrote. */
  readonly result: Result
  /** Undefined if nothing changed. */
  readonly audit: { readonly resourceId: string; readonly summary: string } | undefined
} & (
  | {
      readonly awaits?: undefined
      readonly subjectId?: undefined
      /** A job to start now. The request does not wait for it. */
      readonly wakes?: SentJob
    }
  | {
      /** The job that completes the operation. */
      readonly awaits: SentJob
      /** Passed to `reread`. */
      readonly subjectId: string
    }
)

export interface Operation<Input, Result, Prepared = void> {
  /** Action of the audit entry: `resource.verb`. */
  readonly action: string
  /** How long a request waits for the job at most. The deadline of the caller still holds. @default 0 */
  readonly waitMs?: number
  /** Reads that must not run in a transaction, such as from a host. Throws DomainError. */
  prepare?(caller: Caller, input: Input): Promise<Prepared>
  /** Checks and writes. If it throws, usually a DomainError, nothing is written. */
  record(
    tx: Transaction,
    caller: Caller,
    input: Input,
    prepared: Prepared,
  ): Promise<RecordedOperation<Result>>
  /** Reads the state after the wait, and when the job concludes. */
  reread?(sql: Sql | Transaction, workspaceId: string, subjectId: string): Promise<Result>
}

/** Lets a request write the record of its Idempotency-Key with the operation. */
export interface OperationHooks<Result> {
  /**
   * Returns the caller's credential as it is now, at the start of the transaction of `record`: it may have
   * changed while the request waited. Throws if the caller may not do this any more.
   */
  authorize(tx: Transaction): Promise<Credential>
  /**
   * Locks what the operation will change, and throws if it is not as the caller expects. Runs at the start
   * of the transaction of `record`, and alone before `prepare`, so that `prepare` does not refuse first.
   */
  precondition?(tx: Transaction): Promise<void>
  /** Runs at the end of the transaction of `record`. Throws to roll it back. */
  beforeCommit(tx: Transaction, recorded: RecordedOperation<Result>): Promise<void>
  afterCommit(): void
}

/** Time reserved for writing the answer. */
const ANSWER_MS = 1_000
/** Time reserved for the last read of the state. */
const LAST_WORD_MS = 300

/**
 * Executes an operation. Does not reject after `record` was committed.
 *
 * @returns the state when the job concluded, or when the wait was over
 */
export async function executeOperation<Input, Result, Prepared>(
  operation: Operation<Input, Result, Prepared>,
  caller: Caller,
  input: Input,
  hooks: OperationHooks<Result>,
): Promise<Result> {
  const { services, workspaceId } = caller
  if (operation.prepare !== undefined && hooks.precondition !== undefined)
    await services.sql.begin((tx) => hooks.precondition?.(tx))
  const prepared = (await operation.prepare?.(caller, input)) as Prepared
  const recorded = await services.sql.begin(async (tx) => {
    const credential = await hooks.authorize(tx)
    await hooks.precondition?.(tx)
    const done = await operation.record(tx, { ...caller, credential }, input, prepared)
    // Pipelined over one connection.
    await Promise.all([
      done.audit === undefined
        ? undefined
        : auditByPerson(tx, services, credential, {
            action: operation.action,
            requestId: caller.requestId,
            ...done.audit,
          }),
      hooks.beforeCommit(tx, done),
    ])
    return done
  })
  hooks.afterCommit()
  const { result, awaits, subjectId } = recorded
  if (awaits === undefined && recorded.wakes !== undefined) await services.jobs.waitFor(recorded.wakes, 0)
  if (awaits === undefined || operation.reread === undefined) return result
  const leftMs = caller.answerBy - performance.now() - ANSWER_MS
  await services.jobs.waitFor(awaits, Math.min(operation.waitMs ?? 0, leftMs))
  try {
    const reread = operation.reread(services.sql, workspaceId, subjectId)
    return await withTimeout(
      Math.max(caller.answerBy - performance.now() - LAST_WORD_MS, 0),
      'the end',
      reread,
    )
  } catch (error) {
    services.logger.debug(
      { err: error, action: operation.action },
      'State not reread: the answer is what was recorded',
    )
    return result
  }
}
