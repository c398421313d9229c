import { randomInt } from 'node:crypto'
import fc from 'fast-check'

/**
 * Whether a file runs as a whole, and not only the part of it that fits into `npm test`: the long tier sets
 * it.
 */
export const LONG = process.env.TEST_LONG === '1'

/** Seed of all random cases of a run. The test run makes one and prints it; `TEST_SEED` repeats it. */
export const SEED = Number(process.env.TEST_SEED ?? randomInt(1, 2 ** 31 - 1))

fc.configureGlobal({ seed: SEED })

/** Number of cases to try: `usual` in `npm test`, `long` in the long tier. */
export function cases(usual: number, long = 10 * usual): number {
  return LONG ? long : usual
}

/** Fails a test. Two separators of lines are escaped, because tap drops a failure with one in its name. */
export function failWith(details: string, t: { fail(name: string): void }): void {
  t.fail(details.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029'))
}
