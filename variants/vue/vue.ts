import { parse } from '@vue/compiler-sfc'
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
import { expressionArm } from '../script/arms.js'
import { chooseOnOneLine, conditionOf, indented, stringOf } from '../script/choose.js'
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
import { programOf } from '../script/syntax.js'
import { core, endsItsLine, indentAt, lineEndOf, startsItsLine, stepOf } from '../text.js'
import { compile, everyVueNode, KIND, setupProblem, type VueComponent, vueComponentOf } from './component.js'
import { maskTemplate } from './mask.js'
import { unitOf, unitsNear, type VueUnit } from './units.js'

/** Components of Vue 3. */
export const vue: Dialect = {
  check: (text) => compile(text),
  write,
  unitsNear: (text, _, range) => {
    const { blocks, template } = vueComponentOf(text)
    return unitsInBlocks(text, blocks, range) ?? (template === null ? [] : unitsNear(text, template, range))
  },
  withoutHelper: (text) => takeOut(text, vueComponentOf(text).blocks),
}

/** A draft of markup, with the ranges of the nodes that it must become. */
interface MarkupDraft extends Replacement {
  nodes: { start: number; end: number }[]
}

function write(task: VariantTask): Outcome {
  const { text, experiment, alternatives, helper } = task
  if (helper === undefined || !('importPath' in helper))
    throw new UnsupportedEditError(
      null,
      'components import the helper: it has to be a module in the folder of the sources',
    )
  const component = vueComponentOf(text)
  const { blocks, template } = component
  const blockWith = (start: number, end: number): CodeBlock | undefined =>
    blocks.find((block) => block.start <= start && end <= block.end)
  const markup = alternatives.filter(({ start, end }) => blockWith(start, end) === undefined)
  const [first] = markup
  if (first !== undefined && template === null)
    throw new UnsupportedEditError(
      first.edit,
      'only a template in HTML, in the file itself, can have alternatives',
    )
  const codeOnly = blocks.find((block) =>
    alternatives.some(({ start }) => block.start <= start && start < block.end),
  )
  const home =
    component.setup ?? (first === undefined && codeOnly !== undefined ? codeOnly : newBlock(text, component))
  const { call, inserts } = bringIn(text, blocks, home, helper.importPath)
  refuseKnown(text, experiment.key, call)

  const units =
    template === null ? [] : outermost(markup.map((alternative) => unitOf(text, template, alternative)))
  for (const unit of units)
    refuseKnown(text.slice(unit.start, unit.end), null, call, unit.alternatives[0]?.edit)
  for (const unit of units) refuseInside(text, component, unit, call)
  const markupDrafts = units.map((unit) => markupDraft(task, unit, call, component))
  const masked = maskTemplate(text, template, units)
  const codeDrafts = blocks.map((block): { block: CodeBlock; drafts: CodeDraft[] } => {
    const code = codeBlockOf(text, block.start, block.end - block.start, block.syntax)
    const own = alternatives.filter(({ start, end }) => blockWith(start, end) === block)
    const manner = { ...mannerOf(text.slice(block.start, block.end), code.program), call }
    const surroundings = {
      file: task.path,
      isModule: block !== component.setup,
      rendersOnServer: helper.rendersOnServer === true,
      elsewhere: text.slice(0, block.start) + text.slice(block.end),
    }
    const drafts = draftsOf(code, experiment, own, manner, surroundings)
    proveByHand(maskBlock(code, drafts), drafts, experiment)
    return { block, drafts }
  })
  const drafts = [...markupDrafts, ...codeDrafts.flatMap((one) => one.drafts)]
  const splices = [...inserts, ...asSplices(drafts)]
  const result = applied(masked, drafts, inserts)
  const after = vueComponentOf(result)
  for (const one of codeDrafts) {
    if (one.drafts.length === 0) continue
    const places = placesOf(one.drafts, splices)
    const block = after.blocks.find(({ start, end }) =>
      places.every((place) => start <= place && place < end),
    )
    if (block === undefined)
      throw new UnsupportedEditError(null, 'an alternative ends the block that it stands in')
    proveDrafts(
      programOf(result.slice(block.start, block.end), block.syntax),
      one.drafts,
      places.map((place) => place - block.start),
    )
  }
  proveMarkup(after, markupDrafts, placesOf(markupDrafts, splices))
  compile(result)
  // Types in other files make the compiler fail before and after.
  const problem = codeDrafts.some((one) => one.drafts.length > 0) ? setupProblem(result) : undefined
  if (problem !== undefined && setupProblem(masked) === undefined)
    throw new UnsupportedEditError(null, `the code cannot be compiled: ${problem}`)
  checkByHand({ ...task, text: masked }, compile)
  return { drafts, inserts }
}

function newBlock(text: string, { descriptor, blocks, syntax }: VueComponent): NewBlock {
  const [normal] = blocks
  if (normal !== undefined && /\bsetup\s*[(:]/.test(text.slice(normal.start, normal.end)))
    throw new UnsupportedEditError(
      null,
      'the component has a setup function, beside which there is no place for the helper that the template would see; `<script setup>` would do',
    )
  if (descriptor.script?.src !== undefined)
    throw new UnsupportedEditError(
      null,
      'the code of the component is in another file: its template cannot see the helper',
    )
  const lang = descriptor.script?.lang
  return {
    at: normal?.open ?? (text.startsWith('\ufeff') ? 1 : 0),
    tag: `script setup${lang === undefined ? '' : ` lang="${lang}"`}`,
    indent: '',
    syntax,
  }
}

function markupDraft(
  task: VariantTask,
  unit: Unit<VueUnit>,
  call: string,
  component: VueComponent,
): MarkupDraft {
  const { text, experiment } = task
  const keys = armsOf(experiment, unit)
  const own = text.slice(unit.start, unit.end)
  const arms = [...keys.map((key) => armOf(text, unit, key)), own]
  const shipped = { start: unit.start, end: unit.end, ...shippedTexts(text, experiment, unit) }
  const { what } = unit
  const quote = what.kind === 'bound' && what.quote === "'" ? '"' : "'"
  const conditions = keys.map((key) => conditionOf(experiment, key, { quote, call }))
  const choose = (codes: readonly string[], open: string, close: string): MarkupDraft => {
    const written = open + chooseOnOneLine(conditions, codes).code + close
    return { ...shipped, written, nodes: [{ start: 0, end: written.length }] }
  }
  switch (what.kind) {
    case 'bound':
      return choose(
        arms.map((arm) => expressionArm(arm, component.syntax)),
        '',
        '',
      )
    case 'attribute': {
      const values = arms.map((arm, index) => attributeText(arm, what.name, unit, keys[index]))
      return choose(
        values.map((value) => inAttribute(stringOf(value, "'"))),
        `:${what.name}="`,
        '"',
      )
    }
    case 'text':
      if (!what.inPre && arms.every(isPlain))
        return choose(
          arms.map((arm) => stringOf(condensed(arm), "'")),
          '{{ ',
          ' }}',
        )
      return { ...shipped, ...templates(text, unit, conditions, arms, false) }
    case 'element':
      return { ...shipped, ...templates(text, unit, conditions, arms, !what.inPre) }
  }
}

/** Condenses white space with a line break, as the compiler does in texts. */
const condensed = (text: string): string => text.replace(/[ \t]*\r?\n[ \t\r\n]*/g, ' ')

/** Texts that mean the same in an expression and between tags. */
const isPlain = (text: string): boolean =>
  !/[&{}<>\\]/.test(text) && core(text, 0, text.length).end === text.length && !/^[ \t]/.test(text)

const inAttribute = (code: string): string => code.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

/** The text of an attribute as the compiler reads it. */
function attributeText(code: string, name: string, unit: Unit<VueUnit>, variant: string | undefined): string {
  const edit = unit.alternatives.find((one) => one.variant === variant)?.edit ?? null
  const source = `<template><a ${code}></a></template>`
  const { descriptor, errors } = parse(source, { filename: 'attribute.vue', sourceMap: false })
  const element = descriptor.template?.ast?.children[0]
  const [property, ...more] = element !== undefined && 'props' in element ? element.props : []
  const fits =
    errors.length === 0 && more.length === 0 && property?.type === KIND.attribute && property.name === name
  if (
    !fits ||
    property.loc.end.offset !== source.length - '></a></template>'.length ||
    property.value === undefined
  )
    throw new UnsupportedEditError(
      edit,
      `the alternative of an attribute's value is a value of ${name} and nothing else`,
    )
  return property.value.content
}

/**
 * Puts `<template v-if>` around each alternative. It leaves nothing in the page, and the content keeps its
 * directives.
 */
function templates(
  text: string,
  unit: Unit<VueUnit>,
  conditions: readonly string[],
  arms: readonly string[],
  mayBreak: boolean,
): Pick<MarkupDraft, 'written' | 'nodes'> {
  const ownLines = mayBreak && startsItsLine(text, unit.start) && endsItsLine(text, unit.end)
  const indent = indentAt(text, unit.start)
  const step = stepOf(indent)
  const lineEnd = ownLines ? lineEndOf(text) : ''
  let written = ''
  const nodes: { start: number; end: number }[] = []
  for (const [index, arm] of arms.entries()) {
    const condition = conditions[index]
    const test = condition === undefined ? 'v-else' : `v-${index === 0 ? 'if' : 'else-if'}="${condition}"`
    if (index > 0) written += ownLines ? lineEnd + indent : ''
    const start = written.length
    const { start: from, end: to } = ownLines ? core(arm, 0, arm.length) : { start: 0, end: arm.length }
    const content = arm.slice(from, to)
    const inner =
      content === '' || !ownLines
        ? content
        : `${lineEnd}${indent}${step}${indented(content, step)}${lineEnd}${indent}`
    written += `<template ${test}>${inner}</template>`
    nodes.push({ start, end: written.length })
  }
  return { written, nodes }
}

/** Proves that each draft is one node of the template, so no alternative reaches out of it. */
function proveMarkup(
  { template }: VueComponent,
  drafts: readonly MarkupDraft[],
  places: readonly number[],
): void {
  const known = new Set<string>()
  const add = ({ loc }: { loc: { start: { offset: number }; end: { offset: number } } }): unknown =>
    known.add(`${loc.start.offset}-${loc.end.offset}`)
  if (template !== null)
    for (const { node } of everyVueNode(template)) {
      if (node.type === KIND.element || node.type === KIND.interpolation) add(node)
      for (const property of node.props ?? []) {
        if (property.type !== KIND.directive) continue
        add(property)
        if (property.exp !== undefined) add(property.exp)
      }
    }
  for (const [index, draft] of drafts.entries()) {
    const at = places[index] ?? 0
    for (const { start, end } of draft.nodes)
      if (!known.has(`${at + start}-${at + end}`))
        throw new UnsupportedEditError(
          null,
          'an alternative reaches out of its place: a tag, brace or quote too few or too many',
        )
  }
}

/** Refuses units inside another experiment's alternatives. */
function refuseInside(text: string, { template }: VueComponent, unit: Unit<VueUnit>, call: string): void {
  if (template === null) return
  for (const { node } of everyVueNode(template)) {
    const [start, end] = [node.loc.start.offset, node.loc.end.offset]
    if (start > unit.start || end < unit.end || node.tag !== 'template') continue
    const chain = text.slice(Math.max(0, start - 1), node.children?.[0]?.loc.start.offset ?? end)
    const before =
      text
        .slice(0, start)
        .match(/<template v-(else-)?if="[^"]*"[^>]*>/g)
        ?.at(-1) ?? ''
    if (/\sv-(else-)?if=/.test(chain)) refuseKnown(chain, null, call, unit.alternatives[0]?.edit)
    else if (/\sv-else[\s>]/.test(chain)) refuseKnown(before, null, call, unit.alternatives[0]?.edit)
  }
}
