import { insertAt } from '../../edits.js'
import type { Goal, Idea, Opening, View } from '../../idea.js'
import { above, besides, type Element, elementsIn, isInCode, type Page, wordsIn } from '../../markup/tree.js'
import { endsDead } from '../../pages-at.js'
import { anchorOf, cutAt, isButton, isField, isHeading, isLink, lineBreakBefore } from '../../surface.js'
import { plain } from '../../uses.js'
import { inFrame } from '../evidence/repeat-beside.js'
import { type Hero, heroOf, isStartPage, opensSite } from '../opening/hero.js'
import { COLUMN, classesOf, evidenceOf, indented, isInQuote, standing, takenFor } from './standing.js'
import { copyOf, kindOf, mainWays, needOf } from './ways.js'

/** What parts that open a page are called too. */
const MAY_OPEN = /(intro|welcome|splash|opening|header-?image|top)[^/]*$/i

/** Whether the rest of the site could say something for the opening of this page. */
export const mayLackInOpening = ({ page }: View): boolean => {
  const mayOpen = opensSite(page.path) || isStartPage(page.path) || MAY_OPEN.test(page.path)
  const hero = mayOpen ? heroOf(page) : null
  // A title that may be but a name is asked for what the site says too.
  return hero !== null && (!asks(page, hero, null) || wordsIn(hero.title).split(' ').length <= 6)
}

/**
 * An opening of a start page in which nothing is to be pressed, on a site where there is something to do: the way to that, as the site has it somewhere else, stands below
 * the first lines too. In the site's own words and look. Not where the bar above shows the same button to everybody, nor where its place or its look cannot be told.
 */
export function* actInOpening(view: View, hero: Hero): Generator<Idea> {
  const { page, site } = view
  const opening = site?.openings[page.path]
  if (opening === undefined || site === null || !isFirst(page, hero, opening) || asks(page, hero, view))
    return
  if (LEAVES.test(page.text)) return
  // What stands elsewhere in one language would stand so in all.
  if (page.isTranslated === true || asksNext(page, hero) || asksInHeader(hero)) return
  const best = mainWays(view, opening.page)
  const isInSight = best.some((one) => one.isButton && one.isFramed && one.isAlways)
  const way = isInSight ? null : copyOf(best, page.path, opening.page, site.parts)
  const place = placeBelow(hero)
  if (way === null || place === null || way.copy === null || isInQuote(place)) return
  if (endsDead(site, way.href, opening.page)) return
  const source = standing(page, place, way, way.copy)
  const taken = source === null ? null : takenFor(page, way, way.copy.needs)
  if (source === null || taken === null) return
  const line = wordsIn(hero.line ?? hero.title)
  const where = way.path === page.path ? 'further down' : `in ${way.path}`
  const goal: Goal = kindOf(way) === 'sign up' ? 'sign up' : 'click'
  yield {
    mechanism: 'friction',
    pattern: 'act-in-opening',
    name: `Put “${way.label}” into the opening`,
    anchor: anchorOf(hero.title, `${wordsIn(hero.title)} ${way.href}`),
    topics: ['hero', 'call to action', 'button', kindOf(way) ?? '', way.label],
    arms: [
      {
        name: `“${way.label}” below the first lines`,
        changes: [
          {
            ...insertAt(place.end, indented(lineBreakBefore(page, place), source), place),
            additions: taken,
          },
        ],
        // It stands there as elsewhere: its words are no other ones.
        says: null,
      },
    ],
    audience: 'visitors who see the opening of the start page',
    change: `showing the site’s own button “${way.label}” (${way.href}), which stands ${where}, below “${cutAt(line, 60)}” too, where nothing leads on now`,
    because:
      'who is interested by the first lines finds the next step there, and need not look for it in the menu or on other pages',
    goal,
    when: `any link to ${way.href} is pressed, in all variants`,
    effect: 4,
    ...(way.path === page.path ? {} : { evidence: evidenceOf(way) }),
  }
}

/** What a part is given where it leads on, or says what is pressed. */
const GIVEN_ACT = /\s:?\w*(href|link|url|cta|button|action)\w*\s*=|\b(href|to|url)\s*:/i

/** Whether the title is the first heading of what opens the site, and the part above it is given nothing to press. */
function isFirst({ root, text }: Page, { title }: Hero, { below }: Opening): boolean {
  const above = elementsIn(root).find(({ tag }) => tag === below)
  if (above !== undefined && GIVEN_ACT.test(text.slice(above.start, above.end))) return false
  const first = elementsIn(root).find(
    (one) =>
      /^h[1-3]$/.test(one.name) &&
      wordsIn(one) !== '' &&
      (one === title || !inFrame(one)) &&
      one.parent?.tag !== below,
  )
  return first === title || !isHeading(title)
}

/** The page goes to another one by itself, after some time. */
const LEAVES =
  /setTimeout\(\s*(?:\(\)|function\b[^{]*)[\s\S]{0,120}?\b(?:navigate|push|replace|goto|navigateTo)\(/

/** What only moves the page. */
const SCROLLS = /^scroll\b|\bscroll(en)?$|^(nach unten|défiler|desplaz)/i
/** Parts that show pictures, or move what is in them. */
const SHOWS =
  /^(next|nuxt)?-?(img|image|picture|video|icon|svg|lottie|player|canvas|fragment|transition|clientonly|balancer|balance|br|trans)$|(image|img|icon|video|background|pattern|gradient|blob|shape|logo|illustration|animation|particles|overlay|lottie|typewriter|header|navbar)$|^(motion|animated|m)\./i
const PRESSED = /\s(on(Click|Press|Submit)|@click(?!\.\w*away)|on:click|v-on:click|onclick)\b/

/** Whether something can be pressed or filled in within an opening, as far as can be told: of a part that nothing is known of, it may be. */
function asks(page: Page, { section }: Hero, view: View | null): boolean {
  return elementsIn(section).some((one) => {
    if (isField(one) || /^(form|input|select|textarea)$/.test(one.name)) return true
    if (isLink(one) || isButton(one) || /button|btn|cta|link$/i.test(one.tag))
      return !SCROLLS.test(wordsIn(one))
    if (/^(h[1-6]|p|title)$/.test(one.tag) || !/^[A-Z]|^[a-z]+-/.test(one.tag)) return false
    const own = page.text.slice(one.start, page.text.indexOf('>', one.start))
    if (PRESSED.test(own)) return true
    if (SHOWS.test(one.tag) || one.children.length > 0 || view === null) return false
    const from = needOf(page.text, one.tag.split('.')[0] ?? '')?.from
    if (from !== undefined && !/^[.~#]|^@\//.test(from)) return false
    const part = view.site?.parts[plain(one.tag)]
    return part === undefined || part.asks || part.showsField || part.dress.leads.length > 0
  })
}

/** Whether the header that the title stands in has a button of its own, as in slides below it. */
const asksInHeader = ({ title }: Hero): boolean =>
  [...above(title)].some((one) => one.tag === 'header' && elementsIn(one).some(isButton))

/** Whether what comes right after the opening is filled in: that is what the page is for. */
function asksNext({ root }: Page, { section }: Hero): boolean {
  const after = elementsIn(root).filter((one) => one.start >= section.end)
  const field = after.find((one) => isField(one) || /^form$/.test(one.name))
  const headings = after.filter((one) => isHeading(one) && one.start < (field?.start ?? 0))
  return field !== undefined && headings.length <= 1
}

const ROW =
  /(^|\s)((inline-)?flex|d-(inline-)?flex|row|columns|grid|inline-grid|d-grid)(?=\s|$)|(^|\s)(sm|md|lg|xl):(flex-row|grid-cols-\S+)(?=\s|$)/
const CUTS = /(^|\s)(overflow-(y-)?hidden|line-clamp\S*|truncate)(?=\s|$)/
const UNSEEN = /(^|\s)(hidden|sr-only|visually-hidden|invisible|d-none)(?=\s|$)/
const SLIDES = /slide|carousel|swiper/i
const LAID_OVER = /(^|\s)(absolute|fixed)(?=\s|$)/

export const isRow = (element: Element): boolean =>
  ROW.test(classesOf(element)) && !COLUMN.test(classesOf(element))

/** What a button stands below: the line, or what only holds it. `null` where it would stand beside something, or far from the words. */
function placeBelow({ title, line, section }: Hero): Element | null {
  let place = line ?? title
  if (line === null && UNSEEN.test(classesOf(title))) return null
  // Of slides each has its own.
  if ([title, ...above(title)].some((one) => SLIDES.test(`${one.tag} ${classesOf(one)}`))) return null
  for (;;) {
    const { parent } = place
    if (parent === null || isInCode(place) || place === section) return null
    const holds = parent.tag === '' || parent.tag === '#code' || /^(hgroup|h[1-6]|p|span)$/.test(parent.tag)
    if (!holds && !isRow(parent) && !CUTS.test(classesOf(parent))) break
    const others = besides(place).filter((one) => !LAID_OVER.test(classesOf(one)))
    const isSame = others.every((one) => one === place || one === title || elementsIn(one).includes(title))
    if (!isSame || (isRow(parent) && others.length > 1) || parent === section.parent) return null
    place = parent
  }
  const after = besides(place).filter((one) => one.start >= place.end)
  // More words belong to those before, and so does a line that is drawn below them.
  if (after.some((one) => /^(p|h[2-6]|ul|ol)$/.test(one.tag) || (one.hasCode && place === title))) return null
  const [next] = after
  return next !== undefined && isLine(next) ? next : place
}

/** A thin line without words, as it stands below titles. */
const isLine = (one: Element): boolean =>
  one.tag === 'hr' ||
  (/^(div|span)$/.test(one.tag) &&
    elementsIn(one).length === 0 &&
    wordsIn(one) === '' &&
    /(^|\s)h-(px|0\.5|1|1\.5|\[[1-6]px\])(?=\s|$)/.test(classesOf(one)))
