import { type Change, insertAt } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import {
  above,
  attribute,
  besides,
  type Element,
  elementsIn,
  given,
  isInCode,
  wordsIn,
} from '../../markup/tree.js'
import { anchorOf, classWord, isLink, lineBreakBefore, sourceOf } from '../../surface.js'

export function* navigation(view: View): Generator<Idea> {
  yield* offerFirst(view)
  yield* signUpStandsOut(view)
  yield* staysInSight(view)
}

const NAVIGATION = /^(nav|header|navbar|menubar|navigation|.*(nav|navbar|header))$/i
const OFFER =
  /^\/(?:[\w-]+\/)*(pricing|prices|plans|products|shop|store|preise|tarife|produkte|tarifs|produits|boutique|precios|productos|tienda)(\.html)?\/?$/i
const HOME = /^(\.?\/|index\.html|#|\/home)$/i

const isNavigation = (element: Element): boolean =>
  NAVIGATION.test(element.name) || given(element, 'role') === 'navigation'

const hrefOf = (element: Element): string => given(element, 'href') ?? given(element, 'to') ?? ''

/** The link of an entry: itself, or the only one in it. */
function linkOf(entry: Element): Element | null {
  if (isLink(entry)) return entry
  const [only, ...more] = elementsIn(entry).filter(isLink)
  return only === undefined || more.length > 0 ? null : only
}

/** Entries of a navigation beside each other, in the order of the file. */
function rowsOf({ page }: View): { parent: Element; entries: { element: Element; href: string }[] }[] {
  const found: { parent: Element; entries: { element: Element; href: string }[] }[] = []
  for (const parent of elementsIn(page.root)) {
    if (![parent, ...above(parent)].some(isNavigation) || isInCode(parent)) continue
    if ([parent, ...above(parent)].some(({ name }) => /footer/i.test(name))) continue
    const entries = parent.children.flatMap((one) => {
      const link = one.kind === 'element' && one.tag !== '#code' ? linkOf(one) : null
      return link === null || one.kind !== 'element' ? [] : [{ element: one, href: hrefOf(link) }]
    })
    if (entries.length >= 3 && entries.length >= parent.children.length - 1) found.push({ parent, entries })
  }
  return found
}

/**
 * Prices or products that stand after other entries of the navigation: they come first, after the way home. Writes no text. Not where they stand there already,
 * nor in footers and in the navigation of an account.
 */
function* offerFirst(view: View): Generator<Idea> {
  const { page } = view
  if (/(^|[/_.-])(admin|account|dashboard|sidebar|docs?|footer)/i.test(page.path)) return
  for (const { parent, entries } of rowsOf(view)) {
    if (entries.some(({ href }) => /^\/(account|dashboard|admin)\b/i.test(href)) && entries.length < 4)
      continue
    const at = entries.findIndex(({ href }) => OFFER.test(href))
    const first = entries.findIndex(({ href }) => !HOME.test(href))
    const moved = entries[at]?.element
    const before = entries[first]?.element
    if (moved === undefined || before === undefined || at - first < 1) continue
    if (parent.end - parent.start > 5_000 || wordsIn(moved) === '') continue
    const gap = lineBreakBefore(page, moved)
    const names = entries
      .slice(first, at)
      .map(({ element }) => wordsIn(element))
      .filter((one) => one !== '')
    if (names.length === 0) continue
    yield {
      mechanism: 'order',
      pattern: 'offer-first-in-navigation',
      name: `Put “${wordsIn(moved)}” first in the navigation`,
      anchor: anchorOf(moved, `navigation ${wordsIn(moved)}`),
      topics: ['navigation', 'menu', wordsIn(moved), ...names],
      arms: [
        {
          name: `“${wordsIn(moved)}” first`,
          changes: [
            insertAt(before.start, sourceOf(page, moved) + (gap || ' '), parent),
            { start: moved.start - gap.length, end: moved.end, text: '', unit: parent },
          ],
          says: null,
        },
      ],
      audience: 'visitors who look for what there is to be had',
      change: `placing “${wordsIn(moved)}” before ${names.map((one) => `“${one}”`).join(', ')}`,
      because: 'first entries are seen and pressed most',
      goal: 'click',
      when: `“${wordsIn(moved)}” in the navigation is pressed, in all variants`,
      effect: 2,
    }
    return
  }
}

const SIGN_UP =
  /^\/?(?:[\w-]+\/)*(sign-?up|register|registration|join|create-account|registrieren|inscription|registro)(\.html)?\/?$/i

const BAR = /^(nav|header|navbar|b-navbar|v-app-bar)$/
const FIXED = /(^|\s)(\w+:)?(fixed|sticky)(-top)?(?=\s|$)|(^|[\s_-])(fixed|sticky)([\s_-]|$)/i
/** Utility classes as Tailwind has them; any that is written is there. */
const UTILITIES = /(?=.*(^|\s)(flex|grid)(\s|$))(?=.*(^|\s)bg-)(?=.*(^|\s)(p[xy]?|h)-\w)/
const LEADS = /cart|basket|sign-?up|register|pricing|checkout|contact|buy|demo|trial|warenkorb|panier|anmeld/i

/**
 * The bar at the top of all pages, which scrolls away with what leads on: it stays in sight, by the class or property that its framework has for that. Writes no text.
 * Not where it stays already, has no background of its own, or holds nothing that one comes to need later, nor where
 * anything else of the site stays at the top, which it would lie on.
 */
function* staysInSight({ page }: View): Generator<Idea> {
  if (/(^|[/_.-])(admin|dashboard|sidebar|footer|docs?|example|demo)/i.test(page.path)) return
  for (const bar of elementsIn(page.root)) {
    if (!isBar(bar) || isInCode(bar)) continue
    const links = elementsIn(bar).filter((one) => isLink(one) || given(one, 'to') !== null)
    const leading = links.find((one) => LEADS.test(hrefOf(one)))
    if (links.length < 3 || leading === undefined) continue
    const outer = [bar, ...above(bar)]
    if (outer.some((one) => FIXED.test(given(one, 'class') ?? ''))) return
    if (elementsIn(bar).some((one) => FIXED.test(given(one, 'class') ?? ''))) return
    const change = keptInSight(classWord(page), bar)
    if (change === null) continue
    const what = wordsIn(leading) === '' ? hrefOf(leading) : `“${wordsIn(leading)}”`
    yield {
      mechanism: 'friction',
      pattern: 'navigation-in-sight',
      name: `Keep the navigation in sight, with ${what}`,
      anchor: anchorOf(bar, 'navigation bar'),
      topics: ['navigation', 'menu', 'header', what],
      arms: [{ name: 'Stays at the top', changes: [change], says: null }],
      audience: 'visitors who have scrolled down',
      change: `keeping the bar with ${what} at the top of the window while the page scrolls`,
      because: 'the way on is there when one is ready for it, and not only at the top of the page',
      goal: 'click',
      when: `${what} in the bar is pressed, in all variants`,
      onlyWhere: 'nothing sticks',
      // A shop's cart fills while one scrolls; what else a bar holds is found at the top.
      effect: /cart|basket|warenkorb|panier/i.test(hrefOf(leading)) && !isFolded(leading) ? 3 : 2,
    }
    return
  }
}

/** What a small window hides behind a button is not in sight there, wherever the bar is. */
const isFolded = (link: Element): boolean =>
  [link, ...above(link)].some(
    (one) =>
      /collapse/i.test(one.tag) ||
      /(^|\s)(\S*collapse\S*|hidden|d-none|offcanvas\S*)(?=\s|$)/.test(given(one, 'class') ?? ''),
  )

const isBar = (element: Element): boolean =>
  BAR.test(element.name) || /(^|\s)navbar(\s|$)/.test(given(element, 'class') ?? '')

/** What an element stands in by itself: nothing stays in sight beyond the end of what it is in. */
function shellOf(element: Element): Element {
  let shell = element
  for (const outer of above(element)) {
    if (outer.parent === null || /^(#code|body|)$/.test(outer.tag)) break
    if (outer.children.some((one) => one.kind === 'text' || one !== shell)) break
    shell = outer
  }
  return shell
}

function keptInSight(name: string, bar: Element): Change | null {
  const shell = shellOf(bar)
  const isLast = shell.parent !== null && shell.parent.parent !== null && besides(shell).at(-1) === shell
  if (isLast && !/^(#code|body|)$/.test(shell.parent?.tag ?? '')) return null
  if (shell !== bar) {
    const isKnown =
      (bar.tag === 'Navbar' && attribute(bar, 'bg')?.value != null) ||
      /(^|\s)navbar-(expand\S*|light|dark)(\s|$)/.test(given(bar, 'class') ?? '')
    if (!isKnown || attribute(shell, 'class') !== undefined || !/^[a-z]+$/.test(shell.tag)) return null
    const at = shell.start + 1 + shell.tag.length
    return { start: at, end: at, text: ` ${name}="sticky-top"`, unit: shell }
  }
  const own = attribute(bar, 'class')
  const value = own?.value ?? ''
  if (bar.tag === 'Navbar' && attribute(bar, 'bg')?.value != null && attribute(bar, 'sticky') === undefined) {
    const at = bar.start + 1 + bar.tag.length
    return { start: at, end: at, text: ' sticky="top"', unit: bar }
  }
  if (own?.own == null || bar.tag !== bar.tag.toLowerCase()) return null
  if (/(^|\s)navbar-(expand\S*|light|dark)(\s|$)/.test(value) && /(^|\s)bg-/.test(value))
    return { ...own.own, text: `${value} sticky-top`, unit: { ...own.own, parent: bar } }
  return UTILITIES.test(value) || /(?=.*(^|\s)navbar(\s|$))(?=.*(^|\s)bg-base-)/.test(value)
    ? {
        ...own.own,
        text: `${value} sticky top-0 z-50`,
        unit: bar.end - bar.start < 5_000 ? bar : { ...own.own, parent: bar },
      }
    : null
}

/** Signing up as one plain link among others: it looks like the site's own main button. Not where any entry of the row does already. */
function* signUpStandsOut(view: View): Generator<Idea> {
  for (const { entries } of rowsOf(view)) {
    const links = entries.flatMap(({ element }) => linkOf(element) ?? [])
    const link = links.find((one) => SIGN_UP.test(hrefOf(one)))
    const own = link === undefined ? undefined : attribute(link, 'class')
    if (link === undefined || own?.own == null || own.value === null) continue
    // What has a background of its own is a button already.
    if (links.some((one) => /(^|[\s_-])(btn|button)|(^|\s)(bg|rounded)-/i.test(given(one, 'class') ?? '')))
      continue
    const change: Change = {
      ...own.own,
      text: `${own.value.replace(/(^|\s)nav-link(?=\s|$)/, '')} btn btn-primary`.trim(),
      unit: link,
    }
    yield {
      mechanism: 'default choice',
      pattern: 'sign-up-stands-out',
      name: `Make “${wordsIn(link)}” a button in the navigation`,
      anchor: anchorOf(link, `navigation ${wordsIn(link)}`),
      topics: ['navigation', 'menu', 'sign up', wordsIn(link)],
      arms: [{ name: `“${wordsIn(link)}” as a button`, changes: [change], says: null }],
      audience: 'visitors who have no account yet',
      change: `showing “${wordsIn(link)}” as the site’s own main button (btn-primary), in place of a plain link among ${entries.length}`,
      because: 'what looks like the next step is taken for it',
      goal: 'sign up',
      effect: 3,
      needsClass: 'btn-primary',
    }
    return
  }
}
