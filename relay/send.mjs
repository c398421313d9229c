import { reasonOf } from './reason.mjs'

/** @import { Exposure } from './index.mjs' */

export const ANSWER_WITHIN_MS = 10_000
/** A longer `Retry-After` is cut, because a quota may be raised meanwhile. */
const LONGEST_WAIT_MS = 10 * 60_000

/**
 * The result of sending a batch.
 * - `accepted`: ingestion has stored it.
 * - `refused`: ingestion would refuse it again.
 * - `failed`: to be tried again. If it did arrive, its `insertId` makes it count once.
 *
 * @typedef {{ kind: 'accepted' }
 *   | { kind: 'refused', status: number, message: string }
 *   | { kind: 'failed', status: number | null, message: string, waitMs: number }} Outcome
 */

/**
 * Sends one batch once. Never throws.
 *
 * @param {{ eventsUrl: string, serverKey: string }} target
 * @param {readonly Exposure[]} events at most 500
 * @param {number} withinMs
 * @returns {Promise<Outcome>}
 */
export async function send({ eventsUrl, serverKey }, events, withinMs = ANSWER_WITHIN_MS) {
  try {
    const answer = await fetch(eventsUrl, {
      method: 'POST',
      // No Origin: with one, ingestion takes the key for one that was shipped to browsers.
      headers: { authorization: `Bearer ${serverKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ events, sentAt: new Date().toISOString() }),
      // The key goes to no other address.
      redirect: 'manual',
      signal: AbortSignal.timeout(withinMs),
    })
    // Read to its end, so that the connection is free for the next request.
    const text = await answer.text()
    const { status } = answer
    if (status === 202) return { kind: 'accepted' }
    const message = `ingestion answered ${status}: ${text.slice(0, 300)}`
    if (status === 400 || status === 413) return { kind: 'refused', status, message }
    return { kind: 'failed', status, message, waitMs: waitOf(answer.headers.get('retry-after')) }
  } catch (error) {
    return {
      kind: 'failed',
      status: null,
      message: `ingestion did not answer: ${reasonOf(error)}`,
      waitMs: 0,
    }
  }
}

/** @param {string | null} retryAfter seconds, or a date */
function waitOf(retryAfter) {
  if (retryAfter === null) return 0
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now()
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), LONGEST_WAIT_MS)
}
