import { showsSamples } from './exhibits.js'
import type { Below, Browse, Door, Mount, Part, Start, Way } from './idea.js'
import { type KeyCall, keyCallsOf } from './keyed.js'
import {
  above,
  type Element,
  elementsIn,
  given,
  isInCode,
  type Page,
  textsIn,
  wordsIn,
} from './markup/tree.js'
import { mountsOf } from './mechanisms/act/prices.js'
import { waysOf } from './mechanisms/act/ways.js'
import { doorsOf } from './mechanisms/arrival/doors.js'
import { covers, waitsOf } from './mechanisms/arrival/splash.js'
import { labelStyle } from './mechanisms/forms/friction.js'
import { dressOf, NO_DRESS, shownBy } from './mechanisms/layout/dress.js'
import { dialsOf } from './mechanisms/leads/dials.js'
import { browsesOf } from './mechanisms/leads/shelves.js'
import { startsOf } from './mechanisms/leads/starts.js'
import { type TitleTaken, titleTakenBy } from './mechanisms/opening/copied.js'
import { describedIn, titledIn } from './mechanisms/opening/described.js'
import { aboveOf, opensWith } from './mechanisms/opening/first.js'
import { heroOf, isAct, isStartPage, opensSite } from './mechanisms/opening/hero.js'
import { belowOn, isPageAlone, NOTHING_BELOW } from './mechanisms/phones/below.js'
import { roomOfPart } from './mechanisms/phones/room.js'
import { classText, isHiddenOnPhones } from './mechanisms/phones/screens.js'
import {
  type Answers,
  answersOf,
  FOR_THOSE_INSIDE,
  figuresOf,
  headedOf,
  OF_OFFERS,
  type Statement,
  statementsOf,
} from './statements.js'
import { formsAre, isButton, isField, isHeading, isLink, labelOf, plansOf } from './surface.js'
import { plain, wordedPath } from './uses.js'
import type { Language } from './words/language.js'
import { COSTS_NOTHING, FREE, PROMISE, PROOF, REASSURES, type Reassurance, TRIAL } from './words/phrases.js'
import { isStandIn } from './words/stand-in.js'
import { ANNOUNCES, type StatementKind } from './words/statements.js'

/** What one file says that proposals for other files can lean on. */
export interface Facts {
  /** with which part it opens; left out where it shows nothing that is known */
  opensWith?: string | null
  /** what it shows above the pages that it is around */
  abovePages: readonly string[]
  /** the title that it shows, and what it tells search engines */
  heading: string | null
  describes: string | null
  /** what it calls itself in the bar of the window */
  titled: string | null
  /** where its title stands in another file */
  titleTaken: TitleTaken | null
  /** ways to what the site is there for */
  ways: Way[]
  /** ways to all that a shop has */
  browses: Browse[]
  /** where labels for newcomers lead */
  starts: Start[]
  /** ways to where one signs in */
  doors: Door[]
  /** links that dial */
  dials: string[]
  /** one of these stands in what the site opens with, on phones too */
  callsFirst: boolean
  /** where it shows parts that are called after prices */
  mounts: Mount[]
  links: { href: string; label: string }[]
  /** ways to places on the same page */
  places: { href: string; label: string }[]
  /** it shows how parts of a kit may look */
  samples: boolean
  /** what those may be: ids of its elements */
  ids: string[]
  free: string | null
  promise: string | null
  proof: string | null
  trial: string | null
  /** with what the site opens, in one line */
  line: string | null
  /** that one of its plans costs nothing */
  freePlan: string | null
  /** it names a price: what costs nothing is but a part of what there is */
  hasPrices: boolean
  part: Part | null
  /** something on it stays at the top of the window while the page scrolls */
  sticks: boolean
  /** what stays at the lower edge of the window on other pages too */
  below: Below
  /** parts that stand in what cuts off what is too wide, so that nothing in them sticks to the window */
  clips: string[]
  /** it says that whoever runs the site ends it */
  closes: boolean
  /** whether anybody takes what is filled in on it */
  forms: 'live' | 'dead' | null
  finds: string[]
  /** the classes of its labels, `null` where it has none */
  labelStyle: string | null
  reassures: { kind: Reassurance; says: string }[]
  /** whole sentences that help those who hesitate */
  statements: Statement[]
  /** the figures that it names of terms that have one */
  figures: { kind: StatementKind; figure: string }[]
  /** how soon those are answered who write */
  answers: Answers
  /** texts that it shows by their keys */
  keyCalls: KeyCall[]
  /** the parts that it shows, by their tags */
  shows: string[]
  /** the kinds of statements that it is headed with */
  headed: StatementKind[]
}

export const NO_FACTS: Facts = {
  heading: null,
  describes: null,
  titled: null,
  titleTaken: null,
  ways: [],
  browses: [],
  starts: [],
  doors: [],
  dials: [],
  callsFirst: false,
  mounts: [],
  links: [],
  places: [],
  ids: [],
  samples: false,
  free: null,
  promise: null,
  proof: null,
  trial: null,
  line: null,
  freePlan: null,
  hasPrices: false,
  part: null,
  sticks: false,
  below: NOTHING_BELOW,
  clips: [],
  closes: false,
  forms: null,
  finds: [],
  labelStyle: null,
  reassures: [],
  statements: [],
  figures: [],
  answers: { stated: [], figures: [], to: null },
  abovePages: [],
  keyCalls: [],
  shows: [],
  headed: [],
}

const MAX_LINKS = 60

/** That a business or a site is given up, in the words of who does. */
const GIVEN_UP =
  /fermeture définitive|(?:fermer?|fermons|fermera|fermé) (?:ses |nos )?(?:portes )?définitivement|(?:we are|is) closing (?:down|for good|permanently)|permanently closed|closed (?:permanently|for good)|(?:schließen|geschlossen|schließt).{0,24}(?:endgültig|dauerhaft|für immer)|(?:endgültig|dauerhaft|für immer).{0,24}(?:schließen|geschlossen)|geschäftsaufgabe|cierre definitivo|cerramos definitivamente/i
/** Few pages have a word of it. */
const MAY_BE_GIVEN_UP =
  /définitive|permanent|for good|endgültig|dauerhaft|für immer|geschäftsaufgabe|definitiv/i
/** Where others may be spoken of. */
const TOLD_OF_OTHERS =
  /(^|[/_.-])(blog|news|posts?|articles?|artikel|faqs?|legal|terms|agb|cgv|privacy|press|aktuelles|actualit\w*)(?=[/_.-])/i

const saysItCloses = ({ root, path, text }: Page): boolean =>
  MAY_BE_GIVEN_UP.test(text) && !TOLD_OF_OTHERS.test(path) && GIVEN_UP.test(wordsIn(root))

export function factsOf(page: Page, language: Language | null): Facts {
  const links: Facts['links'] = []
  const places: Facts['places'] = []
  for (const element of elementsIn(page.root)) {
    if (links.length === MAX_LINKS || !isLink(element)) continue
    const href = given(element, 'href') ?? given(element, 'to') ?? ''
    const label = labelOf(element)
    if (/^\/[\w/-]*$/.test(href) && label !== null && label.quote === null && label.value.length <= 40)
      links.push({ href, label: label.value })
    else if (
      /^\/?#[a-z][\w-]*$/i.test(href) &&
      label !== null &&
      label.quote === null &&
      places.length < MAX_LINKS
    )
      places.push({ href, label: label.value })
  }
  const ids = elementsIn(page.root)
    .flatMap((one) => given(one, 'id') ?? [])
    .filter((id) =>
      /^(contact|kontakt|contacto|sign-?up|register|book|booking|buchen|reservations?|reservierung|reservas?|termin|anfrage|devis|order|shop|quote|demo)([-_]\w+)?$/i.test(
        id,
      ),
    )
  const hasPrices =
    plansOf(page).length > 0 ||
    (/pric(e|ing)|plans?\b|tarif|preis|precio/i.test(page.path) &&
      textsIn(page.root).some(({ value }) => PRICED.test(value)))
  const shown = shownBy(page)
  const part: Part = {
    waits: waitsOf(page),
    covers: elementsIn(page.root).some(covers),
    isStandIn: isStandIn(wordsIn(page.root)),
    asks: elementsIn(page.root).some(asksFor),
    showsField: elementsIn(page.root).some((one) => isField(one) && !isInCode(one)),
    takesChild: /\basChild\b/.test(page.text),
    hasIds: elementsIn(page.root).some((one) => given(one, 'id') !== null),
    room: roomOfPart(page),
    dress: shown === undefined ? NO_DRESS : dressOf(shown),
  }
  const ways = waysOf(page)
  for (const { href, label } of ways)
    if (/^#\w/.test(href) && !places.some((one) => one.href === href)) places.push({ href, label })
  const known = {
    opensWith: opensWith(page),
    abovePages: aboveOf(page),
    heading: headingOf(page),
    describes: describedIn(page),
    titled: titledIn(page.text) || null,
    titleTaken: titleTakenBy(page),
    browses: language === null ? [] : browsesOf(page, language),
    starts: startsOf(page),
    doors: doorsOf(page),
    dials: dialsOf(page),
    callsFirst: callsFirst(page),
    ways,
    mounts: mountsOf(page),
    links,
    places,
    ids,
    samples: showsSamples(page),
    hasPrices,
    part,
    sticks: elementsIn(page.root).some(sticks),
    below: isPageAlone(page.path) ? NOTHING_BELOW : belowOn(page),
    clips: clipsIn(page),
    closes: saysItCloses(page),
    forms: formsAre(page),
    finds: findsOf(page),
    labelStyle: labelStyle(page),
    shows: partsIn(page),
    keyCalls: keyCallsOf(page),
  }
  if (language === null) return { ...NO_FACTS, ...known }
  // Those who have joined or bought are told other things.
  const isInside = FOR_THOSE_INSIDE.test(wordedPath(page.path))
  return {
    ...known,
    free: stated(page, COSTS_NOTHING[language], 'part'),
    promise: isInside ? null : stated(page, PROMISE[language], 'whole'),
    proof: stated(page, PROOF[language], 'whole'),
    trial: isInside ? null : stated(page, TRIAL[language], 'part'),
    statements: statementsOf(page, language),
    figures: figuresOf(page, language),
    answers: answersOf(page, language),
    headed: headedOf(page, language),
    line: lineOf(page),
    freePlan: freePlanOf(page, language),
    reassures: (isInside ? [] : REASSURES[language]).flatMap(({ kind, says }) => {
      const found = stated(page, says, 'part')
      return found === null ? [] : [{ kind, says: found }]
    }),
  }
}

/** Whether an opening has a link that dials, where phones show it. */
function callsFirst(page: Page): boolean {
  if (!page.text.includes('tel:')) return false
  const section = /hero|banner|opening|intro/i.test(page.path) ? page.root : heroOf(page)?.section
  return (
    section !== undefined &&
    (opensSite(page.path) || isStartPage(page.path) || section === page.root) &&
    elementsIn(section).some(
      (one) =>
        isLink(one) &&
        page.text.slice(one.start, page.text.indexOf('>', one.start)).includes('tel:') &&
        ![one, ...above(one)].some((outer) => isHiddenOnPhones(page, outer)),
    )
  )
}

const partsIn = ({ root }: Page): string[] =>
  [...new Set(elementsIn(root).flatMap(({ tag }) => (/^[A-Z]|^[a-z]+-/.test(tag) ? plain(tag) : [])))].slice(
    0,
    60,
  )

/** What the texts of a language say: they are shown somewhere, by their keys. */
export function factsOfTexts(texts: Iterable<string>, language: Language): Pick<Facts, 'free' | 'trial'> {
  let free: string | null = null
  let trial: string | null = null
  for (const text of texts) {
    if (text.length > 200 || hasCondition(text)) continue
    free ??= COSTS_NOTHING[language].exec(text)?.[0] ?? null
    trial ??= TRIAL[language].exec(text)?.[0] ?? null
  }
  return { free, trial }
}

/** The one title of a page, where it is plain words. */
function headingOf({ root }: Page): string | null {
  const [only, ...more] = elementsIn(root).filter(({ name }) => name === 'h1')
  const label = only === undefined || more.length > 0 || isInCode(only) ? null : labelOf(only)
  return label === null || label.key !== undefined ? null : label.value
}

/** A question, or what holds for some only. */
const hasCondition = (text: string): boolean =>
  /[?*†]|\b(not|nicht|non|unless|except|außer|sauf|excepto|if|wenn|falls|si)\b/i.test(text)

/** Whether something leads on, or says to; what only sorts, turns or unfolds what is there does not. */
const asksFor = (one: Element): boolean =>
  /Cta$|CTA$/.test(one.tag) ||
  ((isButton(one) || /Button/.test(one.tag)) &&
    (isAct(one) || isLink(one) || elementsIn(one).some(isLink) || (wordsIn(one) === '' && one.hasCode)))

/** A statement of the page: the words that were looked for, or the whole short text with them. Not a question, nor what has a condition. */
function stated(page: Page, form: RegExp, how: 'part' | 'whole'): string | null {
  for (const text of textsIn(page.root)) {
    if (text.quote !== null || text.value.length > (how === 'whole' ? 60 : 200)) continue
    const found = form.exec(text.value)?.[0]
    if (found === undefined || (how === 'whole' && isInCode(text.parent))) continue
    if (how === 'whole' && (labelOf(text.parent) !== text || isButton(text.parent) || isLink(text.parent)))
      continue
    // A button does what it says, and says it of nothing else.
    if (how === 'part' && [text.parent, ...above(text.parent)].some((one) => isButton(one) || isLink(one)))
      continue
    if (isHeading(text.parent) && ANNOUNCES.test(text.value)) continue
    if (hasCondition(text.value) || (how === 'part' && isInCode(text.parent))) continue
    // What is said of an offer that one asks for is said of no account.
    if (how === 'whole' && OF_OFFERS.test(text.value)) continue
    return how === 'whole' ? pieceWith(text.value, form) : found
  }
  return null
}

/** Of several things in one line, set apart by signs, the one that was looked for. */
const pieceWith = (line: string, form: RegExp): string =>
  line.split(/\s+[•·|✓✔]\s*/u).find((piece) => form.test(piece)) ?? line

/** Whether an element keeps to the top of the window, by the classes that frameworks have for it. */
function sticks(element: Element): boolean {
  const own = given(element, 'class') ?? ''
  return (
    /(^|\s)([\w-]+:)*(sticky|sticky-top|fixed-top)(?=\s|$)/.test(own) ||
    /(?=.*(^|\s)fixed(\s|$))(?=.*(^|\s)top-\d)/.test(own) ||
    /^top$/.test(given(element, 'sticky') ?? given(element, 'fixed') ?? '')
  )
}

/** What is handed in to be shown within. */
const HANDED_IN =
  /\{\s*(props\.)?children\s*\}|<slot\b|<(Outlet|router-view|RouterView|NuxtPage)\b|\{@render children/

/** Parts, `children` for what is handed in, in what hides or scrolls what is too wide: sticking means sticking to that. */
const clipsIn = (page: Page): string[] => {
  const found = elementsIn(page.root)
    .filter((one) => /[\s"'`]overflow-(x-)?(hidden|auto|scroll)[\s"'`]/.test(classText(page, one)))
    .filter(({ name }) => !/^(html|body)$/.test(name))
    .flatMap((one) => [
      ...(HANDED_IN.test(page.text.slice(one.start, one.end)) ? ['children'] : []),
      ...elementsIn(one).flatMap(({ tag }) => (/^[A-Z]/.test(tag) ? plain(tag) : [])),
    ])
  return FRAME_FILE.test(page.path) ? [...new Set(found)].slice(0, MAX_LINKS) : []
}

/** Files in which pages stand. */
const FRAME_FILE = /(layout|app|_app|shell|main|wrapper|frame)[^/]*$/i

/** The headings of a page of search results, where they are plain words: what there is to be found. */
const findsOf = (page: Page): string[] =>
  /search[-_.]?results?[^/]*$|results?\/[^/]*$/i.test(page.path)
    ? [
        ...new Set(
          elementsIn(page.root)
            .filter(isHeading)
            .flatMap((one) => labelOf(one)?.value ?? []),
        ),
      ].filter((one) => /^\p{Lu}?\p{Ll}{3,14}s?$/u.test(one))
    : []

/** The line that the start page says below its title, where it is plain, whole and short. */
function lineOf(page: Page): string | null {
  const hero = opensSite(page.path) ? heroOf(page) : null
  const line = hero?.line ?? null
  const label = line === null ? null : labelOf(line)
  if (label === null || label.key !== undefined || label.value.length > 110 || isInCode(label.parent))
    return null
  const isWhole =
    !isStandIn(label.value) &&
    /^[\p{Lu}\d]/u.test(label.value) &&
    !/[?:;*†…]|lorem|ipsum|\{|next\.?js|tailwind|template|boilerplate|starter/i.test(label.value)
  return isWhole && !/[.!] /.test(label.value) && label.value.split(' ').length <= 18 ? label.value : null
}

const PRICED = /[$€£]\s?[1-9]\d*|[1-9]\d*\s?€/
const NO_PRICE = /^(?:[$€£]\s?0(?:[.,]00)?|0\s?€)(?:\s*\/.*)?$/

/** The word for free, as it stands in a plan that has no price. */
function freePlanOf(page: Page, language: Language): string | null {
  for (const { plans } of plansOf(page))
    for (const { element, name } of plans) {
      const texts = textsIn(element).map(({ value }) => value)
      const free = texts.find((one) => one.split(' ').length <= 3 && FREE[language].says.test(one))
      if (free !== undefined && (wordsIn(name) === free || texts.some((one) => NO_PRICE.test(one))))
        return free
    }
  return null
}
