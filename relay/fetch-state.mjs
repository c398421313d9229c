import { reasonOf } from './reason.mjs'
import { frozen } from './snapshots.mjs'

/** @import { ServingState } from './index.mjs' */

const ANSWER_WITHIN_MS = 2_000
const KEY = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/**
 * @typedef {{ kind: 'changed', state: ServingState, etag: string | undefined }
 *   | { kind: 'same' }
 *   | { kind: 'failed', status: number | null, message: string }} StateAnswer
 */

/**
 * Asks svc once which experiments are served. Never throws.
 *
 * @param {{
 *   servingUrl: string, serverKey: string, etag: string | undefined, relay: string | undefined
 * }} question `relay`: the name of this relay, so that svc can tell a silent one from the others
 * @returns {Promise<StateAnswer>}
 */
export async function fetchState({ servingUrl, serverKey, etag, relay }) {
  try {
    const answer = await fetch(servingUrl, {
      headers: {
        authorization: `Bearer ${serverKey}`,
        ...(etag === undefined ? {} : { 'if-none-match': etag }),
        ...(relay === undefined ? {} : { 'svc-relay': relay }),
      },
      // The key goes to no other address.
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    // Read to its end, so that the connection is free for the next request.
    const text = await answer.text()
    const { status } = answer
    if (status === 304 && etag !== undefined) return { kind: 'same' }
    if (status !== 200)
      return failed(status, `svc answered ${status} to ${servingUrl}: ${text.slice(0, 300)}`)
    const state = stateOf(JSON.parse(text))
    if (state === undefined) return failed(status, `${servingUrl} is not the serving state of svc`)
    return { kind: 'changed', state, etag: answer.headers.get('etag') ?? undefined }
  } catch (error) {
    return failed(null, `the serving state could not be read from ${servingUrl}: ${reasonOf(error)}`)
  }
}

/**
 * @param {number | null} status
 * @param {string} message
 * @returns {StateAnswer}
 */
function failed(status, message) {
  return { kind: 'failed', status, message }
}

/**
 * @param {unknown} body
 * @returns {ServingState | undefined}
 */
function stateOf(body) {
  if (typeof body !== 'object' || body === null || !('experiments' in body)) return undefined
  const { experiments } = body
  if (!('version' in body) || body.version !== 1 || typeof experiments !== 'object' || experiments === null)
    return undefined
  return frozen(
    Object.entries(experiments).filter(
      ([key, served]) =>
        KEY.test(key) && (served === true || (typeof served === 'string' && KEY.test(served))),
    ),
  )
}
