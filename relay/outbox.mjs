import { deliver } from './deliver.mjs'
import { ANSWER_WITHIN_MS } from './send.mjs'

/** @import { Exposure, RelayFailure } from './index.mjs' */
/** @import { Outcome } from './send.mjs' */

const BATCH = 500
/** How long the first exposure of a batch waits for others. */
const GATHER_MS = 100
/** The least time of an attempt, also shortly before the end of `close`. */
const SHORTEST_ATTEMPT_MS = 1_000

/**
 * Holds exposures in memory until ingestion has them, up to the capacity. Sends one batch at a time, in order
 * of arrival.
 *
 * @param {{ capacity: number, closeWithinMs: number, send: (events: readonly Exposure[], withinMs: number) =>
 *   Promise<Outcome>, report: (failure: RelayFailure) => void, }} options
 */
export function createOutbox({ capacity, closeWithinMs, send, report }) {
  /** @type {Exposure[]} */
  let waiting = []
  let onTheirWay = 0
  /** @type {Promise<void> | undefined} */
  let running
  /** @type {number | undefined} */
  let closeAt
  /** Ends the current pause. */
  let wake = () => {}

  /** @param {number} ms */
  const pause = (ms) =>
    /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        // Not unref'd: a process that ends by itself still sends what it holds.
        const timer = setTimeout(resolve, closeAt === undefined ? ms : Math.min(ms, closeAt - Date.now()))
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    )
  const isOver = () => closeAt !== undefined && Date.now() >= closeAt
  /** @param {readonly Exposure[]} events */
  const sendInTime = (events) => {
    const left = closeAt === undefined ? ANSWER_WITHIN_MS : closeAt - Date.now()
    return send(events, Math.min(ANSWER_WITHIN_MS, Math.max(SHORTEST_ATTEMPT_MS, left)))
  }

  const run = async () => {
    if (waiting.length < BATCH && closeAt === undefined) await pause(GATHER_MS)
    while (waiting.length > 0 && !isOver()) {
      const batch = waiting.slice(0, BATCH)
      waiting = waiting.slice(BATCH)
      onTheirWay = batch.length
      await deliver(batch, { send: sendInTime, pause, isOver, report })
      onTheirWay = 0
    }
    if (waiting.length > 0) report({ message: 'closed before all was sent', status: null, lost: waiting })
    waiting = []
    running = undefined
  }

  return {
    /**
     * Accepts an exposure; false if the outbox is full or closed.
     *
     * @param {Exposure} exposure
     */
    take(exposure) {
      if (closeAt !== undefined || waiting.length + onTheirWay >= capacity) return false
      waiting.push(exposure)
      if (running === undefined) running = run()
      else if (waiting.length === BATCH && onTheirWay === 0) wake()
      return true
    },
    async close() {
      closeAt ??= Date.now() + closeWithinMs
      wake()
      await running
    },
  }
}
