/**
 * How the product changes something, whoever asks: `record(tx) → effect? → conclude(tx)`.
 *
 * An operation is one object beside the rules of its feature. `record` checks the rules, writes the new state and sends the job, in one transaction with the
 * audit entry and, where the request has an Idempotency-Key, with its answer. That is all for an operation without an effect outside of Postgres.
 *
 * An effect (a host, a model, ClickHouse) belongs to the job that `record` sends (`jobs/definition.ts`: `effect`, `conclude`, `failed`), so that a crash
 * anywhere leaves a job that goes on. `record` names the job as `awaits`; the request then waits for it, for `waitMs` at most, and answers with the state it sees then. The answer that
 * the Idempotency-Key repeats is written in the transaction of the job's conclusion, by whichever process carries it out, or with the answer that was given where the
 * wait ended first.
 *
 *     // management/experiments/open-pull-request.ts
 *     export const pullRequestJob = defineJob({
 *       name: 'pull-request',
 *       payload: Type.Object({ workspaceId: Type.String(), experimentId: Type.String() }),
 *       concurrency: 8,
 *       serialBy: 'workspaceId',
 *       // Finds the branch and the pull request of an earlier try before it makes any.
 *       effect: ({ services, payload, signal }) => writePullRequest(services, payload, signal),
 *       async conclude(tx, { services, payload }, written) {
 *         await transitionExperiment(tx, payload.workspaceId, payload.experimentId, { name: 'prWritten', outcome: 'opened' }, …)
 *       },
 *       async failed(tx, { services, payload }, reason) { … { name: 'prWritten', outcome: 'failed' } … },
 *     })
 *
 *     // management/experiments/approve.ts
 *     export const approve: Operation<ApproveInput, ExperimentRow, Plan> = {
 *       action: 'experiment.approve',
 *       waitMs: 20_000,
 *       prepare: ({ services, workspaceId }, input) => …,            // reads from the host: before any transaction
 *       async record(tx, { services, workspaceId }, input, plan) {
 *         const row = await lockExperiment(tx, workspaceId, input.reference)
 *         …
 *         const awaits = await services.jobs.send(tx, pullRequestJob, { workspaceId, experimentId: row.id }, { key: row.id })
 *         return { result: moved, audit: { resourceId: row.id, summary: `Approved ${auditLabel(row)}` }, awaits, subjectId: row.id }
 *       },
 *       reread: (sql, workspaceId, id) => findExperiment(sql, workspaceId, id),
 *     }
 *
 *     // api/experiments/actions/approve.ts
 *     export const approveRoute = defineOperation({
 *       …, operation: approve,
 *       input: ({ params, body }) => ({ reference: params.id, ...body }),
 *       answer: (row) => ({ status: 200, body: toExperiment(row) }),
 *     })
 */
import type { Sql, Transaction } from '../postgres/driver/client.js'
import type { Credential } from '../postgres/tables/credentials.js'
import { withTimeout } from '../runtime/concurrency/with-timeout.js'
import { insertAuditEntry } from './audit.js'
import type { SentJob } from './jobs/port.js'
import type { Services } from './services.js'

/** Who asks for an operation, and for how long. */
export interface Caller {
  readonly services: Services
  readonly workspaceId: string
  readonly credential: Credential
  readonly requestId: string
  /** Aborted when nobody waits for the answer any more: what `prepare` asks of others may end then. */
  readonly signal: AbortSignal
  /** When the answer has to be there, by `performance.now()`. */
  readonly answerBy: number
}

/** What `record` has done. */
export type RecordedOperation<Result> = {
  /** The state it wrote. */
  readonly result: Result
  /** What the audit trail shall say; undefined where nothing changed. */
  readonly audit: { readonly resourceId: string; readonly summary: string } | undefined
} & (
  | {
      readonly awaits?: undefined
      readonly subjectId?: undefined
      /** A job that nobody waits for: the answer is what was recorded, and it is taken up now. */
      readonly wakes?: SentJob
    }
  | {
      /** The job whose end is the end of the operation. */
      readonly awaits: SentJob
      /** What `reread` asks for. */
      readonly subjectId: string
    }
)

export interface Operation<Input, Result, Prepared = void> {
  /** Of the audit entry: `resource.verb`. */
  readonly action: string
  /** Milliseconds that a request waits for the job at most; it answers in time in any case. */
  readonly waitMs?: number
  /** What is asked of others before anything is written, outside of any transaction. It decides nothing alone: `record` sees the state that counts. Throws DomainError. */
  prepare?(caller: Caller, input: Input): Promise<Prepared>
  /** Checks and writes. Throws DomainError, and then nothing stays. */
  record(
    tx: Transaction,
    caller: Caller,
    input: Input,
    prepared: Prepared,
  ): Promise<RecordedOperation<Result>>
  /** The state as it is now, for operations with a job: asked when the wait is over, and in the transaction of the job's conclusion. */
  reread?(sql: Sql | Transaction, workspaceId: string, subjectId: string): Promise<Result>
}

/** What goes along with an operation: of a request, the record of its Idempotency-Key. */
export interface OperationHooks<Result> {
  /** In the transaction of `record`, at its end. Throws where the operation must not stay after all. */
  beforeCommit(tx: Transaction, recorded: RecordedOperation<Result>): Promise<void>
  /** What was recorded has stayed. */
  afterCommit(): void
}

/** So much of the time for an answer is left for the answer itself. */
const ANSWER_MS = 1_000
/** And so much when it is not known how it ended. */
const LAST_WORD_MS = 300

/**
 * Carries an operation out: whole, or nothing of it stays. Once `record` has stayed nothing rejects any more: the answer is what can be told then.
 *
 * @returns the state at the job's conclusion, or when the wait was over
 */
export async function executeOperation<Input, Result, Prepared>(
  operation: Operation<Input, Result, Prepared>,
  caller: Caller,
  input: Input,
  hooks: OperationHooks<Result>,
): Promise<Result> {
  const { services, workspaceId } = caller
  const prepared = (await operation.prepare?.(caller, input)) as Prepared
  const recorded = await services.sql.begin(async (tx) => {
    const done = await operation.record(tx, caller, input, prepared)
    // One behind the other over the same connection, without waiting in between.
    await Promise.all([
      done.audit === undefined
        ? undefined
        : insertAuditEntry(tx, caller.credential, {
            id: services.newId(),
            at: new Date(services.now()),
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
    services.logger.debug({ err: error, action: operation.action }, 'the end of an operation was not seen')
    return result
  }
}
