import { removeWith } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import {
  above,
  besides,
  type Element,
  elementsIn,
  given,
  isInCode,
  isWithin,
  textsIn,
  wordsIn,
} from '../../markup/tree.js'
import { endsDead } from '../../pages-at.js'
import { anchorOf, bare, cutAt, hrefOf, isButton, isField, labelOf, OTHERS_SITES } from '../../surface.js'
import { COMMITS } from '../../words/phrases.js'
import { goalOfWay } from '../evidence/repeat-beside.js'
import { isQuiet } from '../layout/sections.js'
import { getsInTouch, type Hero, isAct } from './hero.js'

/** Where one calls or writes at once, sees something played, or has an account already: some have come for that. */
const WANTED_TOO =
  /^(tel|mailto|sms|https?:\/\/(wa\.me|api\.whatsapp))|(^|[/#_-])(log-?in|sign-?in|demo|video|download|pricing|prices|plans|preise|tarife?|tarifs?|precios|menu|karte|carta)([/#_.-]|$)/i
/** When and where it takes place, which those need who think of coming. */
const SAYS_WHEN =
  /\b(sessions?|trainings?|timetable|schedule|times|dates|agenda|trainingszeiten|termine|stundenplan|zeiten|horaires|planning|séances|horarios?|sesiones)\b/i
export const PLAYS =
  /\b(watch|play|demo|video|tour|ansehen|abspielen|probefahrt|regarder|voir la démo|ver (la )?demo)\b/i

/** What tells more of it, and asks for nothing: what stands on a page of its own may be what some have come for. */
const TELLS =
  /\b(learn|read|find|see|more|about|stor(?:y|ies)|history|services?|features?|works?|docs?|documentation|guide|explore|discover|mehr|erfahren|über|uns|geschichte|leistungen|angebote?|entdecken|découvrir|savoir|propos|histoire|prestations|nos|más|saber|conoce\p{L}*|nosotros|servicios|descubr\p{L}*)\b/iu
export const isOnlyTold = (said: string, href: string): boolean => href.includes('#') || TELLS.test(said)

const WAITS = /early-?access|wait-?list|coming-?soon|notify|warteliste|liste-?d-?attente/i
const FOR_WHOM = /(^|[/#-])(for|fuer|pour|para)-\w/i

/**
 * An opening with two buttons beside each other, of which one asks for what the site is there for and the other leads to what one comes to by reading on, or finds in the
 * navigation: the first alone. Writes no text. Not where both are ways to get in touch, where the second calls, plays, prices or lets in, leads out of the site, or nothing else leads there, nor where code may leave one
 * of them out.
 */
export function* oneWay(view: View, { title, ways, section }: Hero): Generator<Idea> {
  const [one, other, ...more] = ways
  if (one === undefined || other === undefined || more.length > 0) return
  // What is filled in there is a way on too.
  if (elementsIn(section).some(isField)) return
  const [main, dropped] = isAct(one) ? [one, other] : [other, one]
  const href = hrefOf(dropped)
  if (!isAct(main) || isAct(dropped) || href === null || href === hrefOf(main)) return
  // What leads nowhere is mended, and not tried.
  if (ways.every(getsInTouch) || ways.some((way) => /^#?$/.test(hrefOf(way) ?? ''))) return
  // What is louder, or stands first, is what the team wants more; and two audiences need a way each.
  if (main.start > dropped.start || isQuiet(view.page, main)) return
  if ([href, hrefOf(main) ?? ''].some((one) => FOR_WHOM.test(one))) return
  if (ways.some((way) => isInCode(way) || labelOf(way) === null)) return
  const [kept, said] = [wordsIn(main), wordsIn(dropped)]
  if (WANTED_TOO.test(href) || OTHERS_SITES.test(href) || PLAYS.test(bare(said)) || COMMITS.test(said)) return
  if (SAYS_WHEN.test(`${said} ${href}`) || !isOnlyTold(said, href)) return
  if (!isReachedElsewhere(view, dropped, href)) return
  // Where nothing can be done yet nobody is led, nor where one only waits.
  if (WAITS.test(`${kept} ${hrefOf(main) ?? ''}`)) return
  if (view.site !== null && endsDead(view.site, hrefOf(main) ?? '', view.page.path)) return
  const [shell, beside] = [aloneWith(dropped), aloneWith(main)]
  const row = shell.parent
  if (row === null || row !== beside.parent || besides(shell).length !== 2 || holdsWords(row)) return
  // A cell of its own would be left empty.
  if (/(^|[\s:])grid-cols-[2-9]/.test(given(row, 'class') ?? '') || !looksPressed(beside)) return
  yield {
    mechanism: 'friction',
    pattern: 'one-way-on',
    name: `Open with one way on: “${kept}” without “${said}”`,
    anchor: anchorOf(main),
    topics: ['hero', 'call to action', 'button', kept, said],
    arms: [{ name: `“${kept}” alone`, changes: [removeWith('', shell)], says: null }],
    audience: 'visitors who see the opening of the page',
    change: `offering “${kept}” alone below “${cutAt(wordsIn(title), 60)}”, without “${said}” beside it (${href.includes('#') ? 'one comes there by reading on' : `${href} is linked elsewhere too`}),`,
    because: 'where there are two ways on some take the one that leads aside, and some take none',
    goal: goalOfWay(main),
    when: `“${kept}” in the opening is pressed, in all variants`,
    effect: 3,
  }
}

/** Whether one gets there without this link: further down on the page, or by another link. */
const isReachedElsewhere = ({ page, site }: View, way: Element, href: string): boolean =>
  /^\/?#[\w-]+$/.test(href)
    ? elementsIn(page.root).some((one) => given(one, 'id') === href.replace(/^\/?#/, '')) ||
      site?.places.some((one) => one.href.endsWith(href.replace(/^\//, ''))) === true
    : elementsIn(page.root).some((one) => one !== way && !isWithin(one, way) && hrefOf(one) === href) ||
      (site?.links.find((one) => one.href === href)?.count ?? 0) > 1

const holdsWords = (row: Element): boolean =>
  row.children.some((one) => one.kind === 'text' && one.value.trim() !== '')

/** The outermost element that holds nothing but a way on. */
function aloneWith(way: Element): Element {
  let alone = way
  for (const outer of above(way)) {
    if (/^(#code|)$/.test(outer.tag) || textsIn(outer).length !== textsIn(way).length) break
    alone = outer
  }
  return alone
}

const looksPressed = (element: Element): boolean =>
  [element, ...elementsIn(element)].some(
    (one) => isButton(one) || /(?=.*\brounded)(?=.*\bp[xy]?-\d)/.test(given(one, 'class') ?? ''),
  )
