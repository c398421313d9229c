import { insertAt } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, type Element, elementsIn, given, isInCode, wordsIn } from '../../markup/tree.js'
import {
  anchorOf,
  bare,
  hrefOf,
  isButton,
  isHeading,
  labelOf,
  lineBreakBefore,
  sourceOf,
} from '../../surface.js'
import { COMMITS } from '../../words/phrases.js'
import { standsAlong } from '../act/along.js'
import { indented, standing } from '../act/standing.js'
import { CALLS } from '../act/ways.js'
import { commitButton, goalOf, inFrame } from '../evidence/repeat-beside.js'
import { CALL, partName } from './blocks.js'

const LONGEST = 5_500

/** Parts in which something is filled in or chosen. */
const ASKS = /form\b|formular|kalender|calendar|calendly|booking|scheduler|termin|reserv|newsletter|anfrage/i

/**
 * A page that asks once, at its top, and ends without asking again: its own button stands once more at the end of the last section. Not on short pages, nor
 * where the last section has a button or a form, or where code shows it to others than the button.
 */
export function* askAgain(view: View): Generator<Idea> {
  const { page, forms } = view
  const button = commitButton(view)
  if (button === null || forms.length > 0 || given(button, 'id') !== null) return
  const label = labelOf(button)
  if (label === null || !isAct(label.value)) return
  const all = [...elementsIn(page.root)]
  const sectionsOf = blocksOf(all)
  const last = sectionsOf.at(-1)
  if (last === undefined || sectionsOf.length < 4 || last.start < button.end) return
  if (isInCode(last) || [...elementsIn(last)].some((one) => isButton(one) || ASKS.test(partName(one)))) return
  // Where it leads to the end of the page, that is where one is.
  const to = hrefOf(button)
  if (
    to !== null &&
    /^#./.test(to) &&
    [last, ...elementsIn(last)].some((one) => `#${given(one, 'id')}` === to)
  )
    return
  const others = all.filter(
    (one) =>
      one !== button && isButton(one) && bare(wordsIn(one)) === bare(label.value) && one.start > button.end,
  )
  if (others.some((one) => one.start > (sectionsOf[1]?.start ?? 0))) return
  // A part that calls for it by itself does.
  if (
    all.some((one) => one.start > button.end && (CALL.test(partName(one)) || given(one, 'ctatext') !== null))
  )
    return
  const holder = lastIn(last)
  if (holder === undefined || holder.end - holder.start > LONGEST) return
  if (!standsAlong(page, holder, button)) return
  const own = sourceOf(page, button)
  if (own.length > 800) return
  const stands = standing(
    page,
    holder,
    { path: page.path, followsText: false },
    { source: own, hasSpace: false },
  )
  const source = stands ?? own
  const gap = lineBreakBefore(page, holder)
  yield {
    mechanism: 'friction',
    pattern: 'ask-again-at-end',
    name: `Ask again at the end of the page: “${label.value}”`,
    anchor: anchorOf(last),
    topics: ['call to action', 'sections', label.value],
    arms: [
      {
        name: `“${label.value}” once more`,
        changes: [insertAt(holder.end, indented(gap, source), holder)],
        says: label.value,
      },
    ],
    audience: 'visitors who read the page to its end',
    change: `showing its own button “${label.value}” once more at the end of the last section`,
    because: 'who is convinced at the end need not go back up to act',
    goal: goalOf(view),
    // The copy alone would win by being there.
    when: `“${label.value}” is pressed, wherever on the page it stands, in all variants`,
    // A bar may go along with it, and what stands at the end may ask in words of its own.
    effect: 2,
  }
}

/** What stands last in a section, within what only gives it its width and space. */
function lastIn(section: Element): Element | undefined {
  const all = section.children.filter((one) => one.kind === 'element' || one.value.trim() !== '')
  const [only, ...more] = all
  if (more.length === 0 && only?.kind === 'element' && only.tag === 'div' && elementsIn(only).some(isHeading))
    return lastIn(only)
  return all.findLast((one): one is Element => one.kind === 'element' && !isHeading(one))
}

const isAct = (label: string): boolean =>
  CALLS.test(label) || (COMMITS.test(label) && label.split(' ').length <= 3 && !/ing\b/.test(label))
/** The parts that a page falls into: its sections, or the most parts beside each other that each have a heading or many words. */
function blocksOf(all: readonly Element[]): Element[] {
  const isPart = (one: Element): boolean => wordsIn(one).length > 80 && !inFrame(one)
  const own = all.filter(
    (one) => one.tag === 'section' && isPart(one) && ![...above(one)].some(({ tag }) => tag === 'section'),
  )
  if (own.length >= 4) return own
  const rows = all
    .filter(({ tag }) => /^(div|main|body|)$/.test(tag))
    .map((one) =>
      one.children.filter(
        (child): child is Element =>
          child.kind === 'element' &&
          child.tag === 'div' &&
          isPart(child) &&
          elementsIn(child).some(isHeading),
      ),
    )
  return rows.sort((a, b) => b.length - a.length)[0] ?? []
}
