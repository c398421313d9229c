import { insertAt } from '../../edits.js'
import type { Goal, Idea, KnownMount, Site, View } from '../../idea.js'
import { isGrid, isUtility } from '../../markup/kits.js'
import {
  above,
  besides,
  type Element,
  elementsIn,
  given,
  isInCode,
  type Page,
  textsIn,
  wordsIn,
} from '../../markup/tree.js'
import { endsDead, isAt, routeOf } from '../../pages-at.js'
import { anchorOf, classWord, isHeading, lineBreakBefore } from '../../surface.js'
import { nameOf, plain } from '../../uses.js'
import { isStartPage } from '../opening/hero.js'
import { isLedBelow } from '../phones/below.js'
import { isRow } from './in-opening.js'
import { AMOUNT, actsIn, asksNext, mayHavePrices, nextTo, type Prices, pricesIn, REPEATS } from './prices.js'
import { COLUMN, classesOf, evidenceOf, indented, isInQuote, spaced, takenFor } from './standing.js'
import { copyOf, kindOf, mainWays } from './ways.js'

/** Where nobody decides: what is bought is in lists and carts, and who has bought is at home. */
const ELSEWHERE =
  /(^|[/_.-])(admin|dashboard|account|settings|billing|invoices?|profile|checkout|cart|orders?|products?|catalog\w*|shop|store|blog|posts?|news|docs?|legal|reports?|analytics|stats|setup|onboarding|emails?|templates?|examples?|storybook)(?=[/_.-]|$)/i

/** Where something is urgent, one calls. */
const URGENT =
  /emergenc(y|ies)|\burgent\b|24\s?[/-]\s?7|24 ?h(\/24)?\b.*7j|notdienst|notfall|notruf|d[ée]pannage|\burgences?\b|\burgencias?\b/i

/** Whether a page is for those who cannot wait, by its path, its title or what its prices stand under. */
const isUrgent = ({ path, text, root }: Page, all: readonly Prices[]): boolean =>
  [
    path,
    /<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? '',
    /\bmetadata\b[^=\n]*=\s*\{\s*title:\s*["'`]([^"'`\n]*)/.exec(text)?.[1] ?? '',
    ...elementsIn(root)
      .filter(({ name }) => name === 'h1')
      .map(wordsIn),
    ...all.map(({ heading }) => wordsIn(heading)),
  ].some((said) => URGENT.test(said))

/** What is paid to somebody else. */
const OTHERS_FEES = /extern|behörd|amtlich|nicht an uns|third.part|government|not included|tiers|oficial/i

/** Whether the rest of the site could say something for the prices of this page. */
export const mayActBelowPrices = ({ page }: View): boolean =>
  mayHavePrices(page) && !ELSEWHERE.test(page.path) && pricesIn(page).length > 0

/**
 * Prices with nothing to press among them or right after them, on a site where there is something to do: the way to that, as the site has it somewhere else, stands once
 * below all of them. Not on pages of what is urgent, where the next section asks, a bar that all see has the same button, or the prices are filled in; nor where their place or its look cannot be told.
 */
export function* belowPrices(view: View): Generator<Idea> {
  const { page, site } = view
  if (site === null || page.isTranslated === true || !mayActBelowPrices(view)) return
  // A page that asks itself asks for what it is about.
  if (view.forms.some(({ purpose, fields }) => purpose !== 'search' && fields.length > 1)) return
  const all = pricesIn(page)
  if (isUrgent(page, all)) return
  // Where some have a way on, those without are meant to have none.
  if (all.some(({ section }) => actsIn(page, section, site.parts))) return
  for (const prices of all) {
    const idea = ideaFor(view, site, prices)
    if (idea !== null) {
      yield idea
      return
    }
  }
}

function ideaFor(view: View, site: Site, prices: Prices): Idea | null {
  const { page } = view
  const { heading, section } = prices
  if (isInCode(heading) || OTHERS_FEES.test(wordsIn(heading))) return null
  // One price among other things is no list of them, and who has read on may fill in what the page itself has.
  if (!hasSeveral(page, section) || isFilledInBelow(page, site, section)) return null
  // A card has no space of its own below what it holds, and stands beside others.
  if ([heading, prices.last].some((one) => [...above(one)].some(({ tag }) => tag === 'Card'))) return null
  const shownAt = asksBelow(page, site, section)
  if (shownAt === null) return null
  // A button of another page may be one of what is offered there.
  const isSites = (path: string): boolean => path === page.path || isStartPage(path) || !isPage(path)
  const best = mainWays(view, shownAt).filter(
    ({ href, path }) => !isAt(href, shownAt, shownAt) && isSites(path),
  )
  if (best.some((one) => one.isButton && one.isFramed && one.isAlways)) return null
  const way = copyOf(best, page.path, shownAt, site.parts)
  const place = placeBelow(prices)
  if (way === null || place === null || isInQuote(place) || isLedBelow(site, page, way.href)) return null
  if (endsDead(site, way.href, shownAt)) return null
  const source = standing(page, place, prices, way.copy)
  const taken = source === null ? null : takenFor(page, way, way.copy.needs)
  if (source === null || taken === null) return null
  const said = wordsIn(heading)
  const goal: Goal = kindOf(way) === 'sign up' ? 'sign up' : 'click'
  const where = way.path === page.path ? 'elsewhere on the page' : `in ${way.path}`
  return {
    mechanism: 'friction',
    pattern: 'act-below-prices',
    name: `Put “${way.label}” below “${said}”`,
    anchor: anchorOf(heading, `${said} ${way.href}`),
    topics: ['pricing', 'price', 'call to action', 'button', kindOf(way) ?? '', way.label],
    arms: [
      {
        name: `“${way.label}” below the prices`,
        changes: [
          {
            ...insertAt(
              place.end,
              indented(lineBreakBefore(page, place), source),
              place.tag === '#code' ? (place.parent ?? place) : place,
            ),
            additions: taken,
          },
        ],
        // It stands there as elsewhere: its words are no other ones.
        says: null,
      },
    ],
    audience: 'visitors who have read what it costs',
    change: `showing the site’s own button “${way.label}” (${way.href}), which stands ${where}, once below “${said}” too, where nothing leads on now`,
    because:
      'who has found the price acceptable wants to go on at that moment, and now has to look for the way on other parts of the site',
    goal,
    when: `any link to ${way.href} is pressed, in all variants`,
    effect: 4,
    ...(way.path === page.path ? {} : { evidence: evidenceOf(way) }),
  }
}

/** Whether several things say what they cost, or code goes through them. */
const hasSeveral = ({ text }: Page, section: Element): boolean =>
  textsIn(section).filter(({ value }) => AMOUNT.test(value)).length > 1 ||
  REPEATS.test(text.slice(section.start, section.end))

/** Whether the page shows something to fill in further down. */
const isFilledInBelow = ({ root }: Page, site: Site, { end }: Element): boolean =>
  elementsIn(root).some(
    (one) =>
      one.start >= end &&
      (one.name === 'form' || (/^[A-Z]/.test(one.tag) && site.parts[plain(one.tag)]?.showsField === true)),
  )

/** The page that shows it, where nothing below the prices asks; `null` where something does, or that is not told. */
function asksBelow(page: Page, site: Site, section: Element): string | null {
  const next = nextTo(section)
  if (next !== null) {
    if (asksNext(page, next) || asksAsPart(site, plain(next.tag), next)) return null
    return isPage(page.path)
      ? page.path
      : (site.mounts.find(({ part }) => part === named(page.path))?.path ?? null)
  }
  if (isPage(page.path)) return page.path
  return asksAtMounts(site, page.path, 3)
}

const isPage = (path: string): boolean =>
  /\.html?$/i.test(path) ||
  routeOf(path) !== null ||
  isStartPage(path) ||
  /(^|\/)(pages|views|screens|routes)\/[^/]+$|page\.[jt]sx$|\+page\.svelte$/i.test(path)

const named = (path: string): string => plain(nameOf(path))

const asksAsPart = (site: Site, tag: string, next: Element | null): boolean => {
  if (next !== null && !/^[A-Z]|^[a-z]+-/.test(next.tag)) return false
  const part = site.parts[tag]
  return (
    part === undefined ||
    part.asks ||
    part.showsField ||
    part.dress.leads.some((href) => /^(tel|mailto):/.test(href) || kindOf({ href }) !== null) ||
    /contact|kontakt|cta|book|form|reserv|footer/.test(tag)
  )
}

function asksAtMounts(site: Site, path: string, steps: number): string | null {
  const mounts: readonly KnownMount[] = site.mounts.filter(({ part }) => part === named(path))
  const [first] = mounts
  if (first === undefined || steps === 0) return null
  const pages = mounts.map((mount): string | null => {
    if (mount.asks || ELSEWHERE.test(mount.path)) return null
    if (mount.next !== null) return asksAsPart(site, mount.next, null) ? null : mount.path
    if (!mount.isLast) return mount.path
    return isPage(mount.path) ? mount.path : asksAtMounts(site, mount.path, steps - 1)
  })
  return pages.some((one) => one === null) ? null : (pages[0] ?? null)
}

const CUTS = /(^|\s)(overflow(-[xy])?-(hidden|auto|scroll)|table-responsive|line-clamp\S*|truncate)(?=\s|$)/
const LISTS = /^(table|thead|tbody|tr|ul|ol|dl|li)$/

/** What the button stands below: all prices, and the fine print that comes right after them. */
function placeBelow({ last, section }: Prices): Element | null {
  let place = last
  for (;;) {
    const { parent } = place
    if (parent === null || parent.parent === null) return null
    const isHeld =
      LISTS.test(parent.tag) || isRow(parent) || CUTS.test(classesOf(parent)) || isGridded(parent)
    if (!isHeld && parent.tag !== '' && parent.tag !== '#code') break
    if (place === section) return null
    place = parent
  }
  if (isInCode(place) && place.tag !== '#code') return null
  if (![place, ...above(place)].includes(section)) return null
  place = belowStrip(place)
  // What stands in a box of its own may go on below that.
  for (let box = place.parent; box !== null && box !== section; box = box.parent) {
    if (below(place).length > 0 || box.parent === null || isInCode(box)) break
    const strip = belowStrip(box)
    if (strip !== box) return strip
    if (below(box).length > 0) break
  }
  return place
}

const below = (one: Element): Element[] => besides(one).filter(({ start }) => start >= one.end)

const STRIP =
  /^(p|small|div|span|ul|ol|aside)$|^((motion|m)\.(p|div|small)|Card|Paper|Box|Alert|Callout|Note|Text|Typography|Paragraph)$/

/** The last of the lines of fine print that come right after an element; itself, where none does. */
function belowStrip(element: Element): Element {
  let last = element
  for (const after of below(element)) {
    if (!STRIP.test(after.tag) || wordsIn(after) === '' || wordsIn(after).length > 400) break
    if ([after, ...elementsIn(after)].some(isHeading)) break
    last = after
  }
  return last
}

const isGridded = (one: Element): boolean =>
  /(^|[\s_-])(grid|columns|row|cards|flex)(?=[\s_-]|$)/i.test(classesOf(one)) && !COLUMN.test(classesOf(one))

/** The button with its space above, in the middle where the heading stands there; `null` where that cannot be told, or it would not be seen. */
function standing(
  page: Page,
  place: Element,
  { heading, section, areCards }: Prices,
  { source, hasSpace }: { source: string; hasSpace: boolean },
): string | null {
  const around = [place, ...above(place)].map(classesOf).join(' ').split(/\s+/)
  const colours = source.match(/(?<=[\s"'])bg-[\w[\]#()-]+/g) ?? []
  if (colours.some((one) => around.includes(one))) return null
  const isOwnLook = !isUtility(page) && !isGrid(page)
  if (isOwnLook && !isShownOnGround(page, place, source)) return null
  const holder = place.parent === null ? '' : classesOf(place.parent)
  const heads = [heading, ...above(heading)].filter((one) => one.start >= section.start)
  const centre = [...heads, ...besides(place), place]
    .map((one) => /(^|\s)((?:sm:|md:|lg:)?text-center)(?=\s|$)/.exec(classesOf(one))?.[2])
    .find((one) => one !== undefined)
  const isCentredColumn = COLUMN.test(holder) && /(^|\s)items-center(?=\s|$)/.test(holder)
  const name = classWord(page)
  const below = /(?:^|\s)(mb-(?:[4-9]|1\d|2\d))(?=\s|$)/.exec(classesOf(place))?.[1]
  const isSpaced = /(^|\s)(gap|gap-y|space-y)-\S+/.test(holder)
  if (!isOwnLook) {
    const own = [
      below ?? '',
      hasSpace || isSpaced || below !== undefined ? '' : isUtility(page) ? 'mt-10' : 'mt-4',
      isCentredColumn ? '' : (centre ?? ''),
    ].filter((one) => one !== '')
    return own.length === 0
      ? COLUMN.test(holder)
        ? `<div>${source}</div>`
        : source
      : `<div ${name}="${own.join(' ')}">${source}</div>`
  }
  const isMiddle =
    areCards ||
    heads.some((one) => /cent(er|re)|middle/i.test(`${classesOf(one)} ${given(one, 'style') ?? ''}`))
  return spaced(page, { marginTop: '2rem', ...(isMiddle ? { textAlign: 'center' } : {}) }, source)
}

/** What only gives a part its width and its place has no colour of its own. */
const LAYOUT =
  /^(container\S*|wrap\S*|\S*[-_](container|wrap(per)?|inner|content|text|body|grid|row|actions|buttons)|inner|content|row|grid|col\S*|actions|buttons|text-\S+|reveal|fade\S*)$/i

const painted = (one: Element): string[] =>
  classesOf(one)
    .split(/\s+/)
    .filter((name) => name !== '' && !LAYOUT.test(name))

/** What an element stands on: the next thing around it whose classes may give it a colour, or a section. */
function groundOf(element: Element): string {
  for (const one of above(element)) {
    const own = painted(one)
    if (own.length > 0) return own.sort().join(' ')
    if (/^(section|article|main|body|header|footer)$/.test(one.tag) || one.parent === null) return 'page'
  }
  return 'page'
}

/** Whether the page shows such a button on the same ground: a stylesheet says what the two look like, and it is not read. */
function isShownOnGround({ root }: Page, place: Element, source: string): boolean {
  const own = /^<[^>]*?\sclass(?:Name)?="([^"]*)"/.exec(source)?.[1]?.split(/\s+/) ?? []
  const tag = /^<([\w.]+)/.exec(source)?.[1]
  const ground = groundOf(place)
  return elementsIn(root).some((one) => {
    const classes = classesOf(one).split(/\s+/)
    const isSame = own.length === 0 ? one.tag === tag : own.every((name) => classes.includes(name))
    return isSame && groundOf(one) === ground
  })
}
