import { Type } from '@sinclair/typebox'
import type { Step } from '../../domain/lifecycle.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { auditByService } from '../audit/by-service.js'
import { defineJob } from '../jobs/definition.js'
import type { Jobs, SentJob } from '../jobs/port.js'
import { writeLearning } from '../learnings/write.js'
import { sendCleanup } from '../pull-requests/cleanup.js'
import type { Services } from '../services.js'
import { nameOf } from './name-of.js'
import { lockExperimentIfThere, type MoveFields, moveExperiment } from './store.js'
import type { ExperimentRow } from './types.js'

const WEEK_MS = 604_800_000
/** A job that comes before its time, as by a clock that was set back, is not sent again faster than this. */
const LEAST_WAIT_MS = 100

/**
 * What follows the decision of an experiment, at once or when it has settled: moves it on whose settling is over, writes down what was learned, and has its code taken out of the repository. It goes by
 * what the experiment is now, so it may come too early, too late, and as often as it likes.
 */
export const outcomeJob = defineJob({
  name: 'experiment-outcome',
  payload: Type.Object({ workspaceId: Type.String(), experimentId: Type.String() }),
  concurrency: 4,
  serialBy: 'experimentId',
  retry: { forMs: WEEK_MS, firstMs: 1_000, longestMs: 600_000 },
  async conclude(tx, { services, payload: { workspaceId, experimentId } }) {
    const row = await lockExperimentIfThere(tx, workspaceId, experimentId)
    if (row === undefined) return
    const settled = row.status === 'settling' ? await settleDue(tx, services, workspaceId, row) : row
    if (settled === undefined) return
    await writeUp(tx, services.newId, workspaceId, settled)
    if (settled.status === 'shipped' || settled.rejectedStage === 'outcome')
      await sendCleanup(tx, services, workspaceId, settled)
  },
})

/** How long an answer waits for what is learned to be written down. */
export const WRITE_UP_MS = 2_000

type OutcomeStep = Extract<Step, { move: 'conclude' | 'decideAtOnce' | 'settle' | 'ship' }>

/** One job of an experiment waits at a time: sent again it only comes earlier. */
export function sendOutcomeJob(
  tx: Transaction,
  jobs: Jobs,
  workspaceId: string,
  id: string,
  startAfterMs: number,
): Promise<SentJob> {
  return jobs.send(tx, outcomeJob, { workspaceId, experimentId: id }, { key: id, startAfterMs })
}

/** Moves an experiment to an outcome. Undefined where another request or the clock was faster: then nothing is written. */
export function moveToOutcome(
  tx: Transaction,
  workspaceId: string,
  id: string,
  step: OutcomeStep,
  at: Date,
  fields: MoveFields = {},
): Promise<ExperimentRow | undefined> {
  const rejected: MoveFields = step.outcome === 'reject' ? { rejectedStage: 'outcome' } : {}
  return moveExperiment(tx, workspaceId, id, step, at, { ...fields, ...rejected })
}

/** Undefined where it is not due yet: then it has another job. */
async function settleDue(
  tx: Transaction,
  services: Pick<Services, 'jobs' | 'now' | 'newId'>,
  workspaceId: string,
  row: ExperimentRow,
): Promise<ExperimentRow | undefined> {
  const { jobs, now } = services
  const at = now()
  const leftMs = (row.settlesAt?.getTime() ?? at) - at
  if (leftMs > 0) {
    await sendOutcomeJob(tx, jobs, workspaceId, row.id, Math.max(leftMs, LEAST_WAIT_MS))
    return undefined
  }
  const outcome = row.decisionOutcome === 'ship' ? 'ship' : 'reject'
  const settled = await moveToOutcome(tx, workspaceId, row.id, { move: 'settle', outcome }, new Date(at))
  if (settled !== undefined)
    await auditByService(tx, services, workspaceId, {
      action: 'experiment.settled',
      resourceId: row.id,
      summary: `The decision of ${nameOf(row)} has settled: it is ${settled.status}`,
    })
  return settled
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
