import { isLegal } from '../../domain/lifecycle.js'
import { DomainError } from '../domain-errors.js'
import {
  auditLabel,
  type ExperimentReference,
  type ExperimentRow,
  eventHistoryOf,
  findExperimentWithChanges,
  illegalTransition,
  lockExperiment,
  type PlannedExperiment,
  requireLegal,
} from '../experiments/index.js'
import type { Operation } from '../operation.js'
import { findCodeInBase, findUnrecordedMerge, recordEnd } from '../pull-requests/index.js'
import { transition } from './transition.js'

const HISTORY_MS = 2_000
const CODE_MS = 5_000

interface Prepared {
  readonly before: PlannedExperiment
  readonly merge: Awaited<ReturnType<typeof findUnrecordedMerge>>
}

/**
 * Starts an experiment that can be measured and whose code, if it has some, is in the base branch. Throws
 * ILLEGAL_TRANSITION, EVENT_HISTORY_UNAVAILABLE, or UNAVAILABLE if the host does not answer.
 */
export const startExperiment: Operation<ExperimentReference, ExperimentRow, Prepared> = {
  action: 'experiment.start',

  async prepare({ services, workspaceId, signal }, { reference }) {
    const before = await findExperimentWithChanges(services.sql, workspaceId, reference)
    const isOpen = isLegal(before.status, 'startMerged')
    if (!isOpen) requireLegal(before, 'start', 'start')
    const asked = eventHistoryOf(services, workspaceId, primaryEvent(before), HISTORY_MS, signal)
    const merge = isOpen ? await findUnrecordedMerge(services, workspaceId, before.id, signal) : undefined
    if (isOpen && merge === undefined) throw illegalTransition(before, 'start')
    const history = await asked
    if (!history.received) throw eventHistoryUnavailable(history.message)
    const code = await findCodeInBase(services, workspaceId, before, CODE_MS, signal)
    if (code?.ok === false) throw illegalTransition(before, 'start', code.message)
    return { before, merge }
  },

  async record(tx, caller, _input, { before, merge }) {
    // Does nothing if the watch has recorded the merge in the meantime.
    if (merge !== undefined) await recordEnd(tx, caller.services, merge.row, merge.seen)
    const row = await lockExperiment(tx, caller.workspaceId, before.id)
    if (isLegal(row.status, 'start') && primaryEvent(row) !== primaryEvent(before))
      throw eventHistoryUnavailable('The primary target was changed in the meantime')
    return {
      result: await transition(tx, caller, row, 'start', { name: 'start' }, (at) => ({ startedAt: at })),
      audit: { resourceId: row.id, summary: `Started ${auditLabel(row)}` },
    }
  },
}

function primaryEvent(row: ExperimentRow): string {
  return row.conversionTargets[0]?.eventName ?? ''
}

function eventHistoryUnavailable(reason: string): DomainError {
  return new DomainError(
    'EVENT_HISTORY_UNAVAILABLE',
    `${reason}: the experiment can start once the event of its primary target was received`,
    [{ path: '/conversionTargets/0/eventName', message: reason }],
  )
}
