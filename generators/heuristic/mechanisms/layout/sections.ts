import type { Idea, View } from '../../idea.js'
import { above, besides, type Element, elementsIn, given, wordsIn } from '../../markup/tree.js'
import { anchorOf, bare, isButton, sourceOf } from '../../surface.js'
import { goalOfWay, inFrame } from '../evidence/repeat-beside.js'
import { OPENING, partName } from './blocks.js'
import { SECONDARY } from './default-choice.js'

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
export function* mainButtonFirst(view: View): Generator<Idea> {
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
      effect: 0.5,
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
