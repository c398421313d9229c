import { withoutComments } from '../comments.js'

/** Components by name, and whether each gives what it is given on to an `<input>`. */
export type Passing = ReadonlyMap<string, boolean>

const DEFINED = /\b(?:function|const)\s+([A-Z]\w*)/g
const SPREADS = /<input\b((?:=>|[^>]){0,1000}?)\{\.\.\.(\w+)\}((?:=>|[^>]){0,1000})>/gi
const STYLED = /\bconst\s+([A-Z]\w*)\s*=\s*styled\.input\b/g
/** Types that let a component have every attribute of an `<input>`. */
const TYPED =
  /InputHTMLAttributes|ComponentProps(WithRef|WithoutRef)?<\s*["']input["']|HTMLProps<HTMLInput|\bInputProps\b/
const IS_FIELD = /(input|field|control)$/i

/** The components of a file that could be fields of forms. */
export function passingIn(path: string, text: string): Passing {
  const found = new Map<string, boolean>()
  if (!/\.[jt]sx?$/.test(path) || !/<input\b|styled\.input/i.test(text)) return found
  const code = withoutComments(text)
  const defined = [...code.matchAll(DEFINED)]
  for (const [, name = ''] of defined) if (IS_FIELD.test(name)) found.set(name, false)
  for (const { 1: before = '', 2: rest = '', 3: after = '', index } of code.matchAll(SPREADS)) {
    const own = defined.filter((one) => one.index < index).at(-1)
    const [, name = ''] = own ?? []
    const head = code.slice(own?.index ?? index, index)
    const isRest = new RegExp(`\\.\\.\\.${rest}\\b|\\(\\s*${rest}\\b`).test(head)
    const isFixed = /autocomplete/i.test(before + after)
    if (isRest && !isFixed && (!/\.tsx$/.test(path) || TYPED.test(code))) found.set(name, true)
  }
  for (const [, name = ''] of code.matchAll(STYLED)) found.set(name, true)
  return found
}
