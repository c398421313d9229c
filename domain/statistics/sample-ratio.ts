import { chiSquareTail } from './distributions.js'

export interface SampleRatio {
  readonly pValue: number
  readonly ok: boolean
}

/** Below this p-value the split counts as broken. */
const BROKEN_BELOW = 0.001

/**
 * Sample ratio test: chi-square over the arms with a weight above 0, which alone count in total and degrees
 * of freedom. p is 1 if no person was exposed or there is one such arm. Source: gbstats 0.8.0, `check_srm`.
 * Not ok either if a person is in an arm with weight 0.
 */
export function sampleRatio(
  arms: readonly { readonly exposed: number; readonly weight: number }[],
): SampleRatio {
  const weighted = arms.filter(({ weight }) => weight > 0)
  const total = weighted.reduce((sum, { exposed }) => sum + exposed, 0)
  const weights = weighted.reduce((sum, { weight }) => sum + weight, 0)
  const planned = arms.every(({ exposed, weight }) => weight > 0 || exposed === 0)
  if (total === 0 || weighted.length < 2) return { pValue: 1, ok: planned }
  const statistic = weighted.reduce((sum, { exposed, weight }) => {
    const expected = (weight / weights) * total
    return sum + (exposed - expected) ** 2 / expected
  }, 0)
  const pValue = chiSquareTail(statistic, weighted.length - 1)
  return { pValue, ok: planned && pValue >= BROKEN_BELOW }
}
