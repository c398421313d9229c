import type { CandidateVariant } from './port.js'

/** Even shares in whole percents that add up to 100. The control, which is first, gets the remainder. */
export function evenly(variants: readonly CandidateVariant[]): CandidateVariant[] {
  const share = Math.floor(100 / variants.length)
  return variants.map((one, index) => ({
    ...one,
    trafficSplit: index === 0 ? 100 - share * (variants.length - 1) : share,
  }))
}
