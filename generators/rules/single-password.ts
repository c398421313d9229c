// Evidence: Formisimo's test of one password field instead of two raised completed sign-ups by 56 %; Nielsen
// Norman Group and GOV.UK advise against the second field. Admitted because the page alone shows both fields
// and what they are compared with. Refused if other code reads the second one.
import { type PageChange, remove } from '../page/edits.js'
import { type Form, type FormField, isAlwaysShown } from '../page/forms.js'
import { isInside, type PageTree } from '../page/tree.js'
import { quoted } from './place-words.js'
import type { ProposalRule } from './rule.js'

/** `onChange={(e) => setPassword(e.target.value)}`, and nothing else that happens there. */
const SETS = /onChange=\{\(?(\w+)\)?\s*=>\s*(set\w+)\(\1\.(?:current)?[tT]arget\.value\)\}/

/** Lets the first field set the state of both, so that the code that compares them still works. */
function fillsBoth(page: PageTree, first: FormField, second: FormField): PageChange | null {
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

function changesFor(page: PageTree, first: FormField, second: FormField): PageChange[] | null {
  const { labelElement, wrapper, element } = second
  const isWhole = labelElement === null ? wrapper === element : isInside(labelElement, wrapper)
  if (!isWhole || !isAlwaysShown(element)) return null
  const change = fillsBoth(page, first, second)
  return change === null ? null : [change, remove(wrapper)]
}

const passwordsOf = ({ fields }: Form): FormField[] => fields.filter(({ kind }) => kind === 'password')

export const singlePassword: ProposalRule = {
  ruleId: 'single-password',
  why: 'The second password field is the one in which most sign-up forms fail.',
  *find({ page, forms, lexicon, resetsPasswords }) {
    // A slip would lock a new customer out.
    if (!resetsPasswords) return
    for (const form of forms) {
      const [first, second, ...more] = passwordsOf(form)
      if (form.purpose !== 'sign up' || first === undefined || second === undefined || more.length > 0)
        continue
      const repeats = `${second.label} ${second.names.join(' ')}`
      if (!lexicon.repeats.test(repeats) && !/confirm|repeat|again|2$/i.test(repeats)) continue
      const changes = changesFor(page, first, second)
      if (changes === null) continue
      yield {
        mechanism: 'friction',
        name: 'Ask for the password once at sign-up',
        anchor: `field "${second.label}"`,
        topics: [form.heading, form.submitLabel, 'sign up', 'form', second.label, 'password'],
        displayName: `Without ${quoted(second.label)}`,
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
