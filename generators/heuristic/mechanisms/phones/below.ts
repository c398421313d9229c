import type { Below, Site } from '../../idea.js'
import { attribute, type Element, elementsIn, given, type Page } from '../../markup/tree.js'
import { hrefOf, isLink } from '../../surface.js'
import { nameOf, plain } from '../../uses.js'
import { classText, isHiddenOnPhones } from './screens.js'

export const NOTHING_BELOW: Below = { what: 'nothing', calls: false, leads: [], parts: [] }

/** What stays at the lower edge of a page, with all that the site shows there. */
export function staysBelow({ below, parts }: Pick<Site, 'below' | 'parts'>, page: Page): Below['what'] {
  const all = bothBelow(below, belowOn(page))
  return all.parts.some((name) => parts[name] === undefined) ? 'edge' : all.what
}

/** What asks once, or only says that something has been done. */
const PASSES =
  /cookie|consent|gdpr|dsgvo|toast|snack|sonner|notification|dialog|modal|sheet|drawer|popover|admin|dashboard|portal|install|pwa|(^|\/)ui\//i

/** What floats, as parts of packages are called. */
const FLOATS =
  /^(whats-?app|wa)-?(button|float\w*|widget|fab|chat|bubble|link)?$|float|sticky-?(bar|cta|footer|button|bottom)|bottom-?(nav|bar|tabs)|mobile-?(cta|bar|call|actions?|book\w*|sticky)|chat-?(widget|bot|button|bubble)/i
const STAYS =
  /\bfixed-bottom\b|\bsticky-bottom\b|(?=.*["'`\s](fixed|sticky)["'`\s])(?=.*["'`\s]bottom-(\d|\[|safe))/s
/** In the right corner, or so far up that a bar has room below it. */
const IN_CORNER = /^(?!.*["'`\s](left-|inset-x|w-full|start-)).*["'`\s](right|end)-/s
const ABOVE = /["'`\s]bottom-(1[89]|[2-9]\d)["'`\s]/

/** What a page shows nobody sees on another one. */
export const isPageAlone = (path: string): boolean =>
  /(^|\/)(\+?page)\.\w+$|(^|\/)(pages|views|screens)\/(?!.*(_app|layout)\.)[^/]+(\/index)?\.\w+$/.test(path)

/** What stays at the lower edge of the window, by the classes that frameworks have for it; what is asked once does not count. */
export function belowOn(page: Page): Below {
  if (PASSES.test(page.path) && !FLOATS.test(spelled(nameOf(page.path).replace(/\.\w+$/, ''))))
    return NOTHING_BELOW
  const all = elementsIn(page.root)
  const found = all.filter((one) => STAYS.test(classText(page, one)) && !isHiddenOnPhones(page, one))
  const isAside = (one: Element): boolean =>
    IN_CORNER.test(classText(page, one)) || ABOVE.test(classText(page, one))
  return {
    what: found.length === 0 ? 'nothing' : found.every(isAside) ? 'corner' : 'edge',
    calls: found.some((one) => [one, ...elementsIn(one)].some((inner) => calls(page, inner))),
    leads: [...new Set(found.flatMap((one) => leadsOf(page, one)))].sort(),
    parts: [...new Set(all.filter(isFloat).map(({ tag }) => plain(tag)))],
  }
}

/** Of two files: whatever takes more room. */
export const bothBelow = (one: Below, other: Below): Below => ({
  what: [one.what, other.what].includes('edge')
    ? 'edge'
    : [one.what, other.what].includes('corner')
      ? 'corner'
      : 'nothing',
  calls: one.calls || other.calls,
  leads: [...new Set([...one.leads, ...other.leads])].sort(),
  parts: [...new Set([...one.parts, ...other.parts])].sort(),
})

const spelled = (name: string): string => name.replace(/([a-z])([A-Z])/g, '$1-$2')

const isFloat = ({ tag }: Element): boolean => /^[A-Z]|-/.test(tag) && FLOATS.test(spelled(tag))

function calls(page: Page, one: Element): boolean {
  const href = attribute(one, 'href')
  return (
    href !== undefined &&
    /["'`]tel:/.test(page.text.slice(href.start, href.end)) &&
    !isHiddenOnPhones(page, one)
  )
}

const leadsOf = (page: Page, one: Element): string[] =>
  [one, ...elementsIn(one)]
    .filter((inner) => isLink(inner) && !isHiddenOnPhones(page, inner))
    .flatMap((inner) => pathOf(hrefOf(inner) ?? given(inner, 'href') ?? given(inner, 'to') ?? ''))
    .filter((path) => path !== '')

const pathOf = (href: string): string => href.replace(/\?.*$/, '').replace(/(.)\/$/, '$1')

/** Whether what stays at the lower edge on phones leads where a way does. */
export const isLedBelow = ({ below }: Pick<Site, 'below'>, page: Page, href: string): boolean =>
  bothBelow(below, belowOn(page)).leads.includes(pathOf(href))
