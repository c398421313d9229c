import { hasReceivedEvent } from '../../clickhouse/queries/vocabulary.js'
import { isLegal } from '../../domain/lifecycle.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { Services } from '../services.js'
import { STATUS_TEXTS } from './transitions.js'
import type { ExperimentRow } from './types.js'

/** How long a check of readiness may take. */
export const READINESS_MS = 1_500

/** Something that a start needs. The message is a sentence for people. */
export interface StartCheck {
  readonly ok: boolean
  readonly message: string
}

/**
 * Whether an experiment can be started, and what is missing. Never rejects, and answers within 1.5 s.
 *
 * @param code whether its code is in the base branch; undefined if that does not matter
 */
export async function experimentReadiness(
  services: Services,
  workspaceId: string,
  row: ExperimentRow,
  code: Promise<StartCheck | undefined>,
  signal: AbortSignal,
) {
  const startable = isLegal(row.status, 'start')
  const eventName = row.conversionTargets[0]?.eventName ?? ''
  const [history, inBase] = await Promise.all([
    eventHistoryOf(services, workspaceId, eventName, READINESS_MS, signal),
    code,
  ])
  return {
    canStart: startable && history.received && inBase?.ok !== false,
    checks: [
      {
        code: 'status',
        ok: startable,
        message: startable
          ? 'The experiment can be started'
          : `The experiment cannot be started: it ${STATUS_TEXTS[row.status]}`,
      },
      { code: 'event_history', ok: history.received, message: history.message },
      ...(inBase === undefined ? [] : [{ code: 'code_in_base', ...inBase }]),
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
