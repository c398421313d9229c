// Evidence: a required telephone number is the field that visitors refuse most often (WPForms and HubSpot
// surveys: 37 % leave); making it optional doubled completion in Kissmetrics' test, and Expedia earned 12
// million dollars a year by dropping "Company". Admitted because one file shows the fields, and
// the code that receives them whether it insists on one.
import { type PageChange, remove, reword, rewordAttribute } from '../page/edits.js'
import { type Form, type FormField, isTrap } from '../page/forms.js'
import { above, attribute, given, has, isInCode, isInside, type PageElement, textsIn } from '../page/tree.js'
import { isDeadForm } from './dead-form.js'
import { isDemanded } from './demands.js'
import { FORM_NAMED, quoted } from './place-words.js'
import type { PageContext, ProposalRule } from './rule.js'

/** Libraries that validate by rules which may stand elsewhere. */
const VALIDATES =
  /\buseForm\b|<Formik\b|useFormik|zodResolver|yupResolver|vee-validate|superForm|:rules=|vuelidate/
/** Mails what it is sent, all of it, and asks for nothing. */
const SERVICE =
  /formspree\.io|getform\.io|web3forms\.com|formsubmit\.co|formcarry\.com|usebasin\.com|^mailto:/i
const DECIDES =
  /\bif\b|\?|\brequired\b|\bmin\b|length|\btest\(|\bmatch\(|\btrim\b|valid|\bz\.|\byup\b|\bjoi\b|\bthrow\b|&&|\|\||!|===/i
const IS_BOUND = /\bvalue=\{|\bbind:value\b|\bv-model\b/

/** Sends by code, perhaps to a server of the site. */
const SENDS = /\b(fetch|axios(\.\w+)?|useFetch|ofetch|ky(\.\w+)?)\s*(<[^>]*>)?\(/
const TO_SERVICE =
  /formspree|getform\.io|web3forms|formsubmit\.co|formcarry|usebasin|emailjs|hsforms|mailchimp|forms\.gle/i

/** Whether nothing in the code of the page or of a server insists on the field. */
function mayBeLeftOut(field: FormField, { element, fields }: Form, context: PageContext): boolean {
  const { page, checks, bound } = context
  const { names } = field
  if (names.some((name) => bound.has(name)) || isDemanded(field, checks)) return false
  // The server that would answer is not in the repository.
  if (page.dialect !== 'html' && checks === null && SENDS.test(page.text) && !TO_SERVICE.test(page.text))
    return false
  const uses = (code: string, name: string): boolean => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(code)
  const blanked = fields.reduce(
    (rest, { wrapper: { start, end } }) =>
      rest.slice(0, start) + rest.slice(start, end).replace(/[^\n]/g, ' ') + rest.slice(end),
    page.text,
  )
  const code = blanked.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/[^\n]*|<!--[\s\S]*?-->/g, '')
  if (VALIDATES.test(page.text) || names.length === 0 || !names.every((name) => /^[\w-]+$/.test(name)))
    return false
  if (page.dialect !== 'html')
    return !code.split('\n').some((line) => names.some((name) => uses(line, name)) && DECIDES.test(line))
  const isMailed = SERVICE.test(attribute(element, 'action')?.value ?? '')
  return (isMailed || has(element, 'netlify') || has(element, 'data-netlify')) && !/<script>/.test(code)
}

/** Classes of words that only screen readers find. */
const UNSEEN = /(^|\s)(sr-only|visually-?hidden|screen-reader(-text)?|hidden-label)(\s|$)/
const isUnseen = (element: PageElement): boolean =>
  [element, ...above(element)].some((one) => UNSEEN.test(given(one, 'class') ?? ''))

/** The label and, if it is not seen or not there, the placeholder, with "(optional)" in place of the star. */
function labelled({ labelElement, element }: FormField, { lexicon }: PageContext) {
  const optional = (words: string): string => `${words.replace(/\s*[*:]+\s*$/, '')} (${lexicon.optional})`
  const [text, ...stars] = labelElement === null ? [] : textsIn(labelElement)
  const label = text === undefined ? [] : [reword(text, optional(text.value))]
  const isSeen = text !== undefined && !isUnseen(text.parent)
  const shown =
    (text === undefined ? attribute(element, 'label') : undefined) ?? attribute(element, 'placeholder')
  const says = optional((isSeen ? text.value : shown?.value) ?? '')
  const hint = isSeen
    ? []
    : [shown === undefined || shown.value === '' ? null : rewordAttribute(element, shown, says)]
  const changes = [...label, ...hint].filter((one) => one !== null)
  const isMarked = stars.every(({ value, parent }) => value === '*' && parent !== labelElement)
  return changes.length < label.length + hint.length || !isMarked
    ? null
    : { changes: [...changes, ...stars.map(({ parent }) => remove(parent))], says }
}

/** The required field as an optional one: without the attribute, and with another label. */
function madeOptional(
  field: FormField,
  context: PageContext,
): { changes: PageChange[]; says: string } | null {
  const required = attribute(field.element, 'required')
  const label = labelled(field, context)
  if (label === null || required === undefined) return null
  const start = required.start - (/\s/.test(context.page.text[required.start - 1] ?? '') ? 1 : 0)
  const { wrapper: unit } = field
  const changes = [...label.changes, { start, end: required.end, text: '' }]
  return { says: label.says, changes: changes.map((one) => ({ ...one, unit })) }
}

const LEADS = ['sign up', 'contact', 'quote', 'subscribe'] as const
const MAX_FIELDS = 8
const SELLS =
  /check-?out|cart|basket|shop|product|order|warenkorb|kasse|panier|boutique|tienda|carrito|loja|carrinho|carrello|winkelwagen|koszyk|sepet/i
/** Forms that people fill in for their own sake. */
const NO_LEAD = /job|career|applicat|onboard|karriere|bewerb/i

export const optionalPhone: ProposalRule = {
  ruleId: 'optional-phone',
  why: 'Each field costs some visitors, and most of all the one that asks for a telephone number.',
  *find(context) {
    const { page, forms, ways } = context
    if (NO_LEAD.test(page.path)) return
    for (const form of forms) {
      const { purpose, fields, heading } = form
      const goal = LEADS.find((one) => one === purpose)
      if (goal === undefined || isDeadForm(form, context) || fields.length < 3 || fields.length > MAX_FIELDS)
        continue
      // A shop asks for the number at sign-up, because it delivers.
      if (goal === 'sign up' && ways.some(({ to }) => SELLS.test(to))) continue
      // Without another way to answer, the number is what the form is for.
      if (!fields.some(({ kind }) => kind === 'email')) continue
      const field =
        fields.find(({ kind }) => kind === 'phone') ?? fields.find(({ kind }) => kind === 'company')
      if (
        field === undefined ||
        isTrap(field.element) ||
        !/\p{L}{3}/u.test(field.label) ||
        !mayBeLeftOut(field, form, context)
      )
        continue
      const said = quoted(field.label.replace(/\s*[*:]+\s*$|\s*\([^()]*\)$/g, ''))
      const isLeftOut = !field.isRequired && isRemovable(field, form, context)
      const made = field.isRequired ? madeOptional(field, context) : null
      const changes = isLeftOut ? [remove(field.wrapper)] : made?.changes
      if (changes === undefined) continue
      yield {
        mechanism: 'friction',
        name: isLeftOut
          ? `Stop asking for ${said} ${FORM_NAMED[goal]}`
          : `Make ${said} optional ${FORM_NAMED[goal]}`,
        anchor: `field "${field.label}"`,
        topics: [heading, form.submitLabel, goal, 'form', field.label],
        displayName: isLeftOut ? `Without ${said}` : `${said} is optional`,
        changes,
        says: made?.says ?? null,
        change: isLeftOut
          ? `the form does not ask for ${said}`
          : `the form says that ${said} may be left out`,
        goal,
        because:
          'many people leave a form rather than tell more than they want to somebody they do not know yet',
        effect: 3,
      }
    }
  },
}

/** A field that may stay empty, of which nothing stays behind. */
function isRemovable(field: FormField, { fields }: Form, { page, lexicon }: PageContext): boolean {
  const { element, wrapper, label, labelElement } = field
  return (
    fields.length > 3 &&
    fields.some(({ isRequired }) => isRequired) &&
    !lexicon.isMarkedRequired.test(label) &&
    (labelElement === null || isInside(labelElement, wrapper)) &&
    !isInCode(wrapper) &&
    (page.dialect === 'html' || IS_BOUND.test(page.text.slice(element.start, element.end)))
  )
}
