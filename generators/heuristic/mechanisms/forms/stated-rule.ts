import { insertAt } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, type Element, elementsIn, has, wordsIn } from '../../markup/tree.js'
import { anchorOf, bare, isButton, isField, isPassword, lineBreakBefore } from '../../surface.js'
import { languageOf } from '../../words/language.js'
import { smallLine } from '../evidence/repeat-beside.js'

/** What a check answers when a password is too short or too plain, as code has it: a string of its own. */
const ANSWERS =
  /(["'])((?:[^"'\\\n{}<>]|(?!\1)['"])*(?:password|passwort|kennwort|mot de passe|contraseña)(?:[^"'\\\n{}<>]|(?!\1)['"])*(?:at least|minimum|longer than|mindestens|au moins|al menos)(?:[^"'\\\n{}<>]|(?!\1)['"])*\d(?:[^"'\\\n{}<>]|(?!\1)['"])*)\1/giu

/**
 * A form to sign up whose check has a rule for passwords that nobody reads before it is broken: the answer stands below the field from the start, word for word. Not where
 * the form says a rule already, nor for many rules.
 */
export function* statedRule({ page, forms, language }: View): Generator<Idea> {
  const form = forms.find(({ purpose }) => purpose === 'sign up')
  const field = form?.fields.find(isPassword)
  if (form === undefined || field === undefined || language === null || page.isTranslated === true) return
  if (page.dialect === 'html' || has(field, 'minlength') || has(field, 'aria-describedby')) return
  if (/(^|[/_.-])(sign-?in|log-?in|profile|account|settings|reset|change)/i.test(page.path)) return
  const answers = [...new Set([...page.text.matchAll(ANSWERS)].map(([, , words = '']) => words.trim()))]
  const says = answers.map((one) => (answers.length > 1 ? one.replace(/[.!]?$/, '.') : one)).join(' ')
  if (answers.length === 0 || says.length > 140 || says.split(' ').length < 4) return
  if (
    elementsIn(page.root).some(({ attributes }) =>
      attributes.some(({ value }) => value !== null && answers.includes(value.trim())),
    )
  )
    return
  const own = languageOf(says, null, null)
  if ((own !== null && own !== language) || bare(wordsIn(page.root)).includes(bare(says))) return
  if (/\d.{0,20}(characters|zeichen|caract)/i.test(wordsIn(form.element))) return
  const place = aloneAround(field, form.element)
  yield {
    mechanism: 'friction',
    pattern: 'password-rule',
    name: `Say the password rule before it is broken: “${says}”`,
    anchor: anchorOf(field, 'password rule'),
    topics: ['form', 'password', 'sign up', form.heading],
    arms: [
      {
        name: 'Rule below the field',
        changes: [
          insertAt(place.end, (lineBreakBefore(page, place) || ' ') + smallLine(page, says, place), place),
        ],
        says,
      },
    ],
    audience: 'visitors who choose a password',
    change: `saying “${says}” below the field from the start, and not only once it is broken`,
    because: 'a rule that is known beforehand costs no second try',
    goal: 'sign up',
    effect: 1,
  }
}

/** A field with what is around it alone. */
function aloneAround(field: Element, form: Element): Element {
  let shell = field
  for (const outer of above(field)) {
    if (outer === form || !/^(div|label|p|li)$/.test(outer.tag)) break
    const inner = elementsIn(outer)
    if (inner.filter(isField).length > 1 || inner.some(isButton)) break
    shell = outer
  }
  return shell
}
