import { FULL, readBody, refusalOfHead, TAKEN, TOO_LARGE } from './answer.mjs'
import { deliver } from './deliver.mjs'
import { MAX_BYTES } from './exposure.mjs'
import { readOptions } from './options.mjs'
import { createOutbox } from './outbox.mjs'
import { send } from './send.mjs'

/** @import { Answer } from './answer.mjs' */
/** @import { Exposure, FetchHandler, RelayOptions } from './index.mjs' */

/** Edge runtimes end what a request has begun half a minute after its answer. */
const WITHIN_REQUEST_MS = 20_000

/**
 * @param {RelayOptions} options
 * @returns {FetchHandler}
 */
export function fetchHandler(options) {
  const settings = readOptions(options)
  const outbox = createOutbox({ ...settings, send: (events, withinMs) => send(settings, events, withinMs) })
  /** @type {Set<Promise<boolean>>} */
  const withinRequests = new Set()
  let isClosed = false

  /**
   * On its own, because an edge runtime lets no request use what another one has opened, and awaited, because nothing runs there for certain once
   * the answer is out. `waitUntil` keeps it going when the visitor has left before the answer.
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
    const refused = refusalOfHead(request.method, (name) => request.headers.get(name))
    if (refused !== undefined) return refused
    const body = await read(request)
    const exposure = body === undefined ? TOO_LARGE : readBody(body)
    if ('status' in exposure) return exposure
    const waitUntil = waitUntilOf(context)
    const isTaken = waitUntil === undefined ? outbox.take(exposure) : await sendWithin(exposure, waitUntil)
    return isTaken ? TAKEN : FULL
  }

  return Object.assign(
    async (/** @type {Request} */ request, /** @type {unknown} */ context) => {
      const { status, headers, body = null } = await answerTo(request, context)
      return new Response(body, { status, headers })
    },
    {
      async close() {
        isClosed = true
        await Promise.all([outbox.close(), ...withinRequests])
      },
    },
  )
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
 * The body, or undefined where it is too large.
 *
 * @param {Request} request
 */
async function read(request) {
  /** @type {number[]} */
  const bytes = []
  // As it comes, so that a body without a declared length is not held whole.
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
