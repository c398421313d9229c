import { isSampleNumber } from '../lexicon/calling-code.js'
import type { Language } from '../lexicon/language.js'
import { type Act, actOf, isInFrame, type PageAction, purposeOfAddress } from '../page/actions.js'
import { labelOf, wordsOfCode } from '../page/forms.js'
import { isOutside, outsideActOf } from '../page/outside.js'
import {
  above,
  attribute,
  elementsIn,
  given,
  type PageElement,
  type PageTree,
  wordsIn,
} from '../page/tree.js'

/**
 * A link or button with which visitors go on. `own` leads to a page or section of the site, `external` to a
 * telephone, a chat, a mailbox or a service that the business books or sells with. The address of `code` is
 * computed, or a handler does it all.
 */
export interface Way {
  kind: 'own' | 'external' | 'code'
  act: Act | null
  /** its words, or how programs for the blind call it */
  label: string
  /**
   * as its file writes it: `/booking`, `#contact`, `menu.html`, `tel:+1…`. The expression of a computed
   * address has braces, `{site.phoneLink}`. `''` if only a handler knows
   */
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
/** The words of code that computes an address for an act. */
const CODE_ACTS: readonly (readonly [Act, RegExp])[] = [
  [
    'booking',
    /doctolib|calendly|booking|reserv|appointment|termin(?!a[lt])|opentable|fresha|treatwell|planity/i,
  ],
  ['contact', /whats-?app|\bwa(_|Link|Url|Href|Me)\b|\btel:|phone|telef|mailto:/i],
]
/** An expression whose first name is a constant of the file, or imported. */
const EXPRESSION = /^\{([A-Za-z_$][\w$]*)(\.[\w$]+)*\}$/

/** The ways that a page shows. */
export const waysOf = (page: PageTree, actions: readonly PageAction[], language: Language | null): Way[] =>
  [...actions, ...unsaidActions(page)].flatMap((action) => {
    const { element, label, looksLikeButton } = action
    const found = kindOf(page, action)
    if (found === null || label.length > 40) return []
    const classes = given(element, 'class')
    return [
      {
        ...found,
        label,
        path: page.path,
        language,
        buttonClass: looksLikeButton && attribute(element, 'class')?.own != null ? classes : null,
        isInFrame: isInFrame(element),
      },
    ]
  })

/** Links to a telephone or a chat that are a picture. */
const unsaidActions = (page: PageTree): PageAction[] =>
  elementsIn(page.root).flatMap((element) => {
    const to = given(element, 'href')
    if (element.name !== 'a' || to === null || outsideActOf(to) === null || labelOf(element) !== '') return []
    return [{ element, to, label: given(element, 'aria-label') ?? '', purpose: null, looksLikeButton: false }]
  })

function kindOf(page: PageTree, action: PageAction): Pick<Way, 'kind' | 'act' | 'to'> | null {
  const { element, to, purpose, label } = action
  const act = purpose === 'sign in' ? null : actOf(action)
  if (to === null) {
    const code = codeOf(page, element)
    if (code === null || NO_WAY.test(label) || purpose === 'sign in') return null
    const named =
      act ?? (code.startsWith('{') ? CODE_ACTS.find(([, is]) => is.test(code))?.[0] : null) ?? null
    return named === null ? null : { kind: 'code', act: named, to: EXPRESSION.test(code) ? code : '' }
  }
  if (to === '/' || NO_WAY.test(to)) return null
  if (OWN.test(to)) return { kind: 'own', act, to }
  if (purpose === 'sign in') return null
  const outside = isSampleNumber(/^(?:tel:|https:\/\/wa\.me\/)([+\d]+)/.exec(to)?.[1] ?? '')
    ? null
    : outsideActOf(to)
  const isSaid = page.text.includes(to)
  if (outside !== null)
    return { kind: isSaid ? 'external' : 'code', act: act ?? outside, to: isSaid ? to : '' }
  return act !== null && act !== 'contact' && act !== 'cart' && isOutside(to) && isSaid
    ? { kind: 'external', act, to }
    : null
}

/** `{site.phoneLink}`, or all that its handler does. `null` for an element that has neither, and in forms. */
function codeOf({ text }: PageTree, element: PageElement): string | null {
  const link = element.attributes.find(({ name, value }) => /^:?(href|to)$/.test(name) && value === null)
  if (link !== undefined) {
    const written = text.slice(link.start, link.end).replace(/^[^=]*=/, '')
    return written.startsWith('{') ? written : `{${written.replace(/^"|"$/g, '')}}`
  }
  const handler = element.attributes.find(({ name }) => /^(on:?|@|v-on:)click(?![a-z])/i.test(name))
  return handler === undefined || [...above(element)].some(({ name }) => name === 'form')
    ? null
    : text.slice(handler.start, handler.end)
}

/** Pages that menus and tables of routes name, which no page shows as a link with its own words. */
export function waysNamed(addresses: ReadonlyMap<string, string>, ways: readonly Way[]): Way[] {
  const linked = new Set(ways.map(({ to }) => plain(to)))
  return [...addresses].flatMap(([to, path]) =>
    NO_WAY.test(to) || linked.has(plain(to))
      ? []
      : [
          {
            ...{ kind: 'own' as const, act: actOf({ purpose: purposeOfAddress(to) }), label: '', to, path },
            ...{ language: null, buttonClass: null, isInFrame: true },
          },
        ],
  )
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

const known = new WeakMap<PageTree, ReadonlySet<string>>()

/** The ids of a page, looked up once for all ways of a site. */
function idsIn(page: PageTree): ReadonlySet<string> {
  const ids = known.get(page) ?? new Set(elementsIn(page.root).map((one) => given(one, 'id') ?? ''))
  known.set(page, ids)
  return ids
}

/** Whether a page may use the address of a way as it is written. */
export function leadsFrom(page: PageTree, { to, path, kind }: Way): boolean {
  if (kind === 'external') return path === page.path || outsideActOf(to) !== null
  if (kind === 'code') return path === page.path && to !== '' && isConstant(page.text, to)
  const own = page.path.replace(/(\/(index|\+?page))?\.\w+$/i, '').toLowerCase()
  const bare = to.replace(/\.html/, '')
  if (to.startsWith('/')) return ![bare, `${bare}page`].some((one) => `/${own}`.endsWith(one.toLowerCase()))
  if (page.dialect !== 'html') return to.startsWith('#') && !path.endsWith('.html')
  return to.startsWith('#')
    ? idsIn(page).has(to.slice(1))
    : path.endsWith('.html') &&
        folderOf(path) === folderOf(page.path) &&
        !page.path.endsWith(`/${to}`) &&
        page.path !== to
}

/** Whether the first name of an expression is imported, or a constant at the outermost level. */
function isConstant(text: string, expression: string): boolean {
  const name = EXPRESSION.exec(expression)?.[1]?.replaceAll('$', '\\$')
  return (
    name !== undefined &&
    new RegExp(`^(export )?const ${name}\\b|^import\\b[^;'"]*[\\s{,]${name}[\\s},]`, 'm').test(text)
  )
}

/** The only address to which the ways lead, `null` for none or several. */
export function onlyAddress(ways: readonly Way[]): Way | null {
  const [first] = ways
  return first !== undefined && ways.every(({ to }) => plain(to) === plain(first.to)) ? first : null
}

const plain = (to: string): string => to.replace(/\/$/, '').replace(/^\/#/, '#').toLowerCase()

/** The act for which the site is there, as far as its ways show it. */
export const mainActOf = (ways: readonly Way[]): Act | undefined =>
  (['booking', 'quote', 'purchase', 'contact'] as const).find((one) =>
    ways.some(({ act, to }) => act === one && !/^(tel|mailto):/.test(to)),
  )

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
  if (to.startsWith('{')) {
    const address = page.dialect === 'vue' ? `:href="${to.slice(1, -1)}"` : `href=${to}`
    return `<a ${address}${attributes}>${label}</a>`
  }
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

/** Classes of Tailwind, whose links have the colour of the text around them. */
const INHERITS =
  /[\s"'`](?:(?:hover|sm|md|lg|xl):[a-z]|text-(?:xs|sm|base|lg|\d?xl|white|\w+-\d{2,3})\b|bg-\w+-\d{2,3}\b|space-[xy]-\d)/
const LOOKS = /^(:?class(Name)?|:?style|id)$/
const PARTS = /^(footer|header|section|address|aside|nav|article|ul)$/

const hasNoStyles = ({ text }: PageTree): boolean =>
  !/<style\b|\bstylesheet\b|\b(style|class(Name)?|sx|color)=/i.test(text)

/** Whether a new link at a place can be read: a browser's own blue cannot on a dark ground. */
export function isReadableLink(page: PageTree, place: PageElement): boolean {
  if (linkStyle(page) !== '' || INHERITS.test(page.text) || hasNoStyles(page)) return true
  const part = [...above(place)].find(({ name }) => PARTS.test(name))
  return (
    part !== undefined &&
    elementsIn(part).some(
      (one) =>
        one.name === 'a' && wordsIn(one).length > 2 && !one.attributes.some(({ name }) => LOOKS.test(name)),
    )
  )
}

/** The look of the page's first plain link, as an attribute for another one. */
export function linkStyle(page: PageTree): string {
  const classes = elementsIn(page.root)
    .filter(({ name }) => name === 'a')
    .map((one) => (wordsIn(one).length > 2 ? (given(one, 'class') ?? '') : ''))
    .find(
      (one) =>
        /hover:|link/.test(one) &&
        !/\b(bg-|btn|button|border|p[xy]?-\d|skip|nav|menu|active|admin|log|brand|title)/.test(one),
    )
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
