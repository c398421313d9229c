import { hasReceivedEvent } from '../../clickhouse/queries/vocabulary.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { Services } from '../services.js'

export interface EventHistory {
  readonly received: boolean
  readonly message: string
}

/**
 * Whether the workspace ever received an event, by name. What cannot be found out in time counts as not received: an experiment that measures
 * nothing must not start. Never rejects.
 */
export async function eventHistoryOf(
  services: Services,
  workspaceId: string,
  eventName: string,
  limitMs: number,
  signal: AbortSignal,
): Promise<EventHistory> {
  try {
    const both = deadlineSignal(limitMs, signal)
    const asked = hasReceivedEvent(services.clickhouse, workspaceId, eventName, both)
    // The answer is bounded here as well: an engine may take its time to notice that nobody waits.
    const received = await withTimeout(limitMs, 'the event store', asked)
    return received
      ? { received, message: `The event ${eventName} was received` }
      : { received, message: `The event ${eventName} was never received` }
  } catch (error) {
    services.logger.debug({ err: error }, 'the history of an event cannot be found out')
    return { received: false, message: `Whether the event ${eventName} was received cannot be found out now` }
  }
}
