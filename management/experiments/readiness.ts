import { isLegal } from '../../domain/lifecycle.js'
import type { Services } from '../services.js'
import { eventHistoryOf } from './event-history.js'
import type { ExperimentRow } from './types.js'

const CHECK_MS = 1_500

/** Whether an experiment can be started, and what it lacks. Always answers, within 1.5 s. */
export async function experimentReadiness(
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
  signal: AbortSignal,
) {
  const startable = isLegal(row.status, 'start')
  const eventName = row.conversionTargets[0]?.eventName ?? ''
  const history = await eventHistoryOf(services, workspaceId, eventName, CHECK_MS, signal)
  return {
    canStart: startable && history.received,
    checks: [
      {
        code: 'status',
        ok: startable,
        message: `An experiment that is ${row.status} ${startable ? 'can' : 'cannot'} be started`,
      },
      { code: 'event_history', ok: history.received, message: history.message },
    ],
  }
}
