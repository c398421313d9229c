import type { Change } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import {
  above,
  attribute,
  type Element,
  elementsIn,
  given,
  has,
  type Page,
  wordsIn,
} from '../../markup/tree.js'
import { anchorOf, cutAt, isButton, sourceOf } from '../../surface.js'

const DESK =
  /(^|[/_.-])(admin|dashboard|backoffice|cms|vendors?|seller|merchant|uploader|settings?|setup|editor|orders?|checkout|cart|wishlist|favou?rites|stories|demos?|examples?)(?=[/_.-])/i
const BUYS =
  /add\w{0,8}[\s_-]*to[\s_-]*(cart|bag|basket)|quick[\s_-]?add|on\w*AddToCart|in den warenkorb|ajouter au panier|añadir al carrito|agregar al carrito|\baddItem\(/i
/** What shows something while a pointer is over the card. */
const SHOWS =
  /^group-hover(?:\/\w+)?:(?:opacity-(?:100|9\d)|translate-[xy]-0|visible|pointer-events-auto|scale-100)$/
const HIDES = /^(?:opacity-0|invisible|pointer-events-none|scale-\d+)$/
/** Phones see it already, or it covers the picture. */
const NOT_THIS = /^max-(?:sm|md|lg|xl|2xl):(?:opacity-100|visible)$|^pointer-coarse:/

/**
 * The button that puts a product into the cart, which a card shows only while a pointer is over it: on phones, where nothing hovers, it is always there. Wide screens stay as they
 * are. Writes no text. Not where the card has another such button in sight, where what is hidden would cover the picture, nor where phones see it already.
 */
export function* buyInSight({ page }: View): Generator<Idea> {
  if (DESK.test(page.path.replace(/([a-z\d])([A-Z])/g, '$1-$2')) || !/group-hover/.test(page.text)) return
  const found = elementsIn(page.root).filter((one) => isHidden(one) && BUYS.test(sourceOf(page, one)))
  const [shown, ...others] = found
  if (shown === undefined || others.length > 0 || covers(shown) || isBoughtOtherwise(page, shown)) return
  const change = shownOnPhones(shown)
  if (change === null) return
  const label = labelOf(page, shown)
  const what = label === '' ? 'the button to buy' : `“${label}”`
  yield {
    mechanism: 'friction',
    pattern: 'buy-in-sight-on-phones',
    name: `Show ${what} on phones, where nothing hovers`,
    anchor: anchorOf(shown, `${label} on hover`),
    topics: ['shop', 'product', 'cart', 'mobile', label],
    arms: [{ name: `${what} always in sight on phones`, changes: [change], says: null }],
    audience: 'visitors on phones who look at several products',
    change: `showing ${what} on each product’s card, and not only while a pointer is over it,`,
    because: 'phones have no pointer: who wants to buy has to open each product first',
    goal: 'cart',
    effect: 4,
  }
}

const wordsOf = (one: Element): string[] => (given(one, 'class') ?? '').split(/\s+/)

const isHidden = (one: Element): boolean => {
  const words = wordsOf(one)
  return (
    words.some((word) => SHOWS.test(word)) &&
    words.some((word) => word === 'opacity-0' || word === 'invisible' || /^translate-y-full$/.test(word)) &&
    !words.some((word) => NOT_THIS.test(word)) &&
    // What code moves has a style of its own, which holds against any class.
    !MOVED.some((name) => has(one, name))
  )
}

const MOVED = ['initial', 'animate', 'style', ':style', 'v-show']

/** Whether it would lie over what is to be seen. */
const covers = (one: Element): boolean => {
  const words = wordsOf(one)
  if (words.some((word) => /^-(?:top|bottom|left|right|inset)(?:-[xy])?-\d/.test(word))) return true
  return (
    words.includes('inset-0') &&
    (words.includes('flex') || words.some((word) => /^(bg|backdrop)-/.test(word)))
  )
}

/** Whether the card, or a page of cards, has the same act in sight. */
const isBoughtOtherwise = (page: Page, shown: Element): boolean =>
  elementsIn(page.root).some(
    (one) =>
      (isButton(one) || /button$|AddToCart/i.test(one.tag)) &&
      !(one.start >= shown.start && one.end <= shown.end) &&
      ![...above(one)].some(isHidden) &&
      BUYS.test(sourceOf(page, one)),
  )

function labelOf(page: Page, shown: Element): string {
  const button = [shown, ...elementsIn(shown)].find(
    (one) => (isButton(one) || /button$|AddToCart/i.test(one.tag)) && BUYS.test(sourceOf(page, one)),
  )
  if (button === undefined) return ''
  // Where code chooses, it is several labels.
  const isChosen = button.hasCode || elementsIn(button).some(({ tag }) => tag === '#code')
  const said = isChosen ? '' : wordsIn(button)
  return cutAt(said === '' ? (given(button, 'aria-label') ?? given(button, 'title') ?? '') : said, 40)
}

function shownOnPhones(shown: Element): Change | null {
  const own = attribute(shown, 'class')?.own
  const classes = given(shown, 'class')
  if (own == null || classes === null) return null
  // What is moved by the way is moved back; what centres it stays.
  const back = wordsOf(shown).flatMap(
    (word) => /^group-hover(?:\/\w+)?:(translate-[xy]-)0$/.exec(word)?.[1] ?? [],
  )
  const text = classes.replace(/\S+/g, (word) => {
    const isMoved = back.some((axis) => word.replace(/^-/, '').startsWith(axis))
    return SHOWS.test(word) || HIDES.test(word) || isMoved ? `md:${word}` : word
  })
  return { ...own, text, unit: { ...own, parent: shown } }
}
