import type { Mechanism } from '../../../port.js'
import { stemOf, wordsOf } from '../../../words.js'
import { type Change, insertAt } from '../../edits.js'
import type { Idea, KnownStatement, View } from '../../idea.js'
import { type KeyCall, keyCallsOf } from '../../keyed.js'
import { besides, collapsed, type Element, elementsIn, textsIn, wordsIn } from '../../markup/tree.js'
import { anchorOf, bare, cutAt, headingNear, lineBreakBefore, saidOn } from '../../surface.js'
import { nameOf, plain } from '../../uses.js'
import { asksElse, IS_FREE, isSaidAs, type StatementKind } from '../../words/statements.js'
import {
  type Deciding,
  type Decision,
  decidingOn,
  isForOthers,
  severalToTake,
  startingOn,
} from './deciding.js'
import { leadsHere } from './leads-here.js'
import { isCell, lastInRow, smallLine } from './repeat-beside.js'

/** What a kind of statement does where. */
interface Help {
  mechanism: Mechanism
  because: string
}

const HELPS: Readonly<Record<StatementKind, Help>> = {
  customers: {
    mechanism: 'proof',
    because: 'what speaks for it counts most where one decides',
  },
  trial: {
    mechanism: 'risk reversal',
    because: 'who knows that trying costs nothing begins sooner',
  },
  'first time': {
    mechanism: 'risk reversal',
    because: 'who knows that trying costs nothing begins sooner',
  },
  cancel: {
    mechanism: 'risk reversal',
    because: 'who knows the way out goes in sooner',
  },
  quote: {
    mechanism: 'risk reversal',
    because: 'who knows that asking costs nothing and binds to nothing asks sooner',
  },
  returns: {
    mechanism: 'risk reversal',
    because: 'who has not held it yet decides sooner where it can go back',
  },
  mended: {
    mechanism: 'risk reversal',
    because: 'a doubt is answered best where it comes up',
  },
  rebooking: {
    mechanism: 'risk reversal',
    because: 'who may still change the day does not put the booking off',
  },
  delivery: {
    mechanism: 'friction',
    because:
      'what delivery costs is the last doubt before an order, and what is missing for free delivery goes into the basket',
  },
  'same day': {
    mechanism: 'urgency',
    because: 'who knows until when it leaves today has a reason not to wait',
  },
  deadline: {
    mechanism: 'urgency',
    because: 'who does not see the day may miss it',
  },
}

/** What helps where, what helps most first. */
const BY_DECISION: Readonly<Record<Decision, readonly StatementKind[]>> = {
  'sign up': ['deadline', 'trial', 'customers', 'cancel'],
  compare: ['customers', 'trial', 'cancel'],
  buy: ['deadline', 'returns', 'same day', 'delivery', 'mended'],
  pay: ['deadline', 'delivery', 'returns', 'same day', 'mended'],
  book: ['deadline', 'rebooking', 'first time', 'customers', 'mended'],
  ask: ['quote', 'mended'],
  give: ['deadline', 'customers'],
  start: ['customers'],
}

const WHO: Readonly<Record<Decision, string>> = {
  'sign up': 'visitors who have come to sign up',
  compare: 'visitors who compare prices',
  buy: 'visitors who look at what they may buy',
  pay: 'visitors who are about to order',
  book: 'visitors who are about to book',
  ask: 'visitors who are about to write',
  give: 'visitors who are about to give',
  start: 'visitors who come for the first time',
}

/** Whether the rest of the site could say something where visitors of the page decide. */
export const mayDecide = (view: View): boolean =>
  view.language !== null && (decidingOn(view) ?? startingOn(view) ?? severalToTake(view)[0]) != null

/**
 * What another page of the site states, one whole sentence word for word, where visitors decide: who uses it, what it costs to try, what can go back, until when. Not where
 * the page says something of the kind itself or shows the part that does, nor where it would be said in one language of several.
 */
export function* saidWhereDeciding(view: View): Generator<Idea> {
  const { page, site, language } = view
  if (site === null || language === null) return
  yield* dayAtItsButton(view)
  const deciding = decidingOn(view) ?? startingOn(view)
  if (deciding === null) return
  const kinds = BY_DECISION[deciding.decision]
  let effect = 4
  for (const kind of kinds)
    for (const statement of site.statements.filter((one) => one.kind === kind).sort(plainestFirst)) {
      if (statement.language !== language || statement.path === page.path) continue
      // What stands on every page has been read.
      if (kind === 'customers' && site.statements.some((one) => one.kind === kind && one.isFramed)) continue
      if (repeats(deciding, statement) || !speaksHere(view, deciding, statement) || isSaid(view, statement))
        continue
      const shown = shownOn(page, statement)
      const isOfThis = leadsHere(view, statement) || !OF_AN_OFFER.includes(kind)
      const own = isOfThis && holds(page.path, deciding, statement) ? effect : 2
      const idea = shown === null ? null : ideaOf(view, deciding, statement, { shown, effect: own })
      if (idea === null) continue
      yield idea
      // Only one can stand below the button: after a day that is over by now another.
      if (statement.until === null) return
      effect = 3
    }
}

/** Of several things that one may take, one that is to be had until some day: the day stands below the button that names it. */
function* dayAtItsButton(view: View): Generator<Idea> {
  const { page, site, language } = view
  const several = severalToTake(view)
  if (site === null || several.length === 0) return
  for (const statement of site.statements) {
    if (statement.kind !== 'deadline' || statement.language !== language || statement.path === page.path)
      continue
    const [only, ...more] = several.filter((one) => repeats(one, statement))
    const shown = shownOn(page, statement)
    if (only === undefined || more.length > 0 || shown === null || isSaid(view, statement)) continue
    const idea = ideaOf(view, only, statement, { shown, effect: 3 })
    if (idea === null) continue
    yield idea
    return
  }
}

/** What is said of all that is decided there, and not of one kind of thing, of one sort of visitors or of those who have decided already. */
const HOLDS: Partial<Record<Decision, readonly StatementKind[]>> = {
  'sign up': ['deadline', 'trial', 'cancel'],
  compare: ['trial', 'cancel'],
  buy: ['deadline'],
  pay: ['deadline'],
  book: ['deadline', 'first time'],
  ask: ['quote'],
  give: ['deadline'],
}

/** Where one says who one is, nothing is bought. */
const NO_SHELF = /(^|[/_.-])(auth|onboarding|roles?|welcome|profile|account)(?=[/_.-])/i

const holds = (path: string, { decision }: Deciding, { kind }: KnownStatement): boolean =>
  HOLDS[decision]?.includes(kind) === true && !(decision === 'buy' && NO_SHELF.test(path))

/** What is promised of one offer, and not of all that a site has. */
const OF_AN_OFFER: readonly StatementKind[] = [
  'trial',
  'cancel',
  'customers',
  'quote',
  'mended',
  'first time',
]

/** Whether the button says itself what the statement does. */
function repeats({ button }: Deciding, { says }: KnownStatement): boolean {
  const own = new Set(
    wordsOf(saidOn(button))
      .filter((one) => one.length > 3)
      .map(stemOf),
  )
  return (
    new Set(
      wordsOf(says)
        .map(stemOf)
        .filter((one) => own.has(one)),
    ).size >= 2
  )
}

/** What holds within some time or from some amount on, and says from when. */
const NEEDS_FIGURE: readonly StatementKind[] = ['returns', 'rebooking', 'delivery', 'same day']

/** What is sent, and can be sent back. */
const OF_GOODS: readonly StatementKind[] = ['returns', 'delivery', 'same day', 'mended']
/** What is bought and never sent. */
const NO_GOODS =
  /(^|[/_.\- ])(downloads?|e-?books?|events?|tickets?|billets?|entradas?|gifts?|vouchers?|licen[cs]es?|courses?|cours|kurse?|cursos?|donations?|dons?|spenden?|services?|subscriptions?|abos?|abonnements?|suscripci[oó]n(?:es)?|memberships?)([/_.\- ]|$)/i
const COSTED_LATER =
  /calculated (at|in|on)|at (the )?next step|calculés?.{0,30}(étape|suivant)|étape suivante|im nächsten schritt|wird .{0,20}berechnet|se calcula|siguiente paso/i
const IS_PAID =
  /\b(buy|purchase|pay|kauf\w*|bezahl\w*|zahl\w*|achet\w*|pay(?:er|ez)|compra\w*|paga\w*)\b|[$€£]/i
/** A condition may need more words than what helps alone. */
const MAX_WORDS = 20
const FEW_WORDS = 14
const HAS_CONDITION =
  /\d|(?<!\p{L})(?:if|when|within|from|until|wenn|falls|ab|bis|innerhalb|si|dès|jusqu|avant|hasta|antes|desde)(?!\p{L})/iu

const PAYS_NOW = /^(pay|zahl|bezahl|jetzt (be)?zahl|payer|paie|pagar)|[$€£]/iu
/** What asks for an act is none of the terms under which it is done. */
const CALLS_ON =
  /^(?:please )?(?:choose|select|pick|compare|wählen|choisi\p{L}*|elige|contact|call|reach|visit|request|schedule|book|get in|ask|write|kontaktieren|rufen|schreiben|fordern|vereinbaren|contactez|appelez|demandez|écrivez|contáct\p{L}*|contacta|llám\p{L}*|llama|solicita|pide|escríb\p{L}*)(?!\p{L})/iu

const FOR_WHAT = /\b(?:used|chosen|genutzt|utilisée?s?|usad[oa]s?)\b.{3,60}\b(?:to|um|pour|para)\b \p{L}/iu

const NAMES_TRIAL =
  /trial|\bplans?\b|tarif|paket|formule|\d|(?<!\p{L})(?:free|test\p{L}*|probe\p{L}*|kostenlos|gratis|essai|gratuit\p{L}*|prueba)(?!\p{L})/iu

const OF_A_TERM =
  /\b(?:warranty|guarantee|trial|return|notice) (?:period|term|time)\b|\b(?:within|during|under|in) (?:the |our )?(?:warranty|guarantee)\b|garantiezeit|gewährleistungs(?:zeit|frist)|garantiefrist|période de garantie|(?:período|periodo|plazo) de garantía/i

/** Whether a statement speaks to those who are on the page and of what they do there: not to who sells, not of other things, and with the figure that it hangs on. */
const speaksHere = (
  { page }: View,
  { button, decision }: Deciding,
  { kind, says, path }: KnownStatement,
): boolean =>
  (!NEEDS_FIGURE.includes(kind) ||
    /\d|\b(all|every|jede\w*|alle[ns]?|tous|toutes|tod[oa]s|day before|vortag|veille|día (de )?ante\w+)\b/i.test(
      says,
    )) &&
  says.split(' ').length <= (HAS_CONDITION.test(says) ? MAX_WORDS : FEW_WORDS) &&
  !asksElse(says, decision) &&
  !(IS_FREE.test(saidOn(button)) && decision !== 'compare' && IS_PAID.test(says)) &&
  !(OF_GOODS.includes(kind) && NO_GOODS.test(`${page.path} ${headingNear(button)} ${saidOn(button)}`)) &&
  !(kind === 'delivery' && COSTED_LATER.test(wordsIn(page.root))) &&
  // What it costs in all stands there already.
  !(kind === 'delivery' && PAYS_NOW.test(saidOn(button))) &&
  !CALLS_ON.test(says) &&
  // What they used it for is told on the page of that.
  !(kind === 'customers' && FOR_WHAT.test(says)) &&
  // Beside plans of which some are paid at once it says of which it speaks.
  !(kind === 'trial' && decision === 'compare' && !NAMES_TRIAL.test(says)) &&
  // A notice to be given is no way out that draws anybody in.
  !(kind === 'cancel' && /\bnotice\b|kündigungsfrist|préavis|preaviso/i.test(says)) &&
  // How long that is stood before it.
  !(OF_A_TERM.test(says) && !/\d/.test(says)) &&
  !isForOthers(path) &&
  // What holds for one service of several is said on its own page.
  !(kind === 'mended' && OF_ONE.test(path)) &&
  !((isTenants(page.path) || LEADS_TO_TENANTS.test(page.text)) && !isTenants(path))

/** The shop of one of many is told by its address. */
const LEADS_TO_TENANTS =
  /\$\{\s*[\w.?]*\b(?:url|subdomain|domain|tenant\w*|store(?:id|slug|url|name)?|shop(?:id|slug|url|name)?)\s*\}\/(?:checkout|cart|order|pay|kasse|carrito|panier)/i

/** A page whose address says in many words what it is about. */
const OF_ONE = /(^|\/)[a-z\d]+(?:-[a-z\d]+){3,}(?=\/|\.)/i

/** Whether a page is that of one of many who have a site there: its address begins with a name that is filled in. */
const isTenants = (path: string): boolean =>
  /(^|\/)(app|pages|routes)\/(?:\([^/]*\)\/)*\[(?!\[?\.{0,3}(?:locale|lang|lng|language|country|countrycode|region|channel|slug|id)\])[\w.]+\]\//i.test(
    path,
  ) || /(^|[/_.-])(tenants?|storefronts?|tiendas?)\/\[/i.test(path)

/** Without another term beside it, then the shortest. */
const plainestFirst = (a: KnownStatement, b: KnownStatement): number =>
  Number(a.isMixed === true) - Number(b.isMixed === true) || a.says.length - b.says.length

/** A statement as a page can show it: its words, or on a page whose texts are keys its key, by the same function. `null` where neither is right. */
export function shownOn(
  page: View['page'],
  { says, keyed }: { says: string; keyed?: KeyCall },
): string | null {
  if (keyed === undefined) return page.isTranslated !== true && !/[<>{}&]/.test(says) ? says : null
  const isKnown =
    page.isTranslated === true &&
    keyCallsOf(page).some(({ open, from }) => open === keyed.open && from === keyed.from)
  return isKnown ? `${keyed.open}${keyed.literal}${keyed.close}` : null
}

/** What a button is called where code shows one of several things on it: what is said of the act, without what belongs to a price beside it. */
function labelIn(button: Element): string {
  const bareOf = (words: string): string => words.replace(/[\s—–•·|:-]+[$€£]?$/u, '')
  const whole = saidOn(button)
  const all = textsIn(button).map(({ value }) => bareOf(collapsed(value)))
  return all.length < 2 ? bareOf(whole) : (all.find((one) => ACTS_ON.test(one)) ?? whole)
}

const ACTS_ON =
  /\b(add|buy|order|pay|checkout|book|reserve|send|submit|request|sign up|join|start|donate|subscribe)\b|warenkorb|bestell|kauf|buchen|senden|anfrag|panier|command|réserv|envoy|demand|carrito|comprar|reserv|enviar|pagar/iu

function ideaOf(
  view: View,
  { button, decision, goal }: Deciding,
  statement: KnownStatement,
  { shown, effect }: { shown: string; effect: number },
): Idea | null {
  const { page } = view
  const { kind, says, path, until, keyed } = statement
  const { mechanism, because } = HELPS[kind]
  const isRow = decision === 'compare'
  const said = labelIn(button)
  const label = isRow ? 'the plans' : `“${cutAt(said, 60)}”`
  const place = isRow ? button : lastInRow(button)
  if (place === null || place.parent === null || /^(#code|)$/.test(place.parent.tag)) return null
  // Where code gives what stands there, the place is not known well enough.
  if ((!isRow && (said === '' || signsInToo(button))) || isCell(place)) return null
  const gap = lineBreakBefore(page, place) || ' '
  return {
    mechanism,
    pattern: `said-where-deciding ${kind}`,
    name: `Say below ${isRow ? label : `“${cutAt(said, 30)}”`}: “${says}”`,
    anchor: anchorOf(button, isRow ? `plans ${kind}` : `${said} ${kind}`),
    topics: ['call to action', decision, kind, headingNear(button), ...(isRow ? [] : [said])],
    arms: [
      {
        name: `With that line below the ${isRow ? 'plans' : 'button'}`,
        changes: [insertedAfter(place, smallLine(page, shown, place, isRow), gap)],
        says,
      },
    ],
    audience: WHO[decision],
    change: `saying “${says}” (from ${path}) below ${label}`,
    because,
    goal,
    effect,
    evidence: [keyed === undefined ? { path, says } : { path, says: keyed.literal }],
    ...(until === null ? {} : { until }),
  }
}

const SIGNS_IN =
  /^(?:log ?in|sign ?in|anmelden|einloggen|se connecter|connexion|iniciar sesión|entrar|acceder)$/i

/** Whether those who have an account press the same button, and read what is said below it. */
const signsInToo = (button: Element): boolean =>
  textsIn(button).length > 1 && textsIn(button).some(({ value }) => SIGNS_IN.test(bare(value)))

const LONG_UNIT = 5_000

/** After an element, or before the next where what is changed with it would be too long to read. */
function insertedAfter(place: Element, line: string, gap: string): Change {
  const row = besides(place)
  const next = row[row.indexOf(place) + 1]
  return place.end - place.start < LONG_UNIT || next === undefined
    ? insertAt(place.end, gap + line, place)
    : insertAt(next.start, line + gap, next)
}

/** Whether the page says something of the kind already, shows the part that does, or is shown by a page that does or that is headed with it. */
function isSaid({ page, site, language }: View, { kind, path, shows, says }: KnownStatement): boolean {
  const words = wordsIn(page.root)
  if (language === null || bare(words).includes(bare(says))) return true
  const isTold = (one: string): boolean => kind !== 'deadline' && isSaidAs(one, kind, language)
  if (words.split(/(?<=[.!?])\s/).some(isTold)) return true
  const tags = new Set(elementsIn(page.root).map(({ tag }) => plain(tag)))
  const own = plain(nameOf(page.path))
  if (tags.has(plain(nameOf(path))) || shows.includes(own)) return true
  if (site?.headedAbove[own]?.includes(kind) === true) return true
  // Another file that says it may be a part of this page.
  return (site?.statements ?? []).some(
    (one) =>
      one.kind === kind && !one.isFramed && (tags.has(plain(nameOf(one.path))) || one.shows.includes(own)),
  )
}
