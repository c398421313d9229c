import type { Idea, View } from '../../idea.js'
import { above, type Element, elementsIn, type Page, wordsIn } from '../../markup/tree.js'
import { anchorOf, type Form, hrefOf, isButton, isField, isHeading } from '../../surface.js'
import { plain } from '../../uses.js'
import { CALLS, kindOf, looksStrong, outermost } from '../act/ways.js'
import { isSent } from '../evidence/answer-time.js'
import { goalOfForm } from '../forms/called.js'
import { type Columns, columnsOf, hasColumns, shownFirst } from './columns.js'

/** Nobody comes there to write for the first time. */
const DESK =
  /(^|[/_.-])(admin|dashboard|portal|account|settings?|profile|members?|cms|intern|backoffice|demos?|examples?|checkout|cart|login|sign-?in|sign-?up|register)(?=[/_.-])/i
const FORM_PART = /form|formular|anfrage|enquir|inquir/i
const TITLE = /hero|header|banner|title|heading|intro/i
/** What is shorter than about a screen of a phone is passed soon. */
const MANY_ELEMENTS = 14
const MAX_ELEMENTS = 60
const FEWEST_FIELDS = 3

interface Found extends Columns {
  /** what stands in the page of the form */
  form: Form | null
}

/**
 * Two columns of which the first says where and when one is found, and the second holds the form that the page is for: on phones the form comes first, and the rest below it. Wide
 * screens stay as they are. Writes no text. Not where the first column has the page's title, is short, or where the page has set an order, nor
 * for a place that one visits, unless buttons of the site send people there to ask.
 */
export function* formFirst(view: View): Generator<Idea> {
  const { page } = view
  const found = detailsBeforeForm(view)
  // Those who come to write are better led to the telephone than to a form that nobody gets.
  if (found === null || view.site?.deadEnds.includes(page.path) === true) return
  const { first: info, second: column, form } = found
  const change = shownFirst(page, found)
  if (change === null || (SAYS_VISIT.test(wordsIn(info)) && !isAskedFor(view))) return
  const ways = elementsIn(info).filter((one) => /^tel:|wa\.me|whatsapp/i.test(hrefOf(one) ?? ''))
  // Buttons to call or to write are acts like the form, and no details.
  if (elementsIn(info).some(isButton) || ways.some((one) => looksStrong(page, outermost(one)))) return
  const calls = ways.length > 0
  yield {
    mechanism: 'order',
    pattern: 'form-first-on-phones',
    name: 'Show the form before the contact details on phones',
    anchor: anchorOf(column, 'form below details'),
    topics: ['mobile', 'form', 'contact', form?.heading ?? '', 'order'],
    arms: [{ name: 'The form first on phones', changes: [change], says: null }],
    audience: 'visitors on phones who have come to write',
    change:
      'showing the form first, and addresses, hours and the like below it, where they stand above it now,',
    because: `on a phone the form begins about a screen further down than its page${calls ? ' (watch the calls too: the number comes after the form then)' : ''}`,
    goal: form === null ? 'contact' : goalOfForm(form),
    effect: 3,
  }
}

/** One goes there, and looks for when and how. */
const SAYS_VISIT =
  /(?<!\p{L})(?:visit us|opening (?:hours|times)|get directions|öffnungszeiten|anfahrt|besuchen sie uns|horaires|nous rendre visite|itinéraire|horarios?|visítanos|cómo llegar)(?!\p{L})/iu

/** What only names the page to write to. */
const NAMES_PAGE = /^(contact|kontakt|nous contacter|contactez|contáct|write)/i

/** Whether buttons of the site send people there to ask for something. */
const isAskedFor = ({ site }: View): boolean =>
  site?.ways.some(
    (way) =>
      way.isButton && kindOf(way) === 'contact' && CALLS.test(way.label) && !NAMES_PAGE.test(way.label),
  ) === true

/** Whether the rest of the site could say what a part of the page shows. */
export const mayShowFormFirst = ({ page }: View): boolean =>
  !DESK.test(page.path) && hasColumns(page) && FORM_PART.test(page.text)

function detailsBeforeForm(view: View): Found | null {
  const { page, forms } = view
  if (DESK.test(page.path) || forms.length > 1) return null
  const found = columnsOf(page).flatMap((columns): Found[] => {
    const { first, second, row, isOrdered } = columns
    const form =
      forms.find(({ element }) => element.start >= second.start && element.end <= second.end) ?? null
    const isForm = form === null ? showsForm(view, second) : isWritten(page, form)
    // Of a map and a form in one column nobody knows which is shown.
    if (hasMap(second)) return []
    const isFound = isForm && isInfo(view, first) && isTitled(page, row) && isNearTop(page, row)
    return !isOrdered && isFound ? [{ ...columns, form }] : []
  })
  const [only, ...others] = found
  return only === undefined || others.length > 0 ? null : only
}

/** A form in which somebody writes something. */
const isWritten = (page: Page, { purpose, fields, submit, element }: Form): boolean =>
  (purpose === 'contact' || purpose === null) &&
  submit !== null &&
  isSent(page, element) &&
  fields.length >= FEWEST_FIELDS &&
  fields.some(({ name }) => name === 'textarea' || name.endsWith('textarea'))

/** Whether a column holds a part of the site that shows a form. */
const showsForm = ({ site }: View, column: Element): boolean =>
  [column, ...elementsIn(column)].filter(
    ({ tag }) => /^[A-Z]/.test(tag) && FORM_PART.test(tag) && site?.parts[plain(tag)]?.showsField === true,
  ).length === 1

/** What is said of the place and the hours: longer than a screen, without a field or the title of the page, and no article. */
function isInfo({ site }: View, info: Element): boolean {
  const all = [info, ...elementsIn(info)]
  if (all.some((one) => isField(one) || /^(form|h1|video|table)$/.test(one.name))) return false
  if (all.some(({ tag }) => site?.parts[plain(tag)]?.showsField === true)) return false
  if (all.length > MAX_ELEMENTS || all.filter(({ name }) => name === 'h2').length > 1) return false
  const isMap = hasMap(info)
  const isOfPlace = all.some(
    (one) => /^(mailto|tel):/.test(hrefOf(one) ?? '') || /^(address|mappin|map-pin)$/.test(one.name),
  )
  return isMap || (all.length >= MANY_ELEMENTS && (isOfPlace || SAYS_PLACE.test(wordsIn(info))))
}

const hasMap = (one: Element): boolean => elementsIn(one).some(({ name }) => /^iframe$|map$/i.test(name))

const SAYS_PLACE =
  /address|hours|phone|opening|adresse|anschrift|öffnungszeiten|telefon|horaires|téléphone|dirección|horario|teléfono|e-?mail/i

/** Further down than after some parts a page is about something else, and half a screen is little of it. */
const MAX_BEFORE = 3

const isNearTop = ({ root }: Page, row: Element): boolean =>
  elementsIn(root).filter(({ name, end }) => name === 'h2' && end <= row.start).length <= MAX_BEFORE

/** Whether the page's title stands above both columns. */
function isTitled({ root }: Page, row: Element): boolean {
  const inside = [...above(row)]
  return elementsIn(root).some(
    (one) =>
      one.end <= row.start &&
      (isHeading(one) || (/^[A-Z]/.test(one.tag) && TITLE.test(one.tag))) &&
      !/^(nav|header)$/.test(inside.includes(one) ? one.name : ''),
  )
}
