/** @import { Exposure, RelayFailure } from './index.mjs' */
/** @import { Outcome } from './send.mjs' */

const FIRST_WAIT_MS = 250
const LONGEST_BACKOFF_MS = 30_000

/**
 * `isOver`: whether the attempt that has just failed was the last one.
 *
 * @typedef {{
 *   send: (events: readonly Exposure[]) => Promise<Outcome>,
 *   pause: (ms: number) => Promise<void>,
 *   isOver: () => boolean,
 *   report: (failure: RelayFailure) => void,
 * }} Means
 */

/**
 * Sends a batch until it is accepted. A refused batch is sent in halves, so that one bad exposure loses no
 * other.
 *
 * @param {readonly Exposure[]} events
 * @param {Means} means
 * @returns {Promise<readonly Exposure[]>} those that were not accepted
 */
export async function deliver(events, means) {
  const { send, pause, isOver, report } = means
  for (let attempt = 0; ; attempt++) {
    const outcome = await send(events)
    if (outcome.kind === 'accepted') return []
    const { status, message } = outcome
    if (outcome.kind === 'refused' && events.length > 1) {
      const middle = events.length >> 1
      const first = await deliver(events.slice(0, middle), means)
      return [...first, ...(await deliver(events.slice(middle), means))]
    }
    if (outcome.kind === 'refused' || isOver()) {
      report({ message, status, lost: events })
      return events
    }
    report({ message, status, lost: [] })
    await pause(Math.max(outcome.waitMs, backoff(attempt)))
  }
}

/**
 * Doubles, with jitter, so that servers do not all return at once.
 *
 * @param {number} attempt
 */
function backoff(attempt) {
  const most = Math.min(FIRST_WAIT_MS * 2 ** Math.min(attempt, 20), LONGEST_BACKOFF_MS)
  return most * (0.5 + Math.random() / 2)
}
