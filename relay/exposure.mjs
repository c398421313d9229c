/** @import { Exposure } from './index.mjs' */

/** The longest body of an exposure, in bytes: the longest ids, every character of them escaped, are half of it. */
export const MAX_BYTES = 8192

// The rules of the ingestion API, all of them: what it refused, it would refuse together with the rest of the batch.
const MAX_ANONYMOUS_ID = 255
const MAX_INSERT_ID = 200
const MAX_KEY = 64
const KEY = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
/** No NUL, and no surrogate without its pair. */
const ID = /^[^\0\ud800-\udfff]+$/u

/**
 * The exposure that a body holds, or a text that says why it holds none. Of other fields nothing is kept: a browser may say which variant its
 * visitor saw, and nothing else about anybody.
 *
 * @param {unknown} body parsed JSON
 * @param {string} timestamp
 * @returns {Exposure | string}
 */
export function exposureOf(body, timestamp) {
  if (!isObject(body)) return 'the body must be a JSON object'
  const { event, anonymousId, insertId, properties } = body
  if (event !== '$exposure') return 'event must be $exposure: nothing else is passed on'
  if (!isId(anonymousId, MAX_ANONYMOUS_ID))
    return `anonymousId must be a text of 1 to ${MAX_ANONYMOUS_ID} characters`
  if (!isId(insertId, MAX_INSERT_ID)) return `insertId must be a text of 1 to ${MAX_INSERT_ID} characters`
  if (!isObject(properties)) return 'properties must be an object'
  const { experiment, variant } = properties
  if (!isKey(experiment)) return 'properties.experiment must be the key of an experiment'
  if (!isKey(variant)) return 'properties.variant must be the key of a variant'
  return { event, anonymousId, insertId, properties: { experiment, variant }, timestamp }
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
 * @param {number} most
 * @returns {value is string}
 */
function isId(value, most) {
  return typeof value === 'string' && value.length <= most && ID.test(value)
}

/**
 * @param {unknown} value
 * @returns {value is string}
 */
function isKey(value) {
  return typeof value === 'string' && value.length <= MAX_KEY && KEY.test(value)
}
