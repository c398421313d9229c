import {
  childOf,
  childrenOf,
  listOf,
  programOf,
  type SourceNode,
  syntaxOf,
  textOf,
} from '../../../variants/script/syntax.js'
import { core } from '../../../variants/text.js'
import { type Constants, constantsOf, constantsWhenAsked, nameOf } from './constants.js'
import { type Attribute, collapsed, type Element, elementAt, type Page } from './tree.js'

const NAMES: Readonly<Record<string, string>> = { className: 'class', htmlFor: 'for' }
const UNREAD = new Set('script style svg code pre textarea Trans title'.split(' '))

/** What the components of a file show, or `null` where there is no markup in it. */
export function jsxPage(path: string, text: string): Page | null {
  if (/\.tsx?$/i.test(path) && !/<\/|\/>/.test(text)) return null
  const program = programOf(text, syntaxOf(path))
  const root = elementAt('', { start: 0, end: text.length }, null)
  const constants = constantsWhenAsked(() => constantsOf(program, text, 0))
  gather(program, root, text, constants)
  return root.children.length === 0 ? null : { path, text, dialect: 'jsx', root, lang: null }
}

/** The topmost markup below a node that is no markup itself. */
function gather(node: SourceNode, parent: Element, text: string, constants: Constants): void {
  for (const { node: child } of childrenOf(node)) {
    if (child.type === 'JSXElement' || child.type === 'JSXFragment') add(child, parent, text, constants)
    else gather(child, parent, text, constants)
  }
}

function add(node: SourceNode, parent: Element, text: string, constants: Constants): void {
  const opening = childOf(node, 'openingElement')
  const name = childOf(opening, 'name')
  const tag = name === undefined ? '' : text.slice(name.start, name.end)
  const element = elementAt(tag, node, parent)
  element.attributes = listOf(opening, 'attributes').flatMap((one) => attributeOf(one, text))
  parent.children.push(element)
  if (UNREAD.has(tag)) return
  // Markup in properties, as `icon={<Arrow />}`, may be shown anywhere.
  for (const one of listOf(opening, 'attributes')) {
    const code = elementAt('#code', one, element)
    gather(one, code, text, constants)
    if (code.children.length > 0) element.children.push(code)
  }
  for (const child of listOf(node, 'children')) {
    if (child.type === 'JSXText') addText(child, element, text)
    else if (child.type === 'JSXElement' || child.type === 'JSXFragment') add(child, element, text, constants)
    else if (child.type === 'JSXExpressionContainer') addExpression(child, element, text, constants)
    else element.hasCode = true
  }
}

function addText(node: SourceNode, parent: Element, text: string): void {
  const value = collapsed(textOf(node, 'value') ?? '')
  if (value !== '')
    parent.children.push({ kind: 'text', value, quote: null, parent, ...core(text, node.start, node.end) })
}

function addExpression(container: SourceNode, parent: Element, text: string, constants: Constants): void {
  const node = childOf(container, 'expression')
  if (node === undefined || node.type === 'JSXEmptyExpression') return
  const quote = text[node.start]
  const value = textOf(node, 'value')
  if (node.type === 'StringLiteral' && value !== undefined && (quote === '"' || quote === "'")) {
    if (collapsed(value) !== '')
      parent.children.push({ kind: 'text', value, quote, parent, start: node.start, end: node.end })
    return
  }
  const name = nameOf(node)
  const constant = name === null ? undefined : constants.get(name)
  if (constant !== undefined) {
    parent.children.push({ kind: 'text', parent, ...constant })
    return
  }
  const code = elementAt('#code', container, parent)
  code.hasCode = true
  parent.children.push(code)
  gather(container, code, text, constants)
}

function attributeOf(node: SourceNode, text: string): Attribute[] {
  const nameNode = childOf(node, 'name')
  if (node.type !== 'JSXAttribute' || nameNode === undefined) return []
  const written = text.slice(nameNode.start, nameNode.end)
  const name = NAMES[written] ?? (/^(aria-|data-)/.test(written) ? written : written.toLowerCase())
  const value = childOf(node, 'value')
  const place = { name, start: node.start, end: node.end }
  if (value === undefined) return [{ ...place, value: '', own: null }]
  if (value.type === 'StringLiteral')
    return [
      { ...place, value: textOf(value, 'value') ?? '', own: { start: value.start + 1, end: value.end - 1 } },
    ]
  const inner = childOf(value, 'expression')
  const known = inner?.type === 'StringLiteral' ? (textOf(inner, 'value') ?? null) : null
  return [{ ...place, value: known, own: null }]
}
