import type { Change } from '../../edits.js'
import { elementAt, type Page, type Place } from '../../markup/tree.js'
import { REMARKS } from '../../uses.js'

/** A variable of a component with the value that it has from the start: `const [plan, setPlan] = useState('solo')`, `ref('solo')`, `$state('solo')`. */
export interface State {
  name: string
  /** what sets it, where it has a name of its own */
  setter: string | null
  call: Place
  /** the declaration to the end of the call */
  made: Place
  value: Place
  /** the code of its first value, `''` where there is none */
  says: string
}

const MADE =
  /\b(?:const|let|var)\s+(?:\[\s*(\w+)\s*(?:,\s*(\w+))?\s*\]|(\w+))(?:\s*:\s*[\w<>|\s'"[\].]+?)?\s*=\s*((?:React\.)?(?:useState|ref|shallowRef|\$state)(?:<[^()]*>)?\()/g
/** What is more than a plain value is worked out. */
const LONGEST_VALUE = 60

const known = new WeakMap<Page, readonly State[]>()

export function statesOf(page: Page): readonly State[] {
  const before = known.get(page)
  if (before !== undefined) return before
  const code = withoutRemarks(page)
  const states = [...code.matchAll(MADE)].flatMap((found): State[] => {
    const [whole, first, setter, single, open = ''] = found
    const start = found.index + whole.length
    const end = closing(code, start)
    if (end === null || end - start > LONGEST_VALUE) return []
    const says = code.slice(start, end)
    const lead = /^\s*/.exec(says)?.[0].length ?? 0
    const value = { start: start + lead, end: start + lead + says.trim().length }
    return [
      {
        name: first ?? single ?? '',
        setter: setter ?? null,
        call: { start: start - open.length, end: end + 1 },
        made: { start: found.index, end: end + 1 },
        value,
        says: says.trim(),
      },
    ]
  })
  const all = [...states, ...heldIn(code)]
  // A name that stands for two things says nothing of either.
  const own = all.filter(({ name }) => all.filter((one) => one.name === name).length === 1)
  known.set(page, own)
  return own
}

const HOLDS =
  /\b(?:const|let|var)\s+(?:\[\s*(\w+)\s*(?:,\s*(\w+))?\s*\]|(\w+))(?:\s*:\s*[\w<>|\s'"[\].]+?)?\s*=\s*(?:React\.)?(?:useState|ref|reactive|\$state)(?:<[^()]*>)?\(\s*(\{)/g
const LONGEST_OBJECT = 1_500
const PROPERTY =
  /(?<=[{,]\s*)(\w+)\s*:\s*((["'])(?:(?!\3)[^\\\n])*\3|-?\d+(?:\.\d+)?|true|false|null)(?=\s*[,}])/g

/** What an object begins with that holds several: `reactive({ people: 1, box: 'small' })`, as `form.people`. */
function heldIn(code: string): State[] {
  return [...code.matchAll(HOLDS)].flatMap((found): State[] => {
    const [whole, first, setter, single] = found
    const start = found.index + whole.length - 1
    const end = closing(code, start + 1, LONGEST_OBJECT)
    if (end === null) return []
    const call = { start, end: end + 1 }
    const own = flat(code.slice(call.start, call.end))
    return [...own.matchAll(PROPERTY)].map((property): State => {
      const [pair, name = '', says = ''] = property
      const at = start + property.index + pair.length
      return {
        name: `${first ?? single ?? ''}.${name}`,
        setter: setter ?? null,
        call,
        made: call,
        value: { start: at - says.length, end: at },
        says,
      }
    })
  })
}

/** An object without what its properties hold further down; every offset stays what it is. */
function flat(code: string): string {
  let depth = 0
  return code.split('').reduce((own, one) => {
    if (')]}'.includes(one)) depth -= 1
    const shown = depth < 1 || (depth === 1 && !'([{'.includes(one)) ? one : ' '
    if ('([{'.includes(one)) depth += 1
    return own + shown
  }, '')
}

/** Where the bracket is closed that is open at a place; `null` for what is not told by brackets alone. */
function closing(code: string, start: number, longest = LONGEST_VALUE): number | null {
  let depth = 0
  for (let at = start; at < code.length && at - start <= longest; at++) {
    const one = code[at] ?? ''
    if ('([{'.includes(one)) depth += 1
    else if (')]}'.includes(one)) {
      if (depth === 0) return at
      depth -= 1
    }
  }
  return null
}

/** Another first value: what a hook is called with may be chosen, and not the call, which every rendering has to make. */
export const startWith = ({ call, made, value }: State, text: string): Change => ({
  ...value,
  text,
  unit: {
    ...value,
    parent: elementAt('#data', call, elementAt('#data', made, elementAt('#data', made, null))),
  },
})

/** The string that code is, without its quotes; `null` for all else. */
export const stringIn = (code: string): string | null =>
  /^(["'])((?:(?!\1|\\).)*)\1(?:\s+as\s+[\w'"| ]+)?$/.exec(code)?.[2] ?? null

/** The same code with another string in the place of its own. */
export const withString = (code: string, text: string): string =>
  code.replace(/^(["'])(?:(?!\1).)*\1/, (_, quote: string) => `${quote}${text}${quote}`)

/** What each item of a list is called where a page goes through it; `undefined` where it does not. */
export const eachOf = (code: string, list: string): string | undefined =>
  new RegExp(`\\b${list}\\.map\\(\\s*\\(?\\s*(\\w+)`).exec(code)?.[1] ??
  new RegExp(`\\b(\\w+)\\s+in\\s+${list}\\b`).exec(code)?.[1] ??
  new RegExp(`#each\\s+${list}\\s+as\\s+(\\w+)`).exec(code)?.[1]

/** The text with blanks where nobody reads it but who writes it; every offset stays what it is. */
export function withoutRemarks(page: Page): string {
  const before = bare.get(page)
  if (before !== undefined) return before
  const made = page.text.replace(REMARKS, (remark) => remark.replace(/[^\n]/g, ' '))
  bare.set(page, made)
  return made
}

const bare = new WeakMap<Page, string>()

/** Whether visitors set it: what nobody can change is no choice, and what code sets anew once the page is there begins with nothing. */
export function isChosen({ text, dialect }: Page, { name, setter }: State): boolean {
  if (dialect === 'jsx')
    return (
      setter !== null && new RegExp(`\\b${setter}\\b(?!\\s*\\])`).test(text) && !isSetByEffect(text, setter)
    )
  const own = name.replace(/[$.]/g, '\\$&')
  return new RegExp(
    `v-model(?:\\.\\w+)*="${own}"|bind:(?:group|value)=\\{${own}\\}|\\b${own}(?:\\.value)?\\s*=(?!=)[^;\\n]*\\n?`,
  ).test(text.replace(new RegExp(`(?:const|let|var)\\s+${own}\\b[^\\n]*`), ''))
}

const LONGEST_EFFECT = 6_000
const EFFECT = /\buseEffect\(\s*/g

/** Whether an effect sets it, or a function that an effect calls. */
function isSetByEffect(text: string, setter: string): boolean {
  const sets = new RegExp(`\\b${setter}\\(`)
  return [...text.matchAll(EFFECT)].some(({ 0: open, index }) => {
    const start = index + open.length
    const end = closing(text, start, LONGEST_EFFECT)
    if (end === null) return false
    const body = text.slice(start, end)
    const called = [...body.matchAll(/\b([a-z]\w*)\(/g)].map(([, name = '']) => name)
    return sets.test(body) || called.some((name) => sets.test(bodyOf(text, name)))
  })
}

/** What stands in the function of a name, `''` where the file has none. */
function bodyOf(text: string, name: string): string {
  const found = new RegExp(
    `\\bfunction\\s+${name}\\s*\\([^)]*\\)[^{;]*\\{|\\b(?:const|let)\\s+${name}\\s*=\\s*(?:\\w+\\(\\s*)?(?:async\\s*)?\\([^)]*\\)[^{;]{0,80}=>\\s*\\{`,
  ).exec(text)
  if (found === null) return ''
  const start = found.index + found[0].length
  return text.slice(start, closing(text, start, LONGEST_EFFECT) ?? start)
}
