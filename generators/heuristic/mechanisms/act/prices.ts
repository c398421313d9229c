import type { Mount } from '../../idea.js'
import {
  above,
  besides,
  type Element,
  elementsIn,
  given,
  isInCode,
  type Page,
  wordsIn,
} from '../../markup/tree.js'
import { hrefOf, isButton, isField, isHeading, isLink } from '../../surface.js'
import { nameOf, plain, withoutComments } from '../../uses.js'
import { isAct } from '../opening/hero.js'
import { needOf } from './ways.js'

/** Prices that stand beside or below each other, with what is around them. */
export interface Prices {
  heading: Element
  /** what holds the heading, the prices, and nothing else with a heading of its own */
  section: Element
  /** the last thing that belongs to them: what follows stands below all of them */
  last: Element
  /** they stand in cards, which fill their place from side to side */
  areCards: boolean
}

/** Headings under which it says what something costs. */
export const PRICED =
  /(^|[^\p{L}])((unsere |deine |die )?\p{L}*preis(e|liste|übersicht|beispiele)?|\p{L}*tarife?|kosten|honorare?|gebühren|eintritt(spreise)?|tarifs?|(nos |les )?prix|honoraires|forfaits?|pricing|prices?|rates|fees|price list|costs?|packages|precios?|tarifas?|planes|paquetes|pakete|\p{L}*(leistungen|angebote?|behandlungen|kurse)|(our |my )?(services|treatments|courses|lessons|classes|rooms)|prestations|servicios|tratamientos|cursos|chambres)($|[^\p{L}])/iu
/** Parts of pages that are called so. */
const PRICE_PART = /pric(e|es|ing)|rates|fees|tarif|preis|prix|precio|kosten|forfait|honorar/i

export const AMOUNT =
  /[$€£]\s?\d|\d[\d.,]*(,-|,–)?\s?(€|&euro;|EUR\b|Euro\b|CHF\b|USD\b)|(CHF|EUR|Fr\.)\s?\d|\{[^{}]*(price|preis|prix|precio|tarif|amount|cost)[^{}]*\}/i
export const REPEATS = /\.map\(|^\s*\{#each|\sv-for=/

const isBlock = (one: Element): boolean =>
  !/^(script|style|template|noscript|svg|img|hr|br|link|meta|footer)$/i.test(one.tag)

const elementsOf = ({ children }: Element): Element[] =>
  children.filter((one): one is Element => one.kind === 'element')

/** How much of something has to be in sight before it moves is no amount of money. */
const IN_SIGHT = /\b(viewport|while-?in-?view)=\{\{[^}]*\}\}/gi

const sourceIn = ({ text }: Page, { start, end }: Element): string =>
  withoutComments(text.slice(start, end)).replace(IN_SIGHT, '')

/** Whether a page may show prices, before anything is looked up in its tree. */
export const mayHavePrices = ({ text }: Page): boolean => AMOUNT.test(text)

/** The places of a page where prices stand under a heading that says so. */
export function pricesIn(page: Page): Prices[] {
  if (!mayHavePrices(page)) return []
  const found: Prices[] = []
  for (const heading of elementsIn(page.root)) {
    if (!isHeading(heading) || isAside(heading) || isInCode(heading) || !PRICED.test(wordsIn(heading)))
      continue
    if (wordsIn(heading).split(' ').length > 8 || isAnswer(heading)) continue
    const prices = pricesBelow(page, heading)
    if (prices !== null && !found.some(({ section }) => section === prices.section)) found.push(prices)
  }
  const only = found.length === 0 && PRICE_PART.test(nameOf(page.path)) ? pricesOfPage(page) : null
  return only === null ? found : [only]
}

/** The last prices of a page that is called after them, whatever they stand under. */
function pricesOfPage(page: Page): Prices | null {
  const isTitle = (one: Element): boolean => isHeading(one) && wordsIn(one) !== '' && !isAside(one)
  const title = elementsIn(page.root).find(isTitle)
  let holder: Element = page.root
  while (title !== undefined) {
    const { end: after } = title
    const cards = cardsIn(page, holder, 0).filter(({ end }) => end > after)
    const last = cards.at(-1)
    if (last === undefined) return null
    const isParts = (one: Element): boolean =>
      one.tag === 'section' || elementsIn(one).some(({ name }) => name === 'h2')
    if (cards.length >= 2 && !cards.some(isParts)) {
      if (elementsIn(holder).includes(title)) return null
      const { start } = holder
      const heads = (one: Element): Element[] =>
        elementsIn(one).filter((head) => isTitle(head) && head.end <= start)
      const outer = [...above(holder)].find((one) => isOuter(one) || heads(one).length > 0)
      const isOwn = outer !== undefined && !isOuter(outer)
      const around = sectionOf(isOwn ? outer : holder)
      const heading = (isOwn ? heads(outer).at(-1) : null) ?? title
      return isAnswer(heading)
        ? null
        : { heading, section: around, last: holder, areCards: areCards(holder, last) }
    }
    // Where other prices of the page have a way on, these are meant to have none.
    const others = cards.slice(0, -1).flatMap((one) => elementsIn(one))
    if (last.tag === '#code' || others.some((one) => isLink(one) || isButton(one))) return null
    holder = last
  }
  return null
}

/** A question, or what stands among answers. */
const isAnswer = (heading: Element): boolean =>
  /[?¿]/.test(wordsIn(heading)) ||
  [heading, ...above(heading)].some((one) =>
    /^(details|dl)$|faq|accordion|question/i.test(
      `${one.tag} ${given(one, 'class') ?? ''} ${given(one, 'id') ?? ''}`,
    ),
  )

const isAside = (one: Element): boolean =>
  [...above(one)].some(({ tag }) => /^(nav|footer|aside|dialog|navbar|sidebar)$/i.test(tag))

const isOuter = ({ tag, parent }: Element): boolean =>
  parent === null || /^(body|html|main|#code)$/i.test(tag)

function pricesBelow(page: Page, heading: Element): Prices | null {
  let rows: { holder: Element; cards: Element[] } | null = null
  let around: Element | null = null
  for (const outer of above(heading)) {
    if (isOuter(outer)) break
    rows = rowsIn(page, outer, heading)
    around = outer
    if (rows !== null) break
  }
  if (rows === null || around === null) return null
  const { holder, cards } = rows
  const first = cards[0]
  const lastCard = cards.at(-1)
  if (first === undefined || lastCard === undefined) return null
  // What stands under a heading of its own is another one's.
  const isOthers = elementsIn(around).some(
    (one) =>
      isHeading(one) && one.start > heading.end && one.end < first.start && level(one) <= level(heading),
  )
  if (isOthers) return null
  const section = sectionOf(around)
  const isTogether = elementsIn(holder).includes(heading)
  return {
    heading,
    section,
    last: isTogether ? lastCard : holder,
    areCards: areCards(holder, first),
  }
}

const areCards = (holder: Element, card: Element): boolean =>
  !/^(table|tbody|tr|ul|ol|dl)$/.test(holder.tag) && !/^(tr|li|dt|p)$/.test(card.tag)

/** What stands beside each other in an element with prices in it. */
const cardsIn = (page: Page, holder: Element, after: number): Element[] =>
  elementsOf(holder).filter(
    (one) => one.start >= after && isBlock(one) && !isHeading(one) && AMOUNT.test(sourceIn(page, one)),
  )

const level = ({ name }: Element): number => Number(/\d/.exec(name)?.[0] ?? 2)

/** The outermost element in which prices stand beside each other. */
function rowsIn(page: Page, outer: Element, heading: Element): { holder: Element; cards: Element[] } | null {
  for (const holder of [outer, ...elementsIn(outer)]) {
    const cards = cardsIn(page, holder, heading.end)
    const repeated = cards.some((one) => REPEATS.test(page.text.slice(one.start, one.end).slice(0, 400)))
    if (/^(p|h[1-6]|li|td|span|a|button|select)$/.test(holder.name)) continue
    if (cards.length >= 2 || (cards.length === 1 && repeated && holder !== outer)) return { holder, cards }
    if (cards.length === 1 && repeated) return { holder, cards }
  }
  return null
}

/** As far out as nothing else has a heading. */
function sectionOf(around: Element): Element {
  let section = around
  for (const outer of above(around)) {
    if (section.tag === 'section' || isOuter(outer)) break
    const isMore = elementsIn(outer).some(
      (one) => /^h[12]$/.test(one.name) && (one.start < section.start || one.start >= section.end),
    )
    const parts = elementsOf(outer).filter((one) => /^[A-Z]|^section$/.test(one.tag))
    if (isMore || parts.length > 1) break
    section = outer
  }
  return section
}

/** Parts that show pictures, or move what is in them. */
const SHOWS =
  /^(next|nuxt)?-?(img|image|picture|video|icon|svg|lottie|canvas|fragment|transition|clientonly|balancer|br|trans)$|(image|img|icon|icons|background|pattern|gradient|badge|separator|divider|chip|reveal|fade\w*|animated?\w*)$|^(motion|animated|m|card\w*|table\w*|tabs?\w*|box|container|grid|stack|flex|typography|text|heading|section|tooltip\w*|accordion\w*)(\.|$)/i
/** What only changes what is seen: a state that is set, something that is turned or unfolded. */
const SETS =
  /(on(Click|Change)=\{\s*(\([^)]*\)|\w+)\s*=>\s*\{?\s*set[A-Z]\w*\(|onClick=\{\s*(toggle|set)\w*\s*\}|@click="[\w.]+\s*=[^"=]|on:?click=\{\s*\(\)\s*=>\s*\(?\s*[\w.]+\s*=[^=])/

/** Whether something there leads on, or is filled in; of a part that nothing is known of, it may be. */
export function actsIn(
  page: Page,
  section: Element,
  parts: Readonly<Record<string, { asks: boolean; showsField: boolean }>> | null,
): boolean {
  return elementsIn(section).some((one) => {
    if (isField(one) || /^(form|input|select|textarea)$/.test(one.name)) return true
    if (isLink(one) || isButton(one) || /button|btn|cta$|link$/i.test(one.tag))
      return !SETS.test(page.text.slice(one.start, page.text.indexOf('</', one.start))) || isLink(one)
    if (given(one, 'role') === 'button') return true
    if (!/^[A-Z]|^[a-z]+-/.test(one.tag)) return /\s(on:?click|onClick|@click)\b/.test(openingOf(page, one))
    return isUnknown(page, one, parts)
  })
}

const openingOf = ({ text }: Page, { start }: Element): string => text.slice(start, text.indexOf('>', start))

function isUnknown(
  page: Page,
  one: Element,
  parts: Readonly<Record<string, { asks: boolean; showsField: boolean }>> | null,
): boolean {
  if (SHOWS.test(one.tag)) return false
  const from = needOf(page.text, one.tag.split('.')[0] ?? '')?.from
  // Of a kit: icons and the like.
  if (from !== undefined && !/^[.~#$]|^@\//.test(from)) return false
  const own = new RegExp(`\\b(function|const)\\s+${one.tag}\\b`)
  if (from === undefined && own.test(page.text))
    return elementsIn(page.root).some((other) => isLink(other) || /^(form|input)$/.test(other.name))
  const part = parts?.[plain(one.tag)]
  return part === undefined || part.asks || part.showsField
}

const ASKS =
  /contact|kontakt|contáct|anfrage|anmeld|book|buch(en|ung)|reserv|réserv|termin|rendez|appointment|cta|call-?to|sign-?up|join|get started|order|form\b|newsletter|checkout|cita/i

/** The next thing that visitors see below an element, as far as its file says it. */
export function nextTo(element: Element): Element | null {
  for (const one of [element, ...above(element)]) {
    if (one.parent === null || /^(body|html|main)$/.test(one.tag)) return null
    // Several components of a file stand beside each other in nothing.
    if (one.parent.parent === null && one.parent.tag === '' && one.parent.children.length > 1) {
      const { parent } = one
      if (parent.parent === null && !/^(header|section|div|footer)$/.test(one.tag)) return null
    }
    const after = besides(one).filter((other) => other.start >= one.end && isBlock(other))
    const [first] = after
    if (first !== undefined) return first
  }
  return null
}

/** Whether what comes next asks for something by what it holds, or what it is called. */
export const asksNext = (page: Page, next: Element): boolean =>
  [next, ...elementsIn(next)].some(
    (one) =>
      isField(one) ||
      /^form$/.test(one.name) ||
      ((isLink(one) || isButton(one)) &&
        (isAct(one) || isButton(one) || /^(tel|mailto):|wa\.me/.test(hrefOf(one) ?? ''))) ||
      (isHeading(one) && ASKS.test(wordsIn(one))) ||
      (/^[A-Z]|^[a-z]+-/.test(one.tag) && ASKS.test(one.tag)),
  ) ||
  ASKS.test(`${given(next, 'id') ?? ''} ${given(next, 'class') ?? ''}`) ||
  page.text === ''

/** Where a page shows parts that are called after prices, with what comes below each. */
export function mountsOf(page: Page): Mount[] {
  return elementsIn(page.root)
    .filter(({ tag }) => (/^[A-Z]/.test(tag) || /^[a-z]+-[a-z-]+$/.test(tag)) && PRICE_PART.test(tag))
    .slice(0, 4)
    .map((one) => {
      const next = nextTo(one)
      const isPart = next !== null && (/^[A-Z]/.test(next.tag) || /^[a-z]+-[a-z-]+$/.test(next.tag))
      return {
        part: plain(one.tag),
        next: isPart ? plain(next.tag) : null,
        isLast: next === null,
        asks: next !== null && asksNext(page, next),
      }
    })
}
