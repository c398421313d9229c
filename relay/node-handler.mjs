import {
  ALREADY_READ,
  ALREADY_READ_MESSAGE,
  answerToHead,
  asksForState,
  FULL,
  readBody,
  stateAnswer,
  TAKEN,
  TOO_LARGE,
} from './answer.mjs'
import { MAX_BYTES } from './exposure.mjs'
import { readOptions } from './options.mjs'
import { createOutbox } from './outbox.mjs'
import { send } from './send.mjs'
import { createServing } from './serving.mjs'

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Answer } from './answer.mjs' */
/** @import { NodeHandler, RelayOptions } from './index.mjs' */

/**
 * So much of a body that is too large is read, so that its sender sees the answer. Then the connection is
 * cut.
 */
const MAX_DISCARDED = 1024 * 1024

/**
 * @param {RelayOptions} options
 * @returns {NodeHandler}
 */
export function nodeHandler(options) {
  const settings = readOptions(options)
  const { report } = settings
  const outbox = createOutbox({ ...settings, send: (events, withinMs) => send(settings, events, withinMs) })
  const serving = createServing(settings)
  void serving.start()

  /**
   * @param {IncomingMessage} request
   * @param {unknown} parsed
   * @returns {Promise<Answer>}
   */
  const answerTo = async (request, parsed) => {
    const head = {
      method: request.method,
      url: request.url ?? '',
      header: (/** @type {string} */ name) => /** @type {string | undefined} */ (request.headers[name]),
    }
    if (asksForState(head)) return stateAnswer(head, serving, undefined)
    const answer = answerToHead(head, serving)
    if (answer !== undefined) return answer
    // A parser may leave an empty object without having read the body: an unread body is read here.
    const wasRead = request.readableDidRead || request.readableEnded
    if (wasRead && parsed === undefined) {
      report({ message: ALREADY_READ_MESSAGE, status: null, lost: [] })
      return ALREADY_READ
    }
    const body = wasRead ? parsed : await read(request)
    const exposure = body === undefined ? TOO_LARGE : readBody(body)
    if ('status' in exposure) return exposure
    serving.noteExposure(exposure.properties.experiment)
    return outbox.take(exposure) ? TAKEN : FULL
  }

  /**
   * @param {any} request
   * @param {any} response
   */
  const handle = (request, response) => {
    // Fastify wraps Node's request and response, and must be told that it is not to answer.
    if (request.raw !== undefined) response.hijack()
    const to = /** @type {ServerResponse} */ (response.raw ?? response)
    answerTo(request.raw ?? request, request.body).then(
      (answer) => {
        to.writeHead(answer.status, answer.headers)
        to.end(answer.body)
      },
      // The connection broke within the body.
      () => to.destroy(),
    )
  }
  return Object.assign(handle, {
    ready: () => serving.ready(undefined),
    state: (/** @type {string | null | undefined} */ userAgent) => serving.snapshot(userAgent).state,
    stateAttribute: (/** @type {string | null | undefined} */ userAgent) =>
      serving.snapshot(userAgent).attribute,
    close() {
      serving.stop()
      return outbox.close()
    },
  })
}

/**
 * The body; undefined if it is too large. Rejects if the connection breaks.
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
