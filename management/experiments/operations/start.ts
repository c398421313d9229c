import { isLegal } from '../../../domain/lifecycle.js'
import { DomainError } from '../../domain-errors.js'
import type { Operation } from '../../operation.js'
import { askedToStart, noteMerge } from '../../pull-requests/before-start.js'
import { auditLabel } from '../audit-label.js'
import { eventHistoryOf } from '../event-history.js'
import { findExperiment, illegalTransition, lockExperiment, requireLegal } from '../store.js'
import type { ExperimentRow } from '../types.js'
import { type ExperimentReference, transition } from './transition.js'

const HISTORY_MS = 2_000

interface Prepared {
  readonly before: ExperimentRow
  /** What the host said, where nobody had noted yet that the pull request is merged. */
  readonly merged: Awaited<ReturnType<typeof askedToStart>>
}

/**
 * Starts an experiment that can be measured, and whose pull request, where it has one, is merged: where nobody has noted that yet, the host is asked. Throws
 * ILLEGAL_TRANSITION, EVENT_HISTORY_UNAVAILABLE, and UNAVAILABLE where the host does not answer.
 */
export const startExperiment: Operation<ExperimentReference, ExperimentRow, Prepared> = {
  action: 'experiment.start',

  // Asked outside the transaction, which must not wait for another store.
  async prepare({ services, workspaceId, signal }, { reference }) {
    const before = await findExperiment(services.sql, workspaceId, reference)
    if (!isLegal(before.status, 'startMerged')) requireLegal(before, 'start', 'start')
    const asked = eventHistoryOf(services, workspaceId, primaryEvent(before), HISTORY_MS, signal)
    const merged = isLegal(before.status, 'startMerged')
      ? await askedToStart(services, workspaceId, before.id, signal)
      : undefined
    if (isLegal(before.status, 'startMerged') && merged === undefined)
      throw illegalTransition(before, 'start', 'its pull request is not merged')
    const history = await asked
    if (!history.received) throw eventHistoryUnavailable(history.message)
    return { before, merged }
  },

  async record(tx, caller, _input, { before, merged }) {
    // Where the watch was quicker, there is nothing to note.
    if (merged !== undefined) await noteMerge(tx, caller.services, merged)
    const row = await lockExperiment(tx, caller.workspaceId, before.id)
    if (isLegal(row.status, 'start') && primaryEvent(row) !== primaryEvent(before))
      throw eventHistoryUnavailable('The primary target was changed meanwhile')
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
    `${reason}: an experiment starts where it can be measured`,
    [{ path: '/conversionTargets/0/eventName', message: reason }],
  )
}
