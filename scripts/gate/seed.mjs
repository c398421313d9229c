import { randomInt } from 'node:crypto'

/** `TEST_SEED`, or a seed of this run. Every randomised test starts with it. */
export const firstSeed = () => Number(process.env.TEST_SEED ?? randomInt(1, 2 ** 31 - 1))
