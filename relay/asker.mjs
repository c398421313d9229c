import { fetchState } from './fetch-state.mjs'

/** @import { RelayFailure, ServingState } from './index.mjs' */

/** How long the last state is served while svc cannot be reached. */
const TRUST_MS = 60 * 60_000

/**
 * Asks svc for the serving state, and remembers how that went. Times are monotonic milliseconds.
 *
 * @param {{ servingUrl: string, serverKey: string, report: (failure: RelayFailure) => void }} options
 * @param {() => number} now
 * @param {(state: ServingState | undefined) => void} onContact undefined: svc says that nothing has changed
 */
export function createAsker({ servingUrl, serverKey, report }, now, onContact) {
  /** @type {string | undefined} */
  let etag
  /** @type {string | undefined} */
  let relay
  let contactAt = Number.NEGATIVE_INFINITY
  let askedAt = Number.NEGATIVE_INFINITY
  let failedAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let isDistrustReported = false
  let asked = 0
  let applied = 0

  const isTrusted = () => now() - contactAt <= TRUST_MS

  /**
   * Reports the first of consecutive failures, and once that the last state is too old to be served.
   *
   * @param {string} message
   * @param {number | null} status
   */
  const noteFailure = (message, status) => {
    failedAt = now()
    if (++failures === 1) report({ message, status, lost: [] })
    if (isDistrustReported || isTrusted() || contactAt === Number.NEGATIVE_INFINITY) return
    isDistrustReported = true
    report({ message: 'svc has not answered for an hour: pages show the control', status: null, lost: [] })
  }

  return {
    isTrusted,
    failures: () => failures,
    sinceContact: () => now() - contactAt,
    sinceAsked: () => now() - askedAt,
    sinceFailure: () => now() - failedAt,
    /**
     * Makes a name for this relay, so that svc can tell a silent one from the others. Isolates of an edge
     * runtime live too briefly: they share the name of their key.
     */
    nameItself: () => {
      relay = crypto.randomUUID()
    },
    /** Asks once. Never rejects. */
    async ask() {
      askedAt = now()
      const turn = ++asked
      const answer = await fetchState({ servingUrl, serverKey, etag, relay })
      // Without timers several requests ask at once, and an older answer may come last.
      if (turn < applied) return
      applied = turn
      if (answer.kind === 'failed') {
        noteFailure(answer.message, answer.status)
        return
      }
      failures = 0
      isDistrustReported = false
      contactAt = now()
      if (answer.kind === 'changed') etag = answer.etag
      onContact(answer.kind === 'changed' ? answer.state : undefined)
    },
  }
}
