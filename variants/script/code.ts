import {
  type Alternative,
  armOf,
  armsOf,
  outermost,
  type Replacement,
  shippedTexts,
  type Unit,
  UnsupportedEditError,
} from '../dialect.js'
import type { SplitExperiment } from '../port.js'
import { core, indentAt, lineEndOf, lineStart, nextLine, type Splice, splice, stepOf } from '../text.js'
import { armCode } from './arms.js'
import { type Choice, chooseExpression, chooseStatement, conditionOf, type Manner } from './choose.js'
import { isExpression } from './context.js'
import { type FixedCalls, fixedCallIn } from './fixed-calls.js'
import { maskCode } from './mask.js'
import { withinFixedCall, withinName } from './narrow.js'
import {
  childOf,
  everyNode,
  listOf,
  pathTo,
  programOf,
  type SourceNode,
  type Syntax,
  textOf,
} from './syntax.js'
import { type CodeUnit, unitOf } from './units.js'

/** Code in a text: all of it, or a component's block that starts at `offset`. */
interface Block {
  text: string
  offset: number
  length: number
  syntax: Syntax
  program: SourceNode
}

export function codeBlockOf(text: string, offset: number, length: number, syntax: Syntax): Block {
  return { text, offset, length, syntax, program: programOf(text.slice(offset, offset + length), syntax) }
}

/** A draft of code, with the ranges of the choice and its arms in `written`. */
export interface CodeDraft extends Replacement {
  /** an expression that is not markup */
  isValue: boolean
  choice: { start: number; end: number; arms: { start: number; end: number }[] }
}

export function draftsOf(
  block: Block,
  experiment: SplitExperiment,
  alternatives: readonly Alternative[],
  manner: Manner,
  fixed?: FixedCalls,
): CodeDraft[] {
  const { text, offset, length, program } = block
  const source = text.slice(offset, offset + length)
  const others = source.includes(`${manner.call}(`) ? choicesIn(program, manner.call) : []
  refuseOthers(others, experiment.key, offset, alternatives)
  const units = outermost(
    alternatives.map((alternative) => {
      const whole = { ...alternative, start: alternative.start - offset, end: alternative.end - offset }
      const inner = withinName(source, withinFixedCall(source, whole, block.syntax, fixed))
      const unit = unitOf(source, program, inner)
      refuseOthers(others, experiment.key, 0, [{ ...inner, start: unit.start, end: unit.end }])
      return unit
    }),
  )
  return units.map((unit) => draftOf(block, source, experiment, unit, manner, fixed))
}

function draftOf(
  { offset, syntax }: Block,
  source: string,
  experiment: SplitExperiment,
  unit: Unit<CodeUnit>,
  manner: Manner,
  fixed: FixedCalls | undefined,
): CodeDraft {
  const { what } = unit
  const keys = armsOf(experiment, unit)
  const named = (variant: string | null, code: string): string => {
    try {
      const arm = armCode(code, what, syntax, manner.quote)
      const call = fixed && fixedCallIn(arm, syntax, fixed)
      if (call !== undefined) throw new UnsupportedEditError(null, `it calls ${call}, ${fixed?.why}`)
      return arm
    } catch (error) {
      if (!(error instanceof UnsupportedEditError)) throw error
      const of = unit.alternatives.find((one) => one.variant === variant) ?? unit.alternatives[0]
      throw new UnsupportedEditError(error.problem.edit ?? of?.edit ?? null, error.message)
    }
  }
  const arms = [
    ...keys.map((key) => named(key, armOf(source, unit, key))),
    named(null, source.slice(unit.start, unit.end)),
  ]
  const conditions = keys.map((key) => conditionOf(experiment, key, manner))
  const [open, close] = frameOf(what)
  const indent = indentAt(source, unit.start)
  const layout = {
    column: unit.start - lineStart(source, unit.start) + open.length,
    after: close.length,
    line: nextLine(source, unit.start) - lineStart(source, unit.start),
    lineEnd: lineEndOf(source),
    indent,
    step: stepOf(indent || firstIndent(source)),
  }
  const choice: Choice =
    what.kind === 'statement' ? chooseStatement(conditions, arms) : chooseExpression(conditions, arms, layout)
  const written = open + choice.code + close
  return {
    start: unit.start + offset,
    end: unit.end + offset,
    written,
    ...shippedTexts(source, experiment, unit),
    isValue: what.kind === 'expression' || what.kind === 'operand' || what.kind === 'statement',
    choice: {
      start: open.length,
      end: open.length + choice.code.length,
      arms: choice.arms.map(({ start, end }) => ({ start: start + open.length, end: end + open.length })),
    },
  }
}

function frameOf(what: CodeUnit): [string, string] {
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

/**
 * Proves that each draft parses as one choice with whole expressions as arms, so no arm reaches out of it.
 */
export function proveDrafts(
  program: SourceNode,
  drafts: readonly CodeDraft[],
  places: readonly number[],
): void {
  for (const [index, draft] of drafts.entries()) {
    const at = places[index] ?? 0
    const range = { start: at + draft.choice.start, end: at + draft.choice.end }
    const arms = draft.choice.arms.map(({ start, end }) => ({ start: at + start, end: at + end }))
    const choice = pathTo(program, range.start, range.end)
      .map(({ node }) => node)
      .find(
        ({ type, start, end }) =>
          start === range.start &&
          (end === range.end || (type === 'IfStatement' && end >= range.end)) &&
          (type === 'ConditionalExpression' || type === 'IfStatement'),
      )
    if (choice === undefined || !chain(choice, arms))
      throw new UnsupportedEditError(
        null,
        'the alternative is not one whole piece of code: something in it reaches out of its place',
      )
  }
}

function chain(choice: SourceNode, arms: readonly { start: number; end: number }[]): boolean {
  let rest: SourceNode | undefined = choice
  for (const [index, arm] of arms.entries()) {
    const isLast = index === arms.length - 1
    const node: SourceNode | undefined = isLast ? rest : childOf(rest, 'consequent')
    let inner = node?.type === 'ExpressionStatement' ? childOf(node, 'expression') : node
    if (inner?.type === 'ParenthesizedExpression' && inner.start < arm.start)
      inner = childOf(inner, 'expression')
    if (inner === undefined || inner.start !== arm.start || inner.end !== arm.end) return false
    if (!isLast) rest = childOf(rest, 'alternate')
  }
  return true
}

/** The ranges of other experiments' code, and whether this experiment is there already. */
function refuseOthers(
  others: readonly KnownChoice[],
  experiment: string,
  offset: number,
  alternatives: readonly Alternative[],
): void {
  for (const { key, start, end } of others) {
    if (key === experiment)
      throw new UnsupportedEditError(null, `the experiment ${experiment} is in this file already`)
    const touched = alternatives.find((one) => one.start - offset < end && one.end - offset > start)
    if (touched !== undefined)
      throw new UnsupportedEditError(
        touched.edit,
        `it is part of the experiment ${key}: wait until that has been cleaned up, or choose another place`,
      )
  }
}

interface KnownChoice {
  key: string
  start: number
  end: number
}

function choicesIn(program: SourceNode, call: string): KnownChoice[] {
  const found: KnownChoice[] = []
  for (const { node } of everyNode(program)) {
    if (node.type !== 'ConditionalExpression' && node.type !== 'IfStatement') continue
    const left = childOf(childOf(node, 'test'), 'left')
    const key = textOf(listOf(left, 'arguments')[0], 'value')
    if (textOf(childOf(left, 'callee'), 'name') === call && key !== undefined)
      found.push({ key, start: node.start, end: node.end })
  }
  return found
}

/** The position of each draft in the text with all splices made. */
export function placesOf(drafts: readonly Replacement[], splices: readonly Splice[]): number[] {
  return drafts.map((draft) =>
    splices.reduce(
      (sum, { start, end, text }) =>
        start < draft.start || (start === draft.start && end === start)
          ? sum + text.length - (end - start)
          : sum,
      draft.start,
    ),
  )
}

export const asSplices = (drafts: readonly Replacement[]): Splice[] =>
  drafts.map(({ start, end, written }) => ({ start, end, text: written }))

/** The text with drafts and inserts made. */
export const applied = (text: string, drafts: readonly Replacement[], inserts: readonly Splice[]): string =>
  splice(text, [...inserts, ...asSplices(drafts)])

/** The quotes and semicolons of the code. */
export function mannerOf(source: string, program: SourceNode): { quote: "'" | '"'; semicolon: boolean } {
  // Imports tell best, because attributes have double quotes in any style.
  const imported = /\bfrom\s*(['"])/.exec(source)?.[1]
  const single = source.match(/'/g)?.length ?? 0
  const double = (source.match(/"/g)?.length ?? 0) - 2 * (source.match(/[\w-]="/g)?.length ?? 0)
  const ended = listOf(program, 'body').some(
    ({ type, end }) => /^(Import|Variable|Expression)/.test(type) && source[end - 1] === ';',
  )
  return {
    quote: imported === '"' || (imported === undefined && double > single) ? '"' : "'",
    semicolon: ended,
  }
}

/** Masks what neither the drafts nor their surroundings need; see `maskUnrelated`. */
export function maskBlock(block: Block, drafts: readonly CodeDraft[]): Block {
  const { text, offset, length, program } = block
  const edits = drafts.map(({ start, end }) => ({ start: start - offset, end: end - offset }))
  const source = maskCode(text.slice(offset, offset + length), program, edits)
  return { ...block, text: text.slice(0, offset) + source + text.slice(offset + length) }
}

/**
 * Proves that the alternative is one whole expression in its place: `a + b || c` is not the same as choosing
 * `b || c`.
 */
export function proveByHand(block: Block, drafts: readonly CodeDraft[], experiment: SplitExperiment): void {
  const { text, offset, length, syntax } = block
  for (const { key } of experiment.variants) {
    const parts = drafts.flatMap((draft): Splice[] => {
      const wanted = draft.variants[key]
      return wanted === undefined
        ? []
        : [{ start: draft.start - offset, end: draft.end - offset, text: wanted }]
    })
    if (parts.length === 0) continue
    const source = splice(text.slice(offset, offset + length), parts)
    const program = programOf(source, syntax)
    let shift = 0
    for (const draft of drafts) {
      const wanted = draft.variants[key]
      if (wanted === undefined) continue
      const start = draft.start - offset + shift
      shift += wanted.length - (draft.end - draft.start)
      if (!draft.isValue) continue
      const place = core(source, start, start + wanted.length)
      if (
        !pathTo(program, place.start, place.end).some(
          ({ node }) => node.start === place.start && node.end === place.end && isExpression(node),
        )
      )
        throw new UnsupportedEditError(
          null,
          `the alternative of ${key} is not one whole expression where it stands: it needs parentheses, or \`find\` has to be larger`,
        )
    }
  }
}
