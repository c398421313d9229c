import { agreement } from './lexicon/words.js'
import type { PastIdea, Surface } from './port.js'

const ENOUGH = 0.8

/** Whether two experiments would change one place: the same file and anchor, or one file where one of them names no anchor. */
export const shareSurface = (a: readonly Surface[], b: readonly Surface[]): boolean =>
  a.some((one) =>
    b.some(
      (other) =>
        one.path === other.path &&
        (one.anchor === other.anchor || one.anchor === null || other.anchor === null),
    ),
  )

const sameAnchor = (a: readonly Surface[], b: readonly Surface[]): boolean =>
  a.some((one) => b.some((other) => one.path === other.path && one.anchor === other.anchor))

export const wordsAgree = (a: readonly string[], b: readonly string[]): boolean =>
  a.some((one) => b.some((other) => agreement(one, other) >= ENOUGH))

/** The same file and anchor with the same mechanism, or alternatives whose words agree by four fifths. */
export const isSameIdea = (a: PastIdea, b: PastIdea): boolean =>
  (a.mechanism === b.mechanism && sameAnchor(a.surfaces, b.surfaces)) ||
  wordsAgree(a.alternatives, b.alternatives)
