import { assignedIn } from './snapshots.mjs'

/** @import { RelayFailure, ServingState } from './index.mjs' */

/** Pages that were open when the state changed still send exposures for a while. */
const GRACE_MS = 30_000
const STALE_REPORT_INTERVAL_MS = 60 * 60_000
/** If no page asks for the state for this long, pages probably cannot reach it. */
const UNUSED_MS = 10 * 60_000
/** The same while exposures arrive. Allows for open pages that an earlier process served before a deploy. */
const UNUSED_WITH_EXPOSURES_MS = 60_000

/**
 * Reports mistakes in how a site has mounted the relay or caches its state. Times are monotonic milliseconds.
 *
 * @param {(failure: RelayFailure) => void} report
 * @param {() => number} now
 */
export function createWarnings(report, now) {
  /** @type {number | undefined} */
  let startedAt
  /** @type {number | undefined} */
  let firstContactAt
  /**
   * When an experiment that had been served was first missing.
   *
   * @type {Map<string, number>}
   */
  const goneAt = new Map()
  let staleReportedAt = Number.NEGATIVE_INFINITY
  let isUsed = false
  let isUnusedReported = false
  let isOriginReported = false

  /** @param {string} message */
  const warn = (message) => report({ message, status: null, lost: [] })

  /**
   * @param {string} what
   * @param {number} after
   */
  const warnUnused = (what, after) => {
    if (isUsed || isUnusedReported || startedAt === undefined || now() - startedAt < after) return
    isUnusedReported = true
    warn(`${what}, but no page has asked for state.js: mount the relay on the whole folder, as /_svc`)
  }

  return {
    /** @param {string} origin */
    noteForeignOrigin(origin) {
      if (isOriginReported) return
      isOriginReported = true
      const advice = 'if this is the site, let its proxy pass on Host or X-Forwarded-Host'
      warn(`refused an exposure from ${origin.slice(0, 200)}: ${advice}`)
    },
    /** The relay has begun to poll svc. A relay without timers never warns: it is too short-lived to know. */
    noteStart() {
      startedAt = now()
    },
    /** A page or the site's server has asked for the state. */
    noteUse() {
      isUsed = true
    },
    /**
     * svc has answered.
     *
     * @param {ServingState | null} before
     * @param {ServingState | null} after
     */
    noteContact(before, after) {
      firstContactAt ??= now()
      if (before !== after) {
        for (const key of assignedIn(before)) goneAt.set(key, now())
        for (const key of assignedIn(after)) goneAt.delete(key)
      }
      if (assignedIn(after).length > 0) warnUnused('experiments are running', UNUSED_MS)
    },
    /**
     * At most one report an hour for all experiments together, because anybody can send exposures of any key.
     *
     * @param {string} experiment
     * @param {ServingState | null} state
     */
    noteExposure(experiment, state) {
      warnUnused('exposures arrive', UNUSED_WITH_EXPOSURES_MS)
      if (state === null || state.experiments[experiment] === true) return
      const at = now()
      const gone = goneAt.get(experiment) ?? firstContactAt ?? at
      if (at - gone <= GRACE_MS || at - staleReportedAt < STALE_REPORT_INTERVAL_MS) return
      staleReportedAt = at
      warn(`a page still shows ${experiment}, which svc no longer serves: let no cache keep state.js`)
    },
  }
}
