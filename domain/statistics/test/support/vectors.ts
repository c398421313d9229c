import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../../runtime/package-root.js'
import type { Moments } from '../../moments.js'

/**
 * Figures that gbstats computes for two arms (test/vectors/make-gbstats.py), `null` if it cannot compute one.
 */
export interface Figures {
  readonly lift: number
  readonly liftCi: readonly [number, number]
  readonly pValue: number
  /** The p-value as scipy's own tail. */
  readonly tail: number
  readonly sequentialCi: readonly [number, number]
  readonly sequentialPValue: number
  readonly chanceToWin: number
  readonly risk: number | null
  readonly chanceToWinDecrease: number
  readonly riskDecrease: number | null
}

type MomentsRow = [
  n: number,
  mean: number,
  variance: number,
  meanBefore: number,
  varianceBefore: number,
  covariance: number,
]

type Line =
  | [kind: 'proportion', n: number, sum: number, n: number, sum: number, figures: Figures | null]
  | [kind: 'mean', control: MomentsRow, variant: MomentsRow, plain: Figures | null, adjusted: Figures | null]
  | [kind: 'split', users: number[], weights: number[], pValue: number]

export function readVectors(): Line[] {
  return readFileSync(join(packageRoot(), 'test', 'vectors', 'gbstats.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}

export function momentsOf(row: MomentsRow, withBefore: boolean): Moments {
  const [n, mean, variance, meanBefore, varianceBefore, covariance] = row
  const plain = { n, mean, variance }
  return withBefore ? { ...plain, before: { mean: meanBefore, variance: varianceBefore, covariance } } : plain
}
