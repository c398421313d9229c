import { UnsupportedEditError } from '../dialect.js'
import type { SplitExperiment } from '../port.js'

/** How code is written beside what stands there. */
export interface Manner {
  /** the quote of its strings */
  quote: "'" | '"'
  /** the name of the helper's function in the file */
  call: string
}

/** Code that is written, and where in it each arm stands: each variant's with an alternative, then the control's. */
export interface Choice {
  code: string
  arms: { start: number; end: number }[]
}

export const LONGEST_LINE = 100

/** The call that names the visitor's variant, compared with one: `variant('hero', { control: 50, b: 50 }) === 'b'`. */
export function conditionOf(experiment: SplitExperiment, variant: string, { quote, call }: Manner): string {
  const quoted = (text: string): string => quote + text + quote
  const splits = experiment.variants.map(({ key, trafficSplit }) => {
    // Such properties come first in an object, in the order of their numbers: the control would not be the first any more.
    if (/^\d+$/.test(key))
      throw new UnsupportedEditError(
        null,
        `code cannot keep the order of variants whose key is a number: give ${key} a name with a letter`,
      )
    return `${/^[a-z][a-z0-9]*$/.test(key) ? key : quoted(key)}: ${trafficSplit}`
  })
  return `${call}(${quoted(experiment.key)}, { ${splits.join(', ')} }) === ${quoted(variant)}`
}

export interface Layout {
  /** the column at which the code begins, what belongs to it after it, and how long the line was before */
  column: number
  after: number
  line: number
  lineEnd: string
  indent: string
  step: string
}

/** A conditional expression: on one line where it has room, else one line for each arm; elements of several lines in parentheses. */
export function chooseExpression(
  conditions: readonly string[],
  arms: readonly string[],
  { column, after, line, lineEnd, indent, step }: Layout,
): Choice {
  const several = arms.some((arm) => arm.includes('\n'))
  const flat = chooseOnOneLine(conditions, arms)
  // A line that was long before is not made shorter by breaking it here.
  if (!several && (column + flat.code.length + after <= LONGEST_LINE || line > LONGEST_LINE)) return flat
  if (several && conditions.length === 1 && arms.every((arm) => arm.startsWith('<'))) {
    const [condition = ''] = conditions
    const inner = `${lineEnd}${indent}${step}`
    const [alternative = '', control = ''] = arms.map((arm) => openFragment(indented(arm, step), inner, step))
    const outer = `${lineEnd}${indent}`
    const first = `${condition} ? (${inner}`
    const second = `${outer}) : (${inner}`
    const start = first.length + alternative.length + second.length
    return {
      code: `${first}${alternative}${second}${control}${outer})`,
      arms: [
        { start: first.length, end: first.length + alternative.length },
        { start, end: start + control.length },
      ],
    }
  }
  return write(
    conditions,
    arms,
    (condition, depth) => `${condition}${lineEnd}${indent}${step.repeat(depth + 1)}? `,
    (depth) => `${lineEnd}${indent}${step.repeat(depth + 1)}: `,
  )
}

/** A fragment of several lines has each of its pieces on lines of their own, one step further in; not where `indented` would leave lines alone. */
function openFragment(arm: string, line: string, step: string): string {
  const inner = /^<>(?=\S)(.*\n.*\S)<\/>$/s.exec(arm)?.[1]
  if (inner === undefined || indented(`\n${inner}`, step) === `\n${inner}`) return arm
  return `<>${line}${step}${indented(inner, step)}${line}</>`
}

/** A conditional expression that breaks no line, where the markup around it would have to be laid out anew. */
export function chooseOnOneLine(conditions: readonly string[], arms: readonly string[]): Choice {
  return write(
    conditions,
    arms,
    (condition) => `${condition} ? `,
    () => ' : ',
  )
}

/** Lines after the first one step further in; not where a line break may be part of a string. */
export function indented(arm: string, step: string): string {
  return /`|["'][^"'\n]*\n[^"']*["']|<(pre|textarea)\b/.test(arm)
    ? arm
    : arm.replace(/\n(?=[^\r\n])/g, `\n${step}`)
}

/** `if (…) alternative; else what stood there`, without the end of the statement. */
export function chooseStatement(conditions: readonly string[], arms: readonly string[]): Choice {
  return write(
    conditions,
    arms,
    (condition) => `if (${condition}) `,
    () => '; else ',
  )
}

function write(
  conditions: readonly string[],
  arms: readonly string[],
  before: (condition: string, depth: number) => string,
  between: (depth: number) => string,
): Choice {
  let code = ''
  const places: { start: number; end: number }[] = []
  for (const [depth, arm] of arms.entries()) {
    const condition = conditions[depth]
    if (condition !== undefined) code += before(condition, depth)
    places.push({ start: code.length, end: code.length + arm.length })
    code += arm
    if (condition !== undefined) code += between(depth)
  }
  return { code, arms: places }
}

/** A string literal of the text. Line separators and invisible characters are spelled, so that a reviewer sees them. */
export function stringOf(text: string, quote: "'" | '"'): string {
  let spelled = ''
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? ''
    if (character === quote || character === '\\') spelled += `\\${character}`
    else if (character === '\n') spelled += '\\n'
    else if (character === '\r') spelled += '\\r'
    else if (isUnseen(text.charCodeAt(i))) spelled += `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`
    else spelled += character
  }
  return quote + spelled + quote
}

/** The same with the other quote where that leaves nothing to escape, as formatters write it. */
export function plainestString(text: string, quote: "'" | '"'): string {
  const other = quote === "'" ? '"' : "'"
  return stringOf(text, text.includes(quote) && !text.includes(other) ? other : quote)
}

/** Controls, no-break and zero-width spaces, marks of direction and separators of lines. */
const UNSEEN: readonly [number, number][] = [
  [0x00, 0x1f],
  [0x7f, 0xa0],
  [0xad, 0xad],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xfeff, 0xfeff],
]

const isUnseen = (code: number): boolean => UNSEEN.some(([from, to]) => code >= from && code <= to)
