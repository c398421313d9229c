import { bringIn, type CodeBlock, type NewBlock, takeOut, unitsInBlocks } from '../component/helper-block.js'
import { refuseKnown } from '../component/other-experiments.js'
import {
  armOf,
  armsOf,
  checkByHand,
  type Dialect,
  type Outcome,
  outermost,
  type Replacement,
  shippedTexts,
  type Unit,
  UnsupportedEditError,
  type VariantTask,
} from '../dialect.js'
import { chooseExpression, conditionOf, indented } from '../script/choose.js'
import {
  applied,
  asSplices,
  draftsOf,
  mannerOf,
  maskBlock,
  placesOf,
  proveByHand,
  proveDrafts,
} from '../script/code.js'
import { type CodeDraft, codeBlockOf } from '../script/code-draft.js'
import { SVELTE_RUNES } from '../script/fixed-calls.js'
import { childOf, listOf, programOf, type SourceNode } from '../script/syntax.js'
import {
  core,
  endsItsLine,
  indentAt,
  lineEndOf,
  lineStart,
  nextLine,
  startsItsLine,
  stepOf,
} from '../text.js'
import { attributeArm, attributeArmOf, textArm } from './arms.js'
import { assertSvelteCompiles, BOM, nodesIn, type SvelteParts, svelteComponentOf } from './component.js'
import { maskMarkup } from './mask.js'
import { markupPath, type SvelteUnit, unitOf, unitsNear } from './units.js'

/** Components of Svelte 5, and of Svelte 4 if Svelte 5 can parse them. */
export const svelte: Dialect = {
  check: (text) => {
    svelteComponentOf(bare(text))
  },
  write: (task) => {
    const mark = task.text.startsWith(BOM) ? 1 : 0
    const { drafts, inserts } = write({
      ...task,
      text: bare(task.text),
      alternatives: task.alternatives.map((one) => ({
        ...one,
        start: one.start - mark,
        end: one.end - mark,
      })),
    })
    const shifted = <T extends { start: number; end: number }>(one: T): T => ({
      ...one,
      start: one.start + mark,
      end: one.end + mark,
    })
    return { drafts: drafts.map(shifted), inserts: inserts.map(shifted) }
  },
  unitsNear: (text, _, { start, end }) => {
    const body = bare(text)
    const mark = text.length - body.length
    const range = { start: start - mark, end: end - mark }
    const { blocks, fragment } = svelteComponentOf(body)
    return unitsInBlocks(body, blocks, range) ?? unitsNear(body, fragment, range)
  },
  withoutHelper: (text) => {
    const body = bare(text)
    return text.slice(0, text.length - body.length) + takeOut(body, svelteComponentOf(body).blocks)
  },
}

const bare = (text: string): string => (text.startsWith(BOM) ? text.slice(1) : text)

/** A draft of markup, with the ranges of the choice and its arms. */
interface MarkupDraft extends Replacement {
  kind: SvelteUnit['kind'] | 'block'
  arms: { start: number; end: number }[]
}

function write(task: VariantTask): Outcome {
  const { text, experiment, alternatives, helper } = task
  if (helper === undefined || !('importPath' in helper))
    throw new UnsupportedEditError(
      null,
      'components import the helper: it has to be a module in the folder of the sources',
    )
  const component = svelteComponentOf(text)
  const { blocks, fragment, instance, module } = component
  const isIn = (block: CodeBlock | null, { start, end }: { start: number; end: number }): boolean =>
    block !== null && block.start <= start && end <= block.end
  const markup = alternatives.filter((one) => !blocks.some((block) => isIn(block, one)))
  const ofModule = alternatives.some((one) => isIn(module, one))
  const newBlock: NewBlock = {
    at: 0,
    tag: 'script',
    indent: '  ',
    syntax: { typescript: false, jsx: false },
  }
  const home = (ofModule ? module : instance) ?? newBlock
  const { call, inserts } = bringIn(text, blocks, home, helper.importPath)
  refuseKnown(text, experiment.key, call)

  const isOneValue = (attribute: string): boolean =>
    attributeArm(attribute, null, component.typescript) !== null
  const units = outermost(markup.map((one) => unitOf(text, fragment, one, isOneValue)))
  for (const unit of units) {
    const edit = unit.alternatives[0]?.edit
    refuseKnown(text.slice(unit.start, unit.end), null, call, edit)
    for (const node of markupPath(fragment, unit.start, unit.end)) {
      const test = childOf(node, 'test')
      if (node.type === 'IfBlock' && test !== undefined)
        refuseKnown(text.slice(test.start, test.end), null, call, edit)
    }
  }
  const markupDrafts = units.map((unit) => markupDraft(task, unit, call, component))
  const masked = maskMarkup(text, fragment, units)
  const codeDrafts = blocks.map((block): CodeDraft[] => {
    const code = codeBlockOf(text, block.start, block.end - block.start, block.syntax)
    const own = alternatives.filter((one) => isIn(block, one))
    const manner = { ...mannerOf(text.slice(block.start, block.end), code.program), call }
    const surroundings = {
      file: task.path,
      isModule: block !== instance,
      rendersOnServer: helper.rendersOnServer === true,
      elsewhere: text.slice(0, block.start) + text.slice(block.end),
      fixed: SVELTE_RUNES,
    }
    const drafts = draftsOf(code, experiment, own, manner, surroundings)
    proveByHand(maskBlock(code, drafts), drafts, experiment)
    return drafts
  })
  const drafts = [...markupDrafts, ...codeDrafts.flat()]
  const splices = [...inserts, ...asSplices(drafts)]
  const result = applied(masked, drafts, inserts)
  const after = svelteComponentOf(result)
  for (const own of codeDrafts) {
    if (own.length === 0) continue
    const places = placesOf(own, splices)
    const block = after.blocks.find(({ start, end }) =>
      places.every((place) => start <= place && place < end),
    )
    if (block === undefined)
      throw new UnsupportedEditError(null, 'an alternative ends the block that it stands in')
    const program = programOf(result.slice(block.start, block.end), block.syntax)
    proveDrafts(
      program,
      own,
      places.map((place) => place - block.start),
    )
  }
  proveMarkup(result, after, markupDrafts, placesOf(markupDrafts, splices))
  proveCompiled({ ...task, text: masked }, result)
  return { drafts, inserts }
}

/**
 * Proves that code that compiled before still compiles. Some code parses but does not compile, such as Svelte
 * 4 syntax.
 */
function proveCompiled(task: VariantTask, result: string): void {
  try {
    assertSvelteCompiles(result)
  } catch (error) {
    if (!(error instanceof UnsupportedEditError)) throw error
    let before: unknown
    try {
      assertSvelteCompiles(task.text)
    } catch (reason) {
      before = reason
    }
    if (before === undefined) throw error
  }
  checkByHand(task, (text) => {
    svelteComponentOf(text)
  })
}

function markupDraft(
  task: VariantTask,
  unit: Unit<SvelteUnit>,
  call: string,
  { typescript }: SvelteParts,
): MarkupDraft {
  const { text, experiment } = task
  const { what } = unit
  const keys = armsOf(experiment, unit)
  const arms = [...keys.map((key) => armOf(text, unit, key)), text.slice(unit.start, unit.end)]
  const conditions = keys.map((key) => conditionOf(experiment, key, { quote: "'", call }))
  const shipped = { start: unit.start, end: unit.end, ...shippedTexts(text, experiment, unit) }
  const indent = indentAt(text, unit.start)
  const choose = (codes: readonly string[], open: string): MarkupDraft => {
    const choice = chooseExpression(conditions, codes, {
      column: unit.start - lineStart(text, unit.start) + open.length,
      after: 1,
      line: nextLine(text, unit.start) - lineStart(text, unit.start),
      lineEnd: lineEndOf(text),
      indent,
      step: stepOf(indent),
    })
    return { ...shipped, written: `${open}${choice.code}}`, kind: what.kind, arms: [] }
  }
  if (what.kind === 'attribute') {
    const codes = arms.map((arm, index) => {
      const edit = unit.alternatives.find(({ variant }) => variant === keys[index])?.edit ?? null
      return attributeArmOf(what.isClass ? condensed(arm) : arm, what.name, typescript, edit)
    })
    return choose(codes, `${what.name}={`)
  }
  if (what.kind === 'text') {
    const codes = arms.map((arm) => textArm(arm, what.inPre))
    const texts = codes.filter((code) => code !== null)
    if (texts.length === codes.length) return choose(texts, '{')
  }
  for (const [index, key] of keys.entries()) {
    const arm = arms[index] ?? ''
    const { start, end } = core(arm, 0, arm.length)
    if (start > 0 || end < arm.length)
      throw new UnsupportedEditError(
        unit.alternatives.find(({ variant }) => variant === key)?.edit ?? null,
        'white space at the edges of an alternative would be lost: leave it out',
      )
  }
  const mayBreak = what.kind === 'element' && startsItsLine(text, unit.start) && endsItsLine(text, unit.end)
  return { ...shipped, kind: 'block', ...ifBlock(text, conditions, arms, indent, mayBreak) }
}

/** A class without code, as the compiler writes it. */
const condensed = (attribute: string): string =>
  attribute.includes('{')
    ? attribute
    : attribute.replace(/[ \t\r\n]+/g, ' ').replace(/(=["'])\s+|\s+(?=["']$)/g, '$1')

/**
 * Puts `{#if}` around the alternatives. Svelte trims white space at the edges of a block, so the arms must
 * have none. If the only alternative is empty, the block is around the control.
 */
function ifBlock(
  text: string,
  conditions: readonly string[],
  arms: readonly string[],
  indent: string,
  mayBreak: boolean,
): Pick<MarkupDraft, 'written' | 'arms'> {
  const step = stepOf(indent)
  const gap = (inner: string): string => (mayBreak ? lineEndOf(text) + indent + inner : '')
  const places: { start: number; end: number }[] = []
  let written = ''
  const [alternative, control = '', ...others] = arms
  if (alternative === '' && others.length === 0) {
    const own = mayBreak ? indented(control, step) : control
    const opening = `{#if ${conditions[0]?.replace(/ === (?=[^=]*$)/, ' !== ') ?? ''}}${gap(step)}`
    const place = { start: opening.length, end: opening.length + own.length }
    return { written: `${opening}${own}${gap('')}{/if}`, arms: [place] }
  }
  for (const [index, arm] of arms.entries()) {
    const condition = conditions[index]
    written +=
      condition === undefined ? '{:else}' : index === 0 ? `{#if ${condition}}` : `{:else if ${condition}}`
    const own = mayBreak ? indented(arm, step) : arm
    if (own !== '') written += gap(step)
    places.push({ start: written.length, end: written.length + own.length })
    written += own + gap('')
  }
  return { written: `${written}{/if}`, arms: places }
}

/** Proves that each choice is one node with whole arms, so no alternative reaches out of it. */
function proveMarkup(
  text: string,
  { fragment }: SvelteParts,
  drafts: readonly MarkupDraft[],
  places: readonly number[],
): void {
  for (const [index, draft] of drafts.entries()) {
    const at = places[index] ?? 0
    const range = { start: at, end: at + draft.written.length }
    const path = markupPath(fragment, range.start, range.end)
    const is = ({ start, end }: SourceNode): boolean => start === range.start && end === range.end
    const node =
      draft.kind === 'attribute'
        ? listOf(path.at(-1), 'attributes').find(is)
        : path.slice(1).find((one) => is(one))
    const arms = draft.arms.map(({ start, end }) => ({ start: at + start, end: at + end }))
    const fits =
      draft.kind === 'attribute'
        ? node?.type === 'Attribute'
        : draft.kind === 'block'
          ? node?.type === 'IfBlock' && chain(text, node, arms)
          : node?.type === 'ExpressionTag'
    if (!fits)
      throw new UnsupportedEditError(
        null,
        'an alternative reaches out of its place: a tag, brace or quote too few or too many',
      )
  }
}

function chain(text: string, block: SourceNode, arms: readonly { start: number; end: number }[]): boolean {
  let rest: SourceNode | undefined = block
  for (const [index, arm] of arms.entries()) {
    const isLast = index === arms.length - 1
    const isOnly = arms.length === 1
    if (isOnly && rest?.alternate != null) return false
    const content = isLast && !isOnly ? rest : rest?.consequent
    const nodes = content === block ? [] : nodesIn(content)
    const first = nodes[0]
    const last = nodes.at(-1)
    const span = first === undefined || last === undefined ? null : core(text, first.start, last.end)
    const isBlank = span === null || span.start === span.end
    if (isBlank ? arm.start !== arm.end : span.start !== arm.start || span.end !== arm.end) return false
    if (isLast) return true
    const alternate: unknown = rest?.alternate
    if (typeof alternate !== 'object' || alternate === null) return false
    const [next, ...more] = nodesIn(alternate)
    const goesOn = next?.type === 'IfBlock' && next.elseif === true && more.length === 0
    rest =
      goesOn && index < arms.length - 2
        ? next
        : { type: 'Fragment', start: 0, end: 0, nodes: nodesIn(alternate) }
  }
  return false
}
