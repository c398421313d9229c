// Evidence: a required telephone number is the field that visitors refuse most often (WPForms and HubSpot
// surveys: 37 % leave); making it optional doubled completion in Kissmetrics' test. Of other fields Baymard
// found that forms which mark only the required ones are filled in with more errors and given up more often.
// Admitted because one file shows the fields, and at most one other whether anything insists on them.
import { type PageChange, reword, rewordAttribute } from '../page/edits.js'
import type { Form, FormField } from '../page/forms.js'
import { attribute, type PageElement, textsIn } from '../page/tree.js'
import { fieldSaid, formNamed, topicsOf } from './form-words.js'
import type { PageContext, ProposalRule } from './rule.js'

/** Libraries that validate by rules which may stand elsewhere. */
const VALIDATES =
  /\buseForm\b|<Formik\b|useFormik|zodResolver|yupResolver|vee-validate|superForm|:rules=|vuelidate/

/** Whether the form is accepted without the field, as far as the code shows it. */
function mayBeLeftOut(field: FormField, form: Form, { handlers, page }: PageContext): boolean {
  const handler = handlers.get(form)
  if (handler !== undefined) return !handler.mayRequire(field)
  if (field.isRequired || !form.fields.some(({ isRequired }) => isRequired)) return false
  // The page insists on other fields and not on this one: then nothing is said against leaving it out.
  const { start, end } = field.element
  if (/required/i.test(page.text.slice(start, end)) || VALIDATES.test(page.text)) return false
  return !field.names.some((name) =>
    new RegExp(
      `![\\w.]*\\b${name.replace(/\W/g, '.')}\\b|\\b${name.replace(/\W/g, '.')}\\b[^\\n]{0,30}(required|trim\\()`,
    ).test(page.text),
  )
}

function changesFor(field: FormField, context: PageContext): { changes: PageChange[]; says: string } | null {
  const { page } = context
  const required = attribute(field.element, 'required')
  const label = labelled(field, context)
  if (label === null || required === undefined)
    return label === null ? null : { changes: [label.change], says: label.says }
  // A field that is no longer required is written anew as a whole, with its label.
  const unit: PageElement = field.wrapper
  const start = required.start - (/\s/.test(page.text[required.start - 1] ?? '') ? 1 : 0)
  return {
    says: label.says,
    changes: [
      { ...label.change, unit },
      { start, end: required.end, text: '', unit },
    ],
  }
}

/** The label, or the placeholder of a field without one, with "(optional)" behind it. */
function labelled(
  { labelElement, element }: FormField,
  { page, lexicon }: PageContext,
): { change: PageChange; says: string } | null {
  const optional = (words: string): string => `${words.replace(/\s*[*:]+\s*$/, '')} (${lexicon.optional})`
  if (labelElement === null) {
    const placeholder = attribute(element, 'label') ?? attribute(element, 'placeholder')
    if (placeholder === undefined || (placeholder.value ?? '') === '') return null
    const says = optional(placeholder.value ?? '')
    const change = rewordAttribute(element, placeholder, says)
    return change === null ? null : { change, says }
  }
  const text = textsIn(labelElement)[0]
  if (text === undefined || text.key !== undefined) return null
  const says = optional(text.value)
  const change = reword(page, text, says)
  return change === null ? null : { change, says }
}

const MAY_BE_OPTIONAL: ReadonlySet<FormField['kind']> = new Set(['phone', 'company'])

/** Fields that may be left out and do not say so. Of those that are required only the telephone number. */
function unmarked(form: Form, context: PageContext): FormField[] {
  const { lexicon } = context
  return form.fields.filter((field) => {
    const said = `${field.label} ${field.element.attributes.map(({ value }) => value ?? '').join(' ')}`
    if (!MAY_BE_OPTIONAL.has(field.kind) || field.label === '' || lexicon.isMarkedOptional.test(said))
      return false
    if (field.kind !== 'phone' && (field.isRequired || lexicon.isMarkedRequired.test(field.label)))
      return false
    if (!field.isRequired && lexicon.isMarkedRequired.test(field.label)) return false
    if (field.kind !== 'phone' && !/^(text|tel|)$/.test(attribute(field.element, 'type')?.value ?? ''))
      return false
    // Without another way to answer, the number is what the form is for.
    if (field.kind === 'phone' && !form.fields.some(({ kind }) => kind === 'email')) return false
    return mayBeLeftOut(field, form, context)
  })
}

export const optionalPhone: ProposalRule = {
  ruleId: 'optional-phone',
  why: 'Visitors who do not know that a field may be left out leave the form instead, most often at the telephone number.',
  *find(context) {
    for (const form of context.forms) {
      const { purpose } = form
      if (purpose === 'purchase' || purpose === 'search' || form.fields.length < 3) continue
      const fields = unmarked(form, context).filter(({ kind }) => kind !== 'phone' || purpose !== 'booking')
      const phone = fields.find(({ kind }) => kind === 'phone')
      // A form without a name may ask for something to work on, as the product that a shop adds.
      const meant = phone !== undefined ? [phone] : purpose === null ? [] : fields
      const made = meant.map((field) => changesFor(field, context))
      const [first] = meant
      const known = made.flatMap((one) => one ?? [])
      if (first === undefined || known.length < meant.length || meant.length > 4) continue
      const said = meant.map(fieldSaid).join(' and ')
      const are = meant.length === 1 ? 'is' : 'are'
      yield {
        mechanism: 'friction',
        name: first.isRequired
          ? `Make ${said} optional ${formNamed(form)}`
          : `Say that ${said} ${are} optional ${formNamed(form)}`,
        anchor: `field "${first.label}"`,
        topics: [...topicsOf(form), ...meant.map(({ label }) => label)],
        displayName: `${said} ${are} optional`,
        changes: known.flatMap(({ changes }) => changes),
        says: known[0]?.says ?? null,
        change: `the form says that ${said} may be left out`,
        goal: purpose ?? 'send',
        because:
          phone === undefined
            ? 'people give up a form if they believe that they have to know or tell more than they want'
            : 'many people leave a form rather than give their number to somebody they do not know yet',
        effect: phone === undefined ? 2 : 3,
      }
    }
  },
}
