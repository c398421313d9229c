import type { Operation } from '../../operation.js'
import { Refusal } from '../../refusals.js'
import { eventHistoryOf } from '../event-history.js'
import { nameOf } from '../name-of.js'
import { findExperiment, lockExperiment, requireLegal } from '../store.js'
import type { ExperimentRow } from '../types.js'
import { type ExperimentReference, moveOn } from './move-on.js'

const HISTORY_MS = 2_000

/** Starts an experiment that can be measured. Throws ILLEGAL_TRANSITION, EVENT_HISTORY_UNAVAILABLE. */
export const startExperiment: Operation<ExperimentReference, ExperimentRow, ExperimentRow> = {
  action: 'experiment.start',

  // Asked outside the transaction, which must not wait for another store.
  async prepare({ services, workspaceId, signal }, { reference }) {
    const before = await findExperiment(services.sql, workspaceId, reference)
    requireLegal(before, 'start', 'start')
    const history = await eventHistoryOf(services, workspaceId, primaryEvent(before), HISTORY_MS, signal)
    if (!history.received) throw eventHistoryUnavailable(history.message)
    return before
  },

  async record(tx, caller, _input, before) {
    const row = await lockExperiment(tx, caller.workspaceId, before.id)
    if (row.status === before.status && primaryEvent(row) !== primaryEvent(before))
      throw eventHistoryUnavailable('The primary target was changed meanwhile')
    return {
      result: await moveOn(tx, caller, row, 'start', { move: 'start' }, (at) => ({ startedAt: at })),
      audit: { resourceId: row.id, summary: `Started ${nameOf(row)}` },
    }
  },
}

function primaryEvent(row: ExperimentRow): string {
  return row.conversionTargets[0]?.eventName ?? ''
}

function eventHistoryUnavailable(reason: string): Refusal {
  return new Refusal(
    'EVENT_HISTORY_UNAVAILABLE',
    `${reason}: an experiment starts where it can be measured`,
    [{ path: '/conversionTargets/0/eventName', message: reason }],
  )
}
