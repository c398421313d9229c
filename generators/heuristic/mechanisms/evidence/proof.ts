import { insertAt, removeWith } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { besides, type Element, elementsIn, given, isInCode, wordsIn } from '../../markup/tree.js'
import { anchorOf, headingNear, isButton, lineBreakBefore, sourceOf } from '../../surface.js'
import { PROOF } from '../../words/phrases.js'
import { isPlaceholder } from '../layout/sections.js'
import { commitButton, goalOf, inFrame, isBeside, repeatBelow, statement } from './repeat-beside.js'

const LONGEST = 4000

export function* proof(view: View): Generator<Idea> {
  yield* statedProof(view)
  yield* earlierSection(view)
}

/** The site's own figure or names, repeated at the button. Not from a sample: only whole statements of the page. */
function* statedProof(view: View): Generator<Idea> {
  if (view.language === null) return
  const button = commitButton(view)
  const stated = statement(view, PROOF[view.language], true)
  if (button === null || stated === null || isBeside(view, button, stated.text)) return
  const arm = repeatBelow(view, button, stated.text)
  if (arm === null) return
  yield {
    mechanism: 'proof',
    pattern: 'stated-proof-at-button',
    name: `Show “${stated.text.value}” at the button`,
    anchor: anchorOf(button),
    topics: ['call to action', 'social proof', headingNear(button), wordsIn(button)],
    arms: [arm],
    audience: 'visitors who do not know the product yet',
    change: `repeating the page’s own “${stated.text.value}” below “${wordsIn(button)}”`,
    because: 'that others have decided for it is worth most where one decides',
    goal: goalOf(view),
    effect: 3,
  }
}

/** A class or an id that says that others speak. */
const VOICES =
  /(^|[\s_-])(testimonials?|reviews?|customers|customer-logos|logos|clients|social-proof|quotes)($|[\s_-])/i

/**
 * Testimonials that stand late among a page's sections: they come second, after the one that says what it is. Writes no text. Not where they are
 * first or second, nor where code may leave them out.
 */
function* earlierSection(view: View): Generator<Idea> {
  const { page } = view
  for (const section of elementsIn(page.root)) {
    if (!/^(section|div|article)$/.test(section.tag) || inFrame(section) || isInCode(section)) continue
    if (!VOICES.test(`${given(section, 'id') ?? ''} ${given(section, 'class') ?? ''}`)) continue
    const row = besides(section).filter(isSection)
    const at = row.indexOf(section)
    const [first, second] = row
    if (at < 3 || first === undefined || second === undefined || wordsIn(section) === '' || isButton(section))
      continue
    if (
      isPlaceholder(section) ||
      section.end - section.start > LONGEST ||
      second.end - second.start > LONGEST
    )
      continue
    const gap = lineBreakBefore(page, section)
    yield {
      mechanism: 'proof',
      pattern: 'voices-earlier',
      name: 'Let customers speak earlier on the page',
      anchor: anchorOf(section),
      topics: ['social proof', 'testimonials', 'sections', wordsIn(section).slice(0, 60)],
      arms: [
        {
          name: 'Second section',
          changes: [insertAt(second.start, sourceOf(page, section) + gap, second), removeWith(gap, section)],
          says: null,
        },
      ],
      audience: 'visitors who do not know the product yet',
      change: `moving what others say (“${wordsIn(section).slice(0, 50)}”) from place ${at + 1} of ${row.length} sections to the second`,
      because: 'many never come as far down as it stands now',
      goal: goalOf(view),
      effect: 4,
    }
    return
  }
}

const isSection = (element: Element): boolean =>
  /^(section|article|div|main)$/.test(element.tag) && wordsIn(element).length > 20
