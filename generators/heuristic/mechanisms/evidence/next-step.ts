import { insertAt, reword } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import {
  above,
  attribute,
  type Element,
  elementsIn,
  given,
  isInCode,
  type Text,
  textsIn,
  wordsIn,
} from '../../markup/tree.js'
import {
  anchorOf,
  bare,
  headingNear,
  hrefOf,
  isButton,
  isField,
  isForInvited,
  isHeading,
  isLink,
  labelOf,
  lineBreakBefore,
  saidOn,
} from '../../surface.js'
import { type Language, likeControl } from '../../words/language.js'
import { DESTINATIONS, FREE, START_TRIAL, TRIAL, VAGUE_PLAN, VAGUE_START } from '../../words/phrases.js'
import { mayActBelowPrices } from '../act/below-prices.js'
import { mayLackInOpening } from '../act/in-opening.js'
import { CALLS, leadsAside } from '../act/ways.js'
import { mayWait } from '../arrival/page-at-once.js'
import { mayOpen } from '../arrival/pop-up-waits.js'
import { mayBeginInside } from '../arrival/sign-up-first.js'
import { hasGivenList } from '../choice/marked-data.js'
import { hasParts } from '../layout/earlier.js'
import { leadsNewcomers } from '../layout/openings.js'
import { hasCodes } from '../layout/order.js'
import { mayBuyTwice } from '../layout/ways-to-buy.js'
import { mayDial } from '../leads/dials.js'
import { mayFindNothing } from '../leads/no-results.js'
import { mayStop } from '../leads/starts.js'
import { heroOf, opensSite } from '../opening/hero.js'
import { mayNameWay } from '../opening/vague-way.js'
import { mayAskBelow } from '../phones/act-below.js'
import { isBarFile } from '../phones/act-in-bar.js'
import { isProduct } from '../phones/buy-below.js'
import { mayShowFormFirst } from '../phones/form-first.js'
import { isEmptyCart } from '../words/empty.js'
import { mayNameSubmit } from '../words/submit-act.js'
import { mayAnswer } from './answer-time.js'
import { leadsHere } from './leads-here.js'
import { mayReassure } from './reassurance.js'
import { repeatBelow } from './repeat-beside.js'
import { mayDecide } from './said-where-deciding.js'

export function* nextStep(view: View): Generator<Idea> {
  yield* lostVisitors(view)
  yield* freeEverywhere(view)
  yield* freePlanOnButton(view)
  yield* saidElsewhere(view)
  yield* trialOnButton(view)
  yield* searchSaysWhat(view)
}

/** Whether the rest of the site could say something for this page. */
export const asksSite = (view: View): boolean =>
  isLostPage(view) ||
  freeButtons(view).length > 0 ||
  bareSearches(view).length > 0 ||
  startsOn(view).length > 0 ||
  mayReassure(view) ||
  mayDecide(view) ||
  mayAnswer(view) ||
  leadsNewcomers(view) ||
  mayLackInOpening(view) ||
  isBarFile(view.page) ||
  isProduct(view.page) ||
  mayAskBelow(view) ||
  mayShowFormFirst(view) ||
  mayActBelowPrices(view) ||
  mayNameWay(view) ||
  mayNameSubmit(view) ||
  hasParts(view) ||
  hasCodes(view) ||
  mayBuyTwice(view) ||
  hasGivenList(view) ||
  isEmptyCart(view) ||
  mayFindNothing(view) ||
  mayStop(view) ||
  mayDial(view) ||
  mayBeginInside(view) ||
  mayWait(view) ||
  mayOpen(view) ||
  view.forms.some(({ purpose }) => purpose === 'sign up' || purpose === 'contact' || purpose === 'checkout')

/** What takes the risk from who makes an account; what is free of obligation and confidential elsewhere is a talk, or a request. */
const OF_AN_ACCOUNT =
  /cancel|credit card|trial|kündbar|kündigen|kreditkarte|probe(zeit|monat)|testen|résili|carte (bancaire|de crédit)|essai|cancela|tarjeta|prueba/i

const LOST =
  /^(404|page not found|not found|this page (could not be|cannot be) found|seite nicht gefunden|page (non trouvée|introuvable)|página no encontrada)\b/i

const LOST_PATH = /(^|\/)(404|not-?found|page-?not-?found|\+error|_error)\.[^/]+$/i

const isLostPage = ({ page }: View): boolean =>
  LOST_PATH.test(page.path) || elementsIn(page.root).some((one) => isHeading(one) && LOST.test(wordsIn(one)))

/** Where lost visitors most likely wanted to go, best first. */
const WANTED = [/^(products|shop|store|catalog|catalogue|collections|produkte|produits|boutique|productos)$/]

const SHOPS = /shop|product|browse|einkauf|produkt|achat|produit|compra/i

/**
 * A page for addresses that are not there, with one way out: a second way, to what most come for, as the site's own link to it. Not where there are several
 * already, nor where the site links to nothing of the kind.
 */
function* lostVisitors(view: View): Generator<Idea> {
  const { page, site, language } = view
  if (site === null || language === null || !isLostPage(view)) return
  const links = [...elementsIn(page.root)].filter(
    (one) => isLink(one) || (isButton(one) && given(one, 'href') !== null),
  )
  const [link, ...more] = links
  if (link === undefined) yield* wayOut(view, language)
  if (link === undefined || more.length > 0 || isInCode(link)) return
  const own = attribute(link, 'href') ?? attribute(link, 'to')
  const label = labelOf(link)
  if (own?.own == null || label === null || label.quote !== null || label.key !== undefined) return
  // Who is in the middle of something is not looking for an offer.
  if (
    /(^|[/_.-])(admin|dashboard|editor|app|account|checkout|settings)\//i.test(
      page.path.replace(/^(src\/)?app\//, ''),
    )
  )
    return
  if (WANTED.some((is) => is.test((own.value ?? '').split('/').at(-1) ?? '')) || SHOPS.test(label.value))
    return
  const wanted = WANTED.flatMap((is) =>
    site.links.filter(
      ({ href, count }) =>
        count > 0 &&
        is.test(href.split('/').at(-1) ?? '') &&
        !/^\/(admin|api|dashboard|studio|cms)\b/i.test(href),
    ),
  ).find(({ href }) => href !== own.value)
  if (wanted === undefined) return
  const says =
    DESTINATIONS.find(({ is }) => is.test(wanted.href.split('/').at(-1) ?? ''))?.says[language] ??
    wanted.label
  const source =
    page.text.slice(link.start, own.own.start) +
    wanted.href +
    page.text.slice(own.own.end, label.start) +
    says +
    page.text.slice(label.end, link.end)
  const gap = lineBreakBefore(page, link)
  yield {
    mechanism: 'friction',
    pattern: 'way-on-from-not-found',
    name: `Offer “${says}” where a page is not found`,
    anchor: anchorOf(link),
    topics: ['404', 'not found', 'error', wanted.href],
    arms: [
      {
        name: `“${says}” beside “${label.value}”`,
        // What stands on a line of its own loses the space before it in code.
        changes: [insertAt(link.end, `${SPACE[page.dialect]}${gap || ' '}${source}`, link)],
        says,
      },
    ],
    audience: 'visitors who follow a link that leads nowhere',
    change: `offering the way to ${wanted.href} beside “${label.value}”`,
    because: 'who is lost takes what is one click away, and leaves where it is two',
    goal: 'click',
    when: 'either way on from that page is pressed, in all variants',
    effect: 2,
  }
}

const SPACE: Readonly<Record<View['page']['dialect'], string>> = {
  html: '',
  jsx: "{' '}",
  vue: "{{ ' ' }}",
  svelte: '',
}

const TO_START: Readonly<Record<Language, string>> = {
  en: 'Go to the home page',
  de: 'Zur Startseite',
  fr: 'Aller à la page d’accueil',
  es: 'Ir a la página de inicio',
}

/** The same for a page from which nothing leads on: the way to the start page, and as another variant the site's own way to what it is there for. */
function* wayOut({ page, site }: View, language: Language): Generator<Idea> {
  const inner = elementsIn(page.root)
  if (site === null || page.isTranslated === true || inner.some((one) => isButton(one) || isLink(one))) return
  const line = inner.findLast(
    (one) => /^(p|h[1-6])$/.test(one.tag) && wordsIn(one) !== '' && !isInCode(one) && labelOf(one) !== null,
  )
  if (line === undefined || line.parent === null || line.parent.tag === '') return
  const gap = lineBreakBefore(page, line) || ' '
  const [act] = site.links
    .filter(({ href, label }) => /^\/[\w/-]+$/.test(href) && CALLS.test(label) && !leadsAside(href))
    .sort((a, b) => b.count - a.count || (a.href < b.href ? -1 : 1))
  const ways = [
    { href: '/', label: TO_START[language] },
    ...(act === undefined || /[<>{}&"]/.test(act.label) ? [] : [act]),
  ]
  yield {
    mechanism: 'friction',
    pattern: 'way-on-from-not-found',
    name: 'Lead on from the page that says that nothing is found',
    anchor: anchorOf(line),
    topics: ['404', 'not found', 'error'],
    arms: ways.map(({ href, label }) => ({
      name: label,
      changes: [insertAt(line.end, `${gap}<p><a href="${href}">${label}</a></p>`, line)],
      says: label,
    })),
    audience: 'visitors who follow a link that leads nowhere',
    change: `offering the way to ${ways.map(({ href, label }) => `${href} (“${label}”)`).join(' or ')}, where nothing leads on now`,
    because: 'who is lost takes what is one click away, and leaves where there is nothing',
    goal: 'click',
    when: 'the way on from that page is pressed',
    effect: 2,
  }
}

/** Acts that may cost something, as buttons name them, with the word for free behind. */
const ACTS: Readonly<Record<Language, { is: RegExp; free: (label: string) => string }>> = {
  en: {
    is: /^(test|check|calculate|estimate|simulate|compare|sign up|register|get started|start|create (an |your )?account)\b/i,
    free: (label) => `${label} for ${/ \p{Lu}/u.test(label) ? 'Free' : 'free'}`,
  },
  de: {
    is: /\s(testen|prüfen|berechnen|vergleichen|registrieren|starten|beginnen|ausfüllen)$|^(testen|prüfen|berechnen|vergleichen|registrieren|starten)$/i,
    free: (label) =>
      label.replace(
        /(testen|prüfen|berechnen|vergleichen|registrieren|starten|beginnen|ausfüllen)$/i,
        (act, _, at) => (at === 0 ? `Kostenlos ${act.toLowerCase()}` : `kostenlos ${act}`),
      ),
  },
  fr: {
    is: /^(tester|testez|vérifier|vérifiez|calculer|calculez|estimer|estimez|simuler|simulez|comparer|comparez|s'inscrire|(?:passer|passez|faire|faites) (?:le|mon|un|votre) (?:test|bilan|simulation)|commencer|commencez|démarrer|démarrez|évaluer|évaluez|je commence|je calcule)(?![\p{L}])/iu,
    free: (label) => `${label} gratuitement`,
  },
  es: {
    is: /^(probar|comprobar|calcular|estimar|simular|comparar|registrarse|empezar|comenzar)\b/i,
    free: (label) => `${label} gratis`,
  },
}

/** Making an account. */
const JOINS =
  /^(sign up|register( (an |your )?account)?|create (an |your )?account|registrieren|konto erstellen|s'inscrire|créer un compte|registrarse|crear (una )?cuenta)$/i

const SIGNS_IN = /(^|\/)(log-?in|sign-?in|anmelden|connexion)(\.html?)?\/?$/i

/** What nobody would pay for: proving an address, doing it once more, going on. */
const COSTS_NOBODY =
  /search|recherche|suche[n]?\b|buscar|búsqueda|e-?mail|\bcode\b|password|passwort|mot de passe|contraseña|nouve(au|lle)|\bnew\b|\bneu|again|\bover\b|restart|von vorn|recommenc|nuev|compare|compar|vergleich|(?<!\p{L})(?:sound|audio|ton|son|sonido|mi[ck]ro\p{L}*|[ck]amera|cámara|caméra|connection|verbindung|connexion|conexión|webhook|print\p{L}*|druck\p{L}*|push|notifications?|benachrichtigung\p{L}*)(?!\p{L})/iu

function freeButtons({ page, language }: View): { element: Element; label: Text }[] {
  if (language === null) return []
  const { is } = ACTS[language]
  return [...elementsIn(page.root)].flatMap((element) => {
    const label = isButton(element) ? labelOf(element) : null
    return label !== null &&
      is.test(label.value) &&
      !FREE[language].says.test(label.value) &&
      label.value.split(' ').length <= 4 &&
      // Nobody has an account for having come to the page of those who have one.
      !(JOINS.test(bare(label.value)) && SIGNS_IN.test(hrefOf(element) ?? '')) &&
      !COSTS_NOBODY.test(label.value) &&
      !/^(check|test|calculate|estimate|simulate|compare|testen|prüfen|berechnen|vergleichen|tester|vérifier|calculer|simuler|probar|comprobar|calcular|simular)$/i.test(
        label.value,
      ) &&
      // Whoever goes back to where all begins begins nothing.
      !/^(\/|#|\/?index\.html?)?$/.test(hrefOf(element) ?? 'none') &&
      ![element, ...above(element)].some(({ tag, attributes }) =>
        /breadcrumb/i.test(`${tag} ${attributes.map(({ value }) => value ?? '').join(' ')}`),
      )
      ? [{ element, label }]
      : []
  })
}

/**
 * A service that says of itself that it costs nothing, and a button that does not: the word goes on the button. Not where the page names a price or says it
 * already. The file that says so goes with the proposal.
 */
function* freeEverywhere(view: View): Generator<Idea> {
  const { page, site, language } = view
  if (site?.free == null || language === null || FREE[language].says.test(wordsIn(page.root))) return
  if (isForInvited(page)) return
  if (
    /(^|\/)(admin|pro|internal|newsletter|results?|account|mon-espace|settings|welcome|onboarding|dashboard|set-?up)/i.test(
      page.path,
    ) ||
    /[$€£]\s?\d|\d\s?€/.test(wordsIn(page.root))
  )
    return
  // Where something has a price, only the account costs nothing, and the plan that says so is the proof.
  const buttons = freeButtons(view).filter(({ label }) => !site.hasPrices || JOINS.test(label.value))
  const [first] = buttons
  if (first === undefined || buttons.length > 3) return
  const said = ACTS[language].free(first.label.value)
  const evidence = (site.hasPrices ? site.freePlan : null) ?? site.free
  // What stands there once for phones and once for others is one button.
  const same = buttons.filter(({ label }) => label.value === first.label.value)
  const changes = same.flatMap(({ label }) => reword(page, label, said) ?? [])
  if (changes.length < same.length) return
  yield {
    mechanism: 'risk reversal',
    pattern: 'free-on-act',
    name: `Say on the button that it costs nothing: “${said}”`,
    anchor: anchorOf(first.element),
    topics: ['call to action', 'button', 'free', headingNear(first.element)],
    arms: [{ name: said, changes, says: said }],
    audience: 'visitors who do not know whether it costs something',
    change: `labelling the button “${said}” in place of “${first.label.value}” (${evidence.path} says “${evidence.says}”)`,
    because: 'that it costs nothing counts most where one acts, and now stands elsewhere',
    goal: /sign|regist|inscri|anmeld|account|konto|compte|cuenta/i.test(first.label.value)
      ? 'sign up'
      : 'click',
    // That accounts cost nothing most expect.
    effect: 1,
    evidence: [evidence],
  }
}

/** Buttons with which one begins, and pages on which one decides to. */
const BEGINS: Readonly<Record<Language, RegExp>> = {
  en: /^(get started|start|start now|sign up|create (an |your )?account|try it|try now)$/i,
  de: /^(registrieren|starten|jetzt starten|loslegen|jetzt registrieren)$/i,
  fr: /^(commencer|s'inscrire|démarrer|créer un compte)$/i,
  es: /^(empezar|comenzar|registrarse|crear cuenta)$/i,
}

/**
 * A site of which one plan costs nothing, and whose first button does not say so: the word goes on it. Not beside the plans, of which others cost something, nor where
 * the page says it already.
 */
function* freePlanOnButton(view: View): Generator<Idea> {
  const { page, site, language, plans } = view
  if (site?.freePlan == null || language === null || plans.length > 0 || !opensSite(page.path)) return
  if (site.free !== null || FREE[language].says.test(wordsIn(page.root))) return
  const hero = heroOf(page)
  const button = hero?.ways.find((one) => BEGINS[language].test(bare(wordsIn(one))))
  const label = button === undefined ? null : labelOf(button)
  if (button === undefined || label === null || PRICE.test(wordsIn(page.root))) return
  const said = startFree(label.value, language)
  const change = reword(page, label, said)
  if (change === null) return
  yield {
    mechanism: 'risk reversal',
    pattern: 'free-plan-on-button',
    name: `Say on the first button that one can start free: “${said}”`,
    anchor: anchorOf(button),
    topics: ['hero', 'call to action', 'button', 'free'],
    arms: [{ name: said, changes: [change], says: said }],
    audience: 'visitors who do not know whether it costs something',
    change: `labelling the button “${said}” in place of “${label.value}” (${site.freePlan.path} has a plan that is “${site.freePlan.says}”)`,
    because:
      'that one can begin without paying counts most where one begins, and now stands with the prices alone',
    goal: 'sign up',
    effect: 4,
    evidence: [site.freePlan],
  }
}

const PRICE = /[$€£]\s?\d|\d\s?€/

const startFree = (label: string, language: Language): string =>
  language === 'de'
    ? likeControl(label, /registr/i.test(label) ? 'Kostenlos registrieren' : 'Kostenlos starten', language)
    : `${label}${{ en: ' for free', fr: ' gratuitement', es: ' gratis' }[language]}`

/** Nobody has bought anything yet where an account is made, and how many reviews there are says nothing without what they say. */
const OF_GOODS =
  /^(based on|basé sur|basierend auf|basado en)(?!\p{L})|(?<!\p{L})(reviews?|ratings?|bewertungen|rezensionen|avis|reseñas|opiniones)$|return|refund|money[- ]back|rückgabe|retoure|geld[- ]zurück|retour|rembours|devolu/iu

const CARD = /\b(credit )?card\b|kreditkarte|carte (bancaire|de cr[eé]dit)|tarjeta/i
const OF_ONE_PLAN = /\b(for|für|pour|para) (the )?\p{Lu}\p{L}+[.!]?$/u

/** Where one comes next to what asks for a card. */
const PAYS_NEXT =
  /(?:navigate|push|replace|redirect|goto)\(\s*["'`][^"'`\n]*(?:billing|checkout|payment|subscri|bezahl|paiement|pago|select-plan|choose-plan)/i

/**
 * What the site says on another page, repeated word for word below the button of its sign-up form: a promise, or that others use it. Not where the page
 * says it already.
 */
function* saidElsewhere(view: View): Generator<Idea> {
  const { page, site, forms } = view
  const form = forms.find(({ purpose, submit }) => purpose === 'sign up' && submit !== null)
  const button = form?.submit ?? null
  if (site === null || form === undefined || button === null || isInCode(button) || labelOf(button) === null)
    return
  for (const { mechanism, evidence, because } of [
    {
      mechanism: 'risk reversal',
      evidence: site.promise,
      because: 'what takes the risk away helps most at the moment of deciding (check that it holds here too)',
    },
    {
      mechanism: 'proof',
      evidence: site.proof,
      because: 'that others have decided for it is worth most where one decides',
    },
  ] as const) {
    if (evidence === null || evidence.path === page.path || OF_GOODS.test(evidence.says)) continue
    if (!/^[\p{L}\d]/u.test(evidence.says)) continue
    // Who it is that trusts in it stands in the pictures around such a heading.
    if (mechanism === 'proof' && !/\d/.test(evidence.says)) continue
    if (bare(wordsIn(page.root)).includes(bare(evidence.says))) continue
    if (mechanism === 'risk reversal' && PAYS_NEXT.test(page.text)) continue
    // The same in other words is said already, and what holds for one plan is not said of all.
    if (CARD.test(evidence.says) && CARD.test(page.text)) continue
    if (OF_ONE_PLAN.test(evidence.says)) continue
    const text: Text = { kind: 'text', value: evidence.says, quote: null, parent: button, start: 0, end: 0 }
    const arm = repeatBelow(view, button, text)
    if (arm === null) continue
    yield {
      mechanism,
      pattern: `said-elsewhere-at-sign-up ${mechanism}`,
      name: `Repeat “${evidence.says}” at sign-up`,
      anchor: anchorOf(button, `${saidOn(button)} ${mechanism}`),
      topics: ['sign up', 'form', 'button', form.heading],
      arms: [arm],
      audience: 'visitors who have come to the sign up form',
      change: `repeating “${evidence.says}”, which ${evidence.path} says, below “${saidOn(button)}”`,
      because,
      goal: 'sign up',
      // What other pages say may be of something else.
      effect:
        leadsHere(view, evidence) && (mechanism === 'proof' || OF_AN_ACCOUNT.test(evidence.says)) ? 4 : 2,
      evidence: [evidence],
    }
  }
}

const PRICED = /(^|[/_.-])(pricing|prices?|plans?|billing|tarifs?|preise|precios|subscribe)/i

const startsOn = ({ page, language }: View): Text[] =>
  language === null || !PRICED.test(page.path)
    ? []
    : [...textsIn(page.root)].filter(
        (text) =>
          (VAGUE_START[language].has(bare(text.value)) || VAGUE_PLAN[language].has(bare(text.value))) &&
          [text.parent, ...above(text.parent)].some(isButton),
      )

const NOT_YET =
  /coming-?soon|wait-?list|warteliste|demn(?:ae|ä)chst|bient[oô]t|pr[oó]xim|contact|kontakt|demo|^(?:mailto|tel):/i

/** A free trial that the page of prices speaks of, and buttons that do not: they say that it begins. Not where a button says so, or the trial is another page's. */
function* trialOnButton(view: View): Generator<Idea> {
  const { page, site, language } = view
  const folder = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)
  if (site?.trial == null || language === null || folder(site.trial.path) !== folder(page.path)) return
  if ([...elementsIn(page.root)].some((one) => isButton(one) && TRIAL[language].test(wordsIn(one)))) return
  const [text, ...more] = startsOn(view)
  if (text === undefined || more.length > 0) return
  const button = [text.parent, ...above(text.parent)].find(isButton) ?? text.parent
  // What code goes on with would be read after it, and one of several plans may be the only one to be tried.
  if (labelOf(button) !== text || given(button, 'aria-label') !== null || page.root.hasCode) return
  const leads = [button, ...above(button), ...elementsIn(button)].map(hrefOf).find((one) => one !== null)
  // Nothing begins where one waits or asks.
  if (leads != null && NOT_YET.test(leads)) return
  const words = likeControl(text.value, START_TRIAL[language], language)
  const change = reword(page, text, words)
  if (change === null) return
  yield {
    mechanism: 'risk reversal',
    pattern: 'trial-on-button',
    name: `Say on the plans’ button that the trial begins: “${words}”`,
    anchor: anchorOf(button, text.value),
    topics: ['pricing', 'price', 'plan', 'trial', 'call to action'],
    arms: [{ name: words, changes: [change], says: words }],
    audience: 'visitors who compare the plans',
    change: `saying “${words}” in place of “${text.value}” (${site.trial.path} speaks of the “${site.trial.says}”)`,
    because: 'who sees that the first step costs nothing takes it sooner',
    goal: 'purchase',
    // Which of several plans can be tried is not told.
    effect: 2,
    evidence: [site.trial],
  }
}

const SEARCH: Readonly<Record<Language, { bare: RegExp; says: (things: string) => string; and: string }>> = {
  en: { bare: /^search\s?(\.\.\.|…)?$/i, says: (things) => `Search ${things}`, and: 'and' },
  de: { bare: /^suche[n]?\s?(\.\.\.|…)?$/i, says: (things) => `${things} suchen`, and: 'und' },
  fr: { bare: /^recherche[r]?\s?(\.\.\.|…)?$/i, says: (things) => `Rechercher : ${things}`, and: 'et' },
  es: { bare: /^buscar\s?(\.\.\.|…)?$/i, says: (things) => `Buscar ${things}`, and: 'y' },
}

const bareSearches = ({ page, language }: View): Element[] =>
  language === null
    ? []
    : elementsIn(page.root).filter(
        (one) =>
          isField(one) &&
          attribute(one, 'placeholder')?.own != null &&
          SEARCH[language].bare.test(given(one, 'placeholder') ?? ''),
      )

/** What sells comes first, what only explains last. */
const WORTH = [
  /^(products?|produkte|produits?|productos?)$/i,
  /^(collections?|categories|kategorien|catégories|categorías)$/i,
]
const worthOf = (thing: string): number => {
  const at = WORTH.findIndex((is) => is.test(thing))
  return at < 0 ? WORTH.length : at
}

/** A search field that only says that it is one: it says what there is to be found, as the headings of the results name it. Not for one kind alone. */
function* searchSaysWhat(view: View): Generator<Idea> {
  const { site, language } = view
  if (site === null || language === null || site.finds.length < 2) return
  for (const field of bareSearches(view)) {
    const own = attribute(field, 'placeholder')?.own
    const things = [...site.finds].sort((a, b) => worthOf(a.says) - worthOf(b.says)).slice(0, 3)
    const names = things.map(({ says }) => (language === 'de' ? says : says.toLowerCase()))
    const listed = `${names.slice(0, -1).join(', ')} ${SEARCH[language].and} ${names.at(-1) ?? ''}`
    const words = SEARCH[language].says(listed)
    if (own == null || /["'<>{}&]/.test(words)) continue
    yield {
      mechanism: 'specificity',
      pattern: 'search-says-what',
      name: `Say what the search finds: ${listed}`,
      anchor: anchorOf(field, given(field, 'placeholder') ?? ''),
      topics: ['search', 'placeholder', ...names],
      arms: [{ name: words, changes: [{ ...own, text: words, unit: field }], says: words }],
      audience: 'visitors who look for something',
      change: `saying “${words}” in the field in place of “${given(field, 'placeholder') ?? ''}”`,
      because: 'who sees what can be searched for searches more, and searching visitors know what they want',
      goal: 'search',
      effect: 2,
      evidence: things,
    }
  }
}
