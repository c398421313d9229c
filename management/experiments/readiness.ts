import { hasReceivedEvent } from '../../clickhouse/queries/vocabulary.js'
import { isLegal } from '../../domain/lifecycle.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { Services } from '../services.js'
import { STATUS_TEXTS } from './transitions.js'
import type { ExperimentRow } from './types.js'

const CHECK_MS = 1_500

/** Whether an experiment can be started, and what is missing. Never rejects, and answers within 1.5 s. */
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
        message: startable
          ? 'The experiment can be started'
          : `The experiment cannot be started: it ${STATUS_TEXTS[row.status]}`,
      },
      { code: 'event_history', ok: history.received, message: history.message },
    ],
  }
}

export interface EventHistory {
  readonly received: boolean
  readonly message: string
}

/**
 * Whether the workspace ever received an event. False if the event store does not answer in time, because an
 * experiment that measures nothing must not start. Never rejects.
 */
export async function eventHistoryOf(
  { clickhouse, logger }: Pick<Services, 'clickhouse' | 'logger'>,
  workspaceId: string,
  eventName: string,
  limitMs: number,
  signal: AbortSignal,
): Promise<EventHistory> {
  try {
    const both = deadlineSignal(limitMs, signal)
    const asked = hasReceivedEvent(clickhouse, workspaceId, eventName, both)
    // Bounded here as well, because the driver may notice an aborted signal late.
    const received = await withTimeout(limitMs, 'the event store', asked)
    return {
      received,
      message: `The event ${eventName} was ${received ? 'received' : 'never received'}`,
    }
  } catch (error) {
    logger.debug({ err: error, workspaceId, eventName }, 'Event history unknown: event store did not answer')
    return { received: false, message: `The event store did not say whether ${eventName} was received` }
  }
}
