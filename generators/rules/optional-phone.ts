// Evidence: a required telephone number is the field that visitors refuse most often (WPForms and HubSpot
// surveys: 37 % leave); making it optional doubled completion in Kissmetrics' test. Admitted because one file
// shows the field, and at most one other whether anything insists on it. Refused if it does.
import { type PageChange, reword, rewordAttribute } from '../page/edits.js'
import { type Form, type FormField, isAlwaysShown } from '../page/forms.js'
import { attribute, type PageElement, textsIn } from '../page/tree.js'
import { fieldSaid, formNamed, topicsOf } from './form-words.js'
import type { PageContext, ProposalRule } from './rule.js'

/** Whether the form is accepted without the field, as far as the code shows it. */
function mayBeLeftOut(field: FormField, form: Form, { handlers }: PageContext): boolean {
  const handler = handlers.get(form)
  if (handler !== undefined) return !handler.mayRequire(field)
  // The page insists on other fields and not on this one: then nothing is said against leaving it out.
  return !field.isRequired && form.fields.some(({ isRequired }) => isRequired)
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
    const placeholder = attribute(element, 'placeholder')
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

export const optionalPhone: ProposalRule = {
  ruleId: 'optional-phone',
  why: 'The telephone number is the field that visitors refuse most often. Those who want to be called still give it.',
  *find(context) {
    const { lexicon } = context
    for (const form of context.forms) {
      if (form.purpose === null || form.purpose === 'booking' || form.purpose === 'purchase') continue
      for (const field of form.fields) {
        if (field.kind !== 'phone' || !isAlwaysShown(field.element)) continue
        if (
          lexicon.isMarkedOptional.test(
            `${field.label} ${field.element.attributes.map(({ value }) => value ?? '').join(' ')}`,
          )
        )
          continue
        if (!field.isRequired && lexicon.isMarkedRequired.test(field.label)) continue
        // Without another way to answer, the number is what the form is for.
        if (!form.fields.some(({ kind }) => kind === 'email')) continue
        if (!mayBeLeftOut(field, form, context)) continue
        const made = changesFor(field, context)
        if (made === null) continue
        yield {
          mechanism: 'friction',
          name: field.isRequired
            ? `Make ${fieldSaid(field)} optional ${formNamed(form)}`
            : `Say that ${fieldSaid(field)} is optional ${formNamed(form)}`,
          anchor: `field "${field.label}"`,
          topics: [...topicsOf(form), field.label],
          displayName: `${fieldSaid(field)} is optional`,
          changes: made.changes,
          says: made.says,
          change: `the form says that ${fieldSaid(field)} may be left out`,
          goal: form.purpose,
          because: 'many people leave a form rather than give their number to somebody they do not know yet',
          effect: 3,
        }
      }
    }
  },
}
