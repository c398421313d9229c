import { wordsOf } from '../lexicon/words.js'
import type { Act } from '../page/actions.js'
import type { CandidateTarget, KnownEvent } from '../port.js'

/** The act of visitors that a change should bring about. */
export type Goal = Act | 'subscribe' | 'call' | 'visit' | 'click'

interface Measure {
  /** words of event names that show it, best first */
  names: readonly RegExp[]
  /** the event to send if the workspace has none */
  send: string
  when: string
  /** follows "then" */
  outcome: string
}

const MEASURES: Readonly<Record<Goal, Measure>> = {
  'sign up': {
    names: [
      /sign ?up|signed up|regist|account created|konto|inscri|compte|cuenta|\balta\b/,
      /trial|probe|essai|prueba/,
    ],
    send: 'signup_completed',
    when: 'an account has been created',
    outcome: 'more visitors will create an account',
  },
  contact: {
    names: [
      /contact|lead|message|inquiry|enquiry|kontakt|nachricht|anfrage|mensaje|demande/,
      /form (sent|submitted)|submitted/,
    ],
    send: 'contact_sent',
    when: 'a message has been sent',
    outcome: 'more visitors will write to you',
  },
  call: {
    names: [/phone|\bcall|\btel\b|anruf|appel|llama|liga[cç]/, /contact|lead|kontakt/],
    send: 'phone_number_pressed',
    when: 'the telephone number is pressed',
    outcome: 'more visitors will call',
  },
  visit: {
    names: [/direction|\broute|\bmap\b|anfahrt|itin[eé]ra|c[oó]mo llegar/, /contact|lead|kontakt/],
    send: 'directions_opened',
    when: 'the address is pressed',
    outcome: 'more visitors will look up the way',
  },
  quote: {
    names: [/quote|devis|angebot|presupuesto/, /lead|inquiry|enquiry|contact/],
    send: 'quote_requested',
    when: 'a quote has been requested',
    outcome: 'more visitors will ask for a quote',
  },
  booking: {
    names: [/book|appointment|reserv|termin|buchung|cita|rdv/],
    send: 'booking_completed',
    when: 'a booking has been made',
    outcome: 'more visitors will book',
  },
  subscribe: {
    names: [/newsletter|subscri/],
    send: 'newsletter_subscribed',
    when: 'an address has been added to the newsletter',
    outcome: 'more visitors will subscribe',
  },
  purchase: {
    names: [/purchase|order|bought|paid|payment|bestell|kauf|commande|achat|compra|pedido/, /checkout|kasse/],
    send: 'purchase_completed',
    when: 'an order has been paid',
    outcome: 'more visitors will buy',
  },
  cart: {
    names: [/cart|basket|\bbag\b|warenkorb|panier|carrito/, /purchase|order|checkout/],
    send: 'added_to_cart',
    when: 'a product has been put into the cart',
    outcome: 'more visitors will go on shopping',
  },
  plans: {
    names: [/plan/, /checkout|subscription|upgrade|purchase|sign ?up|trial/],
    send: 'plan_selected',
    when: 'the button of a plan is pressed',
    outcome: 'more visitors will choose a plan',
  },
  click: {
    names: [/click|\bcta\b|pressed/],
    send: 'cta_clicked',
    when: 'the changed link or button is pressed',
    outcome: 'more visitors will go on',
  },
}

/** Events that measure failure, which a better page sends less often. */
const FAILS = /fail|error|abandon|cancel|refund|delete|declin/
/** The start of an act, which says nothing of its end. */
const BEGINS = /\b(start|begin|begun|open|initiat|attempt|view)/
const WINDOW_HOURS = 168

/** The event that measures a goal, and how often it was received: one of the workspace, or one to send. */
export function aimOf(goal: Goal, vocabulary: readonly KnownEvent[]) {
  const { names, send, when, outcome } = MEASURES[goal]
  const events = vocabulary
    .map((event) => ({ ...event, words: spaced(event.eventName) }))
    .filter(({ words, eventName }) => !FAILS.test(words) && !BEGINS.test(words) && !eventName.startsWith('$'))
    .sort((a, b) => b.count - a.count)
  const known = names
    .map((name) => events.find(({ words }) => name.test(words)))
    .find((one) => one !== undefined)
  return {
    target: conversionTargetOf(known?.eventName ?? send, 'increase', WINDOW_HOURS),
    eventToSend: known === undefined ? { eventName: send, when } : null,
    received: known?.count ?? 0,
    outcome,
  }
}

export const conversionTargetOf = (
  eventName: string,
  direction: CandidateTarget['direction'],
  windowHours: number | null,
): CandidateTarget => ({ eventName, name: sentence(eventName), direction, windowHours, filters: [] })

const spaced = (eventName: string): string =>
  wordsOf(eventName.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/_/g, ' ')).join(' ')

/** `signup_completed` as "Signup completed". */
function sentence(eventName: string): string {
  const words = spaced(eventName)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
