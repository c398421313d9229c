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

export const MAX_VARIANTS = 8

/** A key that no variant has, of one letter where one is left. */
export function freeKey({ variants }: Proposal): string {
  const letters = 'bcdefghijklmnopqrstuvwxyz'
  return [...letters].find((letter) => !variants.some(({ key }) => key === letter)) ?? `v${variants.length}`
}

/** The proposal with an alternative that is one of the others so far. */
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

const WITHOUT = /^Without /

/** What is left of a proposal, whose name and hypothesis no longer speak of the alternatives that went. */
export function unspoken(
  before: Proposal,
  left: Proposal,
  gone: readonly { key: string; words: readonly string[] }[],
): Proposal {
  const [first] = left.variants.filter(({ isControl }) => !isControl)
  const nameOf = (key: string): string => before.variants.find((one) => one.key === key)?.displayName ?? ''
  const quiet = (text: string): string =>
    gone.reduce((said, { key, words }) => {
      const name = nameOf(key)
      const own = said.replace(new RegExp(` Variant ${key} says “[^”]*”\\.`, 'g'), '')
      const [lead] = words
      const quoted = [name, ...words].map((one) => `“${one}”`)
      const listed = (name.includes('“') ? [name, ...quoted] : quoted).reduce(
        (now, one) => now.replaceAll(` or ${one}`, '').replaceAll(`${one} or `, ''),
        own,
      )
      // What is left asks for more: of what is left out it is a part.
      const asks = first?.displayName ?? ''
      return WITHOUT.test(name) && WITHOUT.test(asks)
        ? listed.replaceAll(name.replace(WITHOUT, ''), asks.replace(WITHOUT, ''))
        : [name, lead ?? name].reduce((now, one) => now.replaceAll(`“${one}”`, `“${asks}”`), listed)
    }, text)
  return { ...left, name: quiet(before.name), hypothesis: quiet(before.hypothesis) }
}
