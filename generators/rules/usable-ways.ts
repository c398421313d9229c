import type { PageContext } from './rule.js'
import { pageNameOf } from './stubs.js'
import { leadsFrom, type Way, waysNamed } from './ways.js'

/** Pages of customers, and steps of an order or a booking that has begun. */
const BEGUN =
  /\/(me|my[-\w]*|users?|profile|account)(\/|$)|check-?out|review|status|history|success|confirm|payment|track|lookup|cancel|manage/i

const ofSite = new WeakMap<PageContext['ways'], readonly Way[]>()

/** The ways of a site that lead to the beginning of something, looked up once for all pages. */
function beginnings({ ways, stubs, landmarks: { addresses } }: PageContext): readonly Way[] {
  const known =
    ofSite.get(ways) ??
    [...ways, ...waysNamed(addresses, ways)].filter(({ to }) => !BEGUN.test(to) && !stubs.has(pageNameOf(to)))
  ofSite.set(ways, known)
  return known
}

/** The ways that a page may lead to. */
export function usableWays(context: PageContext): Way[] {
  const { page, landmarks } = context
  const own = page.path.toLowerCase()
  return beginnings(context).filter(
    (one) =>
      leadsFrom(page, one) &&
      !own.includes(`${one.to.toLowerCase()}/`) &&
      (page.dialect === 'html' ||
        !one.to.includes('#') ||
        one.kind !== 'own' ||
        landmarks.ids.has(one.to.replace(/^.*#/, ''))),
  )
}
