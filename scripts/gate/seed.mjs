import { randomInt } from 'node:crypto'

/** `TEST_SEED`, or one of this run's own. Every test that draws lots begins with it. */
export const firstSeed = () => Number(process.env.TEST_SEED ?? randomInt(1, 2 ** 31 - 1))
