import { PERSONAL_FIELDS } from '../lexicon/personal-fields.js'
import { type Form, type FormField, isTrap, wordsOfCode } from '../page/forms.js'
import { given, type PageElement, type PageTree } from '../page/tree.js'
import type { PageContext } from './rule.js'

/** Components of libraries that give an `<input>` all that they are given. */
const PASSES_ON = /^(el-input|v-text-field|Form\.Control|TextField|InputText)$/
const PLAIN_INPUT =
  /import\s*\{[^}]*\bInput\b[^}]*\}\s*from\s*["'][^"']*(\/ui\/input|@(chakra-ui|headlessui|heroui|nextui-org|material-tailwind)\/react|antd|@radix-ui[^"']*)["']/

const isPlain = ({ tag }: PageElement, { page, passing }: PageContext): boolean =>
  /^(input|textarea)$/.test(tag) ||
  (tag === 'Input' && PLAIN_INPUT.test(page.text)) ||
  (passing.get(tag) ?? PASSES_ON.test(tag))

/** The names that code gives the field: `name`, `{...register('email')}`, `value={form.email}`. */
function namesInCode({ element, names }: FormField, { text }: PageTree): string[] {
  const own = text.slice(element.start, element.end)
  const bound =
    /\bregister\(\s*["'](?:\w+\.)*(\w+)/.exec(own)?.[1] ??
    /\b(?:value=\{|bind:value=\{|v-model(?:\.\w+)*=")(?:\w+\??\.)+(\w+)[}"\s|?]/.exec(own)?.[1]
  return [...names, bound ?? ''].map(wordsOfCode)
}

const of = (words: string): string | undefined => PERSONAL_FIELDS.find(([, names]) => names.test(words))?.[0]

/** A field that code calls "name" asks for a person only if its label says no more than that. */
function ofCode(names: readonly string[], label: string): string | undefined {
  const token = names.map(of).find((one) => one !== undefined)
  return token === 'name' && /\p{L}\P{L}+\p{L}/u.test(label) ? undefined : token
}

/** “Name / Company”, “Nom ou raison sociale”: a browser would fill in one of two. */
const EITHER = /\p{L}\s*\/\s*\p{L}|\p{L} (or|oder|ou|o|of|lub|veya) \p{L}/iu

function tokenOf(field: FormField, page: PageTree): string | null {
  const { element, label, kind } = field
  const type = given(element, 'type') ?? 'text'
  if (!/^(text|email|tel|number|password)$/.test(type)) return null
  if (EITHER.test(`${label} | ${given(element, 'placeholder') ?? ''}`)) return null
  const token =
    of(label) ?? of(given(element, 'placeholder') ?? '') ?? ofCode(namesInCode(field, page), label)
  if (element.name === 'textarea') return token === 'address-line1' ? 'street-address' : null
  if (type === 'email') return 'email'
  if (type === 'tel' || token === 'tel') return isNational(element, page) ? 'tel-national' : 'tel'
  if (kind === 'password' && !token?.startsWith('cc-')) return 'new-password'
  return token ?? null
}

/** A check or a limit that a number with the code of its country does not pass. */
const NATIONAL = /maxlength=[{"']?(9|10|11)\b|\.slice\(0, ?(9|10|11)\)|pattern=["'{]+[^"'}]*\{(9|10|11)\}/i
const NATIONAL_CHECK =
  /\b(format|mask)\w*(phone|tel\w*|fone|mobile)\b|\b(phone|tel|fone|mobile)\w*mask|\^(\[[\d-]+\]|0[1-9]?|\\d)*(\\d|\[0-9\])\{(8|9|10|11)\}\$/

const isNational = ({ start, end }: PageElement, { text }: PageTree): boolean =>
  NATIONAL.test(text.slice(start, end)) || NATIONAL_CHECK.test(text)

/** The fields of a form that ask for something personal, each with the name that HTML has for it. */
export function personalFieldsOf(form: Form, context: PageContext): { field: FormField; token: string }[] {
  const found = form.fields.flatMap((field) => {
    const isOpen = isPlain(field.element, context) && !isTrap(field.element)
    const token = isOpen ? tokenOf(field, context.page) : null
    return token === null ? [] : [{ field, token }]
  })
  const lines = found.filter(({ token }) => token === 'address-line1')
  // Two fields for an address are its lines, also if the second says no number.
  const known = found.map((one) => (lines.indexOf(one) === 1 ? { ...one, token: 'address-line2' } : one))
  const has = (form: RegExp): boolean => known.some(({ token }) => form.test(token))
  const better = new Map<string, string>([
    // Beside a first name, “Nom” is the last one, and beside a last name “Name” is the first.
    ...(has(/^given-name$/) ? [['name', 'family-name'] as const] : []),
    ...(has(/^family-name$/) && !has(/^given-name$/) ? [['name', 'given-name'] as const] : []),
  ])
  return (
    known
      // The name of an account is chosen together with its password.
      .filter(({ token }) => token !== 'username' || has(/^new-password$/))
      .map(({ field, token }) => ({ field, token: better.get(token) ?? token }))
  )
}

/** Whether a name or an id says what a field asks for, which is enough for most browsers. */
export function isNamed({ element }: FormField, token: string, { text }: PageTree): boolean {
  const registered = /\bregister\(\s*["'](?:\w+\.)*(\w+)/.exec(text.slice(element.start, element.end))?.[1]
  const names = [given(element, 'name'), given(element, 'id'), registered ?? null]
  return token !== 'tel-national' && names.some((one) => one !== null && of(wordsOfCode(one)) !== undefined)
}

/** Whether a field also has the type for what it asks for, so that nothing is left to say. */
export function isClear(field: FormField, token: string, page: PageTree): boolean {
  const type = /^(email|tel)$/.exec(token)?.[0]
  return isNamed(field, token, page) && (type === undefined || given(field.element, 'type') === type)
}
