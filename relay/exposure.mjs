/** @import { Exposure } from './index.mjs' */

/** Longest body in bytes: twice an exposure with the longest ids, every character escaped. */
export const MAX_BYTES = 8192

// The ingestion API's own rules. An exposure that breaks them would be refused with its whole batch.
const MAX_ANONYMOUS_ID = 255
const MAX_INSERT_ID = 200
const MAX_KEY = 64
const KEY = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
/** No NUL, and no surrogate without its pair. */
const ID = /^[^\0\ud800-\udfff]+$/u

/**
 * The exposure in a body, or the reason why there is none. Other fields are dropped: a browser may report the
 * variant of its visitor and nothing else.
 *
 * @param {unknown} body parsed JSON
 * @param {string} timestamp
 * @returns {Exposure | string}
 */
export function exposureOf(body, timestamp) {
  if (!isObject(body)) return 'the body must be a JSON object'
  const { event, anonymousId, properties } = body
  if (event !== '$exposure') return 'event must be $exposure: other events are not passed on'
  if (!isId(anonymousId)) return `anonymousId must be a text of 1 to ${MAX_ANONYMOUS_ID} characters`
  if (!isObject(properties)) return 'properties must be an object'
  const { experiment, variant } = properties
  if (!isKey(experiment)) return 'properties.experiment must be the key of an experiment'
  if (!isKey(variant)) return 'properties.variant must be the key of a variant'
  const insertId = insertIdOf(experiment, variant, anonymousId)
  return { event, anonymousId, insertId, properties: { experiment, variant }, timestamp }
}

/**
 * Fixed by experiment, variant and visitor, so that an exposure counts once however often it is sent. Never
 * what the browser sends: with the id of another event it could keep that event from being stored.
 *
 * @param {string} experiment
 * @param {string} variant
 * @param {string} visitor
 */
function insertIdOf(experiment, variant, visitor) {
  const fixed = `$exposure:${experiment}:${variant}:${visitor}`
  if (fixed.length <= MAX_INSERT_ID) return fixed
  return `$exposure:${[0, 1, 2, 3, 4, 5].map((n) => fnv1a(n + fixed)).join(':')}`
}

/** @param {string} text */
function fnv1a(text) {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * @param {unknown} value
 * @returns {value is string}
 */
function isId(value) {
  return typeof value === 'string' && value.length <= MAX_ANONYMOUS_ID && ID.test(value)
}

/**
 * @param {unknown} value
 * @returns {value is string}
 */
function isKey(value) {
  return typeof value === 'string' && value.length <= MAX_KEY && KEY.test(value)
}
