import type { Change } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, type Element, elementsIn, given, isShownWith } from '../../markup/tree.js'
import { anchorOf, isButton, isField, isPassword, namesOf } from '../../surface.js'

const AGAIN =
  /confirm|repeat|again|re-?type|re-?enter|verify|password_?2|bestätig|wiederhol|confirmer|repetir/i

/**
 * A form to sign up in which a password is typed twice: it is typed once. Writes no text. Only where the code compares the two in one place and does nothing else with the
 * second, so that the comparison can be left out with it.
 */
export function* typedOnce({ page, forms }: View): Generator<Idea> {
  const form = forms.find(({ purpose }) => purpose === 'sign up')
  const passwords = form?.fields.filter(isPassword) ?? []
  const again = passwords.find((one) => AGAIN.test(namesOf(one)) || AGAIN.test(shownValue(page, one)))
  if (/(^|[/_.-])?(profile|account|settings|reset|change)/i.test(page.path)) return
  if (form === undefined || page.dialect !== 'jsx' || passwords.length !== 2 || again === undefined) return
  if (!isShownWith(again, form.fields[0] ?? again)) return
  const name = shownValue(page, again)
  const compared = [...page.text.matchAll(/\b([\w.]+)\s*!==?\s*([\w.]+)/g)].filter(
    ([, one, other]) => one === name || other === name,
  )
  const [only, ...more] = compared
  if (name === '' || only === undefined || more.length > 0) return
  // Where it is declared, shown and compared; whatever else is done with it needs it.
  if ((page.text.match(new RegExp(`(?<!["'\`])\\b${name}\\b(?!["'\`:])`, 'g'))?.length ?? 9) > 3) return
  const shell = shellOf(again, form.element)
  const place = { start: only.index, end: only.index + only[0].length }
  const comparison: Change = { ...place, text: 'false', unit: { ...place, parent: null } }
  yield {
    mechanism: 'friction',
    pattern: 'password-once',
    name: 'Ask for the new password once',
    anchor: anchorOf(again),
    topics: ['sign up', 'form', 'password', form.heading],
    arms: [
      {
        name: 'Without the second password',
        changes: [{ start: shell.start, end: shell.end, text: '', unit: shell }, comparison],
        says: null,
      },
    ],
    audience: 'visitors who have come to the sign up form',
    change: `asking for ${form.fields.length - 1} things in place of ${form.fields.length}: the password once, and not twice`,
    because:
      'what is typed blind twice is mistyped twice as often (watch how many ask for a new password afterwards)',
    goal: 'sign up',
    effect: 4,
  }
}

/** The name of the value that a field shows. */
const shownValue = (page: View['page'], field: Element): string => {
  const own = field.attributes.find(({ name }) => name === 'value')
  const set = field.attributes.find(({ name }) => name === 'onchange')
  const written = own === undefined ? '' : page.text.slice(own.start, own.end)
  const setter = set === undefined ? '' : page.text.slice(set.start, set.end)
  const shown = /^value=\{([\w.]+)\}$/.exec(written)?.[1]
  if (shown !== undefined) return shown
  const set2 = /\bset([A-Z]\w*)\(/.exec(setter)?.[1]
  return set2 === undefined ? '' : set2.charAt(0).toLowerCase() + set2.slice(1)
}

/** A field with its label and what is around the two alone. */
function shellOf(field: Element, form: Element): Element {
  let shell = field
  for (const outer of above(field)) {
    if (outer === form || /^(#code|)$/.test(outer.tag) || given(outer, 'onsubmit') !== null) break
    const inner = elementsIn(outer)
    if (inner.filter(isField).length > 1 || inner.some(isButton)) break
    shell = outer
  }
  return shell
}
