import type { Form, FormField } from './forms.js'
import { has, type PageTree } from './tree.js'

/** The code that receives a form, as far as it shows which fields it reads. */
export interface Handler {
  /** the file in which it stands */
  path: string
  reads(field: FormField): boolean
  /** whether a form without this field might be refused */
  mayRequire(field: FormField): boolean
}

export interface CodeSource {
  path: string
  text: string
}

/** Takes all fields at once, so that nothing says which of them are used. */
const TAKES_ALL =
  /fromEntries|\.entries\(\)|\bserialize\w*\(|\buseForm\b|\.\.\.register\(|<Formik\b|\.\.\.\s*\w*(form|values|data|fields|state|body|inputs)\w*\b|\[(\w+\.)*(name|id)\]\s*[:=]|\(\s*(form|(e|ev|event|evt)\.(current)?target|this)\s*[,)]|\.elements\b/i
/** All that was sent, as code has it at hand. */
const WHOLE = String.raw`(?:new FormData\([^)]*\)|await (?:\w+\.)*req(?:uest)?\.(?:formData|json)\(\)|\breq(?:uest)?\.body\b(?![.[]))`
const NAMED_WHOLE = new RegExp(String.raw`(?:const|let|var)\s+(\w+)\s*(?::[^=]+)?=\s*${WHOLE}`, 'g')
const PICKS = new RegExp(String.raw`\{[^{}.]*\}\s*=\s*${WHOLE}`, 'g')
const SENDS = /\bfetch\(|XMLHttpRequest|\baxios\b|sendBeacon|\$\.(ajax|post)\(/
const SUBMIT = /\s(onSubmit|on:submit\S*|onsubmit|@submit\S*|v-on:submit\S*)=/
/** Mails what it is sent, all of it, and asks for nothing. */
const SERVICE =
  /formspree\.io|getform\.io|web3forms\.com|formsubmit\.co|formcarry\.com|usebasin\.com|^mailto:/i
const DECIDES =
  /\bif\b|\?|\brequired\b|\bmin\b|length|\btest\(|\bmatch\(|\btrim\b|valid|\bz\.|\byup\b|\bjoi\b|\bthrow\b|&&|\|\||!|===/i

/**
 * The handler of a form, `null` unless the code shows which fields it reads. Looks at the page, the scripts
 * that it loads, and the one server file that answers at the form's address.
 */
export function handlerOf(
  page: PageTree,
  form: Form,
  { scripts, servers }: { scripts: readonly CodeSource[]; servers: readonly CodeSource[] },
): Handler | null {
  const tag = page.text.slice(form.element.start, form.element.children[0]?.start ?? form.element.end)
  const action = /\baction=["']([^"']*)["']/.exec(tag)?.[1] ?? ''
  if (page.dialect !== 'html') {
    const own = blanked(
      page.text,
      form.fields.map(({ wrapper }) => wrapper),
    )
    if (SUBMIT.test(tag)) return handlerIn({ path: page.path, text: own }, form, true)
    // A form that no code receives, as in a template, requires no field.
    const isIdle =
      action === '' &&
      !/\{|\bon\w+=|@|method=/.test(tag) &&
      !/\+page\.svelte$/.test(page.path) &&
      !/[sS]ubmit\b|useForm|Formik|\bfetch\(|axios/.test(page.text.replace(/type=["']submit["']/g, ''))
    return isIdle
      ? { path: page.path, reads: () => true, mayRequire: () => false }
      : serverHandler(servers, form)
  }
  const inline = [...page.text.matchAll(/<script\b(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/gi)]
  const own = { path: page.path, text: inline.map(([, code = '']) => code).join('\n') }
  // Any script that names a field could send it.
  const naming = [own, ...scripts].filter(({ text }) =>
    form.fields.some(({ names }) => names.some((name) => uses(text, name) > 0)),
  )
  const [only, ...more] = naming
  if (only !== undefined) {
    const isHandler = more.length === 0 && SENDS.test(only.text) && /preventDefault/.test(only.text)
    return isHandler ? handlerIn(only, form, false) : null
  }
  if (SERVICE.test(action) || has(form.element, 'data-netlify') || has(form.element, 'netlify'))
    return { path: page.path, reads: () => true, mayRequire: () => false }
  return serverHandler(servers, form)
}

const serverHandler = (servers: readonly CodeSource[], form: Form): Handler | null => {
  const [only, ...more] = servers
  return only === undefined || more.length > 0 ? null : handlerIn(only, form, false)
}

function handlerIn({ path, text }: CodeSource, form: Form, isOwn: boolean): Handler | null {
  const code = withoutComments(text)
  if (TAKES_ALL.test(code.replace(/new FormData\([^)]*\)/g, '')) || passesWhole(code)) return null
  const isRead = ({ names }: FormField): boolean =>
    names.some((name) => uses(code, name) > (isOwn && isDeclared(code, name) ? 1 : 0)) ||
    // A setter that is called elsewhere fills the field for a reason.
    (isOwn && names.some((name) => uses(code, `set${name.charAt(0).toUpperCase()}${name.slice(1)}`) > 1))
  // Code that reads none of the fields is not what receives them.
  if (!form.fields.some(isRead)) return null
  return {
    path,
    reads: isRead,
    mayRequire: ({ names }) =>
      code.split('\n').some((line) => names.some((name) => uses(line, name) > 0) && DECIDES.test(line)),
  }
}

/** Whether code passes on all that was sent. `const { email } = req.body` picks one field. */
function passesWhole(code: string): boolean {
  const picked = code.replace(PICKS, '')
  const names = [...picked.matchAll(NAMED_WHOLE)].map(([, name = '']) => name)
  const rest = picked.replace(NAMED_WHOLE, '')
  if (new RegExp(WHOLE).test(rest)) return true
  return names.some((name) => new RegExp(String.raw`\b${name}\b(?!\??\.)`).test(rest))
}

const isDeclared = (code: string, name: string): boolean =>
  new RegExp(`(?:const|let|var)\\s+(?:\\[\\s*)?${name}\\b`).test(code)

const uses = (code: string, name: string): number =>
  /^[\w-]+$/.test(name) ? (code.match(new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'g'))?.length ?? 0) : 1

const withoutComments = (code: string): string =>
  code.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/[^\n]*|<!--[\s\S]*?-->/g, '')

const blanked = (text: string, places: readonly { start: number; end: number }[]): string =>
  places.reduce(
    (rest, { start, end }) =>
      rest.slice(0, start) + rest.slice(start, end).replace(/[^\n]/g, ' ') + rest.slice(end),
    text,
  )
