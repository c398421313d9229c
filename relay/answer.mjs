import { exposureOf, MAX_BYTES } from './exposure.mjs'

/** @import { Exposure } from './index.mjs' */

/**
 * An answer to a browser.
 *
 * @typedef {{ status: number, headers: Record<string, string>, body?: string }} Answer
 */

/** @type {Answer} */
export const TAKEN = { status: 204, headers: { 'cache-control': 'no-store' } }
export const TOO_LARGE = refusal(413, `an exposure has at most ${MAX_BYTES} bytes`)
export const FULL = refusal(503, 'it cannot be taken now: try again', { 'retry-after': '10' })
export const ALREADY_READ = refusal(
  500,
  'the body was read before the relay saw it: mount the relay before what reads it, or leave the parsed body in request.body',
)

/**
 * The answer to a request whose body need not be read, if that can be told.
 *
 * @param {string | undefined} method
 * @param {(name: string) => string | null | undefined} header
 * @returns {Answer | undefined}
 */
export function refusalOfHead(method, header) {
  // A preflight too: other origins are told nothing that lets them send.
  if (method !== 'POST') return refusal(405, 'exposures are sent by POST', { allow: 'POST' })
  // Other sites' pages have no visitors of this one. Browsers alone send this header.
  if (header('sec-fetch-site') === 'cross-site') return refusal(403, 'exposures come from the site itself')
  if (Number(header('content-length') ?? 0) > MAX_BYTES) return TOO_LARGE
  return undefined
}

/**
 * The exposure in a body, or the answer that refuses it. The media type says nothing: a beacon's text is `text/plain`.
 *
 * @param {unknown} body bytes or text of JSON, or what a parser has made of it
 * @returns {Exposure | Answer}
 */
export function readBody(body) {
  const parsed = parsedOf(body)
  if (parsed === TOO_LARGE) return TOO_LARGE
  const exposure = exposureOf(parsed, new Date().toISOString())
  return typeof exposure === 'string' ? refusal(400, exposure) : exposure
}

/**
 * @param {unknown} body
 * @returns {unknown} undefined where it is no JSON
 */
function parsedOf(body) {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return body
  if (body.length > MAX_BYTES) return TOO_LARGE
  try {
    return JSON.parse(
      typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body),
    )
  } catch {
    return undefined
  }
}

/**
 * @param {number} status
 * @param {string} message
 * @param {Record<string, string>} headers
 * @returns {Answer}
 */
function refusal(status, message, headers = {}) {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify({ message }),
  }
}
