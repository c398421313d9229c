import type { Language } from '../lexicon/language.js'
import { type Act, actOf, isInFrame, type PageAction } from '../page/actions.js'
import { wordsOfCode } from '../page/forms.js'
import { attribute, elementsIn, given, type PageElement, type PageTree, wordsIn } from '../page/tree.js'

/** A link or button of the site that leads to one of its own pages or sections. */
export interface Way {
  act: Act | null
  label: string
  /** as its file writes it: `/booking`, `#contact`, `menu.html` */
  to: string
  path: string
  language: Language | null
  /** the classes of a button, `null` for a plain link */
  buttonClass: string | null
  isInFrame: boolean
}

const OWN = /^(\/(?![/\\])[\w/-]*(\.html)?(#[\w-]+)?|#[\w-]+|[\w-]+\.html(#[\w-]+)?)$/
const NO_WAY =
  /log-?(in|out)|sign-?(in|out)|admin|dashboard|privacy|terms|impressum|datenschutz|legal|cart|account/i

/** The ways that a page shows. */
export const waysOf = (
  { path }: PageTree,
  actions: readonly PageAction[],
  language: Language | null,
): Way[] =>
  actions.flatMap((action) => {
    const { element, label, to, looksLikeButton } = action
    if (to === null || to === '/' || !OWN.test(to) || NO_WAY.test(to) || label.length > 40) return []
    const classes = given(element, 'class')
    return [
      {
        act: action.purpose === 'sign in' ? null : actOf(action),
        label,
        to,
        path,
        language,
        buttonClass: looksLikeButton && attribute(element, 'class')?.own != null ? classes : null,
        isInFrame: isInFrame(element),
      },
    ]
  })

const folderOf = (path: string): string => path.replace(/[^/]*$/, '')

/** Whether a page may use the address of a way as it is written. */
export function leadsFrom(page: PageTree, { to, path }: Way): boolean {
  const own = page.path.replace(/(\/(index|\+?page))?\.\w+$/i, '').toLowerCase()
  const bare = to.replace(/\.html/, '')
  if (to.startsWith('/')) return ![bare, `${bare}page`].some((one) => `/${own}`.endsWith(one.toLowerCase()))
  if (page.dialect !== 'html') return to.startsWith('#') && !path.endsWith('.html')
  return to.startsWith('#')
    ? elementsIn(page.root).some((one) => given(one, 'id') === to.slice(1))
    : path.endsWith('.html') &&
        folderOf(path) === folderOf(page.path) &&
        !page.path.endsWith(`/${to}`) &&
        page.path !== to
}

/** The only address to which the ways lead, `null` for none or several. */
export function onlyAddress(ways: readonly Way[]): Way | null {
  const [first] = ways
  return first !== undefined && ways.every(({ to }) => plain(to) === plain(first.to)) ? first : null
}

const plain = (to: string): string => to.replace(/\/$/, '').replace(/^\/#/, '#').toLowerCase()

/** The act for which the site is there, as far as its ways show it. */
export const mainActOf = (ways: readonly Way[]): Act | undefined =>
  (['booking', 'quote', 'purchase', 'contact'] as const).find((one) => ways.some(({ act }) => act === one))

/** The words of an address: `/book-a-table` as "book a table". */
export const addressWords = (to: string): string[] =>
  wordsOfCode(to.replace(/\.html/, ''))
    .toLowerCase()
    .split(' ')

/** A link in the way that the file writes links to pages of the site. */
export function linkTo(page: PageTree, to: string, attributes: string, label: string): string {
  const links = elementsIn(page.root).filter(({ tag }) =>
    /^(Link|NuxtLink|RouterLink|router-link)$/.test(tag),
  )
  const [link] = links
  const isPage = link !== undefined && to.startsWith('/')
  const tag = isPage ? link.tag : 'a'
  const name = isPage && link.attributes.some((one) => one.name === 'to') ? 'to' : 'href'
  return `<${tag} ${name}="${to}"${attributes}>${label}</${tag}>`
}

export const classAttribute = ({ dialect }: PageTree, classes: string | null): string =>
  classes === null || classes === '' ? '' : ` ${dialect === 'jsx' ? 'className' : 'class'}="${classes}"`

/** Utilities that show that a text is a link, and do not change its size or place. */
const OF_LINKS =
  /^(hover:(text|underline|opacity)\S*|transition\S*|duration-\S+|underline\S*|decoration-\S+)$/

/** The look of the page's first plain link, as an attribute for another one. */
export function linkStyle(page: PageTree): string {
  const classes = elementsIn(page.root)
    .filter(({ name }) => name === 'a')
    .map((one) => (wordsIn(one).length > 2 ? (given(one, 'class') ?? '') : ''))
    .find((one) => /hover:|link/.test(one) && !/\b(bg-|btn|button|border|p[xy]?-\d|skip)/.test(one))
  if (classes === undefined) return ''
  const utilities = classes.split(/\s+/).filter((one) => OF_LINKS.test(one))
  return classAttribute(page, classes.includes('hover:') ? utilities.join(' ') : classes)
}

/** `data-config="phone"`, and not what only moves an element or names it for tests. */
const FILLED = /^(v-(text|html)|data-(?!aos|anim|wow|scroll|reveal|sal|test|v-))/

/** Whether a program may write other words into the element. */
export const isWritten = (element: PageElement, bound: ReadonlySet<string>): boolean =>
  element.attributes.some(({ name }) => FILLED.test(name)) || namesOf(element).some((name) => bound.has(name))

/** Names in code that bind behaviour to classes and ids. */
const BINDS =
  /(?:querySelector(?:All)?|getElementsByClassName|getElementById|\$|closest|matches|\bon|delegate|find)\(\s*["'`]([^"'`\n]+)["'`]/g

/** The classes and ids that scripts of the text look elements up by. */
export const boundNames = (text: string): string[] =>
  [...text.matchAll(BINDS)].flatMap(([, selector = '']) => selector.match(/[\w-]{2,}/g) ?? [])

export const namesOf = (element: PageElement): string[] =>
  `${given(element, 'class') ?? ''} ${given(element, 'id') ?? ''}`.split(/\s+/).filter((one) => one !== '')
