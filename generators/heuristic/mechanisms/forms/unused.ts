import type { View } from '../../idea.js'
import {
  above,
  type Element,
  elementsIn,
  given,
  has,
  isInCode,
  type Page,
  textsIn,
  wordsIn,
} from '../../markup/tree.js'
import type { Form } from '../../surface.js'
import { withoutRemarks } from '../choice/state.js'

/** A field that a form asks for and that what is sent shows to be used by nobody. */
export interface Unused {
  field: Element
  /** as visitors read it */
  label: string
  /** what says so, as the end of a sentence */
  because: string
}

/** What is asked for by law, for safety or to keep programs out, whoever reads it. */
const STAYS =
  /allerg|unverträglich|intoler|medical|emergency|notfall|urgence|consent|privacy|captcha|age\b|birth|geburt|naissance|nacimiento/i

export function unusedFields(view: View, form: Form): Unused[] {
  const { page } = view
  const all = isSentByCode(form) ? notSent(page, form) : notRead(view, form)
  const found = all.filter(({ field, label }) => {
    const names = `${label} ${given(field, 'name') ?? ''} ${given(field, 'id') ?? ''}`
    return (
      label !== '' && label.length <= 60 && !STAYS.test(names) && (!isInCode(field) || isInCode(form.element))
    )
  })
  return found.length < form.fields.length ? found : []
}

const isSentByCode = ({ element }: Form): boolean =>
  !has(element, 'action') && element.attributes.some(({ name }) => /submit/i.test(name))

const labelOf = (field: Element, form: Element): string => {
  const id = given(field, 'id')
  const label =
    [...above(field)].find(({ tag }) => tag === 'label') ??
    elementsIn(form).find(
      ({ tag, ...one }) => tag === 'label' && id !== null && given({ tag, ...one }, 'for') === id,
    )
  const inner =
    label === undefined
      ? ''
      : (textsIn(label).find(({ parent }) => parent.tag !== 'option')?.value ?? wordsIn(label))
  return inner.replace(/\s*\([^)]*\)\s*$/, '').replace(/\s*[*:]+$/, '')
}

const SENDS = /\b(?:fetch|\$fetch|axios(?:\.\w+)?|ky(?:\.\w+)?|useFetch|http\.post|api\.post)\s*\(/g
const BODY = /JSON\.stringify\(\s*\{([^{}]*)\}\s*\)/g
const MODEL = /\bv-model(?:\.\w+)*="([\w.]+)"|\bbind:value=\{([\w.]+)\}|\bvalue=\{([\w.]+)\}/

/** Fields whose values the one request of a page leaves out, as its own code lists what it sends. */
function notSent(page: Page, form: Form): Unused[] {
  const code = withoutRemarks(page.text)
  const bodies = [...code.matchAll(BODY)].map(([, body = '']) => body)
  const [body, ...more] = bodies
  if (body === undefined || more.length > 0 || [...code.matchAll(SENDS)].length !== 1) return []
  if (/\.\.\./.test(body) || /new FormData|useActionState|use:enhance|register\(/.test(code)) return []
  const isSent = form.fields.some((field) => {
    const model = modelOf(page, field)
    return model !== null && new RegExp(`(?<![\\w.])${model.replaceAll('.', '\\.')}\\b`).test(body)
  })
  if (!isSent) return []
  return form.fields.flatMap((field): Unused[] => {
    const model = modelOf(page, field)
    if (model === null || isUsed(code, model, field)) return []
    return [
      { field, label: labelOf(field, form.element), because: 'which the page’s own code does not send' },
    ]
  })
}

function modelOf({ text }: Page, field: Element): string | null {
  const found = MODEL.exec(text.slice(field.start, field.end))
  return found?.slice(1).find((one) => one !== undefined) ?? null
}

/** Whether anything but the field itself looks at its value. */
function isUsed(code: string, model: string, field: Element): boolean {
  const [base = '', ...path] = model.split('.')
  const rest = code.slice(0, field.start) + code.slice(field.end)
  const made = new RegExp(
    `\\b(?:const|let|var)\\s+(?:\\[\\s*${base}\\s*,\\s*\\w+\\s*\\]|${base}\\b)(?:\\s*:[^=\\n]+)?\\s*=`,
  )
  if (path.length > 1 || !made.test(rest)) return true
  const others = rest.replace(made, '=')
  // What holds several fields may be handed on as a whole.
  if (path.length > 0 && new RegExp(`(?<![\\w.])${base}\\b(?!\\s*\\.)`).test(others)) return true
  return new RegExp(`(?<![\\w.])${model.replaceAll('.', '\\.')}\\b`).test(others)
}

/** Fields whose name the file that they are sent to has nowhere. */
function notRead({ page, site }: View, form: Form): Unused[] {
  const targets = targetsOf(page.path, form)
  const reads =
    site?.posted.filter(({ path }) => targets.some((one) => path === one || path.endsWith(`/${one}`))) ?? []
  const [read, ...more] = reads
  if (read === undefined || more.length > 0) return []
  return form.fields.flatMap((field): Unused[] => {
    const name = given(field, 'name')
    if (name === null || !/^[\w-]+$/.test(name) || read.words.includes(name)) return []
    return [{ field, label: labelOf(field, form.element), because: `which ${read.path} never reads` }]
  })
}

/** Whether the rest of the site could say what is read of a form. */
export const mayBeRead = ({ page, forms }: View): boolean =>
  forms.some((form) => targetsOf(page.path, form).length > 0)

/** The files that may take what a form sends, as they end. */
function targetsOf(path: string, { element }: Form): string[] {
  const action = given(element, 'action')
  const isPosted = /^post$/i.test(given(element, 'method') ?? '')
  if (action === null || action.startsWith('?/')) {
    const isPage = !has(element, 'action') || action !== null
    return isPage && isPosted && path.endsWith('+page.svelte')
      ? ['ts', 'js'].map((one) => path.replace(/\+page\.svelte$/, `+page.server.${one}`))
      : []
  }
  if (/^(?!\w+:)[\w./-]+\.php$/.test(action)) return [resolved(path, action)]
  if (!isPosted || !/^\/api\/[\w/-]+$/.test(action)) return []
  return ['ts', 'js'].flatMap((one) => [
    `app${action}/route.${one}`,
    `pages${action}.${one}`,
    `server${action}.${one}`,
    `server${action}.post.${one}`,
  ])
}

function resolved(from: string, href: string): string {
  const parts = href.startsWith('/') ? [] : from.split('/').slice(0, -1)
  for (const part of href.replace(/^\//, '').split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}
