import type { Arm, Idea, View } from '../../idea.js'
import {
  above,
  type Element,
  elementsIn,
  given,
  has,
  isInCode,
  isShownWith,
  type Page,
  textsIn,
  wordsIn,
} from '../../markup/tree.js'
import { anchorOf, type Form, ownNamesOf } from '../../surface.js'
import { countOf, goalOfForm, theForm } from './called.js'
import { isSaidOptional, labelElement, saysItCalls } from './labels.js'
import { canBeSent, removalsOf } from './removal.js'

/**
 * What forms ask for and can do without, where they do not insist on it, what people like least to give first; the phrase stands in names of variants. The second line
 * of an address is none: who needs it gets no parcel without.
 */
export const SPARE: readonly { is: RegExp; name: string }[] = [
  { is: /\bfax\b/, name: 'fax' },
  { is: /phone|\btel\b|mobile|telefon|t[eé]l[eé]phone|tel[eé]fono/, name: 'phone number' },
  { is: /compan|organi[sz]ation|unternehmen|firma|soci[eé]t[eé]|entreprise|empresa/, name: 'company' },
  { is: /middle.?name|zweiter vorname/, name: 'middle name' },
  { is: /salutation|anrede|civilit[eé]|tratamiento/, name: 'form of address' },
  { is: /website|homepage|site.?web|p[aá]gina.?web/, name: 'website' },
  { is: /job.?title|position|\bfonction\b|cargo/, name: 'job title' },
  {
    is: /employees|company.?size|team.?size|mitarbeiter(zahl|anzahl)|unternehmensgr|effectif|\bempleados/,
    name: 'number of employees',
  },
  { is: /birth|geburt|naissance|nacimiento/, name: 'date of birth' },
  {
    is: /how.?did.?you|where.?did.?you|hear.?about|heard.?of|find.?us|referr|source/,
    name: 'how one heard of it',
  },
  { is: /\bsubject\b|betreff|\bobjet\b|asunto/, name: 'subject' },
]

/** What a field is called by the code: by its own name, that of what holds it, or where it is registered. */
function codeName(page: Page, field: Element): string | null {
  const held = holderOf(field)
  const registered = /\bregister\(\s*["'](\w+)["']/.exec(page.text.slice(field.start, field.end))?.[1]
  return registered ?? given(field, 'name') ?? (held === undefined ? given(field, 'id') : given(held, 'name'))
}
const FIELD_HOLDER = /^(FormField|Form\.Field|Controller|FormItem|Form\.Item)$/

/** Whether a form insists on a field: by its own attribute, by what it is registered with, or by a schema in the file. `null` where that is not told. */
function insistsOn(page: Page, field: Element): boolean | null {
  if (has(field, 'required') || has(field, ':required')) return true
  const own = page.text.slice(field.start, field.end)
  if (/\bregister\(/.test(own)) return /register\([^)]*required/s.test(own)
  const name = codeName(page, field)
  if (name === null || !/^\w+$/.test(name)) return null
  const rule = new RegExp(
    `\\b${name}["']?\\s*:\\s*((?:z|zod|yup|Yup|v|Joi|joi)\\b\\.?[^\\n]*(?:\\n\\s*\\.[^\\n]*)*)`,
  ).exec(page.text)?.[1]
  if (rule === undefined) return null
  if (/^(z|zod|v)\b/.test(rule))
    return !/\.(optional|nullish|nullable|default)\(|literal\((''|"")\)|^v\.optional/.test(rule)
  return /\.required\(/.test(rule)
}

/** A form of the page alone that asks for nothing in particular: no field is required, and no code looks at what is in them. */
const insistsOnNothing = ({ page }: View, { element, fields }: Form): boolean =>
  page.dialect === 'html' &&
  !fields.some((field) =>
    field.attributes.some(({ name }) =>
      /^(required|data-.*(valid|required|rule).*|pattern|minlength)$/.test(name),
    ),
  ) &&
  !/valid|required/i.test(`${given(element, 'class') ?? ''} ${page.text.slice(element.start, element.end)}`)

/**
 * Fields that a form does not insist on and that what it is for does not need: the form without them. Only where others are required, so that the code
 * tells the two apart; not in forms that change what is stored, nor for fields that are shown only sometimes.
 */
export function* withoutSpare(view: View, form: Form): Generator<Idea> {
  const { fields, element, purpose } = form
  // What is filled in for something else is a booking, an application or a donation.
  if (purpose !== null && !/^(sign up|checkout|contact)$/.test(purpose)) return
  const { page } = view
  // Whoever has an account fills in what is used later.
  if (
    /(^|[/_.-])(profile|settings?|account|preferences|konto|compte|cuenta|perfil|profil)(?=[/_.-])/i.test(
      page.path,
    )
  )
    return
  // Few have another address for the invoice, and those need what stands on it.
  const about = `${form.heading} ${page.path}`.toLowerCase()
  if (purpose === 'checkout' && BILLING.test(about) && !SHIPPING.test(about)) return
  const tellsApart = fields.filter((field) => insistsOn(page, field) === true).length >= 2
  if (fields.length < 4 || !(tellsApart || (purpose === 'contact' && insistsOnNothing(view, form)))) return
  const spare = fields
    .flatMap((field) => spareField(view, form, field))
    .sort((a, b) => SPARE.indexOf(a.known) - SPARE.indexOf(b.known))
  if (spare.length > 3 || new Set(spare.map(({ known }) => known)).size < spare.length) return
  const without = (some: typeof spare): Arm[] => {
    const changes = removalsOf(page, form, some)
    return changes === null || some.length === 0
      ? []
      : [{ name: `Without ${listed(some.map(({ known }) => known.name))}`, changes, says: null }]
  }
  const [first, all] = [without(spare.slice(0, 1)), without(spare)]
  const arms = spare.length === 1 || all.length === 0 ? first : [...first, ...all]
  if (arms.length === 0) return
  const left = all.length === 0 ? spare.slice(0, 1) : spare
  const names = left.map(({ known }) => known.name)
  const isSent = left.some(({ isRead }) => isRead)
  yield {
    mechanism: 'friction',
    pattern: 'ask-less',
    name: `Ask for less in ${theForm(form, page.path)}: without ${listed(names)}`,
    anchor: anchorOf(element, `${countOf(form)} fields, ${listed(names)}`),
    topics: ['form', 'fields', purpose ?? '', form.heading, ...names],
    arms,
    audience: `visitors who fill in ${theForm(form, page.path)}`,
    change: `not asking for ${listed(names)}, which the form does not require${isSent ? ' (what an untouched field would send is still sent),' : ','}`,
    because: 'each field less is a reason less to stop (check that nobody needs it afterwards)',
    goal: goalOfForm(form),
    // Who has left it open has thought of it, and may well ring back.
    effect: 2,
    onlyWhere: 'anybody comes',
  }
}

interface Spare {
  known: (typeof SPARE)[number]
  field: Element
  /** what is around the field and goes with it */
  shown: Element
  /** other code reads it as it comes: something has to be sent */
  isRead: boolean
}

function spareField({ page, site }: View, form: Form, field: Element): Spare[] {
  const { purpose, fields } = form
  const isFree =
    insistsOn(page, field) !== true &&
    !['disabled', 'readonly'].some((name) => has(field, name)) &&
    // What is set from the start has been thought of.
    (given(field, 'defaultvalue') ?? (has(field, 'defaultvalue') ? 'code' : '')) === ''
  const name = codeName(page, field)
  const called = `${ownNamesOf(field)} ${name ?? ''}`.toLowerCase()
  const known = SPARE.find(({ is }) => is.test(called))
  const shown = holderOf(field) ?? field
  // Whoever answers has to know for whom.
  const isSpare = known !== undefined && !(purpose === 'contact' && known.name === 'company')
  const isThere = !isInCode(shown) || isShownWith(shown, fields[0] ?? shown)
  if (!isFree || !isSpare || !isThere || isReadAsItIs(page, field)) return []
  if (isSaidOptional(form, field) || isStarred(form, field)) return []
  // How old its members are a club has to know.
  if (known.name === 'date of birth' && MEMBERS.test(`${form.heading} ${page.path}`)) return []
  if (known.name === 'phone number' && (saysItCalls(page) || (purpose === 'contact' && callsBack(site))))
    return []
  if (isOneOfTwo(page, name) || isNamedBeside(form, { field, shown, known })) return []
  const parts = [name ?? '', name?.split(/[.[\]]+/).findLast((part) => part !== '') ?? '']
  if (parts.some((one) => site?.fieldReads.needed.includes(one) === true)) return []
  const isRead = parts.some((one) => site?.fieldReads.asTheyAre.includes(one) === true)
  return !isRead || canBeSent(page, field) ? [{ known, field, shown, isRead }] : []
}

const MEMBERS = /member|mitglied|adh[eé]r|adh[eé]sion|soci[oa]s?\b|verein|club|antrag|aufnahme|application/i

/** Whether a field is marked as one that has to be filled in, whoever asks for it. */
const isStarred = (form: Form, field: Element): boolean =>
  [given(field, 'placeholder') ?? '', wordsIn(labelElement(form, field) ?? field)].some((said) =>
    said.trim().endsWith('*'),
  )

/** Who has people call is likely to call them back. */
const callsBack = (site: View['site']): boolean => (site?.dials.length ?? 0) > 0

/** Whether code of the page asks whether there is any: one of two may be enough, and not none. */
const isOneOfTwo = (page: Page, name: string | null): boolean =>
  name !== null &&
  /^[\w.-]+$/.test(name) &&
  new RegExp(`!\\s*(?:[\\w$]+\\??\\.)*${name.replaceAll('.', '\\.')}\\b`).test(page.text)

/** Whether a note of the form names it that stays behind. */
function isNamedBeside({ element }: Form, { field, shown, known }: Omit<Spare, 'isRead'>): boolean {
  const id = given(field, 'id')
  const isOwn = (one: Element): boolean =>
    one === shown ||
    (/^label$/i.test(one.tag) && (given(one, 'for') === id || elementsIn(one).includes(field)))
  return textsIn(element).some(
    ({ value, parent }) =>
      value.trim().split(/\s+/).length >= 4 &&
      known.is.test(value.toLowerCase()) &&
      ![parent, ...above(parent)].some(isOwn),
  )
}

/** Whether code of the page reads what is in a field as if it were there. */
function isReadAsItIs(page: Page, field: Element): boolean {
  const names = [codeName(page, field), given(field, 'id')].flatMap(
    (one) => one?.match(/^[\w-]+$/)?.[0] ?? [],
  )
  return names.some((name) =>
    new RegExp(
      `\\bget\\(\\s*["']${name}["']\\s*\\)(?!\\s*(as [\\w| ]+)?\\)?\\s*(\\|\\||\\?))|(getElementById\\(\\s*["']|querySelector\\(\\s*["'][^"']*[#=]["']?)${name}\\b|\\.${name}\\.(value|trim)\\b`,
    ).test(page.text),
  )
}

const BILLING = /billing|invoice|rechnung|facturation|factura/
const SHIPPING = /shipping|delivery|liefer|versand|livraison|env[ií]o/

export const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`

/** The element of a component library that gives a field its name, and goes with it. */
export const holderOf = (field: Element): Element | undefined =>
  [...above(field)].find((one) => FIELD_HOLDER.test(one.tag) && has(one, 'name'))
