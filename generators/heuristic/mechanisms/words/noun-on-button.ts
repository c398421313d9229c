import { reword } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, elementsIn, isInCode } from '../../markup/tree.js'
import { anchorOf, headingNear, isButton, isLink, labelOf } from '../../surface.js'
import { isStartPage } from '../opening/hero.js'

/** What there is to read or follow, after one name at most; and what one does with it. */
const THINGS: readonly { is: RegExp; act: string }[] = [
  { is: /^(?:\p{Lu}[\w.]*\s)?(?:tutorial|walkthrough)(?!s?\p{L})/iu, act: 'Start the' },
  { is: /^(?:\p{Lu}[\w.]*\s)?(?:guide|handbook|documentation|docs)(?!\p{L})/iu, act: 'Read the' },
]
/** Characters that a large button has room for on a phone, where many do not wrap; a name gives way to that. */
const WIDEST = 34
const FRAME = /^(nav|footer|aside)$/i

/**
 * A start page whose only button names a thing and not what one does (“Tutorial”): the verb stands before it. Not beside another button, nor of a word that may be a verb
 * itself; in English, where the rest of the label stays as it is.
 */
export function* nounOnButton({ page, language }: View): Generator<Idea> {
  if (language !== 'en' || page.isTranslated === true || !isStartPage(page.path)) return
  const [way, ...more] = elementsIn(page.root).filter(
    (one) => isButton(one) && ![...above(one)].some(({ tag }) => FRAME.test(tag)),
  )
  const label = way === undefined || more.length > 0 || isInCode(way) ? null : labelOf(way)
  if (way === undefined || label === null || !isLink(way)) return
  const thing = THINGS.find(({ is }) => is.test(label.value))
  if (thing === undefined) return
  // A word that only begins the label has its capital from that.
  const name = label.value.match(/^\p{Lu}[\w.]*\s+(?=\p{Lu})/u)?.[0] ?? ''
  const called = `${thing.act} ${label.value}`
  const small = label.value.charAt(name.length).toLowerCase() + label.value.slice(name.length + 1)
  const said = name !== '' && called.length <= WIDEST ? called : `${thing.act} ${small}`
  if (said.length > WIDEST) return
  const change = reword(page, label, said)
  if (change === null) return
  yield {
    mechanism: 'clarity',
    pattern: 'noun-on-button',
    name: `Say on the only button what one does: “${said}”`,
    anchor: anchorOf(way, label.value),
    topics: ['home', 'opening', 'button', headingNear(way), label.value],
    arms: [{ name: said, changes: [change], says: said }],
    audience: 'visitors who see the opening of the page',
    change: `labelling its only button “${said}” in place of “${label.value}”`,
    because: 'a button that begins with a verb says that something is to be done, and what',
    goal: 'click',
    // The thing is named already.
    effect: 2,
  }
}
