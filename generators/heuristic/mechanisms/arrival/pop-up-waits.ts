import { escaped } from '../../../words.js'
import type { Idea, View } from '../../idea.js'
import { above, type Element, elementAt, elementsIn, given, type Page, wordsIn } from '../../markup/tree.js'
import { cutAt, isButton, isField, isHeading, isLink, namesOf } from '../../surface.js'
import { plain } from '../../uses.js'
import { type State, statesOf, withoutRemarks } from '../choice/state.js'
import { isStartPage } from '../opening/hero.js'
import { aimOf } from './aims.js'
import { covers, setsOf, timerAt } from './splash.js'
import { type Effect, seconds, type Timer, timersOf } from './timers.js'

/** Who waited longer has had time to look around, and sooner nobody has read anything. */
const MAX_WAIT = 8_000
const LATER = 30_000

/** What asks for something else than an offer does, or may not wait. */
const NO_OFFER =
  /cookie|consent|gdpr|dsgvo|privacy|age-?(gate|check|verif)|\bage\b|chat|assistant|\bbot\b|install|pwa|update|toast|notif|onboard|tour\b|tutorial|language|locale|region|location|country|standort|survey|feedback|review|rating|session|log-?in|sign-?in|auth|verif|warning|alert|error|maintenance|loading|splash|intro|success|celebrat|confetti|badge|milestone|video|cart|checkout|exit|whats-?app|badge|search|menu|nav/i
const NO_OFFER_SAID =
  /cookie|\b18\b|years old|volljährig|mayor de edad|majeur|maintenance|vacation|betriebsurlaub|closed (for|until)|geschlossen|fermé|cerrado/i
const OFFER =
  /newsletter|subscri|abonn|discount|rabatt|remise|réduction|descuento|promo|offer|angebot|offre|oferta|\d\s?%|\bfree\b|gratis|kostenlos|gratuit|coupon|gutschein|\bcode\b|launch|lead|enquir|inquir|callback|call ?back|consult|quote|devis|presupuesto|demo|wait-?list|sign ?up|\bjoin\b|first to|pop-?up/i
/** Whom staff and customers are, who have come to work. */
const ELSEWHERE =
  /(^|[/_.-])(dashboard|account|portal|admin\w*|webapp|settings|profile|onboarding|checkout|cart)([/_.-]|$)/i
/** What is pressed to be rid of it. */
const CLOSES =
  /^(×|x|✕|close|no,? thanks|not now|later|maybe later|schlie(ß|ss)en|nein,? danke|fermer|non,? merci|cerrar|no,? gracias)?$/i

/** What may be asked before the time begins: that one has seen it before, or where one is. */
const ASKS_BEFORE =
  /storage|cookie|dismiss|shown|seen|closed|visited|window|submitted|subscribed|already|pathname|!\w*ref\.current/i
const ASKS_MORE = /user|auth|cart|admin|logged|loading|data\b|config|enabled/i

/** Whether the time begins when one arrives, and for whoever has not seen it before. */
function isOnArrival(page: Page, { code, needs }: Effect): boolean {
  const names = statesOf(page).map(({ name }) => name)
  const asked = [...code.matchAll(/\bif\s*\(((?:[^()]|\([^()]*\))*)\)/g)].map(([, says = '']) => says)
  return (
    needs?.every((one) => names.includes(one)) === true &&
    asked.every((says) => isOfIt(page, says) && !ASKS_MORE.test(says))
  )
}

/** A question of whether it was seen, by itself or by a variable that code of the file has from there. */
function isOfIt(page: Page, says: string): boolean {
  if (ASKS_BEFORE.test(says)) return true
  const [name] = /\w+/.exec(says) ?? ['']
  return new RegExp(`\\bconst\\s+${name}\\s*=[^;\\n]*[sS]torage`).test(withoutRemarks(page))
}

/** What opens when a state is set, where that lies over the page; `null` where it may be less than that. */
function opened({ page, site }: View, { name }: State): Element | null {
  const code = withoutRemarks(page)
  const own = escaped(name)
  const isAllOrNothing = new RegExp(`if\\s*\\(\\s*!${own}\\b[^)]*\\)\\s*\\{?\\s*return null`).test(code)
  const ties = new RegExp(
    `\\b(?:open|isOpen|is-open|show|isVisible|visible|opened|v-model(?::open)?|bind:open)=["{]\\s*${own}\\s*["}]`,
  )
  for (const one of elementsIn(page.root)) {
    const tag = page.text.slice(one.start, page.text.indexOf('>', one.start) + 1)
    if (ties.test(tag) || isShownBy(page, one, own)) {
      const isDialog =
        /^(dialog|modal|alert-?dialog|v-dialog|el-dialog|u-?modal)(\.root)?$/i.test(one.tag) && ties.test(tag)
      if (isDialog || covers(one) || site?.parts[plain(one.tag)]?.covers === true) return one
    }
    if (isAllOrNothing && covers(one) && one.parent?.parent === null) return one
  }
  return null
}

/** Whether an element is what stands while a state holds: `{open && <div …>}`, `v-if="open"`, `{#if open}`. */
function isShownBy({ text }: Page, one: Element, own: string): boolean {
  if (new RegExp(`\\bv-(if|show)="${own}"`).test(text.slice(one.start, text.indexOf('>', one.start))))
    return true
  const code = [...above(one)].find(({ tag }) => tag === '#code')
  const isFirst = code?.children.find(({ kind }) => kind === 'element') === one || one.parent === code
  return (
    code !== undefined &&
    isFirst &&
    new RegExp(`^\\{\\s*(#if\\s+)?\\(?\\s*${own}\\s*(&&|\\})`).test(text.slice(code.start, code.end))
  )
}

/** Whether something is to be filled in or pressed there, apart from what closes it. */
const asks = (shown: Element): boolean =>
  elementsIn(shown).some(
    (one) =>
      (isField(one) && /mail|phone|tel\b|name/.test(namesOf(one))) ||
      ((isButton(one) || isLink(one)) && !CLOSES.test(wordsIn(one).trim())),
  )

/** Whether it is an offer, as its name and its words say. */
function isOffer({ page, site }: View, { name }: State, shown: Element): boolean {
  const isOwn = elementsIn(shown).length > 2
  const called =
    `${isOwn ? page.path.split('/').slice(-2).join(' ') : ''} ${name} ${isOwn ? '' : shown.tag}`.replace(
      /([a-z])([A-Z])/g,
      '$1-$2',
    )
  const said = wordsIn(shown)
  if (NO_OFFER.test(called) || NO_OFFER_SAID.test(said)) return false
  const part = site?.parts[plain(shown.tag)]
  return (
    OFFER.test(`${called} ${said}`) &&
    (isOwn ? asks(shown) : part?.asks === true || part?.showsField === true)
  )
}

interface Found {
  timer: Timer
  milliseconds: number
  shown: Element
}

function popUpOn(view: View): Found | null {
  const { page } = view
  const timers = timersOf(page)
  if (timers.length === 0 || ELSEWHERE.test(page.path)) return null
  for (const state of statesOf(page)) {
    if (state.says !== 'false') continue
    const opens = setsOf(page, state).filter(({ to }) => to === 'true')
    const timed = opens.flatMap(({ at }) => timerAt(timers, at) ?? [])
    const [timer, ...more] = timed
    const milliseconds = timer?.milliseconds ?? null
    if (timer?.effect == null || more.length > 0 || milliseconds === null || timer.by !== null) continue
    if (milliseconds > MAX_WAIT || !isOnArrival(page, timer.effect)) continue
    const shown = opened(view, state)
    if (shown !== null && isOffer(view, state, shown)) return { timer, milliseconds, shown }
  }
  return null
}

/** Whether a file may open something by time. */
export const mayOpen = ({ page }: View): boolean =>
  page.text.includes('setTimeout') &&
  timersOf(page).some(({ effect, milliseconds }) => effect !== null && milliseconds !== null)

/**
 * An offer, a newsletter or a form for a call back that lies over the page within ten seconds: it waits half a minute. Writes no text. Not for what has to be asked at once, for
 * notes in a corner, chats and what one opens oneself, nor where more than time and what was seen before decides.
 */
export function* popUpWaits(view: View): Generator<Idea> {
  const { page } = view
  const found = popUpOn(view)
  if (found === null) return
  const { timer, milliseconds, shown } = found
  const heading = elementsIn(shown).find((one) => isHeading(one) && wordsIn(one) !== '')
  const what = heading === undefined ? '' : ` “${cutAt(wordsIn(heading), 50)}”`
  yield {
    mechanism: 'friction',
    pattern: 'pop-up-waits',
    name: `Let the pop-up${what} wait until visitors have looked around`,
    anchor: `code "pop-up after ${milliseconds}"`,
    topics: [
      'pop-up',
      'modal',
      'newsletter',
      'offer',
      heading === undefined ? (given(shown, 'id') ?? '') : wordsIn(heading),
    ],
    arms: [
      {
        name: 'Pop-up after 30 seconds',
        changes: [
          {
            start: timer.delay.start,
            end: timer.delay.end,
            text: String(LATER),
            unit: { ...timer.delay, parent: elementAt('#data', timer, elementAt('#data', timer, null)) },
          },
        ],
        says: null,
      },
    ],
    audience: 'visitors who have just arrived',
    change: `opening the pop-up${what} after 30 seconds, and not after ${seconds(milliseconds)},`,
    because: 'who is stopped before they have read anything closes what is in the way, or leaves',
    ...aimOf(view, isStartPage(page.path)),
    effect: 3,
  }
}
