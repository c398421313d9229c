import { type Change, insertAt, reword } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import {
  above,
  attribute,
  type Element,
  elementsIn,
  given,
  has,
  type Page,
  wordsIn,
} from '../../markup/tree.js'
import {
  anchorOf,
  classOf,
  classWord,
  type Form,
  isField,
  isPassword,
  labelOf,
  lineBreakBefore,
  namesOf,
} from '../../surface.js'
import { AT_LEAST, OPTIONAL } from '../../words/phrases.js'
import { countOf, goalOfForm, theForm } from './called.js'

export function* friction(view: View): Generator<Idea> {
  for (const form of view.forms) {
    if (form.purpose === 'search') continue
    yield* visibleLabels(view, form)
    yield* filledByBrowser(view, form)
    yield* passwordRule(view, form)
    yield* markOptional(view, form)
  }
}

/** What a placeholder says, and how a label says the same: as text, or by the same key. */
function placeholderOf(page: Page, field: Element): { words: string; shown: string } | null {
  const own = attribute(field, 'placeholder') ?? attribute(field, ':placeholder')
  const words = own?.value?.replace(/[.…*:\s]+$/, '') ?? ''
  if (own === undefined || words === '') return null
  if (own.text?.key === undefined) return { words, shown: words }
  const code = /^:?[\w-]+=(?:\{([^{}]+)\}|"([^"{}]+)")$/.exec(page.text.slice(own.start, own.end))
  const expression = code?.[1] ?? code?.[2]
  if (expression === undefined) return null
  return { words, shown: page.dialect === 'vue' ? `{{ ${expression} }}` : `{${expression}}` }
}

/** Whether a label stands with a field in what holds no other, though nothing ties the two. */
function isLabelledBeside(field: Element, form: Element): boolean {
  const shells = [...above(field)]
  const beyond = shells.findIndex((one) => one === form || elementsIn(one).filter(isField).length > 1)
  const row = beyond === -1 ? [] : (shells[beyond]?.children ?? [])
  const at = row.findIndex((one) => one === field || (one.kind === 'element' && shells.includes(one)))
  const before = row.slice(0, at).findLast((one) => one.kind === 'element')
  return (
    shells.slice(0, beyond).some((one) => elementsIn(one).some(isLabel)) ||
    (before?.kind === 'element' && isLabel(before))
  )
}
const isLabel = ({ name }: Element): boolean => /label$/.test(name)

/**
 * Fields that are named by their placeholder alone, which is gone when one types: the placeholder's own words become labels. Only plain inputs, so that the label
 * belongs to its field; not for one field alone, nor where some have labels already.
 */
function* visibleLabels({ page, site }: View, form: Form): Generator<Idea> {
  const { fields, element } = form
  // How labels look is the site's own to say; where it has none, nobody knows.
  const style = labelStyle(page) ?? site?.labelStyle ?? null
  if (style === null || isBoxed(element)) return
  if (
    fields.length < 2 ||
    form.purpose === 'sign in' ||
    // Where a field is one of a group, a label would stand in the middle of it.
    fields.some((field) =>
      [...above(field)].some((one) => /(^|\s)input-group/.test(given(one, 'class') ?? '')),
    ) ||
    /(^|[/_.-])(account|settings|profile|admin)/i.test(page.path)
  )
    return
  const labels = [...elementsIn(element)].filter(({ tag }) => tag.toLowerCase() === 'label')
  const changes: Change[] = []
  const said: string[] = []
  for (const field of fields) {
    const id = given(field, 'id')
    const isNamed =
      labels.some((label) => id !== null && given(label, 'for') === id) ||
      [...above(field)].some(({ tag }) => tag.toLowerCase() === 'label') ||
      isLabelledBeside(field, element) ||
      has(field, 'label')
    if (isNamed) return
    const placeholder = placeholderOf(page, field)
    if (placeholder === null || !/^(input|textarea|select)$/.test(field.tag)) continue
    const { words, shown } = placeholder
    // An example of a value names nothing.
    if (words.length > 40 || /[<>{}&@\d"]/.test(words) || /\b(e\.g\.|z\. ?b\.|ex\.|p\. ?ej)/i.test(words))
      continue
    if (/^(your|enter|type|write|ihre?|votre|tu)\b.{0,60}(here|below|hier|ici|aquí)$/i.test(words)) continue
    const own = attribute(field, 'placeholder') ?? attribute(field, ':placeholder')
    const tied =
      id !== null && id !== '' ? id : has(field, 'id') || has(field, ':id') ? null : given(field, 'name')
    if (own === undefined || tied === null || !/^[\w-]+$/.test(tied) || isTaken(page, field, tied)) continue
    const name = page.dialect === 'jsx' ? 'htmlFor' : 'for'
    const className = style === '' ? '' : ` ${classWord(page)}="${style}"`
    changes.push(
      insertAt(
        field.start,
        `<label ${name}="${tied}"${className}>${shown}</label>${lineBreakBefore(page, field)}`,
        field,
      ),
      // Said by the label, it need not be said twice.
      { start: own.start, end: own.end, text: id === tied ? '' : `id="${tied}"`, unit: field },
    )
    said.push(words)
  }
  if (said.length < 2 || said.length < fields.length) return
  yield {
    mechanism: 'friction',
    pattern: 'visible-labels',
    name: `Keep field names in sight in ${theForm(form, page.path)}`,
    anchor: anchorOf(element, said.join(', ')),
    topics: ['form', 'label', form.purpose ?? '', form.heading],
    arms: [{ name: 'Labels above the fields', changes, says: null }],
    audience: `visitors who fill in ${theForm(form, page.path)}`,
    change: `naming its ${countOf(form)} fields by labels above them and not by placeholders alone (${said.slice(0, 4).join(', ')})`,
    because: 'a placeholder is gone as soon as one types, so that mistakes are harder to see and to mend',
    goal: goalOfForm(form),
    effect: 1,
  }
}

/** The classes of a page's labels, `''` where they have none, `null` where there is no label. */
export function labelStyle({ root }: Page): string | null {
  const first = elementsIn(root).find(
    ({ tag, parent }) =>
      tag === 'label' && parent !== null && !/check|radio|switch/i.test(given(parent, 'class') ?? ''),
  )
  return first === undefined ? null : (classOf(first) ?? (has(first, 'class') ? null : ''))
}

/** Whether a form stands in a box of a fixed height, which more lines would not fit in. */
const isBoxed = (form: Element): boolean =>
  [form, ...above(form)].some((one) =>
    /(^|\s)(fixed|h-screen|h-full|h-dvh|overflow-hidden|max-h-\S+)(\s|$)/.test(given(one, 'class') ?? ''),
  )

const isTaken = ({ root }: Page, field: Element, id: string): boolean =>
  elementsIn(root).some((one) => one !== field && given(one, 'id') === id)

/** Names of fields by what browsers and phones fill in by themselves; new passwords and codes are not among them. */
const KNOWN: readonly { is: RegExp; autocomplete: string; type?: string }[] = [
  { is: /e-?mail|courriel|correo/, autocomplete: 'email', type: 'email' },
  { is: /first.?name|given.?name|vorname|prénom|\bprenom/, autocomplete: 'given-name' },
  { is: /last.?name|family.?name|surname|nachname|apellido/, autocomplete: 'family-name' },
  { is: /phone|\btel\b|mobile|telefon|téléphone|teléfono/, autocomplete: 'tel', type: 'tel' },
  { is: /\bzip|postal|postleitzahl|\bplz\b|code.postal/, autocomplete: 'postal-code' },
  {
    is: /\b(street|street.?address|address.?(line.?)?1)\b|^address\b|stra(ß|ss)e|\badresse\b|dirección/,
    autocomplete: 'address-line1',
  },
  { is: /\bcountry\b|\bland\b|\bpays\b|\bpaís\b/, autocomplete: 'country-name' },
  { is: /\bcity\b|\bstadt\b|\bville\b|\bciudad\b/, autocomplete: 'address-level2' },
]

/** Inputs, and components that are known to hand on what they do not know. */
const PASSES_ON = /^(input|Input|TextField|Form\.Control|TextInput|v-text-field)$/

/**
 * Fields of a person that browsers could fill in, had they been told what they are. Writes no text. Not in sign-in, where browsers know it, nor where
 * the code works the attributes out or has said `autocomplete` in any field: somebody has decided then.
 */
function* filledByBrowser({ page }: View, form: Form): Generator<Idea> {
  const { fields, element, purpose } = form
  if (!['sign up', 'checkout'].includes(purpose ?? '')) return
  if (has(element, 'autocomplete') || fields.some((field) => has(field, 'autocomplete'))) return
  const changes: Change[] = []
  const filled: string[] = []
  for (const field of fields) {
    if (!PASSES_ON.test(field.tag) || isPassword(field)) continue
    const type = attribute(field, 'type')
    if (type?.value === null || page.text.slice(field.start, field.end).includes('{...')) continue
    const known = KNOWN.find(({ is }) => is.test(namesOf(field)))
    if (known === undefined || filled.includes(known.autocomplete)) continue
    const name = page.dialect === 'jsx' ? 'autoComplete' : 'autocomplete'
    const wrongType =
      field.tag === 'input' && known.type !== undefined && type?.own != null && type.value === 'text'
    if (wrongType && type?.own != null) changes.push({ ...type.own, text: known.type ?? '', unit: field })
    const at = field.start + 1 + field.tag.length
    changes.push(insertAt(at, ` ${name}="${known.autocomplete}"`, field))
    filled.push(known.autocomplete)
  }
  if (filled.length < 2) return
  yield {
    mechanism: 'friction',
    pattern: 'autofill',
    name: `Let browsers fill in ${theForm(form, page.path)}`,
    anchor: anchorOf(element, `${filled.join(', ')}`),
    topics: ['form', 'autofill', purpose ?? '', form.heading],
    arms: [{ name: 'Fields say what they are', changes, says: null }],
    audience: `visitors who fill in ${theForm(form, page.path)}, on phones above all`,
    change: `telling browsers what ${filled.length} of its fields are (${filled.join(', ')}), so that they offer to fill them in`,
    because: 'what need not be typed is neither mistyped nor a reason to stop',
    goal: goalOfForm(form),
    effect: 1,
  }
}

/** A rule that the field enforces and nobody reads before it is broken: it is said below the field, with the code's own figure. */
function* passwordRule({ page, language }: View, form: Form): Generator<Idea> {
  if (language === null || page.isTranslated === true) return
  if (form.purpose !== 'sign up' && form.purpose !== 'profile') return
  const field = form.fields.find((one) => isPassword(one) && Number(given(one, 'minlength')) > 1)
  if (field === undefined || field.tag !== 'input') return
  const least = Number(given(field, 'minlength'))
  if (!Number.isInteger(least) || least > 64 || has(field, 'aria-describedby')) return
  if (new RegExp(`\\b${least}\\b`).test(`${wordsIn(form.element)} ${namesOf(field)}`)) return
  const says = AT_LEAST[language](least)
  const id = given(field, 'id') ?? given(field, 'name')
  if (id === null || !/^[\w-]+$/.test(id)) return
  const hint = `<small id="${id}-rule">${says}</small>`
  const changes = [
    insertAt(field.start + '<input'.length, ` aria-describedby="${id}-rule"`, field),
    insertAt(field.end, lineBreakBefore(page, field) + hint, field),
  ]
  yield {
    mechanism: 'friction',
    pattern: 'password-rule',
    name: 'Say the password rule before it is broken',
    anchor: anchorOf(field),
    topics: ['form', 'password', form.purpose, form.heading],
    arms: [{ name: says, changes, says }],
    audience: `visitors who choose a password`,
    change: `saying “${says}” below the field, which the form enforces without a word`,
    because: 'a rule that is known beforehand costs no second try',
    goal: goalOfForm(form),
    effect: 1,
  }
}

/**
 * Fields that may be left empty, in a form that enforces others and does not say which: their labels say so. Not where any label has a star or the word
 * already, nor where most fields are optional.
 */
function* markOptional({ page, language }: View, form: Form): Generator<Idea> {
  if (language === null) return
  const { fields, element } = form
  const required = fields.filter((field) => has(field, 'required'))
  const free = fields.filter(
    (field) =>
      !has(field, 'required') &&
      !has(field, ':required') &&
      !has(field, 'readonly') &&
      !has(field, 'disabled'),
  )
  // What has a value from the start is never empty.
  if (free.some((field) => /select$/i.test(field.tag) || has(field, 'value') || has(field, ':value'))) return
  if (
    required.length < 2 ||
    free.length === 0 ||
    free.length > 3 ||
    free.length + required.length < fields.length
  )
    return
  const labels = [...elementsIn(element)].filter(({ tag }) => /^label$/i.test(tag))
  if (labels.some((label) => /\*|option|requi|pflicht|facultati|obligat|opcional/i.test(wordsIn(label))))
    return
  const changes: Change[] = []
  const said: string[] = []
  for (const field of free) {
    const id = given(field, 'id')
    const label = labels.find((one) => id !== null && given(one, 'for') === id)
    const text = label === undefined ? null : labelOf(label)
    const change =
      text === null ? null : reword(page, text, `${text.value.replace(/\s*:$/, '')} (${OPTIONAL[language]})`)
    if (text === null || change === null) return
    changes.push(change)
    said.push(text.value)
  }
  yield {
    mechanism: 'friction',
    pattern: 'mark-optional',
    name: `Say which fields may be left empty: ${said.join(', ')}`,
    anchor: anchorOf(element, said.join(', ')),
    topics: ['form', 'optional', form.purpose ?? '', form.heading, ...said],
    arms: [
      {
        name: `(${OPTIONAL[language]})`,
        changes,
        says: said.map((one) => `${one} ${OPTIONAL[language]}`).join(' '),
      },
    ],
    audience: `visitors who fill in ${theForm(form, page.path)}`,
    change: `marking ${said.join(', ')} as ${OPTIONAL[language]}, which the form does not enforce and does not say`,
    because: 'who takes every field for required gives up sooner',
    goal: goalOfForm(form),
    effect: 1,
  }
}
