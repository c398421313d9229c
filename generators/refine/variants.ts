import { evenly } from '../even-split.js'
import type { CandidateVariant, Proposal } from '../port.js'

export const MAX_VARIANTS = 8

/** The proposal without an alternative, with even shares for the others. */
export function without(proposal: Proposal, key: string): Proposal {
  return {
    ...proposal,
    variants: evenly(proposal.variants.filter((one) => one.key !== key)),
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
