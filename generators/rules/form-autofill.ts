// Evidence: people whose browser fills in a form leave it 75 % less often and are 35 % faster (Google Chrome
// 2024); touch keyboards that do not fit the field are an error of most mobile checkouts (Baymard). Admitted
// because one file shows the fields, and HTML has a standard name for what each of them asks for.
import type { PageChange } from '../page/edits.js'
import { type Form, type FormField, wordsOfCode } from '../page/forms.js'
import { outsideActOf } from '../page/outside.js'
import { attribute, elementsIn, given, has, type PageTree } from '../page/tree.js'
import { isDeadForm } from './dead-form.js'
import { isClear, isNamed, personalFieldsOf } from './personal-fields-of.js'
import type { PageContext, ProposalRule } from './rule.js'

/** Forms with which visitors become customers, and what people call them. */
const FORMS = {
  purchase: 'the checkout',
  booking: 'the booking form',
  quote: 'the quote form',
  'sign up': 'the sign-up form',
  contact: 'the contact form',
} as const
const MIN_FIELDS = 3

/** Fields that begin with what the account knows: `defaultValue={user.name}`, `{ name: user?.name }`. */
const KNOWN_FIELDS =
  /\b\w{0,40}?(name|mail|phone|value)\w{0,40}\s{0,20}[:=(]\s{0,20}[({]{0,5}\w{0,40}?(user|session|profile|account)\w{0,40}\??(\.\w{1,40}\??){0,5}\.\w{0,40}?(name|mail|phone|address|street|city)/i

/** The attributes of a field: its purpose, and the keyboard for it. */
function attributesFor(field: FormField, token: string, page: PageTree): PageChange[] {
  const { element } = field
  const autocomplete = attribute(element, 'autocomplete')
  const isCode = page.dialect === 'jsx'
  const wanted = /^(email|tel)/.exec(token)?.[0] ?? null
  const type = attribute(element, 'type')
  // Styles may select fields by `type="text"`, so that a keyboard for the field leaves it as it is.
  const isText = type?.value === 'text'
  const keyboard = /^cc-(number|csc)$/.test(token) ? 'numeric' : isText ? wanted : null
  const added = [
    ...(wanted !== null && type === undefined ? [`type="${wanted}"`] : []),
    ...(autocomplete === undefined ? [`${isCode ? 'autoComplete' : 'autocomplete'}="${token}"`] : []),
    ...(keyboard !== null && element.tag === 'input' && !has(element, 'inputmode')
      ? [`${isCode ? 'inputMode' : 'inputmode'}="${keyboard}"`]
      : []),
  ]
  const at = element.start + 1 + element.tag.length
  return [
    ...(wanted !== null && type?.value === 'number' && type.own
      ? [{ ...type.own, text: wanted, unit: element }]
      : []),
    ...(added.length === 0 ? [] : [{ start: at, end: at, text: ` ${added.join(' ')}`, unit: element }]),
  ]
}

/** Dates that book nothing. */
const OF_BIRTH = /birth|\bdob\b|geburt|naiss|nacim|nasci|geboor|urodz|do[gğ]um|since|expir/i
const PAYS =
  /check-?out|payment|cart|basket|shipping|delivery|order|kasse|warenkorb|panier|caisse|commande|carrito|carrinho|pedido|carrello|winkelwagen|koszyk|sepet/i

/** The last part of a path that says something: `booking` of `app/booking/page.tsx`. */
const fileName = (path: string): string => path.replace(/\/(index|\+?page)\.\w+$/i, '').replace(/^.*\//, '')

/** The purpose of a form. One with a card pays, also for a booking; one with a date books. */
function goalOf(
  { purpose, heading, submitLabel, fields, element }: Form,
  tokens: readonly string[],
  { page, lexicon }: PageContext,
): keyof typeof FORMS | null {
  const said = `${heading} ${submitLabel} ${wordsOfCode(fileName(page.path))}`
  const isNamed = (one: 'booking' | 'quote', english: RegExp): boolean =>
    lexicon.purposes[one].test(said) || english.test(said)
  const isDated = fields.some(
    ({ element, label, names }) =>
      /^date/.test(given(element, 'type') ?? '') && !OF_BIRTH.test(`${label} ${names.join(' ')}`),
  )
  // A service in a frame of the page takes the bookings, and the form takes messages.
  const isBooking = isDated || (isNamed('booking', /\b(booking|reserv|appointment)/i) && !booksInFrame(page))
  if (tokens.some((one) => one.startsWith('cc-')))
    return isBooking ? 'booking' : PAYS.test(page.path) ? 'purchase' : null
  if (tokens.includes('new-password'))
    return purpose === 'sign up' && !SIGNS_IN.test(page.text.slice(element.start, element.end))
      ? purpose
      : null
  if (
    purpose === 'purchase' ||
    (tokens.some((one) => /^(address-line1|street)/.test(one)) && PAYS.test(page.path))
  )
    return 'purchase'
  if (isBooking) return 'booking'
  if (purpose === 'quote') return purpose
  // A message alone is short.
  if (purpose === 'contact' && tokens.some((one) => one.startsWith('tel')) && !NO_LEAD.test(page.path))
    return purpose
  return /\b(join|enrol\w*|apply|register|membership)\b/i.test(said) ? 'sign up' : null
}

const booksInFrame = ({ root }: PageTree): boolean =>
  elementsIn(root).some((one) => one.name === 'iframe' && outsideActOf(given(one, 'src') ?? '') === 'booking')

/** Forms of those who want to work with the business, or have one. */
const NO_LEAD = /applicat|bewerb|karriere|lavora|emplo|onboard|create|business|list-?your|partner|parceir/i

/** A form that signs in, too, asks for the password that browsers know. */
const SIGNS_IN = /\bis(Log|Sign)[iI]n\b|\bisLogin\w*|===\s*["'](login|sign-?in)["']/

/** Records that people of the business keep. */
const RECORDS =
  /clients-?(list|detail|form|page)|client-?(list|detail|form)|(?<!check-?out.*)customers?[/-]|manage|employee|crm|\bcash|account|address-?(book|manager)|career|job|demo(?!-?request)/i

export const formAutofill: ProposalRule = {
  ruleId: 'form-autofill',
  why: 'Browsers know the answers to these fields, but fill them in reliably only if the fields say what they ask for.',
  *find(context) {
    const { page, forms } = context
    if (RECORDS.test(page.path)) return
    for (const form of forms) {
      const found = personalFieldsOf(form, context)
      // A list shows one field several times.
      if (new Set(found.map(({ field }) => field.element.start)).size < found.length) continue
      if (isDeadForm(form, context)) continue
      const goal = goalOf(
        form,
        found.map(({ token }) => token),
        context,
      )
      if (goal === null || (goal !== 'sign up' && KNOWN_FIELDS.test(page.text))) continue
      if (new Set(found.map(({ token }) => token)).size < found.length - 1) continue
      // Browsers fill in plain fields by themselves. They do not know the parts of an address by any name.
      const isKnown = goal === 'contact' ? isNamed : isClear
      if (goal !== 'purchase' && found.every(({ field, token }) => isKnown(field, token, page))) continue
      const changed = found.flatMap(({ field, token }) => {
        const changes = attributesFor(field, token, page)
        return changes.length === 0 ? [] : [{ token, changes }]
      })
      const typed = found.filter(({ token }) => token !== 'new-password')
      const isUnclear = typed.some(({ field, token }) => !isClear(field, token, page))
      const counted = changed.filter(({ token }) => token !== 'new-password').length
      // A password that is chosen counts as one field, if browsers do not know the others by themselves.
      const chosen = isUnclear && counted > 1 && changed.length > counted ? 1 : 0
      if (counted + chosen < MIN_FIELDS) continue
      const isTyped = changed.some(({ changes }) =>
        changes.some(({ text }) => /^(tel|email)$|\btype=|input[mM]ode/.test(text)),
      )
      const named = FORMS[goal]
      yield {
        mechanism: 'friction',
        name: `Let browsers fill in ${named}`,
        anchor: `${form.element.tag} "${form.heading || form.submitLabel}"`,
        topics: [form.heading, form.submitLabel, goal, 'form'],
        displayName: 'Filled in by the browser',
        says: null,
        changes: changed.flatMap(({ changes }) => changes),
        change: `the ${changed.length} personal fields of ${named} tell browsers what they ask for${isTyped ? ', and phones show the keyboards that fit' : ''}`,
        goal,
        because:
          'what the browser fills in need not be typed, and typing on a phone is what makes people give up',
        // Fewer people give up a message, or a short form.
        effect: goal === 'contact' ? 2 : counted < MIN_FIELDS ? 2.5 : 4,
      }
    }
  },
}
