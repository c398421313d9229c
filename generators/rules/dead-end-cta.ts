// Evidence: in Baymard's study the page without results is a dead end in 68 % of shops, and visitors leave
// there. Admitted because one file shows the text and that nothing beside it can be pressed.
import { actionsOf } from '../page/actions.js'
import { insertAfter } from '../page/edits.js'
import { elementsIn, isInside, type PageElement, type PageTree, textsIn, wordsIn } from '../page/tree.js'
import { quoted } from './form-words.js'
import type { PageContext, ProposalRule } from './rule.js'
import type { Goal } from './targets.js'

const ENDS: readonly { end: 'cart' | 'results' | 'missing'; goal: Goal; name: string; leadsTo: RegExp }[] = [
  {
    end: 'cart',
    goal: 'cart',
    name: 'Offer a way on if the cart is empty',
    leadsTo: /\/(products?|shop|catalog|collections?|store|produkte|boutique|tienda|categor\w+)\b/i,
  },
  {
    end: 'results',
    goal: 'search',
    name: 'Offer a way on if nothing is found',
    leadsTo: /\/(products?|shop|catalog|collections?|all|produkte|boutique|tienda|categor\w+)\b/i,
  },
  {
    end: 'missing',
    goal: 'click',
    name: 'Lead visitors on from the page that is not found',
    leadsTo: /^\/?(index\.html)?$/,
  },
]
const MAX_WORDS = 14

/** The innermost element that says it and little else, so that it is no sentence of a help page. */
function placeOf(page: PageTree, says: RegExp): PageElement | null {
  const places = elementsIn(page.root).filter((one) => {
    const words = wordsIn(one)
    return (
      says.test(words) &&
      words.split(' ').length <= MAX_WORDS &&
      /^(p|h[1-4]|div|span|strong)$/.test(one.name)
    )
  })
  return places.filter((one) => !places.some((other) => other !== one && isInside(other, one)))[0] ?? null
}

/** What the visitor sees around the text: its block. */
const blockOf = (place: PageElement): PageElement =>
  place.parent === null || place.parent.tag === '#code' || place.parent.tag === '' ? place : place.parent

export const deadEndCta: ProposalRule = {
  ruleId: 'dead-end-cta',
  why: 'The page says that there is nothing here and offers no next step.',
  *find(context) {
    const { page, lexicon, actions } = context
    for (const { end, goal, name, leadsTo } of ENDS) {
      const { says, label } = lexicon.deadEnds[end]
      // Of a page that is not found the file's name has to say so as well: "404" may be any number.
      if (end === 'missing' && !/404|not-?found|nicht-?gefunden|introuvable|no-?encontrad/i.test(page.path))
        continue
      const place = placeOf(page, says)
      if (place === null || textsIn(place).length !== 1) continue
      const block = end === 'missing' ? page.root : blockOf(place)
      if (
        actions.some(({ element }) => isInside(element, block)) ||
        elementsIn(block).some(({ name: tag }) => tag === 'input')
      )
        continue
      const to = addressOf(context, leadsTo)
      const style = actions.find((one) => one.looksLikeButton && one.to !== null)
      const classes = style === undefined || style.element.tag !== 'a' ? '' : style.classes
      const className = page.dialect === 'jsx' ? 'className' : 'class'
      const link = `<a href="${to}"${classes === '' ? '' : ` ${className}="${classes}"`}>${label}</a>`
      yield {
        mechanism: 'friction',
        name,
        anchor: `${place.tag} "${wordsIn(place)}"`,
        topics: [wordsIn(place), label, end],
        displayName: label,
        says: label,
        changes: [insertAfter(page, place, link)],
        change: `${quoted(wordsIn(place))} is followed by a link ${quoted(label)}`,
        goal,
        because: 'visitors who meet a dead end leave',
        effect: 3,
      }
    }
  },
}

/** An address of the same file that fits, or the start page. */
function addressOf({ page, lexicon }: PageContext, leadsTo: RegExp): string {
  const own = actionsOf(page, lexicon).find(
    ({ to }) => to !== null && leadsTo.test(to) && !/["{}<>]/.test(to),
  )
  return own?.to ?? '/'
}
