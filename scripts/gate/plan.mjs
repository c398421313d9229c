// The order of long suites, and whether there is time for one.

/** A machine may be slower than the one that was measured, and two suites run at a time. */
const SLACK = 1.5

/**
 * Longest first. With a time limit (`turn` is a number) it starts at another third of the list each turn, so
 * that three turns start every suite.
 */
export function ordered(suites, secondsOf, turn) {
  if (turn === undefined) return [...suites].sort((a, b) => secondsOf(b) - secondsOf(a))
  const at = (turn * Math.ceil(suites.length / 3)) % Math.max(1, suites.length)
  return [...suites.slice(at), ...suites.slice(0, at)]
}

/**
 * Returns `{ suite, seed }` to run next: each suite that fits into the remaining time, with the run's seed;
 * then the suites of `again` in turn, each time with another seed, while any fits. Undefined at the end.
 * `waiting()` returns the suites that have not started.
 * @param left seconds
 */
export function createPlan({ suites, again, secondsOf, left, seed }) {
  const waiting = [...suites]
  const fits = (suite) => secondsOf(suite) * SLACK <= left()
  let turns = 0
  let last = seed
  return {
    waiting: () => waiting,
    next() {
      const at = waiting.findIndex(fits)
      if (at >= 0) return { suite: waiting.splice(at, 1)[0], seed }
      const fitting = again.filter(fits)
      const suite = fitting[turns++ % Math.max(1, fitting.length)]
      return suite === undefined ? undefined : { suite, seed: ++last }
    },
  }
}
