import type { CandidateVariant } from './port.js'

/** Whole percents that add up to 100; what is left over goes to the control, which is first. */
export function evenly(variants: readonly CandidateVariant[]): CandidateVariant[] {
  const share = Math.floor(100 / variants.length)
  return variants.map((one, index) => ({
    ...one,
    trafficSplit: index === 0 ? 100 - share * (variants.length - 1) : share,
  }))
}
