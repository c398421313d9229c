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
import { anchorOf, cutAt, isButton, isField, isLink } from '../../surface.js'
import { LEADS_ON } from '../evidence/repeat-beside.js'
import { goalOfPage, isStartPage, opensSite } from '../opening/hero.js'
import { type Columns, columnsOf, hasColumns, shownFirst } from './columns.js'
import { classText } from './screens.js'

const PICTURE =
  /^(img|image|picture|video|nuxt-img|nuxt-picture|staticimage|gatsbyimage|swiper|carousel|slider)$/i
/** A product's pictures come first everywhere. */
const GOODS =
  /(^|[/_.-])(products?|produkte?|produits?|productos?|details?|items?|recipes?|posts?|blog|auth|login)(?=[/_.[-])/i
/** More words beside the title are something to read. */
const MAX_WORDS = 40

/**
 * An opening whose picture stands above the title and the button on phones: title and button come first there, and the picture below them. Wide screens stay as they are. Writes
 * no text. Not for products, whose picture comes first everywhere, nor where the picture's column says something.
 */
export function* titleFirst(view: View): Generator<Idea> {
  const { page } = view
  const path = page.path.replace(/([a-z\d])([A-Z])/g, '$1-$2')
  if (!(opensSite(page.path) || isStartPage(page.path)) || GOODS.test(path) || !mayBeBelow(page)) return
  const found = pictureFirst(page)
  if (found === null) return
  const { title, changes } = found
  const goal = goalOfPage(view)
  yield {
    mechanism: 'order',
    pattern: 'title-first-on-phones',
    name: 'Show the title and the button before the picture on phones',
    anchor: anchorOf(title, `${cutAt(wordsIn(title), 40)} below picture`),
    topics: ['mobile', 'opening', 'hero', 'picture', 'order', wordsIn(title)],
    arms: [{ name: 'Title and button first on phones', changes, says: null }],
    audience: 'visitors who arrive on phones',
    change:
      'showing the title and the button first, and the picture below them, where it stands above them now,',
    because: 'what the site is and what one can do there are seen without scrolling then',
    goal,
    ...(goal === 'click' ? { when: LEADS_ON } : {}),
    effect: 4,
  }
}

const mayBeBelow = (page: Page): boolean => hasColumns(page) || page.text.includes('flex-col-reverse')

interface Found {
  title: Element
  changes: Change[]
}

function pictureFirst(page: Page): Found | null {
  const found = [...columnsOf(page).flatMap((one) => besideTitle(page, one)), ...turnedRound(page)].filter(
    ({ title }) => isFirst(title),
  )
  const [only, ...others] = found
  return only === undefined || others.length > 0 ? null : only
}

const hasPicture = (one: Element): boolean => [one, ...elementsIn(one)].some(({ name }) => PICTURE.test(name))

/** Words that may stand above a title: what kind of thing it is. */
const MAX_ABOVE = 12

/** Whether nothing is said before a title but in the column beside it: else something else opens the page. */
function isFirst(title: Element): boolean {
  const around = [...above(title)]
  const row = around.find(({ children }) =>
    children.some((one) => one.kind === 'element' && one.end <= title.start && hasPicture(one)),
  )
  const before = around
    .filter((one) => one !== row)
    .flatMap((one) => one.children.filter((child): child is Element => child.kind === 'element'))
    .filter((one) => one.end <= title.start && !/^(nav|header)$|nav|header/i.test(one.name))
  return before.reduce((sum, one) => sum + wordsIn(one).split(/\s+/).filter(Boolean).length, 0) <= MAX_ABOVE
}

/** The title of an opening with something to press, and no picture of its own. */
function titleIn(column: Element): Element | null {
  const all = [column, ...elementsIn(column)]
  const [title, ...more] = all.filter(({ name }) => name === 'h1')
  const acts = all.some((one) => (isLink(one) || isButton(one)) && !/^#?$/.test(wordsIn(one)))
  return title === undefined || more.length > 0 || !acts || all.some(({ name }) => PICTURE.test(name))
    ? null
    : title
}

const isPicture = (column: Element): boolean => {
  const all = [column, ...elementsIn(column)]
  return (
    all.some(({ name }) => PICTURE.test(name)) &&
    !all.some((one) => isField(one) || isLink(one) || isButton(one) || /^h[1-3]$/.test(one.name)) &&
    wordsIn(column).split(/\s+/).length <= MAX_WORDS
  )
}

const isHiddenBelow = (page: Page, one: Element): boolean =>
  /(^|[\s"'`])hidden(?=[\s"'`])/.test(classText(page, one))

function besideTitle(page: Page, columns: Columns): Found[] {
  const { first, second, isOrdered } = columns
  if (isHiddenBelow(page, first) || isHiddenBelow(page, second)) return []
  if (!isOrdered) {
    const title = titleIn(second)
    const change = title === null || !isPicture(first) ? null : shownFirst(page, columns, true)
    return title === null || change === null ? [] : [{ title, changes: [change] }]
  }
  const [text, picture] = titleIn(first) === null ? [second, first] : [first, second]
  const title = titleIn(text)
  const [down, up] = [withOrder(text, 'order-2', 'order-1'), withOrder(picture, 'order-1', 'order-2')]
  return title === null || !isPicture(picture) || down === null || up === null
    ? []
    : [{ title, changes: [down, up] }]
}

/** A place in the order of phones changed for another one; `null` where it has none of that sort. */
function withOrder(column: Element, was: string, is: string): Change | null {
  const own = attribute(column, 'class')?.own
  const classes = given(column, 'class')
  if (own == null || classes === null) return null
  const words = classes.split(/\s+/)
  if (words.filter((one) => /^-?order-/.test(one)).join() !== was) return null
  const text = words.map((one) => (one === was ? is : one)).join(' ')
  return { ...own, text, unit: { ...own, parent: column } }
}

/** Columns that are written with the title first, and turned round on phones. */
const turnedRound = (page: Page): Found[] =>
  elementsIn(page.root).flatMap((row): Found[] => {
    const own = attribute(row, 'class')?.own
    const classes = given(row, 'class')
    if (own == null || classes === null || has(row, ':class')) return []
    const words = classes.split(/\s+/)
    if (!words.includes('flex-col-reverse') || !words.some((one) => /^(sm|md|lg|xl):flex-row$/.test(one)))
      return []
    const [first, second, ...more] = row.children.filter((one): one is Element => one.kind === 'element')
    if (first === undefined || second === undefined || more.length > 0) return []
    const title = titleIn(first)
    if (title === null || !isPicture(second) || isHiddenBelow(page, second)) return []
    const text = words.map((one) => (one === 'flex-col-reverse' ? 'flex-col' : one)).join(' ')
    return [{ title, changes: [{ ...own, text, unit: { ...own, parent: row } }] }]
  })
