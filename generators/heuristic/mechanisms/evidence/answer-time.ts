import { insertAt, reword } from '../../edits.js'
import type { Arm, Evidence, Idea, KnownAnswer, View } from '../../idea.js'
import { above, type Element, elementsIn, given, type Page, textsIn, wordsIn } from '../../markup/tree.js'
import { ANSWERS_OTHERS, addressOfForms } from '../../statements.js'
import { anchorOf, cutAt, type Form, headingNear, lineBreakBefore, saidOn } from '../../surface.js'
import { nameOf, plain, wordedPath } from '../../uses.js'
import {
  type AnswerTime,
  answerTimeIn,
  figureOfAnswer,
  isSoftened,
  SOON,
  saysAnswerTime,
  saysSoon,
} from '../../words/answers.js'
import type { Language } from '../../words/language.js'
import { goalOfForm } from '../forms/called.js'
import { isStartPage, opensSite } from '../opening/hero.js'
import { classText } from '../phones/screens.js'
import { ASKED_IN, isBehind } from './deciding.js'
import { isCell, lastInRow, smallLine } from './repeat-beside.js'
import { shownOn } from './said-where-deciding.js'

const SENDS = /\bon:?submit|@submit|v-on:|\baction=|\bon:?click=|@click|use:enhance|data-netlify/i
const MIN_FIELDS = 3
/** Of so many fields the last is filled in where what stood above the first is no longer seen. */
const MANY_FIELDS = 4

/** Whether something comes of it when a form is sent. */
export const isSent = ({ dialect, text }: Page, { start, end }: Element): boolean =>
  dialect === 'html' || SENDS.test(text.slice(start, end))

/** A form in which somebody asks, and is answered by somebody: no account, no order that holds at once, no application. */
function askingForm({ page, forms }: View): { form: Form; submit: Element } | null {
  if (isBehind(page.path) || ANSWERS_OTHERS.test(wordedPath(page.path))) return null
  const [only, ...more] = forms.filter(
    // Nobody answers what is sent nowhere.
    (form) => form.submit !== null && isSent(page, form.element) && isAsked(form, page.path),
  )
  return only === undefined || only.submit === null || more.length > 0
    ? null
    : { form: only, submit: only.submit }
}

const isAsked = ({ purpose, fields, submit, heading, element }: Form, path: string): boolean =>
  (purpose === 'contact' || purpose === null || (purpose === 'checkout' && isRequest(submit))) &&
  fields.length >= MIN_FIELDS &&
  fields.some(({ name }) => name === 'textarea') &&
  !elementsIn(element).some((one) => /^(file|password|search)$/i.test(given(one, 'type') ?? '')) &&
  !OTHERWISE.test(`${heading} ${submit === null ? '' : saidOn(submit)} ${wordedPath(path)}`) &&
  (purpose === 'contact' ||
    ASKED_IN.test(
      `${submit === null ? '' : saidOn(submit)} ${heading} ${wordedPath(path).replace(/[^\p{L}]+/gu, ' ')}`,
    )) &&
  element.tag !== '#code'

/** An order that is asked for, and holds once it is answered. */
const isRequest = (submit: Element | null): boolean =>
  submit !== null && /\b(request|enquiry|inquiry)\b|anfrage|demande|solicitud/i.test(saidOn(submit))

/** Forms whose sender is no newcomer who waits for an answer. */
const OTHERWISE =
  /review|feedback|comment|bewert|avis\b|opini|rating|survey|umfrage|bewerb|apply|application|candidat|report|problem|complain|reklam|réclam|newsletter|donat|spende|emergenc|notfall|urgen|support|checkout|kasse|edit|update|create post|ticket|coming.?soon|wait.?list|warteliste|early.?access|beta\b|notify me/i

/** Whether the site could say how soon it answers. */
export const mayAnswer = (view: View): boolean => view.language !== null && askingForm(view) !== null

/**
 * How soon one is answered, where one writes: what the site says of it on another page, far above a long form, or only once it is sent stands below the button, or in
 * place of “as soon as possible”. Not where it is said near the form, by the page or by what is shown beside it, nor where the site names two times or answers somewhere else.
 */
export function* answerTime(view: View): Generator<Idea> {
  const { page, site, language } = view
  const asking = askingForm(view)
  if (site === null || language === null || asking === null) return
  const { form, submit } = asking
  // The page around it says it, or a part beside it.
  if (site.answersBeside[plain(nameOf(page.path))]?.some((by) => by !== page.path) === true) return
  const own = saidInPage(page, form, language)
  if (own.isNear || new Set(own.figures).size > 1) return
  // Beside an answer at once a day is a long time.
  if (AT_ONCE.test(wordsIn(page.root))) return
  const [figure] = own.figures
  const known = own.above ?? own.after ?? fromElsewhere(view, figure)
  if (known === null || (figure !== undefined && known.figure !== figure)) return
  if (known !== own.above && namesTime(page, form, known)) return
  const idea = exactly(view, form, known) ?? below(view, submit, known)
  if (idea === null) return
  yield {
    ...idea,
    mechanism: 'risk reversal',
    anchor: anchorOf(submit, `${saidOn(submit)} answer`),
    topics: ['call to action', 'form', 'contact', headingNear(submit), saidOn(submit)],
    audience: 'visitors who are about to write',
    because: `who knows when an answer comes need not ask somewhere else meanwhile${known === own.after ? ', and now reads it only once it is sent' : ''}`,
    goal: form.purpose === 'checkout' ? 'send' : goalOfForm(form),
    // A form whose button is given its words stands on several pages, of which some may say it; and whoever answers what is sent elsewhere may be somebody else.
    effect: saidOn(submit) === '' || !isAnsweredAlike(page, own, known) ? 2 : 3,
    evidence: [evidenceOf(page, known)],
  }
}

/** Whether it is said by the form's own page, or where a form is sent to the same address. */
const isAnsweredAlike = (page: Page, own: OwnAnswers, known: AnswerTime & Partial<KnownAnswer>): boolean =>
  known === own.above || known === own.after || (known.to != null && known.to === addressOfForms(page))

const AT_ONCE =
  /\b24\s?\/\s?7\b|\binstant(ly)?\b|\bimmediate(ly)?\b|\bright away\b|\brund um die uhr\b|\bsofort(ige\w*)?\b|\bimmédiat\w*|\bde inmediato\b|\binmediat\w*/i

/** `1 to 2 business days` of `within 1 to 2 business days`. */
const timeIn = ({ within }: AnswerTime): string => /\d.*$/.exec(within)?.[0].toLowerCase() ?? ''
const oneWay = (words: string): string => words.toLowerCase().replace(/\s*[–-]\s*/g, ' to ')

/** Whether what is shown with the form names the time by itself, as below a heading. */
function namesTime(page: Page, { element }: Form, known: AnswerTime): boolean {
  const time = oneWay(timeIn(known))
  const codes = new Set([...above(element)])
  return (
    time !== '' &&
    (textsIn(page.root).some(
      (one) => oneWay(one.value).includes(time) && branchOf(one.parent, codes, element) === null,
    ) ||
      // What happens next is a list that code goes through.
      [...page.text.matchAll(LITERAL)].some(
        ({ 2: literal = '' }) =>
          oneWay(literal).includes(time) && !IS_SENT.test(literal) && !literal.includes(known.source),
      ))
  )
}

const evidenceOf = (page: Page, known: AnswerTime & Partial<KnownAnswer>): Evidence => ({
  path: known.path ?? page.path,
  says: known.keyed === undefined ? known.source : known.keyed.literal,
})

interface OwnAnswers {
  /** those who fill in the form read it */
  isNear: boolean
  /** it is said where a long form begins */
  above: AnswerTime | null
  /** it is said once the form is sent */
  after: AnswerTime | null
  figures: string[]
}

/** What follows once a form is sent says so. */
const IS_SENT =
  /thank|sent\b|received|success|submitted|danke|dank\b|gesendet|verschickt|erhalten|eingegangen|merci|envoyé|reçu|bien (?:pris|arriv)|gracias|enviad|recibid/i

function saidInPage(page: Page, { element, fields }: Form, language: Language): OwnAnswers {
  const found: OwnAnswers = { isNear: false, above: null, after: null, figures: [] }
  const codes = new Set([...above(element)])
  let shown = ''
  for (const text of textsIn(page.root)) {
    const branch = branchOf(text.parent, codes, element)
    if (branch === null) shown += ` ${text.value}`
    if (!saysAnswerTime(text.value, language)) continue
    const figure = figureOfAnswer(text.value, language)
    if (figure !== null) found.figures.push(figure)
    const one = text.value
      .split(/(?<=[.!?…])\s+/)
      .map((sentence) => answerTimeIn(sentence, language))
      .find((said) => said !== null)
    const plain = text.key === undefined && text.quote === null ? (one ?? null) : null
    if (branch !== null) {
      if (IS_SENT.test(wordsIn(branch))) found.after ??= plain
      continue
    }
    // Columns stand beside each other; sections do not.
    const section = [...above(text.parent)].find(({ name }) => /^(section|header)$/.test(name))
    const isAbove =
      plain !== null &&
      section !== undefined &&
      !codes.has(section) &&
      text.end < element.start &&
      fields.length >= MANY_FIELDS &&
      found.above === null
    if (isAbove) found.above = plain
    else found.isNear = true
  }
  for (const { 2: literal = '', index } of page.text.matchAll(LITERAL)) {
    if (!saysAnswerTime(literal, language)) continue
    const figure = figureOfAnswer(literal, language)
    if (figure !== null) found.figures.push(figure)
    if (!IS_SENT.test(literal)) {
      // What search engines are told is not seen.
      found.isNear ||=
        !/description\s*[:=]\s*\{?$/i.test(page.text.slice(Math.max(0, index - 24), index)) ||
        !FOR_ENGINES.test(page.text.slice(Math.max(0, index - 600), index))
      continue
    }
    found.after ??=
      literal
        .split(/(?<=[.!?…])\s+/)
        .map((sentence) => answerTimeIn(sentence, language))
        .find((said) => said !== null) ?? null
  }
  // Words in bold part a sentence in several texts.
  found.isNear ||=
    found.above === null && saysAnswerTime(shown, language) && partsSay(page, codes, element, language)
  return found
}

const FOR_ENGINES = /metadata|openGraph|twitter|useHead|useSeoMeta|<(meta|Helmet|SEO|Head)\b/i

/** Texts that code shows by itself. */
const LITERAL = /(["'`])((?:(?!\1)[^\\\n<>{}]){0,260})\1/g

/** Whether one element with several texts says it. */
const partsSay = (page: Page, codes: ReadonlySet<Element>, form: Element, language: Language): boolean =>
  elementsIn(page.root).some(
    (one) =>
      /^(p|li|div|span|small|h[1-6])$/.test(one.name) &&
      elementsIn(one).length <= 6 &&
      textsIn(one).length > 1 &&
      branchOf(one, codes, form) === null &&
      saysAnswerTime(wordsIn(one), language),
  )

/** What is shown in another case than the form: the uppermost element of it, `null` for what is shown with it. */
function branchOf(one: Element, codes: ReadonlySet<Element>, form: Element): Element | null {
  let last: Element = one
  for (const outer of [one, ...above(one)]) {
    if (outer === form || codes.has(outer)) {
      // Beside the form in the same piece of code, where that chooses, or in what is returned in its place.
      const isOther = (outer.tag === '#code' || outer.parent === null) && !codes.has(last) && last !== form
      return isOther ? last : null
    }
    if (outer.tag === '#code') return outer
    last = outer
  }
  return null
}

/** Whether a file speaks of whoever writes, and not of who asks for one thing. */
const isOfAll = (path: string): boolean =>
  opensSite(path) ||
  isStartPage(path) ||
  /contact|kontakt|footer|layout|faq|about|ueber|über|uns\b|propos|nosotros|support|\bcta\b/i.test(
    wordedPath(path),
  )

/** What other pages say, if they are answered where this form is sent to. */
function fromElsewhere({ page, site, language }: View, figure: string | undefined): KnownAnswer | null {
  if (site === null) return null
  const to = addressOfForms(page)
  return (
    [...site.answers]
      .sort((a, b) => a.says.length - b.says.length)
      .find(
        (one) =>
          one.path !== page.path &&
          one.language === language &&
          (figure === undefined || one.figure === figure) &&
          (one.to === null || to === null ? isOfAll(one.path) : one.to === to) &&
          shownOn(page, one) !== null,
      ) ?? null
  )
}

/** What is read together with a form, in letters of the code. */
const NEAR_BY = 4_000

type Said = Pick<Idea, 'pattern' | 'name' | 'arms' | 'change'>

/** The time itself in place of “as soon as possible”, in the page's own sentence. */
function exactly(
  { page, language }: View,
  form: Form,
  known: AnswerTime & Partial<KnownAnswer>,
): Said | null {
  if (language === null || isSoftened(known) || known.keyed !== undefined) return null
  const codes = new Set([...above(form.element)])
  const text = textsIn(page.root).find(
    (one) =>
      one.key === undefined &&
      one.quote === null &&
      Math.abs(one.start - form.element.start) < NEAR_BY &&
      branchOf(one.parent, codes, form.element) === null &&
      one.value.split(/(?<=[.!?…])\s+/).some((sentence) => saysSoon(sentence, language)),
  )
  const sentence = text?.value.split(/(?<=[.!?…])\s+/).find((one) => saysSoon(one, language))
  if (text === undefined || sentence === undefined) return null
  const words = sentence.replace(SOON[language], known.within)
  const change = reword(page, text, text.value.replace(sentence, words))
  if (change === null) return null
  return {
    pattern: 'answer-time-for-soon',
    name: `Say how soon one is answered: “${known.within}”`,
    arms: [{ name: `With “${known.within}”`, changes: [change], says: words }],
    change: `saying “${words}” in place of “${SOON[language].exec(sentence)?.[0] ?? ''}”, as ${known.path ?? 'the page'} does`,
  }
}

/** What is as high as it is, and scrolls or cuts off whatever more comes into it. */
const isOfOneHeight = (page: Page, one: Element): boolean => {
  const classes = classText(page, one)
  return /["'`\s](max-)?h-(\[|\d)/.test(classes) && /["'`\s]overflow-(y-)?(auto|scroll|hidden)/.test(classes)
}

/** A small line below the button. */
function below({ page }: View, submit: Element, known: AnswerTime & Partial<KnownAnswer>): Said | null {
  const shown = shownOn(page, known)
  const place = lastInRow(submit)
  if (place !== null && (isCell(place) || [...above(place)].some((one) => isOfOneHeight(page, one))))
    return null
  if (shown === null || place === null || place.parent === null || /^(#code|)$/.test(place.parent.tag))
    return null
  const gap = lineBreakBefore(page, place) || ' '
  const said = saidOn(submit)
  // What it says is given to the file.
  const button = (most: number): string => (said === '' ? 'the button of the form' : `“${cutAt(said, most)}”`)
  const arm: Arm = {
    name: 'With that line below the button',
    changes: [insertAt(place.end, gap + smallLine(page, shown, place), place)],
    says: known.says,
  }
  return {
    pattern: 'answer-time-at-form',
    name: `Say below ${button(30)}: “${known.says}”`,
    arms: [arm],
    change: `saying “${known.says}” (from ${known.path ?? page.path}) below ${button(60)}`,
  }
}
