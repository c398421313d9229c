import { agreement } from './lexicon/words.js'
import type { ChangedText, IdeaSurface, PastIdea } from './port.js'

const ENOUGH = 0.8
/** A shorter text of code that has moved may stand at many places. Characters without white space. */
const DISTINCT = 16

type Place = Pick<PastIdea, 'surfaces' | 'finds'>

/** Whether two experiments change the same place: one file, and the same anchor or none in one of them. */
const shareSurface = (a: readonly IdeaSurface[], b: readonly IdeaSurface[]): boolean =>
  a.some((one) =>
    b.some(
      (other) =>
        one.path === other.path &&
        (one.anchor === other.anchor || one.anchor === null || other.anchor === null),
    ),
  )

const sameAnchor = (a: readonly IdeaSurface[], b: readonly IdeaSurface[]): boolean =>
  a.some((one) => b.some((other) => one.path === other.path && one.anchor === other.anchor))

/** The same element and words, in whatever file. */
const sameElement = (a: readonly IdeaSurface[], b: readonly IdeaSurface[]): boolean =>
  a.some(({ anchor }) => anchor !== null && b.some((other) => other.anchor === anchor))

/** Whether none of an idea's code is where it was: it has moved, or somebody has changed it. */
const hasMoved = ({ finds = [] }: Place): boolean =>
  finds.length > 0 && finds.every((one) => one.isGone === true)

const haveCode = (a: Place, b: Place): boolean => (a.finds?.length ?? 0) > 0 && (b.finds?.length ?? 0) > 0

/**
 * Whether two ideas are of one place: their code tells, or if that is not known or has gone, their anchors.
 * `isWide`: an idea without code or anchor has its whole file.
 */
export function samePlace(a: Place, b: Place, isWide = false): boolean {
  if (haveCode(a, b) && changeSameText(a.finds ?? [], b.finds ?? [])) return true
  if (haveCode(a, b) && !hasMoved(a) && !hasMoved(b)) return false
  const anchored = hasMoved(a) || hasMoved(b) ? sameElement : sameAnchor
  return anchored(a.surfaces, b.surfaces) || (isWide && shareSurface(a.surfaces, b.surfaces))
}

const wordsAgree = (a: readonly string[], b: readonly string[]): boolean =>
  a.some((one) => b.some((other) => agreement(one, other) >= ENOUGH))

const isPlaceless = ({ surfaces, finds = [] }: Place): boolean => surfaces.length + finds.length === 0

/**
 * Whether two ideas are the same: one place and mechanism, or one place and alternatives that share most of
 * their words. Of an idea whose place is unknown or has gone, the words tell.
 */
export function isSameIdea(a: PastIdea, b: PastIdea): boolean {
  const isHere = samePlace(a, b)
  const isOpen = isPlaceless(a) || isPlaceless(b) || hasMoved(a) || hasMoved(b)
  return (
    (a.mechanism === b.mechanism && isHere) ||
    ((isHere || isOpen) && wordsAgree(a.alternatives, b.alternatives))
  )
}

/** The texts of the code that some edits replace. */
export const changedTexts = (
  files: readonly { readonly path: string; readonly edits: readonly { readonly find: string }[] }[],
): ChangedText[] => files.flatMap(({ path, edits }) => edits.map(({ find }) => ({ path, find })))

/**
 * Whether two ideas change one text of a file, or one a part of the other's, or the same element: both could
 * not be approved. Of code that is not in its file any more, the text tells in all files.
 */
export const changeSameText = (a: readonly ChangedText[], b: readonly ChangedText[]): boolean =>
  a.some((one) => b.some((other) => isOneText(one, other)))

function isOneText(a: ChangedText, b: ChangedText): boolean {
  const [one, other] = [squeezed(a.find), squeezed(b.find)]
  const isPart = one !== '' && other !== '' && (one.includes(other) || other.includes(one))
  if (a.isGone === true || b.isGone === true)
    return isPart && one.length >= DISTINCT && other.length >= DISTINCT
  return a.path === b.path && (isPart || (a.element !== undefined && a.element === b.element))
}

/** Code as it is before and after a formatter. */
export const squeezed = (code: string): string => code.replace(/[\s'"`;,()]+/g, '')
