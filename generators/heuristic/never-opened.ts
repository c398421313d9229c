import { tagOf } from './imports.js'
import { blanked, type Place } from './markup/tree.js'
import { REMARKS } from './uses.js'

const STATE =
  /\bconst\s*\[\s*(\w+)\s*(?:,\s*(\w+)\s*)?\]\s*=\s*(?:React\.)?useState(?:<[^<>()]*>)?\(\s*false\s*\)/g
const REF = /\b(?:const|let)\s+(\w+)\s*=\s*ref(?:<[^<>()]*>)?\(\s*false\s*\)/g
const LET =
  /(?<!export\s+)\blet\s+(\w+)(?:\s*:\s*boolean)?\s*=\s*(?:\$state(?:<[^<>()]*>)?\(\s*false\s*\)|false)/g

/** Whether all that is said of a setter is that it closes. */
function onlyCloses(code: string, setter: string): boolean {
  const all = code.match(new RegExp(`\\b${setter}\\b`, 'g')) ?? []
  const closes = code.match(new RegExp(`\\b${setter}\\(\\s*false\\s*\\)`, 'g')) ?? []
  // The first is where it is made.
  return all.length === closes.length + 1
}

/** Whether a value that templates read is given another one than `false`, or handed on to what may do so. */
function mayBeSet(code: string, name: string): boolean {
  const own = `(?<![\\w$.-])${name}(?![\\w$-])`
  const declared = new RegExp(`\\b(?:const|let)\\s+${name}\\b[^=\\n]*=`, 'g')
  const rest = code.replace(declared, '')
  return [
    `${own}(?:\\.value)?\\s*(?:[-+*/&|?^]{1,2})?=(?!=)(?!\\s*false\\b)`,
    `v-model[\\w:.-]*="${name}"`,
    `\\bbind:\\w+=\\{\\s*${name}\\s*\\}|\\bbind:${name}\\b`,
    // A function that it is given to, an object that has it, a list.
    `(?<!\\b(?:if|while|switch)\\s*)[(,[]\\s*${name}\\s*[,)\\]]`,
    `[{,]\\s*${name}\\s*,|,\\s*${name}\\s*\\}|(?:return|=)\\s*\\(?\\{\\s*${name}\\s*\\}`,
  ].some((one) => new RegExp(one).test(rest))
}

/** Where a bracket closes that opens at a place. */
function closing(code: string, at: number): number | null {
  const open = code[at] ?? ''
  const close = { '{': '}', '(': ')' }[open]
  let depth = 0
  for (let index = at; index < code.length; index++) {
    if (code[index] === open) depth += 1
    else if (code[index] === close && --depth === 0) return index + 1
  }
  return null
}

/** What JSX shows only while a state is set: behind `&&`, before the `:` of nothing, or as all that there is. */
function* shownByState(code: string, name: string): Generator<Place> {
  for (const found of code.matchAll(new RegExp(`\\{\\s*${name}\\s*&&`, 'g'))) {
    const end = closing(code, found.index)
    if (end !== null) yield { start: found.index, end }
  }
  for (const found of code.matchAll(new RegExp(`\\{\\s*${name}\\s*\\?(?![.?])`, 'g'))) {
    const end = closing(code, found.index)
    if (end !== null && /:\s*(null|undefined|false)\s*\}$/.test(code.slice(found.index, end)))
      yield { start: found.index, end }
  }
  for (const found of code.matchAll(
    new RegExp(`\\bif\\s*\\(\\s*${name}\\s*\\)\\s*(?:return\\s*)?(?=[{(])`, 'g'),
  )) {
    const end = closing(code, found.index + found[0].length)
    if (end !== null) yield { start: found.index, end }
  }
}

/** The end of an element whose opening tag begins at a place. */
function endOfElement(code: string, start: number, tag: string): number | null {
  const tags = new RegExp(`<(/?)${tag}(?=[\\s/>])(?:"[^"]*"|'[^']*'|[^"'>])*>`, 'g')
  tags.lastIndex = start
  let depth = 0
  for (let found = tags.exec(code); found !== null; found = tags.exec(code)) {
    if (found[1] === '/') depth -= 1
    else if (!found[0].endsWith('/>')) depth += 1
    if (depth === 0) return found.index + found[0].length
  }
  return null
}

/** What templates of Vue show only while a value is set. */
function* shownByIf(code: string, name: string): Generator<Place> {
  const opening = new RegExp(
    `<([\\w.-]+)(?=\\s)(?:"[^"]*"|'[^']*'|[^"'>])*?\\sv-if="\\s*${name}\\s*(?:&&[^"]*)?"`,
    'g',
  )
  for (const found of code.matchAll(opening)) {
    const end = endOfElement(code, found.index, found[1] ?? '')
    if (end !== null) yield { start: found.index, end }
  }
}

/** What a block of Svelte shows only while a value is set, up to what it shows otherwise. */
function* shownByBlock(code: string, name: string): Generator<Place> {
  for (const found of code.matchAll(new RegExp(`\\{#if\\s+${name}\\s*(?:&&[^}]*)?\\}`, 'g'))) {
    const start = found.index + found[0].length
    let depth = 1
    for (const mark of code.slice(start).matchAll(/\{(#if\b|\/if\}|:else\b)/g)) {
      if (mark[1] === '#if') depth += 1
      else if (mark[1] === '/if}') depth -= 1
      if (depth === 0 || (depth === 1 && mark[1] === ':else')) {
        yield { start, end: start + mark.index }
        break
      }
    }
  }
}

/** Nearly no file has any. */
const MAY_HAVE = /\bfalse\b/

/**
 * What a file shows only while something is open that begins closed and that nothing of the file ever opens: nobody sees it. Places in the text, without what is
 * commented out.
 */
export function neverOpened(text: string): Place[] {
  if (!MAY_HAVE.test(text)) return []
  const code = text.replace(REMARKS, (remark) => remark.replace(/[^\n]/g, ' '))
  const places: Place[] = []
  for (const [, name = '', setter] of code.matchAll(STATE))
    if (setter === undefined || onlyCloses(code, setter)) places.push(...shownByState(code, name))
  if (/<template\b|<script\b|\{#if\b/.test(code)) {
    for (const [, name = ''] of code.matchAll(REF))
      if (!mayBeSet(code, name)) places.push(...shownByIf(code, name))
    for (const [, name = ''] of code.matchAll(LET))
      if (!mayBeSet(code, name)) places.push(...shownByBlock(code, name))
  }
  return places
}

const IMPORTED = /\bimport\s+([^"'`;]{1,2000}?)\s+from\s*["'][^"'\n]+["'];?/g

interface Shown {
  /** what it shows, with all that it takes */
  code: string
  /** that without the imports of what it never shows */
  uses: string
  /** the parts that it takes and never shows */
  unshown: ReadonlySet<string>
}

/** A file's text without what it never shows, and the parts that it then takes for nothing. */
export function withoutNeverOpened(code: string): Shown {
  const places = neverOpened(code)
  if (places.length === 0) return { code, uses: code, unshown: new Set() }
  const rest = blanked(code, places)
  const named = places.flatMap(({ start, end }) =>
    [...code.slice(start, end).matchAll(/<([A-Z]\w*)/g)].map(([, name = '']) => name),
  )
  const used = rest.replace(IMPORTED, '')
  const isShown = (name: string): boolean => new RegExp(`\\b${name}\\b|<${tagOf(name)}(?=[\\s/>])`).test(used)
  const unshown = new Set(named.filter((name) => !isShown(name)))
  const uses = rest.replace(IMPORTED, (all, what: string) =>
    (what.match(/[\w$]+/g) ?? []).every((name) => unshown.has(name)) ? '' : all,
  )
  return { code: rest, uses, unshown }
}
