import { removeWith } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import {
  above,
  attribute,
  besides,
  type Element,
  elementsIn,
  given,
  has,
  isWithin,
  textsIn,
  wordsIn,
} from '../../markup/tree.js'
import { endsDead } from '../../pages-at.js'
import { anchorOf, bare, isButton, isLink, labelOf, lineBreakBefore } from '../../surface.js'
import { COMMITS } from '../../words/phrases.js'
import { goalOfWay, inFrame } from '../evidence/repeat-beside.js'
import { getsInTouch, heroOf, isAct, opensSite } from '../opening/hero.js'
import { isOnlyTold, PLAYS } from '../opening/one-way.js'
import { isQuiet, isWayOn } from './sections.js'

export function* openings(view: View): Generator<Idea> {
  yield* oneWayOn(view)
  yield* startsAtSignUp(view)
}

const OUT = /^(https?:)?\/\//i
const SIGN_UP =
  /^\/(?:[\w-]+\/)*(sign-?up|register|registration|join|create-account|registrieren|inscription|registro)\/?$/i
const SIGN_IN = /^\/(?:[\w-]+\/)*(log-?in|sign-?in|anmelden|connexion|iniciar-sesion)\/?$/i

const hrefOf = (element: Element): string | null =>
  given(element, 'href') ?? given(element, 'to') ?? linkIn(element)

/** Of a link that looks like a button because one is in it, or the other way round. */
const linkIn = (element: Element): string | null => {
  const inner = elementsIn(element).find(isLink)
  return inner === undefined ? null : (given(inner, 'href') ?? given(inner, 'to'))
}

/**
 * The opening of a page with two ways on beside each other: the main one alone. Writes no text. Not where the second leads somewhere that nothing else on
 * the page or in the site leads to, where one gets in touch by both, nor in forms, dialogs, and places where code may leave one of the two out.
 */
function* oneWayOn(view: View): Generator<Idea> {
  const { page, site } = view
  const title = elementsIn(page.root).find(({ tag }) => tag === 'h1')
  if (title === undefined || BEHIND.test(page.path) || !opensSite(page.path) || isWithinSite(view)) return
  for (const first of elementsIn(page.root)) {
    if (first.start < title.end || !isWayOn(first) || first.parent === null) continue
    if (inFrame(first) || [...above(first)].some(({ tag }) => tag === '#code' || /^form$/i.test(tag)))
      continue
    const row = besides(first)
    const ways = row.filter(isWayOn)
    const [main, second, ...more] = ways
    // After the first row of ways on, the opening is over.
    if (main !== first || second === undefined) return
    if (more.length > 0 || row.length > ways.length || first.start - title.start > 4_000) return
    if (!ways.every((one) => looksPressed(one)) || first.parent.children.some(({ kind }) => kind === 'text'))
      return
    if (oneTextIn(main) === null || oneTextIn(second) === null) return
    if (!ways.every((one) => works(page, one))) return
    const [kept, dropped] = isQuiet(page, main) && !isQuiet(page, second) ? [second, main] : [main, second]
    const href = hrefOf(dropped)
    const isElsewhere =
      href !== null &&
      (OUT.test(href) ||
        href === '/' ||
        linksTo(site, href) > linksOn(page.root, href) ||
        elementsIn(page.root).some(
          (one) => isLink(one) && one !== dropped && !isWithin(one, dropped) && hrefOf(one) === href,
        ))
    // What stays within the site has a rule of its own, where the opening is known as a whole.
    const isKnown = site?.openings[page.path] !== undefined && heroOf(page)?.ways.length === 2
    if (isKnown && href !== null && !OUT.test(href)) return
    if (PLAYS.test(wordsIn(dropped)) || ways.every(getsInTouch)) return
    if (!isElsewhere || !isAct(kept) || COMMITS.test(wordsIn(dropped)) || hrefOf(kept) === href) return
    if (href !== null && !OUT.test(href) && !isOnlyTold(wordsIn(dropped), href)) return
    if (site !== null && endsDead(site, hrefOf(kept) ?? '', page.path)) return
    yield {
      mechanism: 'friction',
      pattern: 'one-way-on',
      name: `Open with one way on: “${wordsIn(kept)}” without “${wordsIn(dropped)}”`,
      anchor: anchorOf(kept),
      topics: ['hero', 'call to action', 'button', wordsIn(kept), wordsIn(dropped)],
      arms: [
        {
          name: `“${wordsIn(kept)}” alone`,
          changes: [removeWith(lineBreakBefore(page, dropped), dropped)],
          says: null,
        },
      ],
      audience: 'visitors who see the opening of the page',
      change: `offering “${wordsIn(kept)}” alone, without “${wordsIn(dropped)}” beside it (${OUT.test(href) ? 'which leads to another site: check that nobody needs it there' : `${href} can be reached from elsewhere: check that this is enough`}),`,
      because: 'where there are two ways on, some take the one that leads away, and some take none',
      goal: goalOfWay(kept),
      // What stays within the site may be what some have come for, and of what is free for all its code is what one comes for.
      effect: CODE.test(href) && OPEN.test(wordsIn(page.root)) ? 1 : OUT.test(href) ? 3 : 2,
    }
    return
  }
}

const INDEX = /^(.*?)([\w-]+\/)?index\.html?$/i
/** Folders in which a site in another language begins. */
const OF_LANGUAGE = /^[a-z]{2}(-[a-z]{2})?\/$/i

/** Whether a page is one within a site that has a page for each folder: where it begins is further up. */
function isWithinSite({ page, site }: View): boolean {
  const found = INDEX.exec(page.path)
  const [, outer = '', folder = ''] = found ?? []
  if (found === null || folder === '' || OF_LANGUAGE.test(folder)) return false
  return site?.pages.some(({ path }) => path === `${outer}index.html`) === true
}

const CODE = /git(hub|lab)\.com|codeberg|npmjs/i
const OPEN = /\bopen[ -]?source\b|\b(MIT|GPL|Apache|BSD)\b|\bstars?\b/i

/** Whether anything happens when it is pressed. */
const works = (page: View['page'], way: Element): boolean =>
  hrefOf(way) !== null ||
  [...above(way)].slice(0, 2).some(isLink) ||
  /\bon[A-Z]\w*=|@click|on:click|onclick|v-on|type="submit"|data-/.test(page.text.slice(way.start, way.end))

/** The one text of a way on, however deep it stands. */
const oneTextIn = (way: Element): string | null => {
  const [only, ...more] = textsIn(way)
  return only === undefined || more.length > 0 ? null : only.value
}

const linksTo = (site: View['site'], href: string): number =>
  site?.links.find((one) => one.href === href)?.count ?? 0
const linksOn = (root: Element, href: string): number =>
  elementsIn(root).filter((one) => isLink(one) && hrefOf(one) === href).length

/** Pages on which people are lost, or at home. */
const BEHIND =
  /(404|not-?found|error|account|admin|dashboard|settings|profile|confirm|success|fail|payment|checkout)/i

/** A button by its tag or class, or by a shape that frameworks write out. */
const looksPressed = (element: Element): boolean =>
  isButton(element) ||
  elementsIn(element).some(isButton) ||
  /(?=.*\brounded)(?=.*\bp[xy]?-\d)/.test(given(element, 'class') ?? '')

/** Labels for newcomers that lead to a sign-in page. */
const STARTS =
  /^(get started( for free| now)?|start( now| free| for free)?|try( it)?( free| now)?|start (your )?free trial|sign up|join( now| us)?|jetzt starten|loslegen|kostenlos (starten|testen)|jetzt registrieren|commencer|démarrer|essayer( gratuitement)?|s'inscrire|empezar|comenzar|probar( gratis)?|registrarse)$/

/**
 * A button for newcomers that leads to the sign-in page, in a site that has a page to sign up: it leads there. Writes no text. Not where the site has none.
 */
function* startsAtSignUp({ page, site }: View): Generator<Idea> {
  // A page that nothing leads to may be one that nobody has finished.
  const signUp = site?.links.find(({ href, count }) => SIGN_UP.test(href) && count > 0)
  if (signUp === undefined) return
  const found = elementsIn(page.root).flatMap((element) => {
    if (!isLink(element) || has(element, 'target')) return []
    const own = attribute(element, 'href') ?? attribute(element, 'to')
    const label = labelOf(element)
    if (own?.own == null || own.value === null || !SIGN_IN.test(own.value) || label === null) return []
    return STARTS.test(bare(label.value))
      ? [{ element, place: own.own, href: own.value, label: label.value }]
      : []
  })
  const [first] = found
  if (first === undefined) return
  const { label, href, element } = first
  const same = found.filter((one) => one.label === label && one.href === href)
  yield {
    mechanism: 'friction',
    pattern: 'starts-at-sign-up',
    name: `Lead “${label}” to ${signUp.href} and not to ${href}`,
    anchor: anchorOf(element, `${label} ${href}`),
    topics: ['call to action', 'button', 'sign up', label],
    arms: [
      {
        name: `To ${signUp.href}`,
        changes: same.map((one) => ({ ...one.place, text: signUp.href, unit: one.element })),
        says: null,
      },
    ],
    audience: 'visitors who have no account yet',
    change: `leading “${label}” straight to ${signUp.href}, and not to ${href}, the page of those who have an account,`,
    because: 'each page between the wish and the form costs some of those who had it',
    goal: 'sign up',
    effect: 5,
    isOneEverywhere: true,
  }
}

/** Whether a page has what is only worth changing where the rest of the site is known. */
export const leadsNewcomers = ({ page }: View): boolean =>
  elementsIn(page.root).some((one) => isLink(one) && STARTS.test(bare(wordsIn(one)))) ||
  elementsIn(page.root).filter((one) => isWayOn(one) && !inFrame(one)).length >= 2
