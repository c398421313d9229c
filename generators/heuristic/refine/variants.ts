import type { CandidateVariant, Proposal } from '../../port.js'
import { evenly } from '../../shares.js'

const areEven = (variants: readonly CandidateVariant[]): boolean =>
  evenly(variants).every(({ trafficSplit }, index) => trafficSplit === variants[index]?.trafficSplit)

function inProportion(variants: readonly CandidateVariant[]): CandidateVariant[] {
  const sum = variants.reduce((total, { trafficSplit }) => total + trafficSplit, 0)
  if (sum === 0) return evenly(variants)
  const scaled = variants.map((one) => ({
    ...one,
    trafficSplit: Math.floor((one.trafficSplit * 100) / sum),
  }))
  const left = 100 - scaled.reduce((total, { trafficSplit }) => total + trafficSplit, 0)
  return scaled.map((one, index) => (index === 0 ? { ...one, trafficSplit: one.trafficSplit + left } : one))
}

/** The proposal without an alternative; the shares of the others stay even, or in their proportions. */
export function without(proposal: Proposal, key: string): Proposal {
  const left = proposal.variants.filter((one) => one.key !== key)
  return {
    ...proposal,
    variants: areEven(proposal.variants) ? evenly(left) : inProportion(left),
    files: proposal.files
      .map(({ path, edits }) => ({ path, edits: edits.filter(({ variant }) => variant !== key) }))
      .filter(({ edits }) => edits.length > 0),
  }
}

export const MOST_VARIANTS = 8

/** A key that no variant has, of one letter where one is left. */
export function freeKey({ variants }: Proposal): string {
  const letters = 'bcdefghijklmnopqrstuvwxyz'
  return [...letters].find((letter) => !variants.some(({ key }) => key === letter)) ?? `v${variants.length}`
}
