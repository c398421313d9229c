import type { Site } from '../../idea.js'
import { asShownIn, isShownAlong } from '../../markup/branches.js'
import { type Element, elementsIn, type Page } from '../../markup/tree.js'
import { hrefOf } from '../../surface.js'
import { nameOf, plain } from '../../uses.js'
import { inFrame } from '../evidence/repeat-beside.js'
import { isFramed } from '../opening/hero.js'

/** What holds for everybody once the page has come. */
const WAITS = /^(?!.*(user|session|auth|log(ged|in)))[\s\S]*(mounted|load(ed|ing)|hydrat|isClient|ready)/i
/** Conditions of a way alone, other than who has signed in. */
const FOR_ALL =
  /^(?![\s\S]*(user|session|auth|sign|log-?_?(ged|in|out)|account|customer|guest|member|token))/i

/**
 * Whether what is put in beside a place is seen by those whom the page's opening is for: where code shows one thing or another, in the same of these as the title, or the part that
 * opens the page, and as a way to where it leads.
 */
export function standsAlongOpening(page: Page, site: Site, place: Element, href: string): boolean {
  if (page.dialect === 'html') return true
  const all = elementsIn(page.root)
  const opens = new Set(
    Object.entries(site.openings)
      .filter(([path, opening]) => path !== page.path && opening.page === page.path)
      .map(([path]) => plain(nameOf(path))),
  )
  const openings = all.filter(
    (one) => (one.name === 'h1' && !isFramed(one)) || (one.tag !== '' && opens.has(plain(one.tag))),
  )
  const ways = all.filter((one) => hrefOf(one) === href && !inFrame(one))
  return isAlongOne(page, place, openings, WAITS) && isAlongOne(page, place, ways, FOR_ALL)
}

const isAlongOne = (page: Page, place: Element, all: readonly Element[], mayAsk: RegExp): boolean =>
  all.length === 0 ||
  all.some((one) => asShownIn(page, place, one).some((shown) => isShownAlong(page, place, shown, mayAsk)))

/** Whether what is put in beside a place is seen by those who see the button that it is a copy of. */
export const standsAlong = (page: Page, place: Element, button: Element): boolean =>
  isAlongOne(page, place, [button], WAITS)
