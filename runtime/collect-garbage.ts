import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const LOOK_MS = 5_000
/** Share of the time in which the event loop had work. */
const QUIET = 0.05

/**
 * Collects the garbage of this thread once it is quiet after work, its start included. V8 collects when it
 * needs memory, so a quiet thread would keep the nursery of its busiest time: 20 MB each after a start.
 */
export function collectWhenQuiet(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const isQuietAgain = quietAfterWork()
  let before = performance.eventLoopUtilization()
  setInterval(() => {
    const now = performance.eventLoopUtilization()
    if (isQuietAgain(performance.eventLoopUtilization(now, before).utilization)) collect()
    before = now
  }, LOOK_MS).unref()
}

/** @returns whether a use of the event loop is the first quiet one after others */
export function quietAfterWork(): (utilization: number) => boolean {
  let hasWorked = true
  return (utilization) => {
    const isQuietAgain = hasWorked && utilization < QUIET
    hasWorked = utilization >= QUIET
    return isQuietAgain
  }
}
