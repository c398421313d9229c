import { evenly } from '../even-split.js'
import type { CandidateVariant, Proposal } from '../port.js'

export const MAX_VARIANTS = 8

const areEven = (variants: readonly CandidateVariant[]): boolean =>
  evenly(variants).every(({ trafficSplit }, index) => trafficSplit === variants[index]?.trafficSplit)

function inProportion(variants: readonly CandidateVariant[]): CandidateVariant[] {
  const sum = variants.reduce((total, { trafficSplit }) => total + trafficSplit, 0)
  if (sum === 0) return evenly(variants)
  const scaled = variants.map((one) => ({ ...one, trafficSplit: Math.floor((one.trafficSplit * 100) / sum) }))
  const left = 100 - scaled.reduce((total, { trafficSplit }) => total + trafficSplit, 0)
  return scaled.map((one, index) => (index === 0 ? { ...one, trafficSplit: one.trafficSplit + left } : one))
}

/** The proposal without an alternative. The shares of the others stay even, or in their proportions. */
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

/** A key that no variant has, of one letter if one is left. */
export function freeKey({ variants }: Proposal): string {
  const letters = 'bcdefghijklmnopqrstuvwxyz'
  return [...letters].find((letter) => !variants.some(({ key }) => key === letter)) ?? `v${variants.length}`
}

/** The proposal with one more alternative, which is a copy of another one. */
export const withCopy = (
  proposal: Proposal,
  of: string,
  { key, displayName }: Pick<CandidateVariant, 'key' | 'displayName'>,
): Proposal => ({
  ...proposal,
  variants: [...proposal.variants, { key, displayName, trafficSplit: 0, isControl: false }],
  files: proposal.files.map(({ path, edits }) => ({
    path,
    edits: [
      ...edits,
      ...edits.filter(({ variant }) => variant === of).map((edit) => ({ ...edit, variant: key })),
    ],
  })),
})
