// Evidence: Expedia earned 12 million dollars a year by dropping "Company" from its payment form; Baymard
// counts 11.3 fields on average where 8 would do. Admitted because the page and the file that receives its
// form show that the value goes nowhere. Refused if that code takes all fields or cannot be found.
import { remove } from '../page/edits.js'
import { type Form, type FormField, isAlwaysShown } from '../page/forms.js'
import { fieldSaid, formNamed, topicsOf } from './form-words.js'
import type { PageContext, ProposalRule } from './rule.js'

/** Fields that people give reluctantly. E-mail, names, passwords and messages stay. */
const ASKED_TOO_MUCH: ReadonlySet<FormField['kind']> = new Set(['company', 'phone', 'other', 'choice'])
const IS_TEXT = /^(input|select|textarea)$/

function isNeedless(field: FormField, form: Form, { handlers }: PageContext): boolean {
  const handler = handlers.get(form)
  return (
    handler !== undefined &&
    ASKED_TOO_MUCH.has(field.kind) &&
    IS_TEXT.test(field.element.name) &&
    !/^(checkbox|radio)$/.test(typeOf(field)) &&
    field.names.length > 0 &&
    field.label !== '' &&
    isAlwaysShown(field.element) &&
    !handler.reads(field)
  )
}

const typeOf = ({ element }: FormField): string =>
  element.attributes.find(({ name }) => name === 'type')?.value ?? 'text'

export const removeUnreadField: ProposalRule = {
  ruleId: 'remove-unread-field',
  why: 'Shorter forms are completed more often, and nothing is lost: the code that receives the form does not read this field.',
  *find(context) {
    for (const form of context.forms) {
      if (form.purpose === null || form.purpose === 'search') continue
      const handler = context.handlers.get(form)
      const needless = form.fields.filter((field) => isNeedless(field, form, context))
      const [first] = needless
      // A form of which most is read nowhere is not received by the code that was found.
      if (handler === undefined || first === undefined || needless.length * 2 > form.fields.length) continue
      const said = needless.map(fieldSaid).join(' and ')
      yield {
        mechanism: 'friction',
        name: `Stop asking for ${said} ${formNamed(form)}`,
        anchor: `field "${first.label}"`,
        topics: [...topicsOf(form), ...needless.map(({ label }) => label)],
        displayName: `Without ${said}`,
        changes: needless.map(({ wrapper }) => remove(wrapper)),
        says: null,
        change: `the form no longer asks for ${said}`,
        goal: form.purpose,
        because: `each field costs some visitors, and ${handler.path} reads ${needless.length > 1 ? 'none of these' : 'this one nowhere'}`,
        effect: 4,
      }
    }
  },
}
