import type { Evidence, View } from '../../idea.js'
import { above, type Element, elementsIn, given, isInCode, type Text, wordsIn } from '../../markup/tree.js'
import { programOf } from '../../reach.js'
import { isButton, isHeading, isLink, labelOf } from '../../surface.js'
import type { Language } from '../../words/language.js'
import { DOES, FOR, MADE, NO_STATEMENT, THINGS } from '../../words/says-what.js'
import { isStandIn } from '../../words/stand-in.js'
import { COUNTS, fitsAny, MADE_OF, TIMES } from '../../words/vague.js'
import { describedIn, titledIn } from './described.js'

/** A line of the site that says what there is, word for word without the mark at its end. */
export interface Line {
  says: string
  /** where it stands on the page; `null` for what is told to search engines */
  text: Text | null
  evidence: Evidence | null
}

const MAX_WORDS = 16
const LONGEST = 92

/** What has to be read with what stands before it, or tells how somebody came to be. */
const LEANS =
  /^(it|they|this|that|these|those|he|she|and|but|or|so|then|also|there|here|i|my|es|er|sie|diese[rs]?|das|und|oder|aber|dann|dort|hier|ich|il|elle|ils|elles|ce|cela|c['’]est|et|mais|puis|je|ici|esto|eso|ello|este|esta|y|pero|luego|llevo|yo|aquí)(?![\p{L}])/iu
/** Of somebody who has been named before. */
const OF_SOMEBODY = /\b(he|she|his|her|er|seine\w?|il|elle|ses)\b/
/** Prices, years, shares, round-the-clock, addresses and numbers to call, which head no page by themselves. */
const NO_HEADING =
  /[$€£¥]|\b(EUR|USD|GBP|CHF)\b|\b(19|20)\d\d\b|24\s?\/\s?7|\d\s?%|\+\s?\d|\d\+|\b\d{5,}\b|©|®|™|@|\bhttps?:|["“”„«»()[\]]|\b(v?\d+\.\d+|no\.|inc|gmbh|ltd|copyright|step|schritt|étape|paso|chapter|lesson)\b/i
/** How many others use it, or how good they think it is: that is no thing that one gets. */
const BOASTS =
  /\b(trusted|loved|used by|rated|customers?|users|downloads|happy|satisf\w+|awards?|best|leading|world-class|#1|no\. ?1|kunden|zufrieden\w*|führend\w*|clients|satisfaits?|leader|clientes|satisfech\w+|líder)\b/i
const ASIDE =
  /^(nav|header-bar|footer|aside|form|blockquote|figure|figcaption|cite|q|dialog|table|details|button|label|select|small|time|code|pre)$/i
const ASIDE_CLASS =
  /testimonial|review|quote|feedback|price|pricing|plan\b|faq|modal|banner|promo|footer|toast|cookie|blog|post|news|event|team|author|avatar|stat|counter|badge/i
const HIDES = /(^|\s)(hidden|invisible|sr-only|visually-hidden|d-none|opacity-0)(?=\s|$)/

const isAside = (element: Element): boolean =>
  [element, ...above(element)].some(
    (one) =>
      ASIDE.test(one.tag) ||
      isButton(one) ||
      isLink(one) ||
      ASIDE_CLASS.test(`${given(one, 'class') ?? ''} ${given(one, 'id') ?? ''}`) ||
      HIDES.test(given(one, 'class') ?? '') ||
      given(one, 'hidden') !== null ||
      /^(|true)$/.test(given(one, 'aria-hidden') ?? 'false') ||
      /display:\s*['"]?none/.test(given(one, 'style') ?? ''),
  ) || isInCode(element)

/** The beginnings of the longer words, by which words of one kind are told in all four languages. */
const kindsIn = (text: string): Set<string> =>
  new Set((text.toLowerCase().match(/\p{L}{5,}/gu) ?? []).map((word) => word.slice(0, 5)))

/** Whether a line could head a page by its form: short, whole, and no boast, price or year. */
export const mayHead = (
  says: string,
  {
    least = 4,
    most = MAX_WORDS,
    longest = LONGEST,
  }: { least?: number; most?: number; longest?: number } = {},
): boolean => {
  const words = says.split(' ').length
  return (
    words >= least &&
    words <= most &&
    says.length <= longest &&
    /^[\p{Lu}\d]/u.test(says) &&
    !LEANS.test(says) &&
    !OF_SOMEBODY.test(says) &&
    !NO_HEADING.test(says) &&
    !BOASTS.test(says) &&
    !/[!?…:;*†|{}<>]|\.{2}|[.] /.test(says) &&
    !isStandIn(says)
  )
}

/** What its site says of the whole of it, beside the page: in the file that is around all pages. */
export const AROUND_ALL =
  /(^|\/)((src\/|app\/|public\/)*(index\.html)|(src\/)?app\/(\([\w-]+\)\/|\[\w+\]\/)*layout\.[jt]sx?)$/i

/** With what a site describes itself to search engines: the page, or what is around all pages. */
export function descriptionOf({ page, site, language }: View): Line | null {
  const own = describedIn(page)
  const around =
    page.dialect === 'html'
      ? undefined
      : site?.pages.find(
          ({ path, describes, language: spoken }) =>
            describes !== null &&
            AROUND_ALL.test(path) &&
            programOf(path) === programOf(page.path) &&
            (spoken === null || spoken === language),
        )
  if (own !== null) return { says: own, text: null, evidence: null }
  if (around?.describes == null) return null
  return { says: around.describes, text: null, evidence: { path: around.path, says: around.describes } }
}

/** The line with which a site describes itself, where it says what there is and could head the page. */
export function describedBy(view: View, language: Language): Line | null {
  const line = descriptionOf(view)
  if (line === null || !mayHead(line.says) || NO_STATEMENT.test(line.says)) return null
  if (/\b(created|generated|app description|template|demo|clone|portfolio of)\b/i.test(line.says)) return null
  return isConcrete(line.says, language) && !LISTS.test(line.says) ? line : null
}

/** A list without an “and” at its end is one of words that are searched for. */
const LISTS = /^(?!.*,[^,]* (?:and|or|und|oder|et|ou|y|o) [^,]+$)[^,]+,[^,]+,/iu

const isConcrete = (says: string, language: Language): boolean =>
  [THINGS, FOR, MADE, COUNTS, TIMES, MADE_OF].some((forms) => forms[language].test(says))

/** What greets, or calls to look around. */
const CALLS_OUT =
  /(?<!\p{L})(welcome|discover|explore|learn more|click|scroll|willkommen|entdecken|bienvenue|découvr\p{L}+|bienvenid\p{L}+|descubr\p{L}+)(?!\p{L})/iu

/** The line right below a heading, as far as it says by itself what there is: it is read second now. */
export function leadBelow(line: Element | null, language: Language): Line | null {
  const text = line === null ? null : labelOf(line)
  const says = text?.value.replace(/\.$/, '') ?? ''
  const saysIt = DOES[language].test(says) || isConcrete(says, language)
  if (text === null || text.parent !== line || !saysIt) return null
  if (fitsAny(says, language) || CALLS_OUT.test(says)) return null
  return mayHead(says, { least: 5, most: 18, longest: 110 }) ? { says, text, evidence: null } : null
}

/** The lines of a page itself that say how much, how long or of what, with what it is about, the most concrete first. */
export function concreteIn(view: View, title: Element, language: Language): Line[] {
  const { page } = view
  const about = kindsIn(`${titledIn(page.text)} ${descriptionOf(view)?.says ?? ''} ${wordsIn(title)}`)
  const found: { line: Line; weight: number }[] = []
  for (const element of elementsIn(page.root)) {
    if (!/^(p|li|h[2-4]|strong|b|span|div)$/.test(element.tag) || element.start < title.end) continue
    const text = labelOf(element)
    if (text === null || text.parent !== element || isAside(element)) continue
    for (const sentence of text.value.split(/(?<=[.!?])\s+/)) {
      const says = sentence.replace(/\.$/, '')
      if (!mayHead(says)) continue
      const counts = COUNTS[language].test(says)
      const times = TIMES[language].test(says)
      const isOfSubject = [...kindsIn(says)].some((kind) => about.has(kind))
      const names = [THINGS, MADE_OF].some((forms) => forms[language].test(says))
      const weight =
        (counts ? 2 : 0) +
        (times ? 2 : 0) +
        (names ? 1 : 0) +
        (isOfSubject ? 1 : 0) +
        (isHeading(element) ? 1 : 0)
      const isWhole = text.value.replace(/\.$/, '') === says
      if (weight < 3 || (!isOfSubject && !(names && isWhole))) continue
      found.push({ line: { says, text, evidence: null }, weight })
    }
  }
  return found.sort((a, b) => b.weight - a.weight).map(({ line }) => line)
}
