// In which order long suites are begun, and whether there is time for one.

/** A machine may be slower than the one that was measured, and two suites run at a time. */
const SLACK = 1.5

/** The longest first; where time is short (`turn` is a number), from another third of the list with every turn, so that three turns begin with every suite. */
export function ordered(suites, secondsOf, turn) {
  if (turn === undefined) return [...suites].sort((a, b) => secondsOf(b) - secondsOf(a))
  const at = (turn * Math.ceil(suites.length / 3)) % Math.max(1, suites.length)
  return [...suites.slice(at), ...suites.slice(0, at)]
}

/**
 * Gives `{ suite, seed }` to run next: each of the suites that fits into the time that is left, with the seed of the run; then, where `again` holds suites, these in turn with
 * one more seed each, as long as any fits. Undefined when there is nothing more. `waiting()` are those that have not been begun.
 *
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
