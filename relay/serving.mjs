import { createAsker } from './asker.mjs'
import { isCrawler } from './crawler.mjs'
import { snapshotsOf } from './snapshots.mjs'
import { createWarnings } from './warnings.mjs'

/** @import { RelayFailure } from './index.mjs' */

/** From the start of one question to the start of the next. */
const POLL_MS = 3_000
/** After the first, second, third and every later failure in a row. */
const RETRY_MS = [500, 1_000, 2_000, 3_000]
/**
 * How long a request waits at most: for the first answer after a start, or for any where there are no timers.
 */
const HOLD_MS = 1_000
/**
 * Without timers: an answer is used as it is up to FRESH_MS, and up to STALE_MS while the relay asks again.
 */
const FRESH_MS = 2_000
const STALE_MS = 5_000
/** Without timers: no request waits for so long after a failure. */
const FAILURE_MS = 30_000

/** @typedef {ReturnType<typeof createServing>} Serving */

/**
 * Knows which experiments are served. Asks svc by itself once `start` is called, or within requests.
 *
 * @param {{
 *   servingUrl: string,
 *   serverKey: string,
 *   ignoreCrawlers: boolean,
 *   report: (failure: RelayFailure) => void,
 * }} options
 */
export function createServing(options) {
  // Monotonic: setting the machine's clock must not make a state look old.
  const now = () => performance.now()
  const warnings = createWarnings(options.report, now)
  const unknown = snapshotsOf(null)
  let known = unknown
  const current = () => (asker.isTrusted() ? known : unknown)
  let release = () => {}
  const asker = createAsker(options, now, (state) => {
    const next = state === undefined ? known : snapshotsOf(state)
    // The same object for as long as nothing changes.
    const after = next.people.script === known.people.script ? known : next
    warnings.noteContact(known.people.state, after.people.state)
    known = after
    release()
  })
  const polling = createPolling(asker)
  /** @type {Promise<void> | undefined} */
  let held

  const start = () => {
    held ??= /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        warnings.noteStart()
        asker.nameItself()
        release = resolve
        setTimeout(resolve, HOLD_MS)
        void polling.run()
      })
    )
    return held
  }

  /** @param {string | null | undefined} userAgent */
  const isIgnored = (userAgent) => options.ignoreCrawlers && isCrawler(userAgent)

  return {
    start,
    isIgnored,
    noteForeignOrigin: warnings.noteForeignOrigin,
    /**
     * Resolves when the state can be used: at once but for the second after a start, and without timers when
     * it is old.
     *
     * @param {((work: Promise<unknown>) => void) | undefined} waitUntil of a runtime without timers
     */
    async ready(waitUntil) {
      warnings.noteUse()
      if (polling.isStopped()) return
      await (waitUntil === undefined ? start() : refreshWithin(asker, waitUntil))
    },
    /** @param {string | null | undefined} userAgent */
    snapshot(userAgent) {
      warnings.noteUse()
      return isIgnored(userAgent) ? current().crawlers : current().people
    },
    /** @param {string} experiment */
    noteExposure: (experiment) => warnings.noteExposure(experiment, current().people.state),
    stop() {
      polling.stop()
      release()
    },
  }
}

/** @typedef {ReturnType<typeof createAsker>} Asker */

/** @param {Asker} asker */
function createPolling(asker) {
  let isStopped = false
  let wake = () => {}
  /** @param {number} ms */
  const pause = (ms) =>
    /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
        // A process may end while the relay polls. Timers are numbers in some runtimes.
        if (typeof timer === 'object') timer.unref()
      })
    )
  return {
    isStopped: () => isStopped,
    async run() {
      while (!isStopped) {
        await asker.ask()
        if (isStopped) return
        const retry = RETRY_MS[Math.min(asker.failures(), RETRY_MS.length) - 1]
        await pause(retry ?? Math.max(0, POLL_MS - asker.sinceAsked()))
      }
    },
    stop() {
      isStopped = true
      wake()
    },
  }
}

/**
 * @param {Asker} asker
 * @param {(work: Promise<unknown>) => void} waitUntil
 */
async function refreshWithin(asker, waitUntil) {
  const age = asker.sinceContact()
  if (age <= FRESH_MS) return
  if (age <= STALE_MS || asker.sinceFailure() <= FAILURE_MS) {
    if (asker.sinceAsked() > FRESH_MS) waitUntil(asker.ask())
    return
  }
  // Not shared with other requests: an edge runtime lets no request wait for what another one has opened.
  const asking = asker.ask()
  waitUntil(asking)
  await Promise.race([asking, new Promise((resolve) => setTimeout(resolve, HOLD_MS))])
}
