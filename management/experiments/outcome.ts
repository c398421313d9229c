import type { Move, Status } from '../../domain/lifecycle.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import type { Job, Jobs } from '../jobs/port.js'
import { writeLearning } from '../learnings/write.js'
import { lockExperimentIfThere, type MoveFields, moveExperiment } from './store.js'
import type { ExperimentRow } from './types.js'

export const OUTCOME_JOB = 'experiment-outcome'

/** How long an answer waits for what is learned to be written down. */
const WRITE_UP_MS = 2_000
/** A write that has stayed must be answered as done, so its answer does not wait until the request's time is over. */
const ANSWER_MS = 4_000
/** A job that comes before its time, as by a clock that was set back, is not sent again faster than this. */
const LEAST_WAIT_MS = 100

export interface Outcome {
  readonly move: Extract<Move, 'conclude' | 'decideAtOnce' | 'settle' | 'ship'>
  readonly to: Extract<Status, 'shipped' | 'rejected' | 'concluded'>
  readonly fields: MoveFields
}

export interface OutcomeServices {
  readonly sql: Sql
  readonly jobs: Jobs
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly newId: () => string
}

/**
 * Settles an experiment for good and sends the job that writes down what was learned, in the same transaction. Undefined where another request or the clock
 * was faster: then nothing is written.
 */
export async function settleExperiment(
  tx: Transaction,
  jobs: Jobs,
  workspaceId: string,
  id: string,
  outcome: Outcome,
  at: Date,
): Promise<ExperimentRow | undefined> {
  const row = await moveToOutcome(tx, workspaceId, id, outcome, at)
  if (row !== undefined) await sendOutcomeJob(tx, jobs, workspaceId, id, 0)
  return row
}

/** One job of an experiment waits at a time: sent again it only comes earlier. */
export function sendOutcomeJob(
  tx: Transaction,
  jobs: Jobs,
  workspaceId: string,
  id: string,
  startAfterMs: number,
): Promise<void> {
  return jobs.send(tx, OUTCOME_JOB, { workspaceId, experimentId: id }, { key: id, startAfterMs })
}

/**
 * Has the write-up of an outcome done now, so that it is there when the answer is, unless it takes long. Never rejects.
 *
 * @param begunAt of the request, by `performance.now()`
 */
export function awaitWriteUp(jobs: Jobs, id: string, begunAt: number): Promise<void> {
  const leftMs = ANSWER_MS - (performance.now() - begunAt)
  return jobs.hurry(OUTCOME_JOB, id, Math.min(WRITE_UP_MS, leftMs))
}

/**
 * The job: moves an experiment on whose settling is over, and writes down what was learned. It goes by what the experiment is now, so it may come
 * too early, too late, and as often as it likes.
 */
export async function carryOutOutcome(
  services: OutcomeServices,
  { payload, done }: Pick<Job<typeof OUTCOME_JOB>, 'payload' | 'done'>,
): Promise<void> {
  const { workspaceId, experimentId } = payload
  await services.sql.begin(async (tx) => {
    const row = await lockExperimentIfThere(tx, workspaceId, experimentId)
    if (row !== undefined) await carryOn(tx, services, workspaceId, row)
    await done(tx)
  })
}

async function carryOn(
  tx: Transaction,
  { jobs, now, newId }: OutcomeServices,
  workspaceId: string,
  row: ExperimentRow,
): Promise<void> {
  let settled: ExperimentRow | undefined = row
  if (row.status === 'settling') {
    const at = now()
    const leftMs = (row.settlesAt?.getTime() ?? at) - at
    if (leftMs > 0) {
      await sendOutcomeJob(tx, jobs, workspaceId, row.id, Math.max(leftMs, LEAST_WAIT_MS))
      return
    }
    const to = row.decisionOutcome === 'ship' ? 'shipped' : 'rejected'
    settled = await moveToOutcome(tx, workspaceId, row.id, { move: 'settle', to, fields: {} }, new Date(at))
  }
  if (settled !== undefined) await writeUp(tx, newId, workspaceId, settled)
}

async function moveToOutcome(
  tx: Transaction,
  workspaceId: string,
  id: string,
  { move, to, fields }: Outcome,
  at: Date,
): Promise<ExperimentRow | undefined> {
  const all: MoveFields = to === 'rejected' ? { ...fields, rejectedStage: 'outcome' } : fields
  return moveExperiment(tx, workspaceId, id, move, to, at, all)
}

const LEARNED = { shipped: 'ship', rejected: 'reject', concluded: 'conclude' } as const

/** A proposal whose pull request was closed has taught nothing. */
async function writeUp(
  tx: Transaction,
  newId: () => string,
  workspaceId: string,
  row: ExperimentRow,
): Promise<void> {
  const { status } = row
  if (status !== 'shipped' && status !== 'rejected' && status !== 'concluded') return
  if (row.rejectedStage === 'pr') return
  await writeLearning(tx, {
    id: newId(),
    workspaceId,
    experiment: row,
    decision: LEARNED[status],
    variant: status === 'shipped' ? row.decisionVariant : null,
    reason: status === 'concluded' ? null : row.decisionReason,
    // When it was settled, however much later this comes.
    at: row.updatedAt,
  })
}
