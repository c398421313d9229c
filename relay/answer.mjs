import { exposureOf, MAX_BYTES } from './exposure.mjs'

/** @import { Exposure } from './index.mjs' */
/** @import { Serving } from './serving.mjs' */

/**
 * An answer to a browser.
 *
 * @typedef {{ status: number, headers: Record<string, string>, body?: string }} Answer
 */

/**
 * A request as both handlers see it. `url` may be a path, and lack the folder on which a framework has
 * mounted the relay.
 *
 * @typedef {{ method: string | undefined, url: string, header: (name: string) => string | null | undefined,
 *   }} Head
 */

/** @type {Answer} */
export const TAKEN = { status: 204, headers: { 'cache-control': 'no-store' } }
export const TOO_LARGE = refusal(413, `an exposure has at most ${MAX_BYTES} bytes`)
export const FULL = refusal(503, 'the relay is full or closed: try again', { 'retry-after': '10' })
export const ALREADY_READ_MESSAGE =
  'the body was read before the relay: mount the relay first, or leave the parsed body in request.body'
export const ALREADY_READ = refusal(500, ALREADY_READ_MESSAGE)

/** @param {Head} head */
export function asksForState({ url }) {
  return /(?:^|\/)state\.js$/.test(url.replace(/[?#].*/s, ''))
}

/**
 * @param {Head} head
 * @param {Serving} serving
 * @param {((work: Promise<unknown>) => void) | undefined} waitUntil
 * @returns {Promise<Answer>}
 */
export async function stateAnswer({ method, header }, serving, waitUntil) {
  if (method !== 'GET' && method !== 'HEAD')
    return refusal(405, 'state.js is read by GET', { allow: 'GET, HEAD' })
  await serving.ready(waitUntil)
  const { script } = serving.snapshot(header('user-agent'))
  return {
    status: 200,
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      // Anything that may be used again is shown by the back button after an experiment was paused.
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
    ...(method === 'GET' ? { body: script } : {}),
  }
}

/**
 * The answer to an exposure that can be given without reading its body.
 *
 * @param {Head} head
 * @param {Serving} serving
 * @returns {Answer | undefined}
 */
export function answerToHead(head, serving) {
  const { method, header } = head
  // Preflights too: no other origin is allowed to send.
  if (method !== 'POST') return refusal(405, 'exposures are sent by POST', { allow: 'POST' })
  if (isCrossSite(head, serving)) return refusal(403, 'exposures come from the site itself')
  if (Number(header('content-length') ?? 0) > MAX_BYTES) return TOO_LARGE
  return serving.isIgnored(header('user-agent')) ? TAKEN : undefined
}

/**
 * Whether a page of another site has sent a request. Browsers say so in `Sec-Fetch-Site`, but old ones do
 * not, nor any on http: for these the page's origin has to be the host that was asked, as a proxy or the
 * server saw it.
 *
 * @param {Head} head
 * @param {Serving} serving
 */
function isCrossSite({ header, url }, serving) {
  const site = header('sec-fetch-site')
  if (typeof site === 'string') return site === 'cross-site'
  const origin = header('origin')
  // Servers and tests send none.
  if (typeof origin !== 'string') return false
  const asked = [header('x-forwarded-host'), header('host'), header(':authority')]
    .flatMap((hosts) => (hosts ?? '').split(','))
    .map((host) => hostname(`http://${host.trim()}`))
  if ([...asked, hostname(url)].includes(hostname(origin) ?? 'null')) return false
  serving.noteForeignOrigin(origin)
  return true
}

/** @param {string} url */
function hostname(url) {
  return URL.canParse(url) ? new URL(url).hostname : undefined
}

/**
 * The exposure in a body, or the answer that refuses it. The media type is ignored, because a beacon is
 * `text/plain`.
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
 * @returns {unknown} undefined if it is not JSON
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
