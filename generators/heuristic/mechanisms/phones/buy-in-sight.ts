import type { Change } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import {
  above,
  attribute,
  besides,
  type Element,
  elementsIn,
  given,
  has,
  type Page,
  wordsIn,
} from '../../markup/tree.js'
import { anchorOf, cutAt, isButton, sourceOf } from '../../surface.js'
import { classText } from './screens.js'

const DESK =
  /(^|[/_.-])(admin|dashboard|backoffice|cms|vendors?|seller|merchant|uploader|settings?|setup|editor|orders?|checkout|cart|wishlist|favou?rites|stories|demos?|examples?)(?=[/_.-])/i
const BUYS =
  /add\w{0,8}[\s_-]*to[\s_-]*(cart|bag|basket)|quick[\s_-]?add|on\w*AddToCart|in den warenkorb|ajouter au panier|añadir al carrito|agregar al carrito|\baddItem\(/i
/** Phones see it already. */
const NOT_THIS =
  /^max-(?:sm|md|lg|xl|2xl):(?:opacity-100|visible|block|flex)$|^(?:any-)?pointer-coarse:|^(?:touch|no-hover|hover-none):|^\[@media\(hover:none\)\]:/

/** What hovering undoes, by the property: the class that is undone, and what undoes it. */
interface Undone {
  own: RegExp
  by: RegExp
  /** without it nothing is seen */
  hides: RegExp
}

const NEVER = /^$/
const UNDONE: readonly Undone[] = [
  { own: /^opacity-\d+$/, by: /^opacity-(?:100|9\d)$/, hides: /^opacity-0$/ },
  { own: /^invisible$/, by: /^visible$/, hides: /^invisible$/ },
  { own: /^pointer-events-none$/, by: /^pointer-events-auto$/, hides: NEVER },
  { own: /^scale(?:-[xy])?-\d+$/, by: /^scale(?:-[xy])?-100$/, hides: /^scale(?:-[xy])?-0$/ },
  ...['x', 'y'].map((axis) => ({
    own: new RegExp(`^-?translate-${axis}-\\S+$`),
    by: new RegExp(`^translate-${axis}-0$`),
    hides: new RegExp(`^-?translate-${axis}-(?:full|\\[1\\d\\d%\\])$`),
  })),
  { own: /^(?:max-)?h-0$/, by: /^(?:max-)?h-(?!0$)\S+$/, hides: /^(?:max-)?h-0$/ },
  { own: /^(?:max-)?w-0$/, by: /^(?:max-)?w-(?!0$)\S+$/, hides: /^(?:max-)?w-0$/ },
  { own: /^grid-rows-\[0fr\]$/, by: /^grid-rows-\[1fr\]$/, hides: /^grid-rows-\[0fr\]$/ },
  {
    own: /^hidden$/,
    by: /^(?:inline-)?(?:block|flex|grid)$|^inline$/,
    hides: /^hidden$/,
  },
]
const HOVERS = /^group-hover(?:\/([\w-]+))?:(\S+)$/

/**
 * The button that puts a product into the cart, which a card shows only while a pointer is over it: on phones, where nothing hovers, it is always there and can be pressed,
 * with what stands in one row with it. Wide screens stay as they are. Writes no text. Not where the card has another such button in sight, where what is hidden would cover
 * the picture or is of a size that only a stylesheet knows, where phones see it already, nor where more than hovering keeps it from being seen or pressed.
 */
export function* buyInSight({ page }: View): Generator<Idea> {
  if (DESK.test(page.path.replace(/([a-z\d])([A-Z])/g, '$1-$2')) || !/group-hover/.test(page.text)) return
  const found = elementsIn(page.root).filter((one) => isHidden(one) && BUYS.test(sourceOf(page, one)))
  const [shown, ...others] = found
  if (shown === undefined || !others.every((one) => [...above(one)].includes(shown))) return
  if (found.some(covers) || isBoughtOtherwise(page, shown)) return
  const button = buttonOf(page, shown)
  const changes = shownOnPhones(page, button ?? found.at(-1) ?? shown)
  if (changes === null || (button !== undefined && isOfUnknownSize(page, button))) return
  const label = button === undefined ? '' : labelOf(button)
  const what = label === '' ? 'the button to buy' : `“${label}”`
  yield {
    mechanism: 'friction',
    pattern: 'buy-in-sight-on-phones',
    name: `Show ${what} on phones, where nothing hovers`,
    anchor: anchorOf(shown, `${label} on hover`),
    topics: ['shop', 'product', 'cart', 'mobile', label],
    arms: [{ name: `${what} always in sight on phones`, changes, says: null }],
    audience: 'visitors on phones who look at several products',
    change: `showing ${what} on each product’s card, and not only while a pointer is over it,`,
    because: 'phones have no pointer: who wants to buy has to open each product first',
    goal: 'cart',
    effect: 4,
  }
}

const wordsOf = (one: Element): string[] => (given(one, 'class') ?? '').split(/\s+/)

/** What hovering over the card undoes of an element, each class with the property that it is of. */
const undoneAt = (one: Element): { word: string; by: string; hides: boolean }[] => {
  const words = wordsOf(one)
  const shows = words.flatMap((word) => HOVERS.exec(word)?.[2] ?? [])
  return UNDONE.flatMap(({ own, by, hides }) => {
    const shown = shows.find((word) => by.test(word))
    return shown === undefined
      ? []
      : words.filter((word) => own.test(word)).map((word) => ({ word, by: shown, hides: hides.test(word) }))
  })
}

const isHidden = (one: Element): boolean =>
  undoneAt(one).some(({ hides }) => hides) && !wordsOf(one).some((word) => NOT_THIS.test(word))

/** What code moves has a style of its own, which holds against any class. */
const MOVED = ['initial', 'animate', 'style', ':style', 'v-show']

/** Whether it would lie over what is to be seen. */
const covers = (one: Element): boolean => {
  const words = wordsOf(one)
  if (
    words.some((word) =>
      /^(?:-(?:top|bottom|left|right|inset)(?:-[xy])?-\d|(?:top|bottom|left|right)-\[-)/.test(word),
    )
  )
    return true
  return (
    words.includes('inset-0') &&
    (words.includes('flex') || words.some((word) => /^(bg|backdrop)-/.test(word)))
  )
}

/** Whether the card, or a page of cards, has the same act in sight. */
const isBoughtOtherwise = (page: Page, shown: Element): boolean =>
  elementsIn(page.root).some(
    (one) =>
      isPressed(one) &&
      !(one.start >= shown.start && one.end <= shown.end) &&
      ![...above(one)].some(isHidden) &&
      BUYS.test(sourceOf(page, one)),
  )

const isPressed = (one: Element): boolean => isButton(one) || /button$|AddToCart/i.test(one.tag)

const buttonOf = (page: Page, shown: Element): Element | undefined =>
  [shown, ...elementsIn(shown)].find((one) => isPressed(one) && BUYS.test(sourceOf(page, one)))

function labelOf(button: Element): string {
  // Where code chooses, it is several labels.
  const isChosen = button.hasCode || elementsIn(button).some(({ tag }) => tag === '#code')
  const said = isChosen ? '' : wordsIn(button)
  return cutAt(said === '' ? (given(button, 'aria-label') ?? given(button, 'title') ?? '') : said, 40)
}

/** Words of utility classes, without what they hold for. */
const UTILITY =
  /^!?-?(?:absolute|relative|fixed|sticky|static|block|inline|flex|grid|table|hidden|contents|group|peer|container|uppercase|lowercase|capitalize|normal-case|truncate|italic|underline|no-underline|antialiased|visible|invisible|isolate|transform|filter|resize|(?:p|m)[trblxyse]?-|(?:w|h|min|max|size|text|font|leading|tracking|bg|from|via|to|border|rounded|shadow|ring|outline|divide|space|gap|items|justify|content|self|place|order|col|row|inline|flex|grid|grow|shrink|basis|overflow|z|top|left|right|bottom|inset|start|end|translate|scale|rotate|skew|origin|transition|duration|delay|ease|animate|opacity|cursor|select|pointer-events|touch|will-change|object|aspect|backdrop|blur|brightness|drop-shadow|fill|stroke|whitespace|break|line-clamp|align|appearance|mix-blend|accent|sr-only)(?:-|$)|(?:border|rounded|shadow|ring|transition|grow|shrink|outline|blur)$|(?:group|peer)\/)/

/** A button with words over the picture whose space around them a stylesheet gives: on a narrow card it may be as high as that. */
const isOfUnknownSize = (page: Page, button: Element): boolean =>
  wordsIn(button) !== '' &&
  [button, ...cardOf(button)].some((one) => wordsOf(one).includes('absolute')) &&
  classText(page, button)
    .replace(/^\w+=|\$\{[^}]*\}/g, ' ')
    .split(/[\s"'`{}]+/)
    .some((word) => /^[a-z]/i.test(word) && !UTILITY.test(word.slice(word.lastIndexOf(':') + 1)))

/** By which name what hovering shows calls what is hovered over, with the mark before it. */
const hoveredBy = (one: Element): string => {
  const name = wordsOf(one).flatMap((word) => HOVERS.exec(word)?.[1] ?? [])[0]
  return name === undefined ? '' : `/${name}`
}

/** What a button stands in, as far as the card whose hovering counts. */
function cardOf(button: Element): Element[] {
  const around = [...above(button)]
  const hidden = [button, ...around].find(isHidden)
  const card = hidden === undefined ? '' : `group${hoveredBy(hidden)}`
  const at = around.findIndex((one) => wordsOf(one).includes(card))
  return at < 0 ? around : around.slice(0, at)
}

/** What may hide, or keep from being pressed, in classes that code puts together. */
const MAY_HIDE =
  /(?:^|[\s"'`])(?:opacity-0|invisible|pointer-events-none|hidden|scale-0|(?:max-)?[hw]-0|-?translate-[xy]-full)(?=[\s"'`])/

/** All that hovering undoes of a button and of what it stands in, undone on phones; `null` where something else hides it or keeps it from being pressed. */
function shownOnPhones(page: Page, button: Element): Change[] | null {
  const chain = [button, ...cardOf(button)]
  if (chain.some((one) => isKeptBack(page, one))) return null
  // What lets itself be pressed can be, whatever it stands in.
  const deciding = chain.find((one) => wordsOf(one).some((word) => /^pointer-events-/.test(word)))
  const isPassedBy = deciding !== undefined && wordsOf(deciding).includes('pointer-events-none')
  if (isPassedBy && !undoneAt(deciding).some(({ word }) => word === 'pointer-events-none')) return null
  const undone = chain.filter((one) => undoneAt(one).length > 0)
  const upTo = chain.indexOf(undone.at(-1) ?? button)
  const name = hoveredBy(undone.at(-1) ?? button)
  const beside = [
    ...elementsIn(button),
    ...chain
      .slice(0, upTo + 1)
      .filter((one) => !isLaidOver(one))
      .flatMap((one) => besides(one).filter((other) => other !== one))
      .flatMap((one) => [one, ...elementsIn(one)]),
  ].filter((one) => isHidden(one) && !isLaidOver(one) && hoveredBy(one) === name)
  return allShown([...undone, ...beside])
}

const isLaidOver = (one: Element): boolean => wordsOf(one).some((word) => /^(?:absolute|fixed)$/.test(word))

/** Whether more than hovering over the card hides an element. */
function isKeptBack(page: Page, one: Element): boolean {
  const undone = undoneAt(one).map(({ word }) => word)
  if (given(one, 'class') === null) return MAY_HIDE.test(classText(page, one))
  if (undone.length > 0 && MOVED.some((name) => has(one, name))) return true
  return wordsOf(one).some(
    (word) => UNDONE.some(({ hides }) => hides !== NEVER && hides.test(word)) && !undone.includes(word),
  )
}

function allShown(hidden: readonly Element[]): Change[] | null {
  const changes = hidden.map((one): Change | null => {
    const own = attribute(one, 'class')?.own
    const undone = undoneAt(one)
    const text = given(one, 'class')?.replace(/\S+/g, (word) => {
      const found = undone.find((other) => other.word === word)
      const by = HOVERS.exec(word)?.[2]
      if (found?.word === 'hidden') return `${found.by} md:hidden`
      return found !== undefined || undone.some((other) => other.by === by) ? `md:${word}` : word
    })
    return own == null || text === undefined ? null : { ...own, text, unit: { ...own, parent: one } }
  })
  return changes.some((one) => one === null) ? null : changes.flatMap((one) => one ?? [])
}
