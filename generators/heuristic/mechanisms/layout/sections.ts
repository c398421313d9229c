import { insertAt } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, besides, type Element, elementsIn, given, isInCode, wordsIn } from '../../markup/tree.js'
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
import { indented, standing } from '../act/standing.js'
import { CALLS } from '../act/ways.js'
import { commitButton, goalOf, goalOfWay, inFrame } from '../evidence/repeat-beside.js'
import { OPENING, partName } from './blocks.js'
import { SECONDARY } from './default-choice.js'

export function* sections(view: View): Generator<Idea> {
  yield* mainButtonFirst(view)
  yield* askAgain(view)
}

const LONGEST = 5_500

/**
 * A page that asks once, at its top, and ends without asking again: its own button stands once more at the end of the last section. Not on short pages, nor
 * where the last section has a button or a form.
 */
function* askAgain(view: View): Generator<Idea> {
  const { page, forms } = view
  const button = commitButton(view)
  if (button === null || forms.length > 0 || given(button, 'id') !== null) return
  const label = labelOf(button)
  if (label === null || !isAct(label.value)) return
  const all = [...elementsIn(page.root)]
  const sectionsOf = blocksOf(all)
  const last = sectionsOf.at(-1)
  if (last === undefined || sectionsOf.length < 4 || last.start < button.end) return
  if (isInCode(last) || [...elementsIn(last)].some((one) => isButton(one))) return
  const others = all.filter(
    (one) =>
      one !== button && isButton(one) && bare(wordsIn(one)) === bare(label.value) && one.start > button.end,
  )
  if (others.some((one) => one.start > (sectionsOf[1]?.start ?? 0))) return
  const holder = last.children.findLast((one): one is Element => one.kind === 'element' && !isHeading(one))
  if (holder === undefined || holder.end - holder.start > LONGEST) return
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
    // Where a bar goes along with it, or its look at the end is not known, it is not worth much.
    effect: stands === null || isInBar(view, hrefOf(button)) ? 2 : 3,
  }
}

const isAct = (label: string): boolean =>
  CALLS.test(label) || (COMMITS.test(label) && label.split(' ').length <= 3 && !/ing\b/.test(label))

/** Whether a bar that is on every page leads there too, on screens of all widths. */
const isInBar = ({ site }: View, to: string | null): boolean =>
  site === null || to === null || site.ways.some((way) => way.isFramed && way.isAlways && way.href === to)

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

/** How the opening tag of a button says that it is the quieter one. */
export const QUIET =
  /\b(?:variant|priority|color|kind)\s*[=:]\s*\{?["'](?:outline|secondary|ghost|tertiary|light|text|link|alternative)["']|\bbtn-(?:outline-\w+|secondary|light|link|ghost)\b|\boutline\b(?=[\s/>])/

export const isQuiet = (page: View['page'], { start }: Element): boolean =>
  QUIET.test(page.text.slice(start, page.text.indexOf('>', start) + 1))

/** Where one is asked whether something may be done: what is nudged there is no growth. */
const CONSENT = /cookie|consent|gdpr|dsgvo|rgpd|tracking|privacy|dialog|modal|popup|toast/i
const AGREES =
  /^(accept|allow|agree|reject|decline|deny|akzeptier|zustimmen|alle akzeptieren|ablehnen|accepter|refuser|tout accepter|aceptar|rechazar)/i

/**
 * Two ways on beside each other in an opening, of which the quieter one stands first: the main one comes first. Writes no text. Not in dialogs and forms,
 * where what calls things off stands where the site has it everywhere.
 */
function* mainButtonFirst(view: View): Generator<Idea> {
  const { page } = view
  // In a bar the last place is the strong one.
  if (/(header|nav\w*|menu|bar)\.\w+$/i.test(page.path)) return
  for (const first of elementsIn(page.root)) {
    if (!isWayOn(first) || first.parent === null || inFrame(first)) continue
    const row = besides(first).filter(isWayOn)
    const [one, second, ...more] = row
    if (one !== first || second === undefined || more.length > 0) continue
    if (!isQuiet(page, first) || isQuiet(page, second) || wordsIn(second) === '' || wordsIn(first) === '')
      continue
    if (
      [...above(first)].some(
        ({ tag }) => /^(form|dialog|modal|.*dialog.*|.*modal.*)$/i.test(tag) || /\.form$/i.test(tag),
      )
    )
      continue
    if (SECONDARY.test(bare(wordsIn(first)))) continue
    const around = [...above(first)].map((outer) => `${partName(outer)} ${given(outer, 'class') ?? ''}`)
    if (CONSENT.test([page.path, ...around].join(' ')) || AGREES.test(bare(wordsIn(second)))) continue
    const opening = [...above(first)].find((outer) =>
      OPENING.test(`${partName(outer)} ${given(outer, 'class') ?? ''}`),
    )
    if (
      opening === undefined &&
      !OPENING.test(page.path.replace(/[/_.-]/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2'))
    )
      continue
    const stacks = !isRowEverywhere(first.parent)
    yield {
      mechanism: 'order',
      pattern: 'main-button-first',
      name: `Put “${wordsIn(second)}” before “${wordsIn(first)}”`,
      anchor: anchorOf(second),
      topics: ['call to action', 'button', 'hero', wordsIn(first), wordsIn(second)],
      arms: [
        {
          name: `“${wordsIn(second)}” first`,
          changes: [
            { start: first.start, end: first.end, text: sourceOf(page, second), unit: first },
            { start: second.start, end: second.end, text: sourceOf(page, first), unit: second },
          ],
          says: null,
        },
      ],
      audience: 'visitors who see the opening of the page',
      change: `placing the main button “${wordsIn(second)}” before the quieter “${wordsIn(first)}”`,
      because: stacks
        ? 'what stands on top on a phone is seen first and pressed more often'
        : 'what is read first is pressed more often',
      goal: goalOfWay(second),
      when: `“${wordsIn(second)}” is pressed`,
      effect: 2,
    }
    return
  }
}

/** Whether what is in an element stands beside each other on the narrowest window too. */
const isRowEverywhere = (element: Element): boolean => {
  const own = given(element, 'class') ?? ''
  return (
    /(^|\s)(inline-)?(flex|d-flex)(\s|$)/.test(own) &&
    !/(^|\s)(flex-col|flex-column|flex-wrap)(\s|$)/.test(own)
  )
}

export const isWayOn = (element: Element): boolean =>
  isButton(element) || (/^(a|link)$/i.test(element.tag) && given(element, 'href') !== null)
