// Evidence: Formisimo's test of one password field instead of two raised completed sign-ups by 56 %; Nielsen
// Norman Group and GOV.UK advise against the second field. Admitted because the page alone shows both fields
// and what they are compared with. Refused if code that stands elsewhere reads the second one.
import { type PageChange, remove } from '../page/edits.js'
import { type Form, type FormField, isAlwaysShown } from '../page/forms.js'
import type { PageTree } from '../page/tree.js'
import { fieldSaid, formNamed, topicsOf } from './form-words.js'
import type { PageContext, ProposalRule } from './rule.js'

/** `onChange={(e) => setPassword(e.target.value)}`, and nothing else that happens there. */
const SETS = /onChange=\{\(?(\w+)\)?\s*=>\s*(set\w+)\(\1\.(?:current)?[tT]arget\.value\)\}/

/** Lets the first field set the state of both, so that the code that compares them still works. */
function fillsBoth(page: PageTree, first: FormField, second: FormField): PageChange | null {
  if (page.dialect !== 'jsx') return null
  const own = page.text.slice(first.element.start, first.element.end)
  const [whole = '', event, setFirst] = SETS.exec(own) ?? []
  const [, , setSecond] = SETS.exec(page.text.slice(second.element.start, second.element.end)) ?? []
  if (event === undefined || setSecond === undefined || setFirst === setSecond) return null
  const start = first.element.start + own.indexOf(whole)
  return {
    start,
    end: start + whole.length,
    text: `onChange={(${event}) => { ${setFirst}(${event}.target.value); ${setSecond}(${event}.target.value) }}`,
    unit: first.element,
  }
}

function changesFor(
  form: Form,
  first: FormField,
  second: FormField,
  { page, handlers }: PageContext,
): PageChange[] | null {
  const handler = handlers.get(form)
  if (handler?.reads(second) === false) return [remove(second.wrapper)]
  const both = fillsBoth(page, first, second)
  return both === null ? null : [both, remove(second.wrapper)]
}

export const singlePassword: ProposalRule = {
  ruleId: 'single-password',
  why: 'The second password field is the one in which most sign-up forms fail. Check that a forgotten password can be reset.',
  *find(context) {
    for (const form of context.forms) {
      const passwords = form.fields.filter(({ kind }) => kind === 'password')
      const [first, second] = passwords
      if (form.purpose !== 'sign up' || passwords.length !== 2 || first === undefined || second === undefined)
        continue
      const repeats = `${second.label} ${second.names.join(' ')}`
      if (!context.lexicon.repeats.test(repeats) && !/confirm|repeat|again|2$/i.test(repeats)) continue
      if (!isAlwaysShown(second.element)) continue
      const changes = changesFor(form, first, second, context)
      if (changes === null) continue
      yield {
        mechanism: 'friction',
        name: `Ask for the password once ${formNamed(form)}`,
        anchor: `field "${second.label}"`,
        topics: [...topicsOf(form), second.label, 'password'],
        displayName: `Without ${fieldSaid(second)}`,
        changes,
        says: null,
        change: 'new visitors type their password once',
        goal: 'sign up',
        because:
          'what is typed blindly twice is mistyped twice as often, and a browser offers to remember it anyway',
        effect: 3,
      }
    }
  },
}
