import { randomInt } from 'node:crypto'
import fc from 'fast-check'

/**
 * Whether a file runs as a whole, and not only the part of it that fits into `npm test`: the long tier sets
 * it.
 */
export const LONG = process.env.TEST_LONG === '1'

/** What all lots of a run are drawn from. The test run makes one and prints it; `TEST_SEED` repeats it. */
export const SEED = Number(process.env.TEST_SEED ?? randomInt(1, 2 ** 31 - 1))

fc.configureGlobal({ seed: SEED })

/**
 * How many cases to try: as many as `npm test` has the time for, and in the long tier ten times that, or what
 * is said.
 */
export function cases(usual: number, long = 10 * usual): number {
  return LONG ? long : usual
}
