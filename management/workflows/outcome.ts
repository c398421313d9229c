import { Type } from '@sinclair/typebox'
import type { Transition } from '../../domain/lifecycle.js'
import { measurementsOf } from '../../domain/statistics/measurements.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { allWatermarksPast } from '../../postgres/tables/watermarks.js'
import { auditByService } from '../audit.js'
import {
  auditLabel,
  type ExperimentRow,
  findDueDecisions,
  lockExperimentIfExists,
  lookUpExperiment,
  type TransitionFields,
  transitionExperiment,
} from '../experiments/index.js'
import { defineJob } from '../jobs/definition.js'
import type { Jobs, SentJob } from '../jobs-port.js'
import {
  draftLearning,
  type FrozenResults,
  hasLearning,
  insertLearning,
  type LearningDecision,
} from '../learnings/index.js'
import { requestCleanup } from '../pull-requests/index.js'
import { keepResults, measure, measuredUntil } from '../results/index.js'
import type { Services } from '../services.js'

const WEEK_MS = 604_800_000
/** Lower bound between two attempts of a job that runs too early, such as after a clock was set back. */
const MIN_WAIT_MS = 100
/** Pauses between two checks whether all events have arrived. */
const ARRIVAL_MS = { first: 500, longest: 30_000 } as const
/** Bounds of the last measurement. */
const LIMITS = { maxSeconds: 300, maxMemoryBytes: 2_147_483_648, maxRows: 10_000_000_000, maxThreads: 2 }

/**
 * Settles a decision when its time has come, writes the learning and requests the removal of the code. Goes
 * by the current status, so it may run too early, too late and more than once.
 */
export const outcomeJob = defineJob({
  name: 'experiment-outcome',
  payload: Type.Object({ workspaceId: Type.String(), experimentId: Type.String() }),
  concurrency: 4,
  serialBy: 'experimentId',
  retry: { maxElapsedMs: WEEK_MS, maxIntervalMs: 600_000 },
  /** Only reads. Undefined if there is nothing to freeze now. */
  async effect({ services, payload: { workspaceId, experimentId }, signal }) {
    const row = await lookUpExperiment(services.sql, workspaceId, experimentId)
    if (row === undefined || !(await isDue(services, workspaceId, row))) return undefined
    return { status: row.status, frozen: await freeze(services, workspaceId, row, signal) }
  },
  async conclude(tx, { services, payload: { workspaceId, experimentId } }, frozen) {
    const row = await lockExperimentIfExists(tx, workspaceId, experimentId)
    if (row === undefined) return
    if (frozen === undefined) {
      if (row.status === 'settling') await sendAgain(tx, services, workspaceId, row)
      return
    }
    // The decision was forced after the effect ran: freeze again, without waiting for late events.
    if (frozen.status !== row.status)
      return void (await sendOutcomeJob(tx, services.jobs, workspaceId, row.id, 0))
    const settled = row.status === 'settling' ? await settle(tx, services, workspaceId, row) : row
    if (settled === undefined) return
    await recordLearning(tx, services, workspaceId, settled, frozen.frozen)
    if (settled.status === 'shipped' || settled.rejectedStage === 'outcome')
      await requestCleanup(tx, services, workspaceId, settled)
  },
})

/** A job of the experiment that waits already is only brought forward. */
export function sendOutcomeJob(
  tx: Transaction,
  jobs: Jobs,
  workspaceId: string,
  id: string,
  startAfterMs: number,
): Promise<SentJob> {
  return jobs.send(tx, outcomeJob, { workspaceId, experimentId: id }, { key: id, startAfterMs })
}

/** Undefined, and nothing written, if the status has changed meanwhile. */
export function transitionToOutcome(
  tx: Transaction,
  workspaceId: string,
  id: string,
  step: Extract<Transition, { name: 'conclude' | 'decideAtOnce' | 'settle' | 'ship' }>,
  at: Date,
  fields: TransitionFields = {},
): Promise<ExperimentRow | undefined> {
  const rejected: TransitionFields = step.outcome === 'reject' ? { rejectedStage: 'outcome' } : {}
  return transitionExperiment(tx, workspaceId, id, step, at, { ...fields, ...rejected })
}

/** A settling experiment is due when its time has come and every event that can count has arrived. */
async function isDue(services: Services, workspaceId: string, row: ExperimentRow): Promise<boolean> {
  if (row.status !== 'settling')
    return learningDecision(row) !== undefined && !(await hasLearning(services.sql, row.id))
  const { settlesAt } = row
  if (settlesAt === null) return true
  return (
    settlesAt.getTime() <= services.now() && (await allWatermarksPast(services.sql, workspaceId, settlesAt))
  )
}

/** The later the events are, the longer the pause until the next check. */
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

/** Measures an experiment for the last time. Throws ClickHouseError. */
async function freeze(
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
  signal: AbortSignal,
): Promise<FrozenResults> {
  const results = await measure(services, workspaceId, row, { upToDate: true, limits: LIMITS, signal })
  const until = measuredUntil(row, services.settlingHours)
  return {
    results,
    // A settling experiment has waited for late events, so none are missing.
    lagSeconds: row.status === 'settling' ? null : results.dataQuality.lagSeconds,
    window: {
      startedAt: row.startedAt?.toISOString() ?? null,
      endedAt: row.endedAt?.toISOString() ?? null,
      measuredUntil: until === null ? null : new Date(until).toISOString(),
    },
  }
}

/** Undefined before the outcome, and if the pull request was closed. */
function learningDecision({ status, rejectedStage }: ExperimentRow): LearningDecision | undefined {
  if (status === 'shipped') return 'ship'
  if (status === 'concluded') return 'conclude'
  return status === 'rejected' && rejectedStage !== 'pr' ? 'reject' : undefined
}

/** Writes the learning once, and freezes the results that the experiment shows from now on. */
async function recordLearning(
  tx: Transaction,
  services: Pick<Services, 'now' | 'newId'>,
  workspaceId: string,
  row: ExperimentRow,
  frozen: FrozenResults,
): Promise<void> {
  const decision = learningDecision(row)
  if (decision === undefined) return
  const learning = draftLearning({
    id: services.newId(),
    workspaceId,
    experiment: row,
    decision,
    variant: decision === 'ship' ? row.decisionVariant : null,
    reason: decision === 'conclude' ? null : row.decisionReason,
    // The time of the outcome, however late this job runs.
    at: row.updatedAt,
    frozen,
  })
  if (!(await insertLearning(tx, learning))) return
  await auditByService(tx, services, workspaceId, {
    action: 'learning.create',
    resourceId: learning.id,
    summary: `Drafted the learning of ${auditLabel(row)}`,
  })
  const { results } = frozen
  const frozenAt = new Date(results.asOf)
  await keepResults(tx, workspaceId, row.id, results, measurementsOf(results), frozenAt)
}

/** How often `sendDueOutcomes` runs. */
export const SWEEP_MS = 60_000
const BATCH = 500

/**
 * Sends a job for every decision that settles before the next call and has none, such as those of an older
 * version. Safe to run in any process at any time.
 *
 * @param now milliseconds since 1970
 */
export async function sendDueOutcomes(sql: Sql, jobs: Jobs, now: () => number): Promise<void> {
  let after = { id: '00000000-0000-0000-0000-000000000000', settlesAt: new Date(0) }
  for (;;) {
    const due = await findDueDecisions(sql, new Date(now() + 2 * SWEEP_MS), after, BATCH)
    const last = due.at(-1)
    if (last === undefined) return
    const active = await jobs.findActive(
      outcomeJob,
      due.map(({ id }) => id),
    )
    const missing = due.filter(({ id }) => !active.has(id))
    if (missing.length > 0)
      await sql.begin(async (tx) => {
        for (const { workspaceId, id, settlesAt } of missing)
          await sendOutcomeJob(tx, jobs, workspaceId, id, settlesAt.getTime() - now())
      })
    if (due.length < BATCH) return
    after = last
  }
}
