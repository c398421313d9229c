import { type CtaPurpose, FIELD_KINDS, type FieldKind, type Lexicon, PURPOSES } from '../lexicon/lexicon.js'
import { ALL_LEXICONS } from '../lexicon/lexicons.js'
import {
  above,
  elementsIn,
  given,
  has,
  isInCode,
  isInside,
  type PageElement,
  type PageTree,
  type Text,
  textsIn,
  wordsIn,
} from './tree.js'

/** One field that a visitor fills in. */
export interface FormField {
  element: PageElement
  kind: FieldKind | 'password' | 'choice' | 'other'
  /** how code may call it: `name`, `id`, and what its value is bound to */
  names: readonly string[]
  /** what the page calls it */
  label: string
  labelElement: PageElement | null
  /** the smallest element that holds the field and its label, and no other field */
  wrapper: PageElement
  isRequired: boolean
}

export interface Form {
  element: PageElement
  fields: readonly FormField[]
  submit: PageElement | null
  submitLabel: string
  purpose: CtaPurpose | null
  /** the heading above or in it */
  heading: string
}

const INPUT = /^([\w-]*(input|textarea|select|input-?(text|number))|(?!form)[\w-]*field|control)$/
const FORM = /^(u|v-|q-|el-|n-|a-)?form$/
const BUTTON = /^[\w-]*(button|btn)$/
/** `<label>`, and the components of libraries that show one. */
const LABEL = /^(form|field|input)?-?label$/
const PASSWORD = /passwor[dt]|mot de passe|contrase[nñ]a|\bsenha\b|wachtwoord|hasło|\bhaslo\b|[şs]ifre/i
const NOT_FILLED_IN = /^(hidden|submit|button|image|reset)$/

export const isField = (element: PageElement): boolean =>
  INPUT.test(element.name) && !NOT_FILLED_IN.test(given(element, 'type') ?? '')

/** All forms of a page. Fields that stand in no form are one together with the only button beside them. */
export function formsOf(page: PageTree, lexicon: Lexicon): Form[] {
  // `<Form {...form}><form>` of a component library is one form.
  const written = elementsIn(page.root).filter(
    (one) => FORM.test(one.name) && !elementsIn(one).some(({ name }) => FORM.test(name)),
  )
  return (written.length > 0 ? written : unwritten(page)).map((element) => formOf(page, element, lexicon))
}

function unwritten({ root }: PageTree): PageElement[] {
  const [first, ...more] = elementsIn(root).filter(isField)
  if (first === undefined || more.length === 0) return []
  const around = [...above(first)].find(
    (one) =>
      more.every((field) => isInside(field, one)) && elementsIn(one).some(({ name }) => BUTTON.test(name)),
  )
  return around === undefined || around.parent === null ? [] : [around]
}

function formOf(page: PageTree, element: PageElement, lexicon: Lexicon): Form {
  // `<Field label="Name"><input /></Field>` is one field.
  const inputs = elementsIn(element).filter((one) => isField(one) && !elementsIn(one).some(isField))
  const fields = inputs.map((input) => fieldOf(page, element, input, inputs))
  const submit = submitOf(element)
  const submitLabel = submit === null ? '' : labelOf(submit)
  const heading = headingNear(page, element)
  return {
    element,
    fields,
    submit,
    submitLabel,
    heading,
    purpose: purposeOf(page, element, fields, `${heading} ${submitLabel}`, lexicon),
  }
}

/** The words of a button or link while nothing is under way, or the value of an input that is a button. */
export const labelOf = (element: PageElement): string =>
  element.name === 'input' ? (given(element, 'value') ?? '') : (idleText(element)?.value ?? wordsIn(element))

/** A label while something is under way: "Sending…", "Please wait". */
const BUSY =
  /(\.{3}|…)\s*$|^(please wait|loading|processing|bitte warten|chargement|cargando|attendere|caricamento|even geduld|proszę czekać|lütfen bekle)\b/i
const IS_ICON = /(^|[\s_-])(icons?|material-symbols\w*|fa[srb]?|sr-only|visually-hidden)(?=[\s_-]|$)/i

/** The only text of a button or link beside icons and what it says while something is under way. */
function idleText(element: PageElement): Text | null {
  const shown = textsIn(element).filter(
    ({ value, parent }) => /\p{L}/u.test(value) && !IS_ICON.test(given(parent, 'class') ?? ''),
  )
  const idle = shown.filter(({ value, parent }) => !isInCode(parent) || !BUSY.test(value))
  const [only] = idle
  const isWhole = !element.hasCode && elementsIn(element).every((one) => !one.hasCode)
  return only !== undefined && isWhole && idle.every(({ start }) => start === only.start) ? only : null
}

function submitOf(form: PageElement): PageElement | null {
  const buttons = elementsIn(form).filter(
    (one) =>
      (BUTTON.test(one.name) && (given(one, 'type') ?? 'submit') === 'submit') ||
      (one.name === 'input' && given(one, 'type') === 'submit'),
  )
  const own = buttons.filter((one) => !WITH_PROVIDER.test(labelOf(one)))
  const said = own.filter((one) => given(one, 'type') === 'submit')
  // A button around a link, or in one, leads elsewhere.
  const sending = own.filter(
    (one) => ![...above(one), ...elementsIn(one)].some(({ name }) => /^(a|\w*link)$/.test(name)),
  )
  const [only, ...more] = said.length === 1 ? said : sending
  return only === undefined || more.length > 0 ? null : only
}

/** Another way in, beside the form: "Continue with GitHub". */
const WITH_PROVIDER =
  /\b(with|mit|avec|con|met|przez) (google|apple|github|gitlab|facebook|microsoft|linkedin|twitter|x|discord)\b/i

function headingNear(page: PageTree, form: PageElement): string {
  const isHeading = ({ name }: PageElement): boolean => /^(h[1-4]|legend)$/.test(name)
  const inside = elementsIn(form).find(isHeading)
  const before = elementsIn(page.root)
    .filter((one) => isHeading(one) && one.end <= form.start)
    .at(-1)
  return [inside, before].flatMap((one) => (one === undefined ? [] : wordsIn(one))).join(' ')
}

function fieldOf(
  page: PageTree,
  form: PageElement,
  element: PageElement,
  inputs: readonly PageElement[],
): FormField {
  const id = given(element, 'id')
  const around = [...above(element)].find(({ name }) => LABEL.test(name))
  const named =
    id === null ? undefined : elementsIn(form).find((one) => LABEL.test(one.name) && given(one, 'for') === id)
  const group = wrapperOf(form, element, null, inputs)
  const inGroup = elementsIn(group).filter(({ name }) => LABEL.test(name))
  const labelElement = around ?? named ?? (inGroup.length === 1 ? (inGroup[0] ?? null) : null)
  const label = [
    labelElement === null ? '' : wordsIn(labelElement),
    given(element, 'label') ?? '',
    labelAround(form, element, inputs),
    given(element, 'aria-label') ?? '',
    given(element, 'placeholder') ?? '',
  ].find((one) => one !== '')
  const wrapper = wrapperOf(form, element, labelElement, inputs)
  const controller = [...above(element)].find(({ name }) => /^(formfield|controller)$/.test(name))
  const names = [
    given(element, 'name') ?? (controller === undefined ? null : given(controller, 'name')),
    id,
    boundTo(page, element),
  ].filter((one) => one !== null)
  return {
    element,
    kind: kindOf(element, `${label ?? ''} ${names.join(' ')} ${given(element, 'placeholder') ?? ''}`),
    names: [...new Set(names)],
    label: label ?? '',
    labelElement,
    wrapper,
    isRequired: has(element, 'required') || given(element, 'aria-required') === 'true',
  }
}

/** The label that a component around the field shows. */
function labelAround(form: PageElement, field: PageElement, inputs: readonly PageElement[]): string {
  for (const one of above(field)) {
    if (one === form || inputs.some((other) => other !== field && isInside(other, one))) return ''
    const label = given(one, 'label')
    if (label !== null) return label
  }
  return ''
}

/** The variable that holds the field's value, if it is a plain one. */
function boundTo(page: PageTree, { start, end }: PageElement): string | null {
  const own = page.text.slice(start, end)
  return (
    /\bvalue=\{(\w+)\}/.exec(own)?.[1] ??
    /\bbind:value=\{(\w+)\}/.exec(own)?.[1] ??
    /\bv-model(?:\.\w+)*="(\w+)"/.exec(own)?.[1] ??
    null
  )
}

function wrapperOf(
  form: PageElement,
  field: PageElement,
  label: PageElement | null,
  inputs: readonly PageElement[],
): PageElement {
  let wrapper = field
  for (const one of above(field)) {
    if (one === form || one.tag === '#code' || one.tag === '') break
    if (inputs.some((other) => other !== field && isInside(other, one))) break
    if (elementsIn(one).some(isOfForm)) break
    wrapper = one
  }
  return label === null || isInside(label, wrapper) ? wrapper : field
}

/** A heading, or a button with words, which belongs to more than one field. */
const isOfForm = (one: PageElement): boolean =>
  /^(h[1-6]|legend)$/.test(one.name) || (BUTTON.test(one.name) && /\p{L}{2}/u.test(labelOf(one)))

function kindOf(element: PageElement, words: string): FormField['kind'] {
  const type = given(element, 'type') ?? ''
  if (type === 'password') return 'password'
  if (type === 'tel') return 'phone'
  if (type === 'email') return 'email'
  if (type === 'search') return 'search'
  if (/^(radio|checkbox)$/.test(type) || element.name === 'select') return 'choice'
  const spaced = words.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ')
  if (PASSWORD.test(spaced)) return 'password'
  const kind = FIELD_KINDS.find((one) => ALL_LEXICONS.some(({ fields }) => fields[one].test(spaced)))
  if (element.name === 'textarea') return 'message'
  return kind === 'message' ? 'other' : (kind ?? 'other')
}

function purposeOf(
  page: PageTree,
  form: PageElement,
  fields: readonly FormField[],
  words: string,
  lexicon: Lexicon,
): CtaPurpose | null {
  const has_ = (kind: FormField['kind']): boolean => fields.some((one) => one.kind === kind)
  const passwords = fields.filter(({ kind }) => kind === 'password').length
  const own = ['action', 'id', 'class', 'name'].map((name) => given(form, name) ?? '').join(' ')
  const said = `${words} ${wordsOfCode(own)} ${wordsOfCode(page.path)}`
  const isNamed = (purpose: CtaPurpose): boolean =>
    lexicon.purposes[purpose].test(said) || ENGLISH_NAMES[purpose].test(said)
  if (passwords > 0) {
    if (passwords > 1 || isNamed('sign up') || has_('company') || has_('phone')) return 'sign up'
    return isNamed('sign in') ? 'sign in' : null
  }
  if (has_('card')) return 'purchase'
  if (has_('search') || (fields.length === 1 && isNamed('search'))) return 'search'
  if (fields.length <= 2 && has_('email') && !has_('message') && isNamed('subscribe')) return 'subscribe'
  const choices = fields.filter(({ kind }) => kind === 'choice').length
  // Without a password a long form signs up for an event, which is called by many names.
  if (fields.length <= 3 && choices === 0 && has_('email') && isNamed('sign up')) return 'sign up'
  const named = PURPOSES.find((one) => /^(contact|quote|booking|purchase)$/.test(one) && isNamed(one))
  const parts = elementsIn(form).filter(({ tag }) => /^[A-Z]|-/.test(tag)).length
  if (named !== undefined && (fields.length > 0 || parts > 2) && (named !== 'contact' || choices <= 2))
    return named
  if (has_('message') && isNamed('review')) return 'review'
  return has_('message') && has_('email') && choices <= 2 ? 'contact' : null
}

/** Paths and names in code are English whatever language the page is written in. */
const ENGLISH_NAMES: Readonly<Record<CtaPurpose, RegExp>> = {
  'sign up': /\b(sign ?up|register|registration|join)\b/i,
  'sign in': /\b(sign ?in|log ?in)\b/i,
  contact: /\b(contact|kontakt|message)\b/i,
  quote: /\b(quote|devis|angebot|presupuesto)\b/i,
  booking: /\b(booking|appointment|reservation)\b/i,
  subscribe: /\b(newsletter|subscribe)\b/i,
  purchase: /\b(checkout|kasse|order|payment)\b/i,
  cart: /\bcart\b/i,
  search: /\bsearch\b/i,
  plans: /\b(pricing|plans)\b/i,
  review: /\b(review|rating)\b/i,
}

/** `src/SignUpForm.jsx` as words. */
export const wordsOfCode = (code: string): string =>
  code
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[^\p{L}\d]+/gu, ' ')
    .trim()

/** Whether a field is a trap for programs, which visitors do not see. */
export const isTrap = (field: PageElement): boolean =>
  has(field, 'tabindex') ||
  [field, ...above(field)].some(
    (one) =>
      has(one, 'aria-hidden') ||
      has(one, 'hidden') ||
      /(^|\s)(hidden|sr-only|honeypot|hp)(\s|$)|-\[-9/.test(given(one, 'class') ?? ''),
  )
