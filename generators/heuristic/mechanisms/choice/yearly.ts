import { type Change, reword } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, textsIn, wordsIn } from '../../markup/tree.js'
import { anchorOf, isButton } from '../../surface.js'
import type { Language } from '../../words/language.js'
import { optionsIn, setOption, setTo } from './options.js'
import { isChosen, startWith, statesOf, stringIn, withString } from './state.js'

export function* yearly(view: View): Generator<Idea> {
  yield* yearlyFirst(view)
  yield* yearSaysWhatItSaves(view)
}

/** What holds whether the prices of a year are shown, or which of the two. */
const IS_YEARLY =
  /^(?:is|show)?(?:yearly|annual|annually|billedYearly|billedAnnually|yearlyBilling|annualBilling)/i
const PERIOD =
  /billing|period|interval|frequency|cycle|duration|plan|cadence|abrechnung|zahlung|zeitraum|laufzeit|facturation|p[eé]riod|facturaci[oó]n|abonnement/i
/** A month as code calls it, with the year beside it. */
const MONTHS_AND_YEARS: readonly (readonly [month: string, years: readonly string[]])[] = [
  ['monthly', ['yearly', 'annual', 'annually']],
  ['month', ['year', 'annual']],
  ['monatlich', ['jährlich', 'jaehrlich']],
  ['monat', ['jahr']],
  ['mensuel', ['annuel']],
  ['mois', ['an', 'annee']],
  ['mensual', ['anual']],
  ['mes', ['año', 'anio']],
]
const SAVES =
  /\b(save|off|free|discount|sparen|sparst|rabatt|gespart|gratis|geschenkt|économis\w*|remise|ahorr\w*|descuento)\b|\bofferts?\b|%/i
const YEAR = '(?:year|annual|jähr|jahr|annuel|\\ban\\b|anual|año)'
/** Of the year, and not of something else on the page. */
const YEAR_SAVES = new RegExp(
  `${YEAR}[^.!?]{0,40}(?:${SAVES.source})|(?:${SAVES.source})[^.!?]{0,40}${YEAR}`,
  'i',
)

/** Two prices of one plan that code chooses between, and two that stand as figures of one object. */
const TWO_PRICES = [
  /\b(?:is|show)?(yearly|annual)\w*\s*\?\s*["'`>]*\s*[$€£]?\s?(\d+(?:\.\d{1,2})?)\D{0,12}?:\s*["'`>]*\s*[$€£]?\s?(\d+(?:\.\d{1,2})?)(?![\d.])/gi,
  /===?\s*["'](month|year)(?:ly)?["']\s*\?\s*["'`>]*\s*[$€£]?\s?(\d+(?:\.\d{1,2})?)\D{0,12}?:\s*["'`>]*\s*[$€£]?\s?(\d+(?:\.\d{1,2})?)(?![\d.])/g,
  /\b(month)(?:ly)?(?:Price)?\s*:\s*["'`]?[$€£]?\s?(\d+(?:\.\d{1,2})?)["'`]?\s*,\s*(?:year|annual)(?:ly)?(?:Price)?\s*:\s*["'`]?[$€£]?\s?(\d+(?:\.\d{1,2})?)(?![\d.])/gi,
]

/** What the plans of a page cost a month and a year, where each costs less by the year; none where one saves nothing or they do not tell. */
function pricesOf(text: string): { month: number; year: number }[] {
  const pairs = TWO_PRICES.flatMap((form) =>
    [...text.matchAll(form)].map(([, first = '', one = '', other = '']) =>
      /month/i.test(first)
        ? { month: Number(one), year: Number(other) }
        : { month: Number(other), year: Number(one) },
    ),
  ).filter(({ month, year }) => month > 0 || year > 0)
  // A price of a year that is below that of a month is one of a month too, and how it is paid is not told.
  return pairs.every(({ month, year }) => year > month && year < 12 * month) ? pairs : []
}

/** Two prices of one plan in code, of a month and of a year: whichever comes first. */
const MONTH_THEN_YEAR =
  /month\w*\s*[:=]\s*["'`]?[$€£]?\s?(\d[\d,]*(?:\.\d{1,2})?)["'`]?[\s\S]{0,80}?(?:year|annual)\w*\s*[:=]\s*["'`]?[$€£]?\s?(\d[\d,]*(?:\.\d{1,2})?)(?![\d.])/gi
const YEAR_THEN_MONTH =
  /(?:year|annual)\w*\s*[:=]\s*["'`]?[$€£]?\s?(\d[\d,]*(?:\.\d{1,2})?)["'`]?[\s\S]{0,80}?month\w*\s*[:=]\s*["'`]?[$€£]?\s?(\d[\d,]*(?:\.\d{1,2})?)(?![\d.])/gi
/** The year's price stands as what it comes to a month. */
const A_TWELFTH =
  /\/\s*12\b|(?:billed|paid) (?:annually|yearly|per year)|jährlich (?:abgerechnet|bezahlt)|jährlicher (?:abrechnung|zahlung)|factur\w+ (?:annuel|à l['’]année|par an)|factura\w+ anual|pag\w+ anual/i
const A_YEAR = /["'`>}/\s](?:\/\s?|per |a |pro |par |al |por )(?:year|yr|annum|jahr|an|año)(?![\p{L}-])/iu

/** Whether the large number is that of a whole year once the year is shown, so that it is the larger one that is seen first. */
function showsSum(text: string): boolean {
  const number = (one = ''): number => Number(one.replaceAll(',', ''))
  const pairs = [
    ...[...text.matchAll(MONTH_THEN_YEAR)].map(([, month, year]) => ({
      month: number(month),
      year: number(year),
    })),
    ...[...text.matchAll(YEAR_THEN_MONTH)].map(([, year, month]) => ({
      month: number(month),
      year: number(year),
    })),
    ...pricesOf(text),
  ]
  const isSum = A_YEAR.test(text) || pairs.some(({ month, year }) => month > 0 && year > 2 * month)
  return isSum && !A_TWELFTH.test(text)
}

/** A price, or what is paid for, of a year, as data have it. */
const HAS_YEARLY =
  /(year|annual)\w{0,8}[-_.]?(price|amount|cost|variant|product|plan)(_?id)?\b(?!\s*(?:=\s*)?\()|(price|amount|cost)\w{0,6}[-_.]?(year|annual)|\b(yearly|annual(ly)?|year|annuel|anual|jährlich|jaehrlich)["']?\s*:\s*(\{|["'`]?[$€£]?\s?\d)/i

/** What takes a choice along: an address, a request, a form, or a part of the page that is given it. */
const TAKES_ALONG =
  /href|\bto=|push\(|navigate|checkout|subscri|price_?id|plan_?id|searchParams|fetch\(|mutate|body|stringify|router|location|<input|params|order|cart/i

/** What the switch itself is given. */
const OF_SWITCH =
  ':?(checked|default|value|model|pressed|selected|active|aria-|data-|on=|is(On|Active|Checked|Selected)=)'

/** Whether the period that is chosen goes along to what comes next, or to another part that may take it there. */
const isTakenAlong = (text: string, name: string): boolean =>
  text
    .split('\n')
    .some(
      (line) =>
        new RegExp(`\\b${name}\\b`).test(line) &&
        (TAKES_ALONG.test(line) ||
          new RegExp(`(?<![\\w:-])(?!class|${OF_SWITCH})[\\w:-]+=["{]${name}["}]`).test(line)),
    )

/** Where those are at home who pay already. */
const OF_CUSTOMERS =
  /(^|\/)(sellers?|vendors?|merchants?|dashboard|account|settings|portal)\/|(^|\/)(billing|invoices?|subscriptions?|my-?plan|abo|abonnement)[-_]?(page|view|screen|settings|tab)?(\/(page|index|\+page))?\.\w+$/i

/**
 * Prices that are shown a month first, beside a switch to those of a year that cost less, as the page says: those of a year come first. Writes no text. Not where the
 * page neither says that a year saves something nor has prices that do, nor where it has no such switch. It waits for a focus where the year's whole price would stand
 * large in the month's place, and where what is chosen is only looked at.
 */
function* yearlyFirst({ page }: View): Generator<Idea> {
  const words = wordsIn(page.root)
  if (!/\b(year|annual|jähr|jahr|annuel|\ban\b|anual|año)/i.test(words)) return
  const [first] = pricesOf(page.text)
  if (first === undefined && !YEAR_SAVES.test(words)) return
  const saving = first === undefined ? '' : ` (${first.year} in place of 12 times ${first.month})`
  if (!/month|monat|mois|mes\b|mensu/i.test(words)) return
  const turn = turnOf(page)
  if (turn === null) return
  yield {
    mechanism: 'default choice',
    pattern: 'yearly-first',
    name: 'Show the prices of a year first',
    anchor: 'code "yearly prices"',
    topics: ['pricing', 'price', 'plan', 'billing'],
    arms: [
      {
        name: 'A year first',
        changes: turn.changes,
        says: null,
      },
    ],
    audience: 'visitors who compare the plans',
    change: `showing the prices of a year when the page comes${saving}, with those of a month one press away as now,`,
    because: 'the cheaper price is seen first, and what is set is mostly left as it is',
    // A press on a plan says nothing of which period is paid for.
    goal: 'purchase',
    effect:
      showsSum(page.text) ||
      // A price of a year that only the page works out may be nobody’s.
      (first === undefined && !HAS_YEARLY.test(page.text)) ||
      (turn.of !== null && !isTakenAlong(page.text, turn.of)) ||
      OF_CUSTOMERS.test(page.path)
        ? 2
        : 4,
  }
}

interface Turn {
  changes: readonly Change[]
  /** what code calls the choice; `null` where it is a field of a form */
  of: string | null
}

/** What shows the month from the start, turned to the year; `null` where nothing does, or code knows no year beside it. */
function turnOf(page: View['page']): Turn | null {
  for (const all of optionsIn(page)) {
    const years = yearsBeside(setOption(page, all)?.value ?? '')
    const year = all.options.find(({ value }) => years.includes(value.toLowerCase()))
    const changes = year === undefined ? null : setTo(page, all, year)
    if (year !== undefined) return changes === null ? null : { changes, of: null }
  }
  return turnedState(page)
}

const yearsBeside = (word: string): readonly string[] =>
  MONTHS_AND_YEARS.find(([month]) => month === word.toLowerCase())?.[1] ?? []

function turnedState(page: View['page']): Turn | null {
  for (const state of statesOf(page)) {
    if (!isChosen(page, state)) continue
    if (IS_YEARLY.test(state.name) && state.says === 'false')
      return { changes: [startWith(state, 'true')], of: state.name }
    const says = stringIn(state.says)
    if (says === null || !PERIOD.test(state.name)) continue
    const year = yearsBeside(says)
      .map((one) => (says === says.toUpperCase() ? one.toUpperCase() : one))
      .find((one) => new RegExp(`["'\`]${one}["'\`]|\\b${one}\\s*:`).test(page.text))
    if (year !== undefined)
      return { changes: [startWith(state, withString(state.says, year))], of: state.name }
  }
  return null
}

const YEAR_LABEL = /^(yearly|annual|annually|jährlich|annuel|anual)$/i
const MONTHS: Readonly<
  Record<Language, readonly [before: string, months: readonly string[], after: string]>
> = {
  en: ['pay for ', ['eight', 'nine', 'ten', 'eleven'], ' months'],
  de: ['', ['acht', 'neun', 'zehn', 'elf'], ' Monate zahlen'],
  fr: ['', ['huit', 'neuf', 'dix', 'onze'], ' mois payés'],
  es: ['paga ', ['ocho', 'nueve', 'diez', 'once'], ' meses'],
}

/**
 * A switch to the prices of a year that does not say what they save: it says how many months one pays for, where the prices of every plan come to the same whole number.
 * Not where the page says of itself that a year saves something.
 */
function* yearSaysWhatItSaves({ page, language }: View): Generator<Idea> {
  if (language === null || SAVES.test(wordsIn(page.root))) return
  const label = textsIn(page.root).find(
    ({ value, parent }) => YEAR_LABEL.test(value) && [parent, ...above(parent)].some(isButton),
  )
  const prices = pricesOf(page.text)
  const [paid, ...others] = [...new Set(prices.map(({ month, year }) => year / month))]
  const [before, months, after] = MONTHS[language]
  const said = paid === undefined || others.length > 0 ? undefined : months[paid - 8]
  const [first] = prices
  if (label === undefined || said === undefined || first === undefined) return
  const words = `${label.value}${language === 'fr' ? ' ' : ''}: ${before}${said}${after}`
  const change = reword(page, label, words)
  if (change === null) return
  yield {
    mechanism: 'specificity',
    pattern: 'year-says-what-it-saves',
    name: `Say what a year saves: “${words}”`,
    anchor: anchorOf(label.parent, label.value),
    topics: ['pricing', 'price', 'plan', 'billing'],
    arms: [{ name: words, changes: [change], says: words }],
    audience: 'visitors who compare the plans',
    change: `saying “${words}” on the switch in place of “${label.value}” (a year costs ${first.year} in place of 12 times ${first.month}, and as much less in every plan)`,
    because: 'the two prices stand in each other’s place, so that nobody sees the saving without reckoning',
    goal: 'plan',
    effect: 4,
  }
}
