import type { PageElement, PageTree } from './tree.js'

const PRESS = /^(?:on:?|@|v-on:)(?:click|press)(?![a-z])/i
const QUOTED = `["'\`]([^"'\`\\s{}$<>]+)["'\`]`
/** `navigate('/booking')`, `window.open('https://…')`, `router.push({ path: '/booking' })`. */
const GOES = new RegExp(
  `\\b(?:navigate|navigateTo|push|goto|visit|redirect|assign|open|(?:router|Router|history|location)\\.replace)\\(\\s*(?:localePath\\(\\s*|\\{\\s*path:\\s*)?${QUOTED}|\\blocation(?:\\.href)?\\s*=\\s*${QUOTED}`,
  'g',
)
/** `document.getElementById('contact')?.scrollIntoView()`, `scrollToSection('contact')` */
const SCROLLS = new RegExp(
  `\\bgetElementById\\(\\s*${QUOTED}\\s*\\)[^;]{0,40}scrollIntoView|\\bquerySelector\\(\\s*["'\`](#[\\w-]+)["'\`]\\s*\\)[^;]{0,40}scrollIntoView|\\b(?:smooth)?[sS]croll(?:To\\w*)?\\(\\s*["'\`]#?(?!top|bottom|left|right|up|down|smooth)([\\w-]+)["'\`]\\s*\\)`,
  'g',
)
const NAMED =
  /(?:push|replace|navigateTo)\(\s*\{\s*name:\s*["'`]([\w.-]+)["'`]\s*,?\s*\}|^:?to=["'{]*\s*\{\s*name:\s*["'`]([\w.-]+)["'`]\s*\}/
const IN_LINK = /^:?to=["'{]*\s*\{\s*path:\s*["'`](\/[\w/-]*)["'`]\s*\}/
const IS_ADDRESS = /^(\/(?![/\\])|#[\w-]|https?:\/\/|tel:|mailto:|[\w-]+\.html)/
/** Its effect depends on more than the press. */
const DEPENDS = /\b(if|await|fetch|axios|switch)\b|\?\s/
const NAME = /^[^=]+=["'{]*\s*(?:\(\w*\)\s*=>\s*)?(?:this\.)?([A-Za-z_$][\w$]*)(?:\(\))?[\s"'}]*$/
const MAX_BODY = 500

/**
 * The place to which code leads those who press an element: an address, or `#id` for a place that it scrolls
 * to. `null` if it does something else as well, or depends on more than the press.
 */
export function destinationOf(page: PageTree, element: PageElement): string | null {
  const handler = element.attributes.find(({ name }) => PRESS.test(name))
  const link = element.attributes.find(({ name, value }) => /^:?to$/.test(name) && value === null)
  const written = link ?? handler
  if (written === undefined) return null
  const code = page.text.slice(written.start, written.end)
  if (link !== undefined) return IN_LINK.exec(code)?.[1] ?? addressNamed(page, code)
  const name = NAME.exec(code)?.[1]
  return destinationIn(page, name === undefined ? code : (bodyOf(page.text, name) ?? ''))
}

function destinationIn(page: PageTree, code: string): string | null {
  if (DEPENDS.test(code)) return null
  const found = new Set([
    ...[...code.matchAll(GOES)].map(([, called, set]) => called ?? set ?? ''),
    ...[...code.matchAll(SCROLLS)].map(([, ...ids]) => `#${(ids.find(Boolean) ?? '').replace(/^#/, '')}`),
  ])
  const [only, ...more] = [...found].filter((one) => IS_ADDRESS.test(one))
  return only === undefined ? addressNamed(page, code) : more.length === 0 ? only : null
}

function addressNamed(page: PageTree, code: string): string | null {
  const [, called, given] = NAMED.exec(code) ?? []
  return page.routes?.get(called ?? given ?? '') ?? null
}

/** The body of a function that the file declares once: `const book = () => { … }`, `book() { … }`. */
function bodyOf(text: string, name: string): string | null {
  const own = name.replaceAll('$', '\\$')
  const declared = new RegExp(
    `\\b(?:const|let)\\s+${own}\\s*=\\s*(?:useCallback\\()?(?:function\\s*)?\\([^()]*\\)\\s*(?:=>)?|\\bfunction\\s+${own}\\s*\\([^()]*\\)|^\\s+${own}\\s*\\([^()]*\\)(?=\\s*\\{)`,
    'gm',
  )
  const [only, ...more] = text.matchAll(declared)
  if (only === undefined || more.length > 0) return null
  const start = only.index + only[0].length
  const block = /^[\s\w:<>]*\{/.exec(text.slice(start, start + 40))
  if (block === null) return text.slice(start, text.indexOf('\n', start))
  let depth = 0
  for (let at = start + block[0].length - 1; at < Math.min(text.length, start + MAX_BODY); at++) {
    if (text[at] === '{') depth++
    if (text[at] === '}' && --depth === 0) return text.slice(start, at)
  }
  return null
}

const ROUTE =
  /\bpath:\s*["'](\/[\w/-]*)["']\s*,\s*name:\s*["']([\w.-]+)["']|\bname:\s*["']([\w.-]+)["']\s*,\s*path:\s*["'](\/[\w/-]*)["']/g

/** The names that a table of routes gives to addresses. */
export const namedRoutesIn = (text: string): [string, string][] =>
  [...text.matchAll(ROUTE)].map(([, path, name, first, second]) => [
    name ?? first ?? '',
    path ?? second ?? '',
  ])

const WRITTEN = /\b(?:path|to|href|link|url)["']?\s*[=:]\s*\{?\s*["'](\/[a-z][\w-]*)["']/gi

/** The pages of one word, `/contact`, that a file names in a table of routes, a menu, or a component. */
export const addressesIn = (text: string): string[] => [...text.matchAll(WRITTEN)].map(([, to = '']) => to)
