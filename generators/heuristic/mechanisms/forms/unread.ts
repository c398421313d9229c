import { type Handler, type Receiver, receiverKey } from '../../form-handlers.js'
import type { Idea, View } from '../../idea.js'
import {
  type Element,
  elementsIn,
  given,
  has,
  isInCode,
  isShownWith,
  type Page,
  wordsIn,
} from '../../markup/tree.js'
import { anchorOf, type Form, isEmail, isField, isPassword, isTrap, namesOf } from '../../surface.js'
import { holderOf, listed, SPARE, withoutSpare } from './ask-less.js'
import { isBackOffice } from './back-office.js'
import { countOf, goalOfForm, theForm } from './called.js'
import { isSaidOptional, isSpokenOfBeside, labelElement, labelName } from './labels.js'
import { removalsOf } from './removal.js'
import { boundTo, isKept, MIN_FIELDS, mentionsOf, type Sending, sendingOf } from './sending.js'

/** Forms of visitors that ask for what nobody reads, or else for what nobody needs. */
export function* askLess(view: View): Generator<Idea> {
  for (const form of view.forms) {
    if (isBackOffice(view.page, form)) continue
    const unread = [...withoutUnread(view, form)]
    if (unread.length > 0) yield* unread
    else yield* withoutSpare(view, form)
  }
}

const MAX_REMOVED = 4
const MIN_LEFT = 2
const MIN_READ = 2

/** What laws, contracts and safety ask for, and what only the form itself works with. */
const NEVER =
  /allerg|medic|medik|health|gesund|sant[eé]|salud|emergency|notfall|urgenc|terms|\bagb\b|\bcg[uv]\b|privac|datenschutz|consent|einwillig|gdpr|rgpd|gift.?aid|\btax|steuer|\bvat|\bust|siret|\biban\b|captcha|turnstile|token|csrf|\bcode\b|card|\bcv[cv]\b|amount|betrag|montant|price|qty|quantity|nationalit|nacionalidad|staatsangeh|passport|reisepass|disab|behinder|barrierefrei|handicap|discapac|accessib|wheelchair|rollstuhl|guardian|erziehungsber|ethnic|equality|\bage\b|\b[âa]ge\b|\bedad\b|\balter\b/i
/** What a form to write to somebody is for. */
const MESSAGE =
  /messag|nachricht|mensaje|comment|kommentar|anliegen|question|inquiry|enquiry|\btext\b|feedback|review/i

/**
 * Fields that the code that receives a form never reads, though it reads the others by their names: the form without them. Not where that code, or the page's
 * own, takes all that there is, looks at one of them, or is not known.
 */
function* withoutUnread(view: View, form: Form): Generator<Idea> {
  const { page, site } = view
  const { fields, element } = form
  if (site === null || fields.length < MIN_FIELDS || form.purpose === 'search') return
  const sending = sendingOf(page, form)
  if (sending === null) return
  const at = (to: Receiver | null | undefined): Handler | null =>
    to == null ? null : (site.handlers[receiverKey(page.path, to)] ?? null)
  const received = at(sending.to)
  const handler = received ?? at(sending.by)
  // What the page's other scripts do is told with its receiver alone.
  if (handler === null && sending.by !== undefined) return
  if (handler === null && sending.to?.kind === 'address' && sending.to.scripts !== undefined) return
  const asked = elementsIn(element).filter((one) => ASKED.test(one.name) || isField(one))
  if (handler !== null && !namesAll(page, handler, asked)) return
  const isRead = (one: Element): boolean => {
    const names = callsOf(page, one)
    return handler?.reads.some((name) => names.includes(name)) === true
  }
  const isReadHere = (one: Element): boolean =>
    callsOf(page, one).some((name) => {
      const { all, sent } = mentionsOf(sending.code, name)
      return sending.reads.has(name) || all + sent > 0
    })
  const unread = fields.filter((field) => isUnread(page, sending, handler, field))
  if (unread.length === 0 || unread.some(isBodyOfMessage)) return
  const others = asked.filter((one) => !unread.includes(one) && !isTrap(one))
  const isRest = handler === null && sending.drops.size > 0
  const read = others.filter((one) => isRead(one) || isRest || (handler === null && isReadHere(one)))
  if (read.length < Math.min(MIN_READ, others.length) || read.length === 0) return
  // What its own code leaves out goes nowhere only where the others go somewhere.
  if (
    handler === null &&
    !isRest &&
    !sending.gives(
      read.flatMap((one) => callsOf(page, one)),
      Math.min(MIN_READ, others.length),
    )
  )
    return
  const isKnown = unread.every((field) => nameOf(page, form, field) !== null)
  const spare = unread
    .filter((field) => mayGo(page, form, field, unread))
    .sort((a, b) => rankOf(page, a) - rankOf(page, b))
    .slice(0, MAX_REMOVED)
    .sort((a, b) => a.start - b.start)
  const left = asked.filter((one) => !spare.includes(one) && !isTrap(one) && given(one, 'type') !== 'hidden')
  if (!isKnown || spare.length === 0 || left.length < MIN_LEFT || fields.length === spare.length) return
  const changes = removalsOf(
    page,
    form,
    spare.map((field) => ({ field, shown: holderOf(field) ?? field, isRead: false })),
  )
  if (changes === null) return
  const names = namesOfAll(page, form, spare)
  const called = spare.some(isPassword) ? { ...form, purpose: null } : form
  const which = names.length === 1 ? 'which' : 'none of which'
  const reader =
    handler === null
      ? `its own code (${page.path})`
      : `the code that ${received === null ? 'sends' : 'receives'} it (${handler.path})`
  const verb = handler === null ? 'hands on' : 'reads'
  yield {
    mechanism: 'friction',
    pattern: 'ask-less',
    name: `Ask for less in ${theForm(called, page.path)}: without ${listed(names)}`,
    anchor: anchorOf(element, `${countOf(form)} fields, ${listed(names)}`),
    topics: ['form', 'fields', form.purpose ?? '', form.heading, ...names],
    arms: [{ name: `Without ${listed(names)}`, changes, says: null }],
    audience: `visitors who fill in ${theForm(called, page.path)}`,
    change: `not asking for ${listed(names)}, ${which} ${reader} ${names.length === 1 ? 'never ' : ''}${verb},`,
    because: 'each field less is a reason less to stop, and nobody loses what is thrown away',
    goal: goalOfForm(called),
    effect: 4,
    onlyWhere: 'anybody comes',
  }
}

const ASKED = /^(input|select|textarea|checkbox|radio|switch)$/

/** All names by which code may speak of a field. */
export function callsOf(page: Page, field: Element): string[] {
  const own = page.text.slice(field.start, field.end)
  const bound = boundTo(page, field)
  const checked = /\b(?:checked|bind:checked|bind:group)\s*=\s*\{\s*([\w$.]+)/.exec(own)?.[1]
  const model = /\bv-model(?:\.\w+)*\s*=\s*["']([\w$.]+)/.exec(own)?.[1]
  const registered = /\bregister\(\s*["'`]([\w.]+)/.exec(own)?.[1]
  const set = /\bset([A-Z]\w*)\(/.exec(own)?.[1]
  const ref = /\bref\s*=\s*[{"']\s*([\w$]+)/.exec(own)?.[1]
  const name = given(field, 'name')?.replace(/\[\]$/, '') ?? null
  return [
    name,
    dynamicName(page, field),
    given(field, 'id'),
    registered,
    set === undefined ? null : set.charAt(0).toLowerCase() + set.slice(1),
    ref,
    ...[bound, checked, model].map((one) =>
      one
        ?.replace(/\.value$/, '')
        .split('.')
        .at(-1),
    ),
  ].flatMap((one) => (one == null || one === '' ? [] : [one]))
}

/** `name={ticket.id}` as the code that reads it writes it too. */
function dynamicName(page: Page, field: Element): string | null {
  const own = field.attributes.find(({ name }) => name === 'name' || name === ':name')
  if (own === undefined || own.value !== null) return null
  const written = /=\s*[{"']\s*([\w$.]+)\s*[}"']$/.exec(page.text.slice(own.start, own.end))?.[1]
  return written === undefined ? null : `{${written}}`
}

/** Whether names that the receiving code works out are those of fields whose names the page works out alike. */
const namesAll = (page: Page, { reads }: Handler, asked: readonly Element[]): boolean =>
  reads
    .filter((name) => name.startsWith('{'))
    .every((name) => asked.some((one) => dynamicName(page, one) === name))

/** Whether neither the page's own code nor the receiver's speaks of a field at all. */
function isUnread(page: Page, sending: Sending, handler: Handler | null, field: Element): boolean {
  const names = callsOf(page, field)
  if (names.length === 0 || names.some((one) => one.startsWith('{'))) return false
  const isSentByName = given(field, 'name') !== null
  const found = names.map((one) => mentionsOf(sending.code, one))
  if (found.some(({ all }) => all > 0)) return false
  const isHandedOn = sending.isWhole || found.some(({ sent }) => sent > 0)
  if (isHandedOn) {
    if (handler === null)
      return names.some((one) => sending.drops.has(one)) && found.every(({ sent }) => sent <= 1)
    const all = [...names, ...found.flatMap(({ as }) => as)]
    return !all.some((one) => isSpokenOf(one, handler.words))
  }
  // What the page does not hand on goes nowhere: it is bound to state, or would be asked for by its name.
  const bound = boundTo(page, field)
  return bound === null ? isSentByName && sending.reads.size > 0 : isKept(page, bound)
}

/** Whether a file speaks of a name, also as a part of another word. */
function isSpokenOf(name: string, words: string): boolean {
  const own = name.toLowerCase()
  const plain = own.replace(/[^\p{L}\d]/gu, '')
  return (
    ` ${words} `.includes(` ${own} `) ||
    (plain.length < 4 ? ` ${words} `.includes(` ${plain} `) : words.replace(/_/g, '').includes(plain))
  )
}

const isBodyOfMessage = (field: Element): boolean => field.name === 'textarea' && MESSAGE.test(namesOf(field))

function mayGo(page: Page, form: Form, field: Element, unread: readonly Element[]): boolean {
  const { fields, element } = form
  const label = labelElement(form, field)
  const about = `${namesOf(field)} ${callsOf(page, field).join(' ')} ${label === undefined ? '' : `${wordsIn(label)} ${labelName(page, form, field) ?? ''}`}`
  if (
    NEVER.test(about) ||
    isTrap(field) ||
    isGiven(page, field) ||
    isSaidOptional(form, field) ||
    isSpokenOfBeside(page, form, field, unread, knownName(page, field) === 'phone number')
  )
    return false
  if (isEmail(field) && !fields.some((one) => one !== field && isEmail(one) && !unread.includes(one)))
    return false
  const shown = holderOf(field) ?? field
  if (isInCode(shown) && !isShownWith(shown, fields[0] ?? shown)) return false
  // Others may be worked out from it.
  return !elementsIn(element).some((one) =>
    [given(one, 'aria-controls'), given(one, 'list')].includes(given(field, 'id') ?? ' '),
  )
}

/** It says something by itself that would be sent. */
const isGiven = (page: Page, field: Element): boolean =>
  has(field, 'disabled') ||
  has(field, 'readonly') ||
  (page.dialect !== 'jsx' && (given(field, 'value') ?? '') !== '') ||
  (given(field, 'defaultvalue') ?? '') !== '' ||
  (has(field, 'defaultvalue') && given(field, 'defaultvalue') === null)

const rankOf = (page: Page, field: Element): number => {
  const at = SPARE.findIndex(({ is }) => is.test(called(page, field)))
  return at < 0 ? SPARE.length : at
}

/** What code and people call it; of which type it is says less. */
const called = (page: Page, field: Element): string =>
  ['placeholder', 'aria-label', 'label']
    .map((name) => given(field, name) ?? '')
    .concat(callsOf(page, field))
    .join(' ')
    .toLowerCase()

const PART_OF_DATE = /year|jahr|ann[eé]e|año|month|monat|mois|\bmes\b/

/** As people call them: by words that are known where all are, else by their own labels. */
function namesOfAll(page: Page, form: Form, fields: readonly Element[]): string[] {
  const known = fields.map((field) => knownName(page, field))
  const labels = fields.map((field) => labelName(page, form, field))
  return known.every((one) => one !== null) || labels.some((one) => one === null)
    ? fields.flatMap((_, at) => known[at] ?? labels[at] ?? [])
    : labels.flatMap((one) => one ?? [])
}

function knownName(page: Page, field: Element): string | null {
  const known = SPARE.find(({ is }) => is.test(called(page, field)))
  return known !== undefined && !PART_OF_DATE.test(called(page, field)) ? known.name : null
}

const nameOf = (page: Page, form: Form, field: Element): string | null =>
  knownName(page, field) ?? labelName(page, form, field)
