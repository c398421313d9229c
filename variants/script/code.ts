import { type Alternative, outermost, type Replacement, type Unit, UnsupportedEditError } from '../dialect.js'
import type { TextRange } from '../mask.js'
import type { SplitExperiment } from '../port.js'
import { core, type Splice, splice } from '../text.js'
import type { Manner } from './choose.js'
import {
  type CodeDraft,
  draftElement,
  draftHere,
  draftsLate,
  type LateValue,
  type SourceBlock,
  type Style,
} from './code-draft.js'
import { componentUnitOf } from './component-unit.js'
import { isExpression } from './context.js'
import type { FixedCalls } from './fixed-calls.js'
import { lateChoiceOf } from './late-choice.js'
import { maskCode } from './mask.js'
import { withinFixedCall, withinName } from './narrow.js'
import { childOf, everyNode, listOf, pathTo, programOf, type SourceNode, textOf } from './syntax.js'
import { type CodeUnit, unitOf, unitsNear } from './units.js'

/** The file around a piece of code. */
export interface CodeSurroundings {
  /** the file's path in the repository */
  readonly file: string
  /** whether code outside of functions runs once, when the file is loaded, and not for each component */
  readonly isModule: boolean
  readonly rendersOnServer: boolean
  /** whether the code runs on the server only, so that the helper's component has to choose */
  readonly isOnServer?: boolean
  /** the other parts of a component */
  readonly elsewhere: string
  readonly fixed?: FixedCalls | undefined
}

export function draftsOf(
  block: SourceBlock,
  experiment: SplitExperiment,
  alternatives: readonly Alternative[],
  manner: Manner,
  surroundings: CodeSurroundings,
): CodeDraft[] {
  const { text, offset, length, program } = block
  const { file, fixed, isOnServer = false } = surroundings
  const source = text.slice(offset, offset + length)
  const { call, tag } = manner
  const isUsed = source.includes(`${call}(`) || (tag !== undefined && source.includes(`<${tag}`))
  const others = isUsed ? choicesIn(program, call, tag) : []
  refuseOthers(others, experiment.key, offset, alternatives)
  const units = outermost(
    alternatives.map((alternative) => {
      const whole = { ...alternative, start: alternative.start - offset, end: alternative.end - offset }
      const inner = withinName(source, withinFixedCall(source, whole, block.syntax, fixed))
      const unit = (isOnServer ? componentUnitOf : unitOf)(source, program, inner, file)
      refuseOthers(others, experiment.key, 0, [{ ...inner, start: unit.start, end: unit.end }])
      return unit
    }),
  )
  const style: Style = { experiment, manner, fixed }
  if (isOnServer) return units.map((unit) => draftElement(block, unit, style))
  const merged = new Map<number, { choice: LateValue; unit: Unit<CodeUnit> }>()
  const drafts: CodeDraft[] = []
  for (const unit of units) {
    const choice = lateChoiceOf(source, program, unit, surroundings)
    if (choice.kind === 'early' && surroundings.rendersOnServer)
      throw new UnsupportedEditError(
        unit.alternatives[0]?.edit ?? null,
        EARLY,
        showUsers(source, program, choice.uses),
      )
    if (choice.kind === 'here' || choice.kind === 'early') drafts.push(draftHere(block, unit, style))
    else {
      const { start, end } = choice.value
      const known = merged.get(start)?.unit
      const all = [...(known?.alternatives ?? []), ...unit.alternatives]
      merged.set(start, { choice, unit: { start, end, what: { kind: 'expression' }, alternatives: all } })
    }
  }
  for (const { choice, unit } of merged.values()) {
    const made = draftsLate(block, unit, choice, style)
    for (const { start, end } of made)
      refuseOthers(
        others,
        experiment.key,
        offset,
        unit.alternatives.map((one) => ({ ...one, start, end })),
      )
    drafts.push(...made)
  }
  return inOrder(drafts, units[0]?.alternatives[0]?.edit)
}

/** The drafts by place. Throws if a use of one constant is part of what another edit needs. */
function inOrder(drafts: readonly CodeDraft[], edit = 0): CodeDraft[] {
  const ordered = [...drafts].sort((a, b) => a.start - b.start)
  if (ordered.some(({ end }, index) => end > (ordered[index + 1]?.start ?? end)))
    throw new UnsupportedEditError(edit, 'it overlaps with what another edit needs')
  return ordered
}

const EARLY =
  'the module makes it once, when it is loaded: on a site that is rendered on a server, all visitors would get the same. Choose it where a component shows it'

/** The elements and expressions that show a constant. */
function showUsers(source: string, program: SourceNode, uses: readonly TextRange[]): string[] {
  return [...new Set(uses.flatMap(({ start, end }) => unitsNear(source, pathTo(program, start, end))))]
}

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
    if (draft.choice === null) continue
    const range = { start: at + draft.choice.start, end: at + draft.choice.end }
    const arms = draft.choice.arms.map(({ start, end }) => ({ start: at + start, end: at + end }))
    const choice = pathTo(program, range.start, range.end)
      .map(({ node }) => node)
      .find(
        ({ type, start, end }) =>
          start === range.start &&
          (end === range.end || (type === 'IfStatement' && end >= range.end)) &&
          (type === 'ConditionalExpression' || type === 'IfStatement' || type === 'JSXElement'),
      )
    if (choice === undefined || !(choice.type === 'JSXElement' ? isElementOf : chain)(choice, arms))
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

/** Whether an element has the arms as its only alternatives, and the last one as its only child. */
function isElementOf(element: SourceNode, arms: readonly TextRange[]): boolean {
  const attributes = listOf(childOf(element, 'openingElement'), 'attributes')
  const values = listOf(childOf(childOf(attributes.at(-1), 'value'), 'expression'), 'properties').map(
    (one) => {
      const value = childOf(one, 'value')
      return value?.type === 'ParenthesizedExpression' ? (childOf(value, 'expression') ?? value) : value
    },
  )
  const children = listOf(element, 'children').filter(
    ({ type, start, end }) => type !== 'JSXText' || arms.at(-1)?.start === start || arms.at(-1)?.end === end,
  )
  const nodes = [...values, ...children]
  return (
    attributes.length === 3 &&
    children.length === 1 &&
    nodes.length === arms.length &&
    arms.every(({ start, end }, index) => nodes[index]?.start === start && nodes[index]?.end === end)
  )
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

function choicesIn(program: SourceNode, call: string, tag: string | undefined): KnownChoice[] {
  const found: KnownChoice[] = []
  for (const { node } of everyNode(program)) {
    const opening = node.type === 'JSXElement' ? childOf(node, 'openingElement') : undefined
    if (opening !== undefined && textOf(childOf(opening, 'name'), 'name') === tag) {
      const named = textOf(childOf(listOf(opening, 'attributes')[0], 'value'), 'value')
      if (named !== undefined) found.push({ key: named, start: node.start, end: node.end })
    }
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
export function maskBlock(block: SourceBlock, drafts: readonly CodeDraft[]): SourceBlock {
  const { text, offset, length, program } = block
  const edits = drafts.map(({ start, end }) => ({ start: start - offset, end: end - offset }))
  const source = maskCode(text.slice(offset, offset + length), program, edits)
  return { ...block, text: text.slice(0, offset) + source + text.slice(offset + length) }
}

/**
 * Proves that the alternative is one whole expression in its place: `a + b || c` is not the same as choosing
 * `b || c`.
 */
export function proveByHand(
  block: SourceBlock,
  drafts: readonly CodeDraft[],
  experiment: SplitExperiment,
): void {
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
