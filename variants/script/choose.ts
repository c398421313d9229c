import { UnsupportedEditError } from '../dialect.js'
import type { SplitExperiment } from '../port.js'

/** The style of the surrounding code. */
export interface Manner {
  /** the quote of its strings */
  quote: "'" | '"'
  /** the name of the helper's function in the file */
  call: string
  /** whether its statements end with one */
  semicolon: boolean
  /** the name of the helper's component in the file, if the language can have it */
  tag?: string
}

/** The written code, and the range of each arm: the variants with an alternative, then the control. */
export interface Choice {
  code: string
  arms: { start: number; end: number }[]
}

export const LONGEST_LINE = 100

/** The condition for a variant: `variant('hero', { control: 50, b: 50 }) === 'b'`. */
export function conditionOf(
  experiment: SplitExperiment,
  variant: string,
  { quote, call }: Pick<Manner, 'quote' | 'call'>,
): string {
  return `${call}(${quote}${experiment.key}${quote}, ${splitsOf(experiment, quote)}) === ${quote}${variant}${quote}`
}

const nameOf = (key: string, quote: string): string =>
  /^[a-z][a-z0-9]*$/.test(key) ? key : quote + key + quote

function splitsOf(experiment: SplitExperiment, quote: "'" | '"'): string {
  const splits = experiment.variants.map(({ key, trafficSplit }) => {
    // Objects move numeric keys to the front, so the control would not be first.
    if (/^\d+$/.test(key))
      throw new UnsupportedEditError(
        null,
        `code cannot keep the order of variants whose key is a number: give ${key} a name with a letter`,
      )
    return `${nameOf(key, quote)}: ${trafficSplit}`
  })
  return `{ ${splits.join(', ')} }`
}

export interface Layout {
  /** the column at which the code begins, the length of what follows it, and the former length of the line */
  column: number
  after: number
  line: number
  lineEnd: string
  indent: string
  step: string
}

/**
 * A conditional expression: on one line if it fits, else one line for each arm. Elements of several lines get
 * parentheses.
 */
export function chooseExpression(
  conditions: readonly string[],
  arms: readonly string[],
  { column, after, line, lineEnd, indent, step }: Layout,
): Choice {
  const several = arms.some((arm) => arm.includes('\n'))
  const flat = chooseOnOneLine(conditions, arms)
  // Breaking a line that was long before does not make it shorter.
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

/** Puts the nodes of a fragment with several lines on their own lines, one step further in. */
function openFragment(arm: string, line: string, step: string): string {
  const inner = /^<>(?=\S)(.*\n.*\S)<\/>$/s.exec(arm)?.[1]
  if (inner === undefined || indented(`\n${inner}`, step) === `\n${inner}`) return arm
  return `<>${line}${step}${indented(inner, step)}${line}</>`
}

/** The content of an element of the helper's component. */
interface Shown {
  readonly experiment: SplitExperiment
  /** variants with an alternative, with its code */
  readonly alternatives: readonly (readonly [string, string])[]
  /** the children, as they are in the source */
  readonly control: string
  /** a text, of which spaces at the edges may count */
  readonly isText: boolean
}

/** An element of the helper's component. On several lines, it has one attribute a line. */
export function chooseElement(
  tag: string,
  { experiment, alternatives, control, isText }: Shown,
  { quote, column, line, lineEnd, indent, step }: Layout & { quote: "'" | '"' },
): Choice {
  const head = [`experiment="${experiment.key}"`, `splits={${splitsOf(experiment, quote)}}`]
  const named = alternatives.map(([key, code]): [string, string] => [`${nameOf(key, quote)}: `, code])
  const flat = pieces(
    `<${tag} ${head.join(' ')} arms={{ `,
    named.map(([name, code], index) => [`${index === 0 ? '' : ', '}${name}`, code]),
    [' }}>', control],
    `</${tag}>`,
  )
  const several = flat.code.includes('\n')
  if (!several && (column + flat.code.length <= LONGEST_LINE || line > LONGEST_LINE)) return flat
  const at = (depth: number): string => lineEnd + indent + step.repeat(depth)
  const parts = named.map(([name, code]): [string, string, string] =>
    code.includes('\n') && code.startsWith('<')
      ? [`${name}(${at(3)}`, openFragment(indented(code, step.repeat(3)), at(3), step), `${at(2)}),`]
      : [name, indented(code, step.repeat(2)), ','],
  )
  const isFlat = parts.length === 1 && !named.some(([, code]) => code.includes('\n'))
  return pieces(
    `<${tag}${head.map((one) => at(1) + one).join('')}${at(1)}arms={{${isFlat ? ' ' : ''}`,
    parts.map(([name, code], index) => {
      const before = index === 0 ? '' : (parts[index - 1]?.[2] ?? '')
      return [isFlat ? name : `${before}${at(2)}${name}`, code]
    }),
    [
      `${isFlat ? ' ' : `${parts.at(-1)?.[2] ?? ''}${at(1)}`}}}${at(0)}>${isText ? '' : at(1)}`,
      isText ? control : indented(control, step),
    ],
    `${isText ? '' : at(0)}</${tag}>`,
  )
}

/** Joins texts and arms, which come in pairs. */
function pieces(
  open: string,
  alternatives: readonly (readonly [string, string])[],
  control: readonly [string, string],
  close: string,
): Choice {
  let code = open
  const arms = [...alternatives, control].map(([before, arm]) => {
    const start = code.length + before.length
    code += before + arm
    return { start, end: start + arm.length }
  })
  return { code: code + close, arms }
}

/** A conditional expression without line breaks, for markup that must keep its layout. */
export function chooseOnOneLine(conditions: readonly string[], arms: readonly string[]): Choice {
  return write(
    conditions,
    arms,
    (condition) => `${condition} ? `,
    () => ' : ',
  )
}

/** Indents all lines after the first by one step, unless a line break may be part of a string. */
export function indented(arm: string, step: string): string {
  // Only templates, values of attributes and strings with a backslash at a line's end go over several lines.
  return /`|=\s*("[^"\n]*|'[^'\n]*)\n|\\\r?\n|<(pre|textarea)\b/.test(arm)
    ? arm
    : arm.replace(/\n(?=[^\r\n])/g, `\n${step}`)
}

/** `if (…) alternative; else original`, without the end of the statement. */
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

/** A string literal. Escapes line separators and invisible characters, so that reviewers see them. */
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

/** Uses the other quote if that avoids escapes, as formatters do. */
export function plainestString(text: string, quote: "'" | '"'): string {
  const other = quote === "'" ? '"' : "'"
  return stringOf(text, text.includes(quote) && !text.includes(other) ? other : quote)
}

/** Control characters, no-break and zero-width spaces, direction marks and line separators. */
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
