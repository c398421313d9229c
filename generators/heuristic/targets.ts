import type { KnownEvent, Proposal, Target } from '../port.js'
import { wordsOf } from '../words.js'
import type { Goal } from './idea.js'

/** By goal: the words of names of events that show it, best first, and the event to send where none is known. */
const EVENTS: Readonly<Record<Goal, { names: readonly RegExp[]; send: string; when: string }>> = {
  'sign up': {
    names: [
      /sign ?up ?(completed?|success|done|submitted|sent)?$|signed ?up|regist(er(ed)?|ration|ri\w*|r[eo]\w*)|(account|user|konto|compte|cuenta) ?(created|erstellt|angelegt|cree|creado|creada)|inscri\w*|\balta\b|anmeldung/,
      /trial|probe|essai|prueba/,
    ],
    send: 'signup_completed',
    when: 'an account has been created',
  },
  'sign in': {
    names: [/sign ?in|signed ?in|log ?in|logged ?in/],
    send: 'login_completed',
    when: 'a visitor has signed in',
  },
  purchase: {
    names: [
      /purchase|order (completed?|placed|submitted|sent)|bought|paid|payment|subscription (started|created)|bestellt|bestellung|gekauft|\bkauf\b|commande|achat|achete|compra|pedido|pagad/,
      /checkout|cart|plan|upgrade|trial|kasse|warenkorb|panier|carrito/,
    ],
    send: 'purchase_completed',
    when: 'an order or a plan has been paid',
  },
  cart: {
    names: [
      /add(ed)? ?(to)? ?(cart|bag|basket)|(cart|bag|basket) ?add|warenkorb|panier|carrito/,
      /purchase|order (completed?|placed)|checkout|bestell|commande|compra|pedido/,
    ],
    send: 'added_to_cart',
    when: 'a product has been put into the cart',
  },
  subscribe: {
    names: [/newsletter|subscrib/],
    send: 'newsletter_subscribed',
    when: 'an address has been added to the newsletter',
  },
  contact: {
    names: [
      /contact|lead|message sent|demo|inquiry|enquiry|quote|call ?back|anfrage|kontakt|nachricht|ruckruf|demande|message|devis|mensaje|presupuesto|consulta|solicit/,
      /book(ed|ing)|appointment|visit|termin|buchung|gebucht|rdv|rendez|reserv|cita/,
    ],
    send: 'contact_sent',
    when: 'a message has been sent',
  },
  reset: {
    names: [/password reset|reset/],
    send: 'password_reset_requested',
    when: 'a reset link has been asked for',
  },
  search: { names: [/search/], send: 'search_result_opened', when: 'a result of a search is opened' },
  profile: {
    names: [/profile|settings|saved/],
    send: 'profile_saved',
    when: 'changes to a profile have been saved',
  },
  plan: {
    names: [
      /plan ?(selected|chosen|clicked)/,
      /checkout ?(started|begun)|begin checkout/,
      /purchase|subscription ?(started|created)|upgrade/,
    ],
    send: 'plan_selected',
    when: 'the button of a plan is pressed',
  },
  send: {
    names: [
      /(form|review|comment|feedback|application|donation|booking) ?(sent|submitted|posted|made|completed)|submitted|gesendet|envoye|enviad/,
      /donat|book(ed|ing)|reserv|enrol|gebucht|buchung|cita|solicit|order (placed|sent)/,
    ],
    send: 'form_submitted',
    when: 'the form has been sent',
  },
  click: {
    names: [/click|\bcta\b|pressed|geklickt|clique|pulsad/],
    send: 'cta_clicked',
    when: 'the changed link or button is pressed',
  },
}

/** What measures failure would be raised by doing worse. */
const FAILS = /fail|error|abandon|cancel|refund|delete|declin/

export interface Aim {
  targets: Target[]
  eventToSend: { eventName: string; when: string } | null
  /** how often the event near the place was received, 0 where none is known */
  seen: number
}

/** What ends in something that a site is there for, in names of events of four languages. */
const CONVERTS =
  /\b(sign ?up|signed up|regist\w*|account|trial|purchase\w*|order\w*|paid|pay\w*|bought|book\w*|reserv\w*|appointment\w*|lead|contact\w*|quote|demo|donat\w*|subscri\w*|enrol\w*|submit\w*|sent|complet\w*|converted|conversion|inscri\w*|bestell\w*|buchung|gebucht|anfrage|anmeldung|kauf|gekauft|gesendet|commande|achat|devis|envoye\w*|compra\w*|pedido|alta|cita|solicit\w*|enviad\w*)\b/
/** For what is hoped for there the rest of a site’s aims say nothing. */
const OF_ITS_OWN: ReadonlySet<Goal> = new Set([
  'sign in',
  'reset',
  'search',
  'profile',
  'subscribe',
  'contact',
  'send',
])

const DAYS_7 = 168

/** What is known of the place that is changed. */
interface Place {
  /** where the goal is that something is pressed: what that is */
  pressed: string | undefined
  /** events that the code there sends to the site's own analytics */
  sent: readonly string[]
  /** what the change is about, in words */
  about: string
}

const spoken = (eventName: string): string =>
  wordsOf(eventName.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/_/g, ' ')).join(' ')

interface Named extends KnownEvent {
  words: string
}

/** What an experiment aims at: the workspace's own event for the goal, the one that the code sends already, or one that the site should send; the last two are said. */
export function aimOf(goal: Goal, vocabulary: readonly KnownEvent[], place: Place): Aim {
  const { send, when: usual } = EVENTS[goal]
  const events = vocabulary
    .map((event) => ({ ...event, words: spoken(event.eventName) }))
    .filter(({ words, eventName }) => !FAILS.test(words) && !eventName.startsWith('$'))
    .sort((a, b) => b.count - a.count)
  const known = eventFor(goal, events, place)
  const own = known === undefined ? sentFor(goal, place.sent, place.about) : null
  const eventName = known?.eventName ?? own ?? send
  const when =
    own === null
      ? goal === 'click'
        ? (place.pressed ?? usual)
        : usual
      : 'the code there sends it to the site’s own analytics'
  return {
    targets: [
      { eventName, name: sentence(eventName), direction: 'increase', windowHours: DAYS_7, filters: [] },
    ],
    eventToSend: known === undefined ? { eventName, when } : null,
    seen: known?.count ?? 0,
  }
}

/** The workspace's event for a goal: the one that the code there sends, one that is called so, or, since each step is taken for it, one that the site is there for. */
function eventFor(goal: Goal, events: readonly Named[], { sent, about }: Place): Named | undefined {
  const words = wordsOf(about).filter((word) => word.length > 3)
  const closest = (some: readonly Named[]): Named | undefined =>
    [...some].sort((a, b) => sharedWith(words, b.eventName) - sharedWith(words, a.eventName))[0]
  const near = events.filter(
    (one) =>
      sent.includes(one.eventName) &&
      !BEGUN.test(one.words) &&
      (goal !== 'click' || sharedWith(words, one.eventName) > 0),
  )
  const called = EVENTS[goal].names
    .map((name) => closest(events.filter((one) => name.test(one.words))))
    .find((event) => event !== undefined)
  // What is sent when the form of the place is sent shows it best.
  const own = closest(near.filter((one) => called === undefined || CONVERTS.test(one.words)))
  if (own !== undefined || called !== undefined || OF_ITS_OWN.has(goal)) return own ?? called
  return closest(events.filter((one) => CONVERTS.test(one.words) && !BEGUN.test(one.words)))
}

/** The end of something, as names of events have it; what has begun has done so before a button is pressed. */
const ENDS = /\b(submit\w*|sent|complet\w*|success|done|click\w*|press\w*|book\w*|creat\w*|conversion|lead)\b/

/** How many words of an event's name begin as one of some words does. */
const sharedWith = (words: readonly string[], name: string): number =>
  wordsOf(spoken(name)).filter(
    (one) => one.length > 3 && words.some((word) => word.slice(0, 4) === one.slice(0, 4)),
  ).length

/** The begin of something, which may come by itself. */
const BEGUN = /\b(start\w*|begin\w*|begun|open\w*|initiat\w*|attempt\w*)\b/

/** Of the events that code near the place sends, the one for the goal; for a press the one that speaks of the same thing. `null` where that is not told. */
function sentFor(goal: Goal, sent: readonly string[], about: string): string | null {
  const [best] = EVENTS[goal].names
  const words = wordsOf(about).filter((word) => word.length > 3)
  const shared = (name: string): number => sharedWith(words, name)
  const fitting = [...new Set(sent)].filter((name) =>
    goal === 'click'
      ? ENDS.test(spoken(name)) && shared(name) > 0
      : best?.test(spoken(name)) === true && !FAILS.test(spoken(name)) && !BEGUN.test(spoken(name)),
  )
  const [first] = fitting.sort((a, b) => shared(b) - shared(a) || a.length - b.length || (a < b ? -1 : 1))
  return first ?? null
}

/** How a hypothesis says that its event does not arrive yet; it stands at its end. */
export const notReceived = (eventName: string, when: string): string =>
  ` The workspace has not received \`${eventName}\` yet: send it when ${when}.`

const NOT_RECEIVED = / The workspace has not received `([^`]*)` yet: send it when ((?:“[^”]*”|[^.“])*)\./

/** When an event is to be sent, as a hypothesis says it; in general words where it says nothing of this one. */
export function whenToSend(hypothesis: string, eventName: string): string {
  const [, named, when] = NOT_RECEIVED.exec(hypothesis) ?? []
  return when !== undefined && named === eventName ? when : 'what it names has happened'
}

/** A proposal that is measured by another event first. */
export function withEvent(
  proposal: Proposal,
  { eventName, direction }: Pick<Target, 'eventName' | 'direction'>,
): Proposal {
  const [first, ...others] = proposal.conversionTargets
  const target: Target = {
    windowHours: first?.windowHours ?? DAYS_7,
    eventName,
    name: sentence(eventName),
    direction,
    filters: [],
  }
  return {
    ...proposal,
    conversionTargets: [target, ...others.filter((one) => one.eventName !== eventName)],
  }
}

const MEASURES = /\b(increases|decreases) `([^`]+)`/
const LONGEST_HYPOTHESIS = 2000

/** What a proposal says of the event that it is measured by, where it says something of one: of another one it is said of this one now. */
export function hypothesisFor(
  { hypothesis, conversionTargets }: Proposal,
  eventToSend: { eventName: string; when: string } | null,
): string {
  const [target] = conversionTargets
  const said = hypothesis.replace(NOT_RECEIVED, '')
  const [, verb = '', named = ''] = MEASURES.exec(said) ?? []
  if (target === undefined) return hypothesis
  const own = conversionTargets.find(({ eventName }) => eventName === named) ?? target
  const agreed =
    named === ''
      ? said
      : said
          .replaceAll(`\`${named}\``, () => `\`${own.eventName}\``)
          .replaceAll(`${verb} \`${own.eventName}\``, () => `${own.direction}s \`${own.eventName}\``)
  const sent = eventToSend === null ? '' : notReceived(eventToSend.eventName, eventToSend.when)
  return `${agreed}${sent}`.slice(0, LONGEST_HYPOTHESIS)
}

function sentence(eventName: string): string {
  const words = eventName
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_.:-]+/g, ' ')
    .trim()
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
