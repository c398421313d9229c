/** @import { RelayFailure, RelayOptions } from './index.mjs' */

const CAPACITY = 10_000
const CLOSE_WITHIN_MS = 10_000

/**
 * The options with their defaults. A wrong option throws when the site starts, not at its first visitor.
 *
 * @param {RelayOptions} options
 */
export function readOptions({ ingestUrl, serverKey, capacity, closeWithinMs, ignoreCrawlers, onError }) {
  const base = baseOf(ingestUrl)
  return {
    eventsUrl: `${base}/v1/events`,
    servingUrl: `${base}/v1/serving`,
    serverKey: keyOf(serverKey),
    capacity: wholeNumber('capacity', capacity, CAPACITY),
    closeWithinMs: wholeNumber('closeWithinMs', closeWithinMs, CLOSE_WITHIN_MS),
    ignoreCrawlers: trueOrFalse('ignoreCrawlers', ignoreCrawlers, true),
    report: reporter(onError ?? writeLine),
  }
}

/** @param {unknown} text */
function baseOf(text) {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new TypeError('ingestUrl must be an http or https address, as https://ingest.example.com')
  if (url.username !== '' || url.search !== '' || url.hash !== '')
    throw new TypeError('ingestUrl must have no user, query or fragment')
  const base = url.href.replace(/\/+$/, '')
  if (base.endsWith('/v1')) throw new TypeError('ingestUrl must be without /v1')
  return base
}

/** @param {unknown} key */
function keyOf(key) {
  // The message must not show the key.
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key))
    throw new TypeError('serverKey must be the server key of the workspace')
  return key
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {number} otherwise
 */
function wholeNumber(name, value, otherwise) {
  if (value === undefined) return otherwise
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
    throw new TypeError(`${name} must be a whole number above 0`)
  return value
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {boolean} otherwise
 */
function trueOrFalse(name, value, otherwise) {
  if (value === undefined) return otherwise
  if (typeof value !== 'boolean') throw new TypeError(`${name} must be true or false`)
  return value
}

/**
 * An `onError` that throws must not stop the sending.
 *
 * @param {(failure: RelayFailure) => void} onError
 * @returns {(failure: RelayFailure) => void}
 */
function reporter(onError) {
  return (failure) => {
    try {
      onError(failure)
    } catch (error) {
      console.error('svc-relay: onError threw', error)
    }
  }
}

/** @param {RelayFailure} failure */
function writeLine({ message, lost }) {
  console.error(`svc-relay: ${message}${lost.length === 0 ? '' : ` (${lost.length} exposures are lost)`}`)
}
