import { type Alternative, showUnits, type Unit, UnsupportedEditError } from '../dialect.js'
import { core, isBlank } from '../text.js'
import { contextOf, type ExpressionContext, isExpression } from './context.js'
import { refuseStaticCode } from './static-code.js'
import { childOf, childrenOf, type PathStep, pathTo, type SourceNode } from './syntax.js'

/** A piece of code that can be written for each variant. */
export type CodeUnit =
  | { kind: 'expression' | 'operand' | 'statement' }
  /** an element or a text between tags */
  | { kind: 'child' | 'text' }
  | { kind: 'attribute'; name: string }

/** The unit of an alternative's range. Offsets count from the start of the program. */
export function unitOf(
  text: string,
  program: SourceNode,
  alternative: Alternative,
  file: string,
): Unit<CodeUnit> {
  const path = pathTo(program, alternative.start, alternative.end)
  refuseStaticCode(text, path, alternative, file)
  const last = path.at(-1)?.node
  if (last?.type === 'JSXText') return textUnit(text, last, alternative)
  const attribute = attributeIn(path)
  if (attribute !== undefined) {
    const unit = attributeUnit(text, attribute, alternative)
    if (unit !== null) return unit
  }
  const at = path.findIndex(
    ({ node, field }) =>
      node.start === alternative.start &&
      node.end === alternative.end &&
      (isExpression(node) || (field === 'children' && isCode(node))),
  )
  if (at < 0) throw new UnsupportedEditError(alternative.edit, refused(path), unitsNear(text, path))
  const own = path.slice(0, at + 1)
  const parent = own.at(-2)
  if (parent !== undefined && own.at(-1)?.field === 'children') return unit(alternative, { kind: 'child' })
  const context: ExpressionContext = contextOf(own)
  if (typeof context !== 'string')
    throw new UnsupportedEditError(alternative.edit, context.refused, unitsNear(text, path))
  if (context === 'statement' && path.some(({ node }) => /^JSX/.test(node.type)) && parent === undefined)
    throw new UnsupportedEditError(alternative.edit, 'it is not a value')
  return unit(alternative, {
    kind: context === 'bare' ? 'expression' : context === 'parentheses' ? 'operand' : 'statement',
  })
}

/** Code between tags with its braces, and not a comment. */
const isCode = (node: SourceNode): boolean =>
  node.type === 'JSXExpressionContainer' && childOf(node, 'expression')?.type !== 'JSXEmptyExpression'

const unit = (
  alternative: Alternative,
  what: CodeUnit,
  range: { start: number; end: number } = alternative,
): Unit<CodeUnit> => ({
  start: range.start,
  end: range.end,
  what,
  alternatives: [alternative],
})

function refused(path: readonly PathStep[]): string {
  const last = path.at(-1)?.node.type ?? ''
  if (last === 'Directive' || last === 'DirectiveLiteral')
    return '`find` is a directive, which is read before any code runs'
  if (last === 'TemplateElement') return '`find` is a part of a template string: take the whole of it'
  if (last === 'StringLiteral') return '`find` is a part of a string: take the whole of it, with its quotes'
  return '`find` is no whole expression, element, text of an element (up to the next tag or brace) or value of an attribute'
}

function textUnit(text: string, node: SourceNode, alternative: Alternative): Unit<CodeUnit> {
  const own = core(text, node.start, node.end)
  const shrunk = trimmed(text, alternative)
  if (own.start !== shrunk.start || own.end !== shrunk.end)
    throw new UnsupportedEditError(
      alternative.edit,
      '`find` is a part of a text: take all of it up to the next tag or brace',
      [...showUnits(text, [own])],
    )
  // With its spaces, the text stays one child, as components that look at their children see it.
  const [left, right] = [text.slice(node.start, own.start), text.slice(own.end, node.end)]
  const [start, end] = [
    left.includes('\n') ? own.start : node.start,
    right.includes('\n') ? own.end : node.end,
  ]
  return unit(shrunk, { kind: 'text' }, { start, end })
}

/** The alternative without white space at its edges, which has to be the same in both texts. */
export function trimmed(text: string, alternative: Alternative): Alternative {
  const { start, end } = core(text, alternative.start, alternative.end)
  const { replace } = alternative
  const inner = core(replace, 0, replace.length)
  const left = text.slice(alternative.start, start)
  const right = text.slice(end, alternative.end)
  if (replace.slice(0, inner.start) !== left || (replace.slice(inner.end) !== right && !isBlank(replace)))
    throw new UnsupportedEditError(
      alternative.edit,
      'leave white space at the edges of `find` and `replace` out, or keep it as it is',
    )
  return { ...alternative, start, end, replace: replace.slice(inner.start, inner.end) }
}

const attributeIn = (path: readonly PathStep[]): SourceNode | undefined =>
  path.findLast(({ node }) => node.type === 'JSXAttribute')?.node

/**
 * A value with or without quotes or braces, or the whole attribute; `null` if the range is inside the value.
 */
function attributeUnit(text: string, node: SourceNode, alternative: Alternative): Unit<CodeUnit> | null {
  const value = childOf(node, 'value')
  const nameNode = childOf(node, 'name')
  if (value === undefined || nameNode === undefined) {
    if (alternative.start >= node.start)
      throw new UnsupportedEditError(alternative.edit, 'the attribute has no value', showUnits(text, [node]))
    return null
  }
  const name = text.slice(nameNode.start, nameNode.end)
  const ranges = [node, value]
  if (value.type === 'StringLiteral') ranges.push({ ...value, start: value.start + 1, end: value.end - 1 })
  const fits = ranges.some(({ start, end }) => start === alternative.start && end === alternative.end)
  if (fits) return unit(alternative, { kind: 'attribute', name }, node)
  if (value.type === 'StringLiteral' || alternative.start < value.start)
    throw new UnsupportedEditError(
      alternative.edit,
      '`find` is no whole value of an attribute',
      showUnits(text, ranges.reverse()),
    )
  return null
}

/** Units around the end of a path, innermost first. */
export function unitsNear(text: string, path: readonly PathStep[]): string[] {
  const ranges: SourceNode[] = []
  for (let i = path.length - 1; i > 0; i--) {
    const node = path[i]?.node
    if (node === undefined) continue
    if (isExpression(node) && typeof contextOf(path.slice(0, i + 1)) === 'string') ranges.push(node)
    else if (isExpression(node) && path[i]?.field === 'children') ranges.push(node)
    if (i === path.length - 1 || node.type === 'JSXElement')
      for (const { node: child } of childrenOf(node)) if (child.type === 'JSXText') ranges.push(child)
  }
  return showUnits(text, ranges)
}
