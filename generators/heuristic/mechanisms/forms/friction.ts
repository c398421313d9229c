import { type Change, insertAt, reword } from '../../edits.js'
import type { Arm, Idea, View } from '../../idea.js'
import {
  above,
  attribute,
  type Element,
  elementsIn,
  given,
  has,
  isInCode,
  isShownWith,
  type Page,
  wordsIn,
} from '../../markup/tree.js'
import {
  anchorOf,
  type Form,
  isButton,
  isField,
  isPassword,
  labelOf,
  lineBreakBefore,
  namesOf,
} from '../../surface.js'
import { AT_LEAST, OPTIONAL } from '../../words/phrases.js'

export function* friction(view: View): Generator<Idea> {
  for (const form of view.forms) {
    if (form.purpose === 'search') continue
    yield* visibleLabels(view, form)
    yield* filledByBrowser(view, form)
    yield* passwordRule(view, form)
    yield* markOptional(view, form)
    yield* askLess(view, form)
  }
}

const goalOf = ({ purpose }: Form): Idea['goal'] =>
  purpose === null ? 'send' : purpose === 'checkout' ? 'purchase' : purpose

/** As a sentence has it: what asks for a message is a contact form only where it says so. */
const theForm = ({ purpose, heading }: Form, path: string): string => {
  const isNamed = purpose !== null && (purpose !== 'contact' || /contact|kontakt/i.test(`${heading} ${path}`))
  if (isNamed) return `the ${purpose} form`
  // What is called out says that it has been sent.
  return heading === '' || heading.length > 40 || /[!?…]/.test(heading)
    ? 'this form'
    : `the “${heading}” form`
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
function* visibleLabels({ page }: View, form: Form): Generator<Idea> {
  const { fields, element } = form
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
    const name = page.dialect === 'jsx' ? 'htmlFor' : 'for'
    const gap = lineBreakBefore(page, field)
    if (id !== null && id !== '')
      changes.push(insertAt(field.start, `<label ${name}="${id}">${shown}</label>${gap}`, field))
    else if (!has(field, 'id') && !has(field, ':id'))
      changes.push(insertAt(field.start, `<label>${shown} `, field), insertAt(field.end, '</label>', field))
    else continue
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
    change: `naming its ${fields.length} fields by labels above them and not by placeholders alone (${said.slice(0, 4).join(', ')})`,
    because: 'a placeholder is gone as soon as one types, so that mistakes are harder to see and to mend',
    goal: goalOf(form),
    effect: 2,
  }
}

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
    goal: goalOf(form),
    effect: 2,
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
    goal: goalOf(form),
    effect: 2,
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
    goal: goalOf(form),
    effect: 2,
  }
}

/**
 * What forms ask for and can do without, where they do not insist on it, what people like least to give first; the phrase stands in names of variants. The second line
 * of an address is none: who needs it gets no parcel without.
 */
const SPARE: readonly { is: RegExp; name: string }[] = [
  { is: /phone|\btel\b|mobile|telefon|t[eé]l[eé]phone|tel[eé]fono/, name: 'phone number' },
  { is: /compan|organi[sz]ation|unternehmen|firma|soci[eé]t[eé]|entreprise|empresa/, name: 'company' },
  { is: /\bfax\b/, name: 'fax' },
  { is: /middle.?name|zweiter vorname/, name: 'middle name' },
  { is: /salutation|anrede|civilit[eé]|tratamiento/, name: 'form of address' },
  { is: /website|homepage|site.?web|p[aá]gina.?web/, name: 'website' },
  { is: /job.?title|position|\bfonction\b|cargo/, name: 'job title' },
  { is: /birth|geburt|naissance|nacimiento/, name: 'date of birth' },
  { is: /how.?did.?you|hear.?about|source/, name: 'how one heard of it' },
  { is: /\bsubject\b|betreff|\bobjet\b|asunto/, name: 'subject' },
]

/** What a field is called by the code: by its own name, that of what holds it, or where it is registered. */
function codeName(page: Page, field: Element): string | null {
  const held = [...above(field)].find((one) => FIELD_HOLDER.test(one.tag) && has(one, 'name'))
  const registered = /\bregister\(\s*["'](\w+)["']/.exec(page.text.slice(field.start, field.end))?.[1]
  return registered ?? given(field, 'name') ?? (held === undefined ? given(field, 'id') : given(held, 'name'))
}
const FIELD_HOLDER = /^(FormField|Form\.Field|Controller|FormItem|Form\.Item)$/

/** Whether a form insists on a field: by its own attribute, by what it is registered with, or by a schema in the file. `null` where that is not told. */
function insistsOn(page: Page, field: Element): boolean | null {
  if (has(field, 'required') || has(field, ':required')) return true
  const own = page.text.slice(field.start, field.end)
  if (/\bregister\(/.test(own)) return /register\([^)]*required/s.test(own)
  const name = codeName(page, field)
  if (name === null || !/^\w+$/.test(name)) return null
  const rule = new RegExp(
    `\\b${name}["']?\\s*:\\s*((?:z|zod|yup|Yup|v|Joi|joi)\\b\\.?[^\\n]*(?:\\n\\s*\\.[^\\n]*)*)`,
  ).exec(page.text)?.[1]
  if (rule === undefined) return null
  if (/^(z|zod|v)\b/.test(rule))
    return !/\.(optional|nullish|nullable|default)\(|literal\((''|"")\)|^v\.optional/.test(rule)
  return /\.required\(/.test(rule)
}

/** A form of the page alone that asks for nothing in particular: no field is required, and no code looks at what is in them. */
const insistsOnNothing = ({ page }: View, { element, fields }: Form): boolean =>
  page.dialect === 'html' &&
  !fields.some((field) =>
    field.attributes.some(({ name }) =>
      /^(required|data-.*(valid|required|rule).*|pattern|minlength)$/.test(name),
    ),
  ) &&
  !/valid|required/i.test(`${given(element, 'class') ?? ''} ${page.text.slice(element.start, element.end)}`)

/**
 * Fields that a form does not insist on and that what it is for does not need: the form without them. Only where others are required, so that the code
 * tells the two apart; not in forms that change what is stored, nor for fields that are shown only sometimes.
 */
function* askLess(view: View, form: Form): Generator<Idea> {
  const { fields, element, purpose } = form
  if (purpose !== 'sign up' && purpose !== 'checkout' && purpose !== 'contact') return
  const { page } = view
  // Few have another address for the invoice, and those need what stands on it.
  const about = `${form.heading} ${page.path}`.toLowerCase()
  if (purpose === 'checkout' && BILLING.test(about) && !SHIPPING.test(about)) return
  const tellsApart = fields.filter((field) => insistsOn(page, field) === true).length >= 2
  if (fields.length < 4 || !(tellsApart || (purpose === 'contact' && insistsOnNothing(view, form)))) return
  const unsorted = fields.flatMap((field) => {
    const isFree =
      insistsOn(page, field) !== true &&
      !['defaultvalue', 'disabled', 'readonly'].some((name) => has(field, name))
    const known = SPARE.find(({ is }) =>
      is.test(`${namesOf(field)} ${codeName(page, field) ?? ''}`.toLowerCase()),
    )
    const shown = holderOf(field) ?? field
    // Whoever answers has to know for whom.
    const isSpare = known !== undefined && !(purpose === 'contact' && known.name === 'company')
    const isThere = !isInCode(shown) || isShownWith(shown, fields[0] ?? shown)
    return isFree && isSpare && isThere && !isReadAsItIs(page, field)
      ? [{ field, name: known.name, rank: SPARE.indexOf(known) }]
      : []
  })
  const spare = unsorted.sort((a, b) => a.rank - b.rank)
  const [first] = spare
  if (first === undefined || spare.length > 3 || new Set(spare.map(({ name }) => name)).size < spare.length)
    return
  const names = spare.map(({ name }) => name)
  const removals = spare.map(({ field }) => removalOf(field, element))
  const all: Arm = { name: `Without ${listed(names)}`, changes: removals.flat(), says: null }
  const arms: Arm[] =
    spare.length === 1
      ? [all]
      : [{ name: `Without ${first.name}`, changes: removals[0] ?? [], says: null }, all]
  yield {
    mechanism: 'friction',
    pattern: 'ask-less',
    name: `Ask for less in ${theForm(form, page.path)}: without ${listed(names)}`,
    anchor: anchorOf(element, `${fields.length} fields, ${listed(names)}`),
    topics: ['form', 'fields', purpose, form.heading, ...names],
    arms,
    audience: `visitors who fill in ${theForm(form, page.path)}`,
    change: `not asking for ${listed(names)}, which the form does not require,`,
    because: 'each field less is a reason less to stop (check that nobody needs it afterwards)',
    goal: goalOf(form),
    effect: 4,
  }
}

/** Whether code of the page reads what is in a field as if it were there. */
function isReadAsItIs(page: Page, field: Element): boolean {
  const names = [codeName(page, field), given(field, 'id')].flatMap(
    (one) => one?.match(/^[\w-]+$/)?.[0] ?? [],
  )
  return names.some((name) =>
    new RegExp(
      `\\bget\\(\\s*["']${name}["']\\s*\\)(?!\\s*(as [\\w| ]+)?\\)?\\s*(\\|\\||\\?))|(getElementById\\(\\s*["']|querySelector\\(\\s*["'][^"']*[#=]["']?)${name}\\b|\\.${name}\\.(value|trim)\\b`,
    ).test(page.text),
  )
}

const BILLING = /billing|invoice|rechnung|facturation|factura/
const SHIPPING = /shipping|delivery|liefer|versand|livraison|env[ií]o/

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`

const holderOf = (field: Element): Element | undefined =>
  [...above(field)].find((one) => FIELD_HOLDER.test(one.tag) && has(one, 'name'))

/** A field with all that is there for it alone: its label, and what is around the two. */
function removalOf(field: Element, form: Element): Change[] {
  let shell = holderOf(field) ?? field
  for (const outer of above(shell)) {
    if (outer === form || !/^(div|label|li|p|fieldset|formitem|col|span)$/i.test(outer.tag)) break
    const inner = [...elementsIn(outer)]
    if (inner.filter(isField).length > 1 || inner.some(isButton)) break
    shell = outer
  }
  const id = given(field, 'id')
  const labels = [...elementsIn(form)].filter(
    (one) =>
      /^label$/i.test(one.tag) &&
      id !== null &&
      id !== '' &&
      given(one, 'for') === id &&
      !(one.start >= shell.start && one.end <= shell.end),
  )
  return [...labels, shell].map((one) => ({ start: one.start, end: one.end, text: '', unit: one }))
}
