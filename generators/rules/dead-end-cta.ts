// Evidence: in Baymard's study the page without results is a dead end in 68 % of shops, and visitors leave
// there. 70 % of those who search on a phone call a business by pressing its number (Google and Ipsos 2013).
// Admitted because one file shows the text and that nothing beside it can be pressed, and a link of the site
// says where to go on.
import { DEAD_ENDS, type DeadEnd } from '../lexicon/lexicon.js'
import { placeAt } from '../page/actions.js'
import { classAttribute, insertAfter, insertInto, type PageChange } from '../page/edits.js'
import { wordsOfCode } from '../page/forms.js'
import {
  above,
  elementsIn,
  isInside,
  type PageElement,
  type PageTree,
  textsIn,
  wordsIn,
} from '../page/tree.js'
import { quoted } from './form-words.js'
import type { PageContext, ProposalRule, RuleIdea, SiteLink } from './rule.js'
import type { Goal } from './targets.js'

const ENDS: Readonly<Record<DeadEnd, { goal: Goal; name: string }>> = {
  cart: { goal: 'cart', name: 'Offer a way on if the cart is empty' },
  results: { goal: 'search', name: 'Offer a way on if nothing is found' },
  wishlist: { goal: 'cart', name: 'Offer a way on if the wishlist is empty' },
  orders: { goal: 'purchase', name: 'Offer a way on to those who have not ordered yet' },
  missing: { goal: 'click', name: 'Lead visitors on from the page that is not found' },
}
const MAX_WORDS = 14
/** Names of files for addresses that lead nowhere. */
const IS_MISSING =
  /^(page )?not found( page)?$|^404|^error( page)?$|nicht gefunden|introuvable|no encontrad|nao encontrad/i
/** Parts of a page that are no end of it. */
const NO_END = /manage|report|select|dropdown|autocomplete|predictive|table|dispatch|details?/i

/** The innermost element that says it and little else, so that it is no sentence of a help page. */
function placeOf(page: PageTree, says: RegExp): PageElement | null {
  const places = elementsIn(page.root).filter((one) => {
    const words = wordsIn(one)
    return (
      says.test(words) &&
      words.split(' ').length <= MAX_WORDS &&
      /^(p|h[1-4]|div|span|strong|text|typography|\w*title|heading)$/.test(one.name)
    )
  })
  return places.filter((one) => !places.some((other) => other !== one && isInside(other, one)))[0] ?? null
}

const titleOf = (page: PageTree): PageElement | null =>
  elementsIn(page.root).find(({ name }) => name === 'h1') ?? null

/** The part that the visitor sees around the text: all that is shown with it. */
function blockOf(place: PageElement): PageElement {
  let block = place
  for (const one of [...above(place)].slice(0, 2)) {
    if (/^(#code)?$/.test(one.tag)) break
    block = one
  }
  return block
}

/** The link is written behind the text, or into it if code decides whether the text is shown. */
function linked(page: PageTree, place: PageElement, link: string): PageChange | null {
  const isBare = page.dialect !== 'jsx' && /^(#code)?$/.test(place.parent?.tag ?? '')
  const change = isBare ? insertInto(page, place, ` ${link}`) : insertAfter(page, place, link)
  // In Vue an element with a condition belongs to those beside it.
  const whole = [...above(place)].find(({ tag }) => !/^(#code)?$/.test(tag))
  return isBare && change !== null && whole !== undefined ? { ...change, unit: whole } : change
}

export const deadEndCta: ProposalRule = {
  ruleId: 'dead-end-cta',
  why: 'The page names no next step that visitors can press.',
  *find(context) {
    const { page, lexicon, actions, site } = context
    yield* callable(context)
    for (const end of DEAD_ENDS) {
      const { says, label: own } = lexicon.deadEnds[end]
      // Of a page that is not found the file's name has to say so as well: "404" may be any number.
      const file = wordsOfCode(
        page.path
          .replace(/\.\w+$/, '')
          .split('/')
          .at(-1) ?? '',
      )
      if (end === 'missing' && !IS_MISSING.test(file)) continue
      if (end !== 'missing' && NO_END.test(wordsOfCode(page.path))) continue
      const place =
        end === 'missing'
          ? (placeOf(page, says) ?? (/404|not found/i.test(file) ? titleOf(page) : null))
          : placeOf(page, says)
      if (place === null || textsIn(place).length !== 1) continue
      const block = end === 'missing' ? page.root : blockOf(place)
      const isEnd =
        end === 'missing'
          ? actions.every(({ to }) => to === '/' || to === null)
          : !actions.some(({ element }) => isInside(element, block))
      if (
        !isEnd ||
        elementsIn(block).some(({ name: tag }) => /^(input|tr|td)$/.test(tag)) ||
        [...above(place)].some(({ name: tag }) => /^(table|select|ul|command\w*)$/.test(tag))
      )
        continue
      const way = wayOn(context)
      // A page that leads to the start already can still lead to what the site offers.
      if (end === 'missing' && actions.length > 0 && way === null) continue
      const to = way?.to ?? '/'
      const offer = way === null ? null : placeAt(way.to)
      const known = end === 'missing' && offer !== null ? lexicon.places[offer] : own
      const label = way === null && end !== 'cart' ? lexicon.deadEnds.missing.label : known
      const style = actions.find((one) => one.looksLikeButton && one.to !== null && one.element.tag === 'a')
      const classes = classAttribute(page, style?.classes ?? site.buttonClass)
      const change = linked(page, place, `<a href="${to}"${classes}>${label}</a>`)
      if (change === null) continue
      yield {
        mechanism: 'friction',
        name: ENDS[end].name,
        anchor: `${place.tag} "${wordsIn(place)}"`,
        topics: [wordsIn(place), label, end],
        displayName: label,
        says: label,
        changes: [change],
        change: `${quoted(wordsIn(place))} is followed by a link ${quoted(label)}`,
        goal: ENDS[end].goal,
        because: 'visitors who meet a dead end leave',
        effect: end === 'missing' ? 2 : 3,
        ...(way === null || way.path === page.path ? {} : { evidence: [{ path: way.path, says: way.to }] }),
      }
    }
  },
}

/** A link of the site to all that it offers. */
const wayOn = ({ site }: PageContext): SiteLink | null =>
  site.links.find(
    ({ to }) => to.startsWith('/') && /^(products|courses|menu|events)$/.test(placeAt(to) ?? ''),
  ) ?? null

const CONTACT =
  /^((?:\p{L}[\p{L}.\s-]{0,14}:\s*)?)((?:\+|0|\()[\d\s()./-]{7,22}\d|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)$/u

/** Telephone numbers and e-mail addresses that are written as plain text. */
function* callable({ page, actions }: PageContext): Generator<RuleIdea> {
  if (actions.some(({ to }) => /^(tel|mailto):/.test(to ?? ''))) return
  const plain = textsIn(page.root).flatMap((text) => {
    const [, before = '', said] = CONTACT.exec(text.value) ?? []
    const isFree = ![text.parent, ...above(text.parent)].some(({ name }) =>
      /^(a|button|option|label|\w*link)$/.test(name),
    )
    const own = page.text.slice(text.start, text.end)
    return said !== undefined &&
      isFree &&
      text.quote === null &&
      own === text.value &&
      text.parent.tag !== '#code'
      ? [{ text, before, said }]
      : []
  })
  const [first] = plain
  if (first === undefined || plain.length > 4) return
  const isNumber = plain.some(({ said }) => !said.includes('@'))
  const what = isNumber ? 'telephone number' : 'e-mail address'
  yield {
    mechanism: 'friction',
    name: `Let visitors ${isNumber ? 'call by pressing the' : 'write by pressing the'} ${what}`,
    anchor: `${first.text.parent.tag} "${first.text.value}"`,
    topics: ['contact', what, first.said],
    displayName: `${first.said} can be pressed`,
    says: null,
    changes: plain.map(({ text, before, said }) => ({
      start: text.start,
      end: text.end,
      text: `${before}<a href="${said.includes('@') ? `mailto:${said}` : `tel:${said.replace(/\(0\)|[^\d+]/g, '')}`}">${said}</a>`,
      unit: text.parent,
    })),
    change: `the ${what} ${quoted(first.said)} can be pressed`,
    goal: 'call',
    because: 'few people copy by hand what their phone could open',
    effect: 2.8,
  }
}
