import { stemOf, wordsOf } from '../../../words.js'
import type { Idea, View } from '../../idea.js'
import {
  above,
  besides,
  type Element,
  elementsIn,
  isWithin,
  type Text,
  textsIn,
  wordsIn,
} from '../../markup/tree.js'
import { isHeading } from '../../surface.js'
import { PROMISE } from '../../words/phrases.js'
import { isSaidAs } from '../../words/statements.js'
import { goalOfWay } from './repeat-beside.js'
import { repeatStated } from './repeat-stated.js'

export const PROMISED = 'promise-at-button'

/** A promise that the page makes somewhere, repeated where one decides: nothing is promised that is not already. */
export const riskReversal = (view: View): Generator<Idea> =>
  repeatStated(view, {
    mechanism: 'risk reversal',
    pattern: PROMISED,
    form: PROMISE,
    name: (says) => `Repeat “${says}” where visitors decide`,
    topics: [],
    audience: 'visitors who hesitate before they commit',
    because:
      'what takes the risk away helps most at the moment of deciding, and now stands elsewhere on the page',
    goal: goalOfWay,
    // Of what it holds stands around it, and is not read along.
    effect: 2,
    isLeft: (around, { text, element }, button) =>
      isSaidNear(text, button) ||
      isOfOnePlan(around, element) ||
      isOfOnePlan(around, button) ||
      isDenied(around, text),
  })

/** Words that any promise may have. */
const ANY_PROMISE =
  /^(any|time|anytime|free|with|without|your|need|needed|require|required|today|days?|ohne|kein\w*|jederzeit|kostenlos\w*|sans|tout|moment|gratuit\w*|pour|nous|vous|cualquier|momento|gratis|para)$/i

const mainWords = (says: string): string[] =>
  wordsOf(says)
    .filter((one) => one.length > 3 && !ANY_PROMISE.test(one))
    .map(stemOf)

const SECTION = /^(section|header|article|main|form)$/
/** More is no section, but the page. In characters. */
const LONGEST = 1_500

/** Whether the section that a button stands in, or what comes right after it, says one of the promise's main words already. */
function isSaidNear({ value }: Text, button: Element): boolean {
  const section = [...above(button)].find(({ tag }) => SECTION.test(tag))
  if (section === undefined || wordsIn(section).length > LONGEST) return false
  const row = besides(section)
  const next = row.slice(row.indexOf(section) + 1).find((one) => wordsIn(one) !== '')
  const near = [section, ...(next === undefined || wordsIn(next).length > LONGEST ? [] : [next])]
    .flatMap((one) => textsIn(one).filter((text) => text.value !== value))
    .flatMap((text) => wordsOf(text.value).map(stemOf))
  const own = new Set(mainWords(value))
  return near.some((one) => own.has(one))
}

const PRICE = /[$€£]\s?\d|\d\s?(?:€|EUR|USD|GBP|CHF)/
const CARD_DEPTH = 6

/** Whether a promise stands in one of several cards that have a price: it may hold for that one alone. */
function isOfOnePlan({ plans }: View, element: Element): boolean {
  if (plans.some(({ plans: row }) => row.length > 1 && row.some((plan) => isWithin(element, plan.element))))
    return true
  return [...above(element)].slice(0, CARD_DEPTH).some((card) => {
    const isCard = (one: Element): boolean =>
      one.tag === card.tag && PRICE.test(wordsIn(one)) && elementsIn(one).some(isHeading)
    return isCard(card) && besides(card).filter(isCard).length > 1
  })
}

/** Whether a way out is promised, and the site speaks of a notice to be given. */
const isDenied = ({ site, language }: View, { value }: Text): boolean =>
  site?.deniesCancel === true && language !== null && isSaidAs(value, 'cancel', language)
