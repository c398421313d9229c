import { ALREADY_READ, FULL, readBody, refusalOfHead, TAKEN, TOO_LARGE } from './answer.mjs'
import { MAX_BYTES } from './exposure.mjs'
import { readOptions } from './options.mjs'
import { createOutbox } from './outbox.mjs'
import { send } from './send.mjs'

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Answer } from './answer.mjs' */
/** @import { NodeHandler, RelayOptions } from './index.mjs' */

/** Of a body that is too large so much still goes by, so that its sender sees the answer; then the connection is cut. */
const MAX_DISCARDED = 1024 * 1024

/**
 * @param {RelayOptions} options
 * @returns {NodeHandler}
 */
export function nodeHandler(options) {
  const settings = readOptions(options)
  const { report } = settings
  const outbox = createOutbox({ ...settings, send: (events, withinMs) => send(settings, events, withinMs) })

  /**
   * @param {IncomingMessage} request
   * @param {unknown} parsed
   * @returns {Promise<Answer>}
   */
  const answerTo = async (request, parsed) => {
    const refused = refusalOfHead(request.method, (name) => /** @type {string} */ (request.headers[name]))
    if (refused !== undefined) return refused
    // A parser may leave an empty object where it has read nothing: what is still to be read counts.
    const wasRead = request.readableDidRead || request.readableEnded
    if (wasRead && parsed === undefined) {
      report({ message: JSON.parse(ALREADY_READ.body ?? '{}').message, status: null, lost: [] })
      return ALREADY_READ
    }
    const body = wasRead ? parsed : await read(request)
    const exposure = body === undefined ? TOO_LARGE : readBody(body)
    if ('status' in exposure) return exposure
    return outbox.take(exposure) ? TAKEN : FULL
  }

  /**
   * @param {any} request
   * @param {any} response
   */
  const handle = (request, response) => {
    // Fastify's own objects stand around Node's; it is told that the answer is not its any more.
    if (request.raw !== undefined) response.hijack()
    const to = /** @type {ServerResponse} */ (response.raw ?? response)
    answerTo(request.raw ?? request, request.body).then(
      (answer) => {
        to.writeHead(answer.status, answer.headers)
        to.end(answer.body)
      },
      // Gone in the middle of its body: there is nobody to answer.
      () => to.destroy(),
    )
  }
  return Object.assign(handle, { close: outbox.close })
}

/**
 * The body, or undefined where it is too large. Rejects when the connection breaks.
 *
 * @param {IncomingMessage} request
 * @returns {Promise<Uint8Array | undefined>}
 */
function read(request) {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const chunks = []
    let bytes = 0
    request.on('data', (/** @type {Buffer} */ chunk) => {
      bytes += chunk.length
      if (bytes <= MAX_BYTES) chunks.push(chunk)
      else resolve(undefined)
      if (bytes > MAX_DISCARDED) request.destroy()
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
    request.on('close', () => reject(new Error('the connection broke')))
  })
}
