import { answerToHead, asksForState, FULL, readBody, stateAnswer, TAKEN, TOO_LARGE } from './answer.mjs'
import { deliver } from './deliver.mjs'
import { MAX_BYTES } from './exposure.mjs'
import { readOptions } from './options.mjs'
import { createOutbox } from './outbox.mjs'
import { send } from './send.mjs'
import { createServing } from './serving.mjs'

/** @import { Answer } from './answer.mjs' */
/** @import { Exposure, FetchHandler, RelayOptions } from './index.mjs' */

/** Edge runtimes end the work of a request half a minute after its answer. */
const WITHIN_REQUEST_MS = 20_000

/**
 * @param {RelayOptions} options
 * @returns {FetchHandler}
 */
export function fetchHandler(options) {
  const settings = readOptions(options)
  const outbox = createOutbox({ ...settings, send: (events, withinMs) => send(settings, events, withinMs) })
  // Polls from its first use on: edge runtimes allow no timers before the first request.
  const serving = createServing(settings)
  /** @type {Set<Promise<boolean>>} */
  const withinRequests = new Set()
  let isClosed = false

  /**
   * Sends one exposure within its request and awaits it: an edge runtime shares no connection between
   * requests, and may stop everything after the answer. `waitUntil` keeps it going if the visitor leaves
   * before the answer.
   *
   * @param {Exposure} exposure
   * @param {(work: Promise<unknown>) => void} waitUntil
   */
  const sendWithin = async (exposure, waitUntil) => {
    if (isClosed || withinRequests.size >= settings.capacity) return false
    const end = Date.now() + WITHIN_REQUEST_MS
    const sent = deliver([exposure], {
      send: (events) => send(settings, events),
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, end - Date.now()))),
      isOver: () => Date.now() >= end,
      report: settings.report,
    }).then((missing) => missing.length === 0)
    withinRequests.add(sent)
    waitUntil(sent)
    const arrived = await sent
    withinRequests.delete(sent)
    return arrived
  }

  /**
   * @param {Request} request
   * @param {unknown} context
   * @returns {Promise<Answer>}
   */
  const answerTo = async (request, context) => {
    const { method, url } = request
    const head = { method, url, header: (/** @type {string} */ name) => headerOf(request, name) }
    if (asksForState(head)) return stateAnswer(head, serving, waitUntilOf(context))
    const answer = answerToHead(head, serving)
    if (answer !== undefined) return answer
    const body = await read(request)
    const exposure = body === undefined ? TOO_LARGE : readBody(body)
    if ('status' in exposure) return exposure
    serving.noteExposure(exposure.properties.experiment)
    const waitUntil = waitUntilOf(context)
    if (waitUntil === undefined) void serving.start()
    const isTaken = waitUntil === undefined ? outbox.take(exposure) : await sendWithin(exposure, waitUntil)
    return isTaken ? TAKEN : FULL
  }

  return Object.assign(
    async (/** @type {Request} */ request, /** @type {unknown} */ context) => {
      const { status, headers, body = null } = await answerTo(request, context)
      return new Response(body, { status, headers })
    },
    {
      ready: (/** @type {unknown} */ context) => serving.ready(waitUntilOf(context)),
      state: (/** @type {string | null | undefined} */ userAgent) => serving.snapshot(userAgent).state,
      stateAttribute: (/** @type {string | null | undefined} */ userAgent) =>
        serving.snapshot(userAgent).attribute,
      async close() {
        isClosed = true
        serving.stop()
        await Promise.all([outbox.close(), ...withinRequests])
      },
    },
  )
}

/**
 * @param {Request} request
 * @param {string} name
 */
function headerOf({ headers }, name) {
  // Node's name for the host in HTTP/2 is not one that `Headers` accepts.
  return name.startsWith(':') ? null : headers.get(name)
}

/**
 * @param {unknown} context
 * @returns {((work: Promise<unknown>) => void) | undefined}
 */
function waitUntilOf(context) {
  if (typeof context !== 'object' || context === null || !('waitUntil' in context)) return undefined
  const { waitUntil } = context
  return typeof waitUntil === 'function' ? (work) => waitUntil.call(context, work) : undefined
}

/**
 * The body; undefined if it is too large.
 *
 * @param {Request} request
 */
async function read(request) {
  /** @type {number[]} */
  const bytes = []
  // Part by part, so that a body without a declared length is not held whole.
  const reader = request.body?.getReader()
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    if (bytes.length + part.value.length > MAX_BYTES) {
      await reader?.cancel()
      return undefined
    }
    bytes.push(...part.value)
  }
  return Uint8Array.from(bytes)
}
