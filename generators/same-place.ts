import { agreement } from './lexicon/words.js'
import type { ChangedText, IdeaSurface, PastIdea } from './port.js'

const ENOUGH = 0.8

/** Whether two experiments change the same place: one file, and the same anchor or none in one of them. */
export const shareSurface = (a: readonly IdeaSurface[], b: readonly IdeaSurface[]): boolean =>
  a.some((one) =>
    b.some(
      (other) =>
        one.path === other.path &&
        (one.anchor === other.anchor || one.anchor === null || other.anchor === null),
    ),
  )

const sameAnchor = (a: readonly IdeaSurface[], b: readonly IdeaSurface[]): boolean =>
  a.some((one) => b.some((other) => one.path === other.path && one.anchor === other.anchor))

export const wordsAgree = (a: readonly string[], b: readonly string[]): boolean =>
  a.some((one) => b.some((other) => agreement(one, other) >= ENOUGH))

/**
 * Whether two ideas are the same: one place and mechanism, or alternatives that share most of their words.
 */
export const isSameIdea = (a: PastIdea, b: PastIdea): boolean =>
  (a.mechanism === b.mechanism && sameAnchor(a.surfaces, b.surfaces)) ||
  wordsAgree(a.alternatives, b.alternatives)

/** The texts of the code that some edits replace. */
export const changedTexts = (
  files: readonly { readonly path: string; readonly edits: readonly { readonly find: string }[] }[],
): ChangedText[] => files.flatMap(({ path, edits }) => edits.map(({ find }) => ({ path, find })))

/** Whether two ideas change one text of a file, or one a part of the other's: both could not be approved. */
export const changeSameText = (a: readonly ChangedText[], b: readonly ChangedText[]): boolean =>
  a.some((one) =>
    b.some(
      (other) => one.path === other.path && (other.find.includes(one.find) || one.find.includes(other.find)),
    ),
  )
