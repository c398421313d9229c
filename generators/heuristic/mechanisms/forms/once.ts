import type { Idea, View } from '../../idea.js'
import { above, type Element, elementsIn, given } from '../../markup/tree.js'
import { anchorOf, type Form, isButton, isField, isPassword, namesOf } from '../../surface.js'
import { withoutRemarks } from '../choice/state.js'
import { countOf, goalOfForm, theForm } from './called.js'
import { removalsOf } from './removal.js'

const AGAIN =
  /confirm|repeat|again|re-?(enter|type)|password_?2|pass_?2|wiederhol|bestätig|best[aä]etig|répét|repet|encore/i
const MODEL = /\bv-model(?:\.\w+)*="([\w.]+)"|\bbind:value=\{([\w.]+)\}|\bvalue=\{([\w.]+)\}/

const CHANGES =
  /(^|[/_.\s-])(account|settings?|profile|dashboard|reset|forgot|change|update)|(new|old|current)_?-?pass/i
const MODELS = /(?:v-model|bind:value=|value=)[^\s>]*/g

/**
 * A password to be typed twice, where the second is only compared with the first by the page's own code and never sent: it is asked for once, and the comparison goes with
 * the field. Not where a library or a server compares.
 */
export function* once(view: View): Generator<Idea> {
  for (const form of view.forms) yield* passwordOnce(view, form)
}

function* passwordOnce({ page }: View, form: Form): Generator<Idea> {
  const [, second, ...more] = form.fields.filter(isPassword)
  if (form.purpose !== 'sign up' || second === undefined || more.length > 0) return
  // Whoever changes a password is signed in, and locked out by a slip.
  if (
    CHANGES.test(
      `${page.path} ${form.fields.map(namesOf).join(' ')} ${page.text.slice(form.element.start, form.element.end).match(MODELS)?.join(' ') ?? ''}`,
    )
  )
    return
  const own = page.text.slice(second.start, second.end)
  const model = MODEL.exec(own)
    ?.slice(1)
    .find((one) => one !== undefined)
  if (model === undefined || !AGAIN.test(`${namesOf(second)} ${model}`)) return
  const code = withoutRemarks(page)
  const rest = code.slice(0, second.start) + ' '.repeat(second.end - second.start) + code.slice(second.end)
  const word = `(?<![\\w.'"])${model.replaceAll('.', '\\.')}(?:\\.value)?(?![\\w'"])`
  const uses = [...rest.matchAll(new RegExp(word, 'g'))]
  const compared = new RegExp(
    `\\bif\\s*\\(\\s*((?:[\\w.]+\\s*!==?\\s*${word})|(?:${word}\\s*!==?\\s*[\\w.]+))\\s*\\)`,
  ).exec(rest)
  const made = new RegExp(`\\b(?:const|let)\\s+(?:\\[\\s*${model}\\b|${model}\\b)`).test(rest) ? 1 : 0
  const test = compared?.[1]
  // One place makes it and one compares it; anything else may send it.
  if (compared === null || test === undefined || made === 0 || uses.length !== 2) return
  const start = compared.index + compared[0].indexOf(test)
  const place = { start, end: start + test.length }
  const removed = removalsOf(page, form, [{ field: second, shown: aloneWith(second, form), isRead: false }])
  if (removed === null) return
  yield {
    mechanism: 'friction',
    pattern: 'password-once',
    name: `Ask for the password once in ${theForm(form, page.path)}`,
    anchor: anchorOf(form.element, `${countOf(form)} fields, password twice`),
    topics: ['form', 'password', 'sign up', form.heading],
    arms: [
      {
        name: 'Password once',
        changes: [...removed, { ...place, text: 'false', unit: { ...place, parent: null } }],
        says: null,
      },
    ],
    audience: 'visitors who make an account',
    change: 'asking for the password once, without the second field that only the page itself compares,',
    because:
      'what is typed blindly twice is mistyped twice as often, and who mistypes once can set it anew (check that this is offered)',
    goal: goalOfForm(form),
    effect: 3,
  }
}

/** A field with all that is there for it alone: its label, and what shows what is typed. */
function aloneWith(field: Element, { element }: Form): Element {
  let shell = field
  for (const outer of above(field)) {
    const inner = elementsIn(outer)
    const hasOthers = inner.some((one) => isField(one) && one !== field)
    const sends = inner.some((one) => isButton(one) && given(one, 'type') !== 'button')
    if (outer === element || hasOthers || sends || /^(#code)?$/.test(outer.tag)) break
    shell = outer
  }
  return shell
}
