import { Type } from '@sinclair/typebox'
import type { Transition } from '../../domain/lifecycle.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { auditByService } from '../audit/by-service.js'
import { defineJob } from '../jobs/definition.js'
import type { Jobs, SentJob } from '../jobs/port.js'
import { hasLearning, writeLearning } from '../learnings/write.js'
import { requestCleanup } from '../pull-requests/request-cleanup.js'
import { type FrozenResults, freeze, hasArrived, keepFrozen } from '../results/freeze.js'
import type { Services } from '../services.js'
import { auditLabel } from './audit-label.js'
import {
  findExperimentById,
  lockExperimentById,
  type TransitionFields,
  transitionExperiment,
} from './store.js'
import type { ExperimentRow } from './types.js'

const WEEK_MS = 604_800_000
/** A job that comes before its time, as by a clock that was set back, is not sent again faster than this. */
const MIN_WAIT_MS = 100
/** Between two looks at whether everything has arrived. */
const ARRIVAL_MS = { first: 500, longest: 30_000 } as const

/**
 * What follows the decision of an experiment, at once or when it has settled: moves it on whose settling is over, writes down what was learned, and has its code taken out of the repository. It goes by
 * what the experiment is now, so it may come too early, too late, and as often as it likes.
 */
export const outcomeJob = defineJob({
  name: 'experiment-outcome',
  payload: Type.Object({ workspaceId: Type.String(), experimentId: Type.String() }),
  concurrency: 4,
  serialBy: 'experimentId',
  retry: { maxElapsedMs: WEEK_MS, initialIntervalMs: 1_000, maxIntervalMs: 600_000 },
  /** Reads only, so it may come again. Undefined where nothing is to be frozen now. */
  async effect({ services, payload: { workspaceId, experimentId }, signal }) {
    const row = await findExperimentById(services.sql, workspaceId, experimentId)
    if (row === undefined || !(await isToBeWrittenUp(services, workspaceId, row))) return undefined
    const frozen = await freeze(services, workspaceId, row, row.status !== 'settling', signal)
    return { status: row.status, frozen }
  },
  async conclude(tx, { services, payload: { workspaceId, experimentId } }, came) {
    const row = await lockExperimentById(tx, workspaceId, experimentId)
    if (row === undefined) return
    if (row.status === 'settling' && came === undefined) return sendAgain(tx, services, workspaceId, row)
    // Forced meanwhile: what is frozen then is not what was waited for.
    if (came !== undefined && came.status !== row.status)
      return void (await sendOutcomeJob(tx, services.jobs, workspaceId, row.id, 0))
    if (came === undefined) return
    const settled = row.status === 'settling' ? await settle(tx, services, workspaceId, row) : row
    if (settled === undefined) return
    await writeUp(tx, services.newId, workspaceId, settled, came.frozen)
    if (settled.status === 'shipped' || settled.rejectedStage === 'outcome')
      await requestCleanup(tx, services, workspaceId, settled)
  },
})

/** How long an answer waits for what is learned to be written down. */
export const WRITE_UP_MS = 2_000

type OutcomeTransition = Extract<Transition, { name: 'conclude' | 'decideAtOnce' | 'settle' | 'ship' }>

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
export function transitionToOutcome(
  tx: Transaction,
  workspaceId: string,
  id: string,
  step: OutcomeTransition,
  at: Date,
  fields: TransitionFields = {},
): Promise<ExperimentRow | undefined> {
  const rejected: TransitionFields = step.outcome === 'reject' ? { rejectedStage: 'outcome' } : {}
  return transitionExperiment(tx, workspaceId, id, step, at, { ...fields, ...rejected })
}

/** What settles is written up when it is due and all that can count has arrived; what has its outcome already, at once. */
async function isToBeWrittenUp(
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
): Promise<boolean> {
  if (row.status !== 'settling') return isLearnedFrom(row) && !(await hasLearning(services.sql, row.id))
  const { settlesAt } = row
  if (settlesAt === null) return true
  return settlesAt.getTime() <= services.now() && (await hasArrived(services, workspaceId, settlesAt))
}

/** It is not due yet, or something is still to arrive: looked for again the more seldom the longer that takes. */
async function sendAgain(
  tx: Transaction,
  { jobs, now }: Pick<Services, 'jobs' | 'now'>,
  workspaceId: string,
  row: ExperimentRow,
): Promise<void> {
  const leftMs = (row.settlesAt?.getTime() ?? 0) - now()
  const pauseMs =
    leftMs > 0
      ? Math.max(leftMs, MIN_WAIT_MS)
      : Math.min(Math.max(-leftMs / 4, ARRIVAL_MS.first), ARRIVAL_MS.longest)
  await sendOutcomeJob(tx, jobs, workspaceId, row.id, pauseMs)
}

async function settle(
  tx: Transaction,
  services: Pick<Services, 'now' | 'newId'>,
  workspaceId: string,
  row: ExperimentRow,
): Promise<ExperimentRow | undefined> {
  const outcome = row.decisionOutcome === 'ship' ? 'ship' : 'reject'
  const at = new Date(services.now())
  const settled = await transitionToOutcome(tx, workspaceId, row.id, { name: 'settle', outcome }, at)
  if (settled !== undefined)
    await auditByService(tx, services, workspaceId, {
      action: 'experiment.settled',
      resourceId: row.id,
      summary: `The decision of ${auditLabel(row)} has settled: it is ${settled.status}`,
    })
  return settled
}

const LEARNED = { shipped: 'ship', rejected: 'reject', concluded: 'conclude' } as const

/** A proposal whose pull request was closed has taught nothing. */
function isLearnedFrom({ status, rejectedStage }: Pick<ExperimentRow, 'status' | 'rejectedStage'>): boolean {
  return Object.hasOwn(LEARNED, status) && rejectedStage !== 'pr'
}

async function writeUp(
  tx: Transaction,
  newId: () => string,
  workspaceId: string,
  row: ExperimentRow,
  frozen: FrozenResults,
): Promise<void> {
  const { status } = row
  if (status !== 'shipped' && status !== 'rejected' && status !== 'concluded') return
  if (row.rejectedStage === 'pr') return
  const written = await writeLearning(tx, {
    id: newId(),
    workspaceId,
    experiment: row,
    decision: LEARNED[status],
    variant: status === 'shipped' ? row.decisionVariant : null,
    reason: status === 'concluded' ? null : row.decisionReason,
    // When it was settled, however much later this comes.
    at: row.updatedAt,
    frozen,
  })
  if (written) await keepFrozen(tx, workspaceId, row, frozen)
}
