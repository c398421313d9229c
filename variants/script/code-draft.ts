import { armOf, armsOf, type Replacement, shippedTexts, type Unit, UnsupportedEditError } from '../dialect.js'
import type { TextRange } from '../mask.js'
import type { SplitExperiment } from '../port.js'
import { indentAt, lineEndOf, lineStart, nextLine, startsItsLine, stepOf } from '../text.js'
import { armCode } from './arms.js'
import {
  chooseElement,
  chooseExpression,
  chooseStatement,
  conditionOf,
  LONGEST_LINE,
  type Manner,
} from './choose.js'
import { type FixedCalls, fixedCallIn } from './fixed-calls.js'
import type { LateChoice } from './late-choice.js'
import { childOf, programOf, type SourceNode, type Syntax } from './syntax.js'
import type { CodeUnit } from './units.js'

/** Code in a text: all of it, or a component's block that starts at `offset`. */
export interface SourceBlock {
  text: string
  offset: number
  length: number
  syntax: Syntax
  program: SourceNode
}

export function codeBlockOf(text: string, offset: number, length: number, syntax: Syntax): SourceBlock {
  return { text, offset, length, syntax, program: programOf(text.slice(offset, offset + length), syntax) }
}

/** A draft of code, with the ranges of the choice and its arms in `written`. */
export interface CodeDraft extends Replacement {
  /** an expression that is not markup */
  isValue: boolean
  /** `null` for a constant that keeps the control's value, because its uses choose */
  choice: { start: number; end: number; arms: { start: number; end: number }[] } | null
}

export interface Style {
  experiment: SplitExperiment
  manner: Manner
  fixed: FixedCalls | undefined
}

/** The place of a choice, and the code around it. */
interface Frame extends TextRange {
  open: string
  close: string
  /** the indentation of the choice's line; that of the place by default */
  indent?: string
  /** code of the control, if it is not the unit's own */
  control?: string
  isValue: boolean
  variants: Replacement['variants']
  plain: string
}

/** The draft of a unit that is chosen in its place. */
export function draftHere(block: SourceBlock, unit: Unit<CodeUnit>, style: Style): CodeDraft {
  const { what, start, end } = unit
  const [open, close] = bracesOf(what)
  const isValue = what.kind === 'expression' || what.kind === 'operand' || what.kind === 'statement'
  const shipped = shippedTexts(sourceOf(block), style.experiment, unit)
  return draftIn(block, unit, { start, end, open, close, isValue, ...shipped }, style)
}

/** The draft of a unit of a Server Component, between whose arms the helper's component chooses. */
export function draftElement(block: SourceBlock, unit: Unit<CodeUnit>, style: Style): CodeDraft {
  const { what, start, end } = unit
  const { experiment, manner } = style
  const source = sourceOf(block)
  const keys = armsOf(experiment, unit)
  const alternatives = keys.map((key): [string, string] => [key, armIn(block, unit, style, key)])
  const shown = { experiment, alternatives, control: source.slice(start, end), isText: what.kind === 'text' }
  const layout = { ...layoutAt(source, start), quote: manner.quote, after: 0 }
  const choice = chooseElement(manner.tag ?? '', shown, layout)
  return {
    start: start + block.offset,
    end: end + block.offset,
    written: choice.code,
    ...shippedTexts(source, experiment, unit),
    isValue: what.kind === 'expression',
    choice: { start: 0, end: choice.code.length, arms: choice.arms },
  }
}

/** A choice that is made later than when its module is loaded. */
export type LateValue = Exclude<LateChoice, { kind: 'here' | 'early' }>

/** The drafts of a value of a module that is chosen whenever it is shown. */
export function draftsLate(
  block: SourceBlock,
  unit: Unit<CodeUnit>,
  choice: LateValue,
  style: Style,
): CodeDraft[] {
  const source = sourceOf(block)
  const shipped = shippedTexts(source, style.experiment, unit)
  if (choice.kind === 'factory')
    return [
      draftIn(
        block,
        unit,
        { ...rangeOf(unit), open: '() => ', close: '', isValue: false, ...shipped },
        style,
      ),
    ]
  if (choice.kind === 'uses') {
    const { name, uses } = choice
    const again = Object.fromEntries(Object.keys(shipped.variants).map((key) => [key, name]))
    const constant: CodeDraft = {
      start: unit.start + block.offset,
      end: unit.end + block.offset,
      written: shipped.plain,
      ...shipped,
      isValue: true,
      choice: null,
    }
    const drafts = uses.map(({ start, end, what }) => {
      const [open, close] = bracesOf(what)
      const frame = { start, end, open, close, control: name, isValue: true, variants: again, plain: name }
      return draftIn(block, unit, frame, style)
    })
    return [constant, ...drafts]
  }
  return [getterDraft(block, unit, choice.property, style)]
}

/** Stays on the line of its property if it fits. */
function getterDraft(
  block: SourceBlock,
  unit: Unit<CodeUnit>,
  property: SourceNode,
  style: Style,
): CodeDraft {
  const source = sourceOf(block)
  const { start, end } = property
  const key = childOf(property, 'key')
  const name = source.slice(key?.start ?? start, key?.end ?? start)
  const outer = indentAt(source, start)
  const indent = outer + stepOf(outer || firstIndent(source))
  const lineEnd = lineEndOf(source)
  const shipped = shippedTexts(source, style.experiment, { ...unit, start, end })
  const write = (before: string, after: string): CodeDraft => {
    const open = `get ${name}() {${before}return `
    const close = `${style.manner.semicolon ? ';' : ''}${after}}`
    return draftIn(block, unit, { start, end, open, close, indent, isValue: false, ...shipped }, style)
  }
  const column = start - lineStart(source, start)
  const flat = startsItsLine(source, start) ? undefined : write(' ', ' ')
  const fits =
    flat !== undefined && !flat.written.includes('\n') && column + flat.written.length <= LONGEST_LINE
  return fits ? flat : write(lineEnd + indent, lineEnd + outer)
}

const rangeOf = ({ start, end }: TextRange): TextRange => ({ start, end })

const sourceOf = ({ text, offset, length }: SourceBlock): string => text.slice(offset, offset + length)

function draftIn(block: SourceBlock, unit: Unit<CodeUnit>, frame: Frame, style: Style): CodeDraft {
  const { offset } = block
  const { experiment, manner } = style
  const source = sourceOf(block)
  const { what } = unit
  const { start, end, open, close, control, isValue, variants, plain } = frame
  const keys = armsOf(experiment, unit)
  const arms = [
    ...keys.map((key) => armIn(block, unit, style, key)),
    control ?? armIn(block, unit, style, null),
  ]
  const conditions = keys.map((key) => conditionOf(experiment, key, manner))
  const lastLine = open.slice(open.lastIndexOf('\n') + 1)
  const there = layoutAt(source, start, frame.indent)
  const layout = {
    ...there,
    column: lastLine.length + (lastLine === open ? there.column : 0),
    after: close.split('\n', 1)[0]?.length ?? 0,
    line: lastLine === open ? there.line : 0,
  }
  const choice =
    what.kind === 'statement' ? chooseStatement(conditions, arms) : chooseExpression(conditions, arms, layout)
  return {
    start: start + offset,
    end: end + offset,
    written: open + choice.code + close,
    variants,
    plain,
    isValue,
    choice: {
      start: open.length,
      end: open.length + choice.code.length,
      arms: choice.arms.map((arm) => ({ start: arm.start + open.length, end: arm.end + open.length })),
    },
  }
}

/** The code of one variant, or of the control if `variant` is null. */
function armIn(
  block: SourceBlock,
  unit: Unit<CodeUnit>,
  { manner, fixed }: Style,
  variant: string | null,
): string {
  const source = sourceOf(block)
  const code = variant === null ? source.slice(unit.start, unit.end) : armOf(source, unit, variant)
  try {
    const arm = armCode(code, unit.what, block.syntax, manner.quote)
    const call = fixed && fixedCallIn(arm, block.syntax, fixed)
    if (call !== undefined) throw new UnsupportedEditError(null, `it calls ${call}, ${fixed?.why}`)
    return arm
  } catch (error) {
    if (!(error instanceof UnsupportedEditError)) throw error
    const of = unit.alternatives.find((one) => one.variant === variant) ?? unit.alternatives[0]
    throw new UnsupportedEditError(error.problem.edit ?? of?.edit ?? null, error.message)
  }
}

/** The layout of the code at an offset. */
function layoutAt(source: string, start: number, indent = indentAt(source, start)) {
  return {
    column: start - lineStart(source, start),
    line: nextLine(source, start) - lineStart(source, start),
    lineEnd: lineEndOf(source),
    indent,
    step: stepOf(indent || firstIndent(source)),
  }
}

function bracesOf(what: CodeUnit): [string, string] {
  switch (what.kind) {
    case 'expression':
    case 'statement':
      return ['', '']
    case 'operand':
      return ['(', ')']
    case 'child':
    case 'text':
      return ['{', '}']
    case 'attribute':
      return [`${what.name}={`, '}']
  }
}

const firstIndent = (source: string): string => /^[ \t]+(?=\S)/m.exec(source)?.[0] ?? ''
