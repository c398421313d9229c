import {
  above,
  besides,
  type Element,
  elementsIn,
  given,
  isInCode,
  type Page,
  textsIn,
  wordsIn,
} from './markup/tree.js'
import { headingNear, isButton, isField, isHeading, isLink } from './surface.js'
import { wordedPath } from './uses.js'
import { type AnswerTime, answerTimeIn, figureOfAnswer } from './words/answers.js'
import type { Language } from './words/language.js'
import { isStandIn } from './words/stand-in.js'
import {
  AGAINST,
  ANNOUNCES,
  ARE_SOME,
  ASKS_WHY,
  FIGURE,
  IS_FREE,
  IS_NO_HELP,
  IS_PAST,
  isSaidAs,
  LEANS_BACK,
  LEANS_ON_TOPIC,
  LIMITS,
  lastDayIn,
  POINTS,
  SAYS_WHO,
  STATEMENT_KINDS,
  type StatementKind,
} from './words/statements.js'

/** What a site says, word for word, that helps those who hesitate: a sentence, with the one after it where that limits it. */
export interface Statement {
  kind: StatementKind
  language: Language
  says: string
  /** the last day that it names, as `YYYY-MM-DD` */
  until: string | null
  /** it stands in what is around all pages */
  isFramed: boolean
  /** its page speaks of a trial of some days, and it does not */
  isMixed?: boolean
}

/** More is read by nobody who is about to decide; less says too little. In characters. */
const LONGEST = 150
const LONGEST_WHOLE = 180
const SHORTEST = 18
const MOST = 12

const MAX_INLINE = 20
const LONGEST_AFTER = 400

/** Elements whose words are read as one. */
const READ_AS_ONE = /^(p|li|dd|td|figcaption|h[1-4]|small|summary|details)$/
const INLINE = /^(strong|b|em|i|span|a|br|abbr|time|small|Link|NuxtLink)$/
/** What some kind has in every language; most sentences have none of it, and need not be looked at closely. */
const MAY_STATE =
  /\d|free|card|payment|cancel|contract|commit|refund|return|exchange|charge|nothing|cost|kostenlos|kostenfrei|gratis|kündig|ohne|keine|geld|rückgabe|retoure|umtausch|versand|gratuit|offert|sans|résili|rembours|retour|échange|frais|livraison|coordonn|compromiso|permanencia|tarjeta|devol|reembols|baja|envío|coste|cada|ten\b|zehn|dix\b|diez|noon|midday/i
/** What somebody else says, or nobody sees. */
const LEFT_OUT =
  /^(blockquote|q|cite|figure|script|style|template|noscript|option|select|label|button|nav|title|head)$/i
const VOICES = /testimonial|quote|review|avis|stimmen|voices|opinion|temoignage/i

/** Statements that hold for what the sentences around them speak of. */
const ARE_TERMS: readonly StatementKind[] = [
  'trial',
  'first time',
  'cancel',
  'returns',
  'mended',
  'rebooking',
]
/** What a site says with one figure, or what holds is not told. */
const HAVE_FIGURES: readonly StatementKind[] = ['trial', 'returns', 'rebooking', 'delivery']

const TRIAL_DAYS =
  /\d+[- ](?:days?|tag\w*|jours|días).{0,16}(?:trial|free|test|gratis|gratuit|kostenlos|essai|prueba)/i

/** Pages of those who have joined or bought, and what they set there. */
export const FOR_THOSE_INSIDE =
  /(^|[/_.-])(members?|clubs?|profile?s?|perfil|account|konto|compte|cuenta|vip|settings?|einstellungen|parametres|ajustes|billing|invoices?|facturation|facturacion|dashboard|admin|notifications?|notices?|reminders?|expired)([/_.-]|$)/i

/** The statements of a page that hold by themselves: none that leans on the sentence before it. */
export function statementsOf(page: Page, language: Language): Statement[] {
  const found: Statement[] = []
  if (FOR_THOSE_INSIDE.test(wordedPath(page.path))) return []
  const hasDays = TRIAL_DAYS.test(page.text)
  const isFrame = /(^|[/._-])(footer|layout|header|app)[^/]*$/i.test(page.path)
  for (const passage of passagesOf(page)) {
    const { words, isFramed, heading, isHeading: isTitle } = passage
    for (const one of statementsIn(words, language)) {
      // What limits a heading stands below it.
      if (one.kind !== 'customers' && isTitle) continue
      if (isTitle && ANNOUNCES.test(one.says)) continue
      if (isLimitedAround(one, passage)) continue
      if (OF_ONE_PLAN.includes(one.kind) && passage.isOfPlan()) continue
      if (one.kind !== 'customers' && ARE_SOME.test(`${heading} ${one.says}`)) continue
      // Trying is not what an offer that one asks for is about.
      if (one.kind === 'trial' && OF_OFFERS.test(one.says)) continue
      if (found.length === MOST) return found
      if (!found.some(({ says }) => says === one.says)) {
        const isMixed = hasDays && one.kind === 'trial' && !/\d/.test(one.says)
        found.push({ ...one, isFramed: isFramed || isFrame, ...(isMixed ? { isMixed } : {}) })
      }
    }
  }
  return found
}

/** What a plan says among what it has holds for that plan. */
const OF_ONE_PLAN: readonly StatementKind[] = ['customers', 'trial', 'cancel']

/** What one asks a firm for before anything is bought. */
export const OF_OFFERS =
  /\b(estimates?|quotes?|consultations?|devis|angebote?|presupuestos?|cotizaci[oó]n(es)?|beratung)\b/i

/** What limits a statement below it, or in the heading above: a price where it says free, the days within which it holds. */
function isLimitedAround(
  { kind, says }: Pick<Statement, 'kind' | 'says'>,
  { heading, next }: Passage,
): boolean {
  if (kind === 'customers') return false
  if (kind === 'returns' && !/\d/.test(says) && heading.match(FIGURE) !== null) return true
  if (!IS_FREE.test(says)) return false
  const follows = next()
  return LIMITS_FREE.test(follows) || (kind === 'delivery' && PRICE.test(follows) && !PRICE.test(says))
}

const LIMITS_FREE =
  /(?<!\p{L})(?:only|nur|seulement|uniquement|sólo|solo|except|excluding|außer|ausgenommen|sauf|hors|excepto|salvo|minimum|mindest\p{L}*|à partir de|a partir de|dès)(?!\p{L})/iu
const PRICE = /[$€£]\s?\d|\d\s?(?:€|EUR|USD|GBP|CHF)/

/** What may be sent back by law is longer than that. */
const MIN_DAYS = 14

/** @param words what is read as one */
export function statementsIn(words: string, language: Language): Omit<Statement, 'isFramed'>[] {
  const sentences = sentencesOf(words)
  return sentences.flatMap((sentence, at) => {
    if (!MAY_STATE.test(sentence)) return []
    const kind = STATEMENT_KINDS.find((one) => isSaidAs(sentence, one, language))
    if (kind === undefined || IS_NO_HELP.test(sentence)) return []
    if (LEANS_ON_TOPIC.test(sentence) || (kind === 'mended' && !SAYS_WHO.test(sentence))) return []
    const says = ARE_TERMS.includes(kind) ? wholeTerms(sentences, at) : sentence
    if (says === null || !holdsAlone(says) || (says === sentence && isLimited(sentences[at + 1]))) return []
    const days = /(\d+)[- ](?:days?|tage[ns]?|jours|días)/i.exec(says)?.[1]
    if (kind === 'returns' && days !== undefined && Number(days) < MIN_DAYS) return []
    const until = lastDayIn(says, language)
    return kind === 'deadline' && until === null ? [] : [{ kind, language, says, until }]
  })
}

/** Terms with what limits them; of a passage whose first sentence they are not, the whole, or nothing where that is long. */
function wholeTerms(sentences: readonly string[], at: number): string | null {
  const end = isLimited(sentences[at + 1]) ? at + 2 : at + 1
  const own = sentences[at] ?? ''
  const isAlone =
    /^(if|wenn|falls|si)\b/i.test(own) ||
    (/^(no|free|keine?|ohne|kostenlos\w*|sans|gratuit\w*|sin|gratis)\b/i.test(own) &&
      own.split(' ').length <= 7)
  // An answer begins with yes or no.
  const from = isAlone ? at : at > 0 && /^\S+$/.test(sentences[0] ?? '') ? 1 : 0
  const says = sentences.slice(from, end).join(' ')
  return end - from === 1 || says.length <= LONGEST_WHOLE ? says : null
}

const isLimited = (next: string | undefined): boolean =>
  next !== undefined && (LIMITS.test(next) || IS_NO_HELP.test(next))

const isLeftOut = (one: Element): boolean =>
  LEFT_OUT.test(one.tag) ||
  isButton(one) ||
  VOICES.test(`${given(one, 'class') ?? ''} ${one.tag}`) ||
  given(one, 'hidden') !== null ||
  /(^|\s)(hidden|d-none|sr-only|visually-hidden)(\s|$)/.test(given(one, 'class') ?? '') ||
  /display:\s*none/.test(given(one, 'style') ?? '')

/** What has to be there where something is said otherwise. */
const MAY_DENY =
  /expense|cost|borne|paid|pays?\b|bears?\b|covers?\b|trägst|trägt|tragen|kosten|lasten|charge|frais|cuenta|cargo|corre|required|needed|necessary|erforderlich|benötigt|requise?|nécessaire|obligatoi?r|necesaria|minim|mindest|frist|engagement|préavis|preaviso|permanencia|notice|contract|commitment/i

/** In place of a figure: it is said in words that it is otherwise. */
export const OTHERWISE = 'otherwise'

/** Of each kind that has figures all that a page names, also where nobody could repeat it. */
export function figuresOf(page: Page, language: Language): { kind: StatementKind; figure: string }[] {
  const found: { kind: StatementKind; figure: string }[] = []
  const all = [...textsIn(page.root)].map(({ value }) => value).concat([...listedIn(page)])
  for (const sentence of all.flatMap(sentencesOf)) {
    if (sentence.length < 400 && MAY_DENY.test(sentence))
      for (const [kind, form] of Object.entries(AGAINST))
        if (form.test(sentence)) found.push({ kind: kind as StatementKind, figure: OTHERWISE })
    const kind =
      sentence.length > 300 || !/\d/.test(sentence) || !MAY_STATE.test(sentence)
        ? undefined
        : HAVE_FIGURES.find((one) => isSaidAs(sentence, one, language))
    if (kind === undefined) continue
    for (const [figure] of sentence.matchAll(FIGURE))
      found.push({
        kind,
        figure: figure
          .toLowerCase()
          .replace(/[\s-]/g, '')
          .replace(/(s|e[ns]?)$/, ''),
      })
  }
  return found.slice(0, MOST * 2)
}

/** What a page is headed with says all that is below it: the kinds of which its headings are, also those that parts are given. */
export const headedOf = (page: Page, language: Language): StatementKind[] => {
  const headings = textsIn(page.root).filter(
    ({ parent, value }) => MAY_STATE.test(value) && (isHeading(parent) || isGivenHeading(parent, value)),
  )
  return STATEMENT_KINDS.filter(
    (kind) => kind !== 'deadline' && headings.some(({ value }) => isSaidAs(value, kind, language)),
  )
}

const isGivenHeading = (part: Element, value: string): boolean =>
  part.attributes.some(
    (one) => /^(title|heading|headline|sub-?title)$/i.test(one.name) && one.value === value,
  )

/** What a file says of how soon those are answered who write. */
export interface Answers {
  stated: AnswerTime[]
  /** all that it names, also where nobody could repeat it */
  figures: string[]
  /** where its forms send to, where that is one address */
  to: string | null
}

/** Where others than those who ask are answered, or nobody is who visits. */
export const ANSWERS_OTHERS =
  /(^|[/_.-])(support|soporte|help|hilfe|aide|ayuda|careers?|karriere|jobs?|bewerb\w*|recrut\w*|empleo|press|presse|prensa|accessib\w*|barrierefrei\w*|emails?|mails?|api|chat\w*|widgets?|whatsapp|partners?|partenaires?|vendors?|sellers?|wholesale|b2b|perfil|account|profile?|konto|compte|cuenta|admin|dashboard|settings|billing|blog|news|articles?|tests?)([/_.-]|$)/i

/** What every page has that says how soon it answers. */
const MAY_ANSWER =
  /respon[ds]|repl(?:y|ies)|answer|get back|in touch|contact you|call you|hear (?:back|from)|antwort|meld|rückruf|zurück|kontaktier|répon|recontact|rappel|revien|reven|retour|contest|contacta|llama|pondremos/i

export function answersOf(page: Page, language: Language): Answers {
  const to = addressOfForms(page)
  if (!MAY_ANSWER.test(page.text) || ANSWERS_OTHERS.test(wordedPath(page.path)))
    return { stated: [], figures: [], to }
  const sentences = [...textsIn(page.root)]
    .flatMap(({ value }) => sentencesOf(value))
    .concat([...listedIn(page)])
  const figures = sentences.flatMap((one) => figureOfAnswer(one, language) ?? [])
  if (figures.length === 0) return { stated: [], figures, to }
  const stated: AnswerTime[] = []
  for (const { words, heading, isHeading: isTitle } of passagesOf(page)) {
    if (isTitle || ARE_SOME.test(`${heading} ${words}`)) continue
    const all = sentencesOf(words)
    for (const [at, sentence] of all.entries()) {
      const one = answerTimeIn(sentence, language)
      // An answer to another question begins with what it answers.
      if (one === null || isLimited(all[at + 1]) || stated.length === MOST) continue
      if (!stated.some(({ says }) => says === one.says)) stated.push(one)
    }
  }
  return { stated, figures: [...new Set(figures)], to }
}

/** Where all forms of a page are sent, `null` where that is not told. */
export function addressOfForms({ root }: Page): string | null {
  const [only, ...more] = new Set(
    elementsIn(root)
      .filter(({ name }) => name === 'form')
      .map((one) => given(one, 'action')),
  )
  return more.length > 0 ? null : (only ?? null)
}

interface Passage {
  words: string
  isFramed: boolean
  /** the heading that it stands below */
  heading: string
  isHeading: boolean
  /** what stands right after it */
  next(): string
  /** whether it is said of one of several things that have a price and a button */
  isOfPlan(): boolean
}

const LONGEST_CARD = 1_200
const CARD_DEPTH = 5

function isInPlan(element: Element): boolean {
  return [...above(element)].slice(0, CARD_DEPTH).some((one) => {
    const words = wordsIn(one)
    return words.length <= LONGEST_CARD && PRICE.test(words) && elementsIn(one).some(isButton)
  })
}

function* passagesOf(page: Page): Generator<Passage> {
  for (const element of elementsIn(page.root)) {
    if (!READ_AS_ONE.test(element.tag) && element.tag !== 'div' && element.tag !== 'span') continue
    const inner = elementsIn(element)
    if (inner.length > MAX_INLINE) continue
    if (
      !inner.every((one) => INLINE.test(one.tag)) ||
      element.hasCode ||
      inner.some((one) => one.hasCode || isField(one))
    )
      continue
    const outer = [element, ...above(element)]
    if (outer.slice(1).some(({ tag }) => READ_AS_ONE.test(tag) && tag !== 'details' && tag !== 'li')) continue
    const texts = textsIn(element)
    if (texts.length === 0 || texts.some(({ key }) => key !== undefined) || outer.some(isLeftOut)) continue
    // What is pressed states nothing, nor do several such beside each other.
    if (texts.every(({ parent }) => [parent, ...above(parent)].some((one) => isLink(one) || isButton(one))))
      continue
    const isFramed = outer.some(({ tag }) => /footer|header/i.test(tag))
    const isListed = texts.some(({ holder }) => holder !== undefined)
    // What code shows or hides may not be there; a list's own texts are.
    if (isInCode(element) && !isListed) continue
    const heading = headingNear(element)
    const own = isHeading(element)
    const row = besides(element)
    const next = (): string =>
      row
        .slice(row.indexOf(element) + 1)
        .map(wordsIn)
        .join(' ')
        .slice(0, LONGEST_AFTER)
    const around = { isFramed, heading, isHeading: own, next, isOfPlan: () => isInPlan(element) }
    if (isListed) for (const { value } of texts) yield { words: value, ...around }
    else yield { words: joined(page, element), ...around }
  }
  for (const words of listedIn(page))
    yield {
      words,
      isFramed: false,
      heading: '',
      isHeading: false,
      next: () => '',
      isOfPlan: () => HAS_PRICES.test(page.text),
    }
}

/** Lists of plans in code, each with its price. */
const HAS_PRICES = /\b(?:price|monthly|amount|preis|prix|tarif|precio)\w*["']?\s*:/i

/** Spaces as a source writes them, at the end and the beginning of a text. */
const ENDS_APART = /(\s|&nbsp;|&#(32|160);)$/
const BEGINS_APART = /^(\s|&nbsp;|&#(32|160);)/

/** The words of an element with spaces, and new lines, where its source has them. */
function joined({ text }: Page, element: Element): string {
  let words = ''
  let end: number | null = null
  let isApart = false
  for (const one of textsIn(element)) {
    const own = text.slice(one.start, one.end)
    if (end !== null) {
      const between = text.slice(end, one.start)
      const isBroken = /<br\b/.test(between)
      isApart ||= /\s/.test(between.replace(/<[^>]*>/g, '')) || BEGINS_APART.test(own)
      words += isBroken ? '\n' : isApart ? ' ' : ''
    }
    words += one.value
    end = one.end
    isApart = ENDS_APART.test(own)
  }
  return words.replace(/[^\S\n]+/g, ' ').trim()
}

const LISTED =
  /(?:\[|,|\ba(?:nswer)?\s*:|\b(?:text|body|content|reponse|antwort|respuesta)\s*:)\s*(["'])((?:(?!\1)[^\\\n]){30,300})\1/g
const IS_SHOWN = /\.map\(|v-for=|\{#each\b/

/** Answers that stand in lists of a page's own code, which it goes through. */
export function* listedIn({ text, dialect }: Page): Generator<string> {
  if (dialect === 'html' || !IS_SHOWN.test(text)) return
  for (const found of text.matchAll(LISTED)) {
    const line = text.slice(text.lastIndexOf('\n', found.index) + 1, text.indexOf('\n', found.index))
    if (!/\b(active|enabled|visible|shown)\s*:\s*false|\b(quote|author|hidden)\b/i.test(line))
      yield found[2] ?? ''
  }
}

/** Sentences as they end: with a mark and a space before a capital. */
const sentencesOf = (words: string): string[] =>
  words
    .split(/(?<=[.!?…])\s+(?=[\p{Lu}\d¿¡„“"«])|\n/u)
    .map((one) => one.trim())
    .filter((one) => one !== '')

const holdsAlone = (says: string): boolean =>
  says.length >= SHORTEST &&
  says.length <= (/[.!] \p{Lu}/u.test(says) ? LONGEST_WHOLE : LONGEST) &&
  says.split(' ').length >= 4 &&
  /^[\p{Lu}\d]/u.test(says) &&
  !LEANS_BACK.test(says) &&
  !ASKS_WHY.test(says) &&
  !POINTS.test(says) &&
  !IS_PAST.test(says) &&
  !IS_NO_HELP.test(says.split(/(?<=[.!]) /)[0] ?? '') &&
  !/[?*†{}<>&"“”„«»…]|^[^:]{0,16}:|:$|^\d+\.\s|lorem|ipsum|§/i.test(says) &&
  !isStandIn(says)
