import { UnsupportedEditError } from '../dialect.js'
import { core } from '../text.js'
import { plainestString } from './choose.js'
import { childOf, expressionOf, listOf, type Syntax, textOf } from './syntax.js'
import type { CodeUnit } from './units.js'

const IN_PARENTHESES = new Set([
  'AssignmentExpression',
  'ArrowFunctionExpression',
  'ConditionalExpression',
  'YieldExpression',
])

/** The text of a unit as an expression. Throws if the text does not fit the unit. */
export function armCode(text: string, what: CodeUnit, syntax: Syntax, quote: "'" | '"'): string {
  switch (what.kind) {
    case 'expression':
    case 'operand':
      return expressionArm(text, syntax)
    case 'statement': {
      const { start, end } = core(text, 0, text.length)
      expressionOf(text, syntax)
      return text.slice(start, end)
    }
    case 'child':
    case 'text':
      return childrenArm(text, what.kind, syntax, quote)
    case 'attribute':
      return attributeArm(text, what.name, syntax, quote)
  }
}

export function expressionArm(text: string, syntax: Syntax): string {
  const node = expressionOf(text, syntax)
  if (node.type === 'SequenceExpression')
    throw new UnsupportedEditError(null, 'the alternative is several expressions: take one')
  const { start, end } = core(text, 0, text.length)
  const code = text.slice(start, end)
  return IN_PARENTHESES.has(node.type) ? `(${code})` : code
}

/** Wraps several nodes, or nodes beside text, in a fragment, which leaves nothing in the page. */
function childrenArm(text: string, kind: 'child' | 'text', syntax: Syntax, quote: "'" | '"'): string {
  const { start, end } = kind === 'text' ? { start: 0, end: text.length } : core(text, 0, text.length)
  const code = text.slice(start, end)
  const whole = `<>${code}</>`
  const fragment = expressionOf(whole, syntax)
  if (fragment.type !== 'JSXFragment' || fragment.end !== whole.length)
    throw new UnsupportedEditError(null, 'the alternative ends the element that it stands in')
  const children = listOf(fragment, 'children')
  const [only] = children
  if (only === undefined) return kind === 'text' ? quote + quote : 'null'
  if (children.length > 1) return whole
  const inner = childOf(only, 'expression')
  const own = core(whole, only.start + 1, only.end - 1)
  // With a comment beside it, it stays between its braces.
  if (inner !== undefined && inner.start === own.start && inner.end === own.end)
    return expressionArm(whole.slice(own.start, own.end), syntax)
  if (only.type === 'JSXText') return plainestString(jsxText(textOf(only, 'value') ?? ''), quote)
  return only.type === 'JSXElement' || only.type === 'JSXFragment' ? code : whole
}

/** The text that JSX makes of text between tags: lines without indentation, joined by one space. */
function jsxText(value: string): string {
  const lines = value.split(/\r\n|\n|\r/)
  return lines
    .map((line, index) => {
      let own = line.replaceAll('\t', ' ')
      if (index > 0) own = own.replace(/^ +/, '')
      return index < lines.length - 1 ? own.replace(/ +$/, '') : own
    })
    .filter((line) => line !== '')
    .join(' ')
}

function attributeArm(text: string, name: string, syntax: Syntax, quote: "'" | '"'): string {
  const whole = `<a ${text} />`
  const element = expressionOf(whole, syntax)
  const opening = childOf(element, 'openingElement')
  const [attribute, ...more] = listOf(opening, 'attributes')
  const nameNode = childOf(attribute, 'name')
  const value = childOf(attribute, 'value')
  const fits =
    element.type === 'JSXElement' &&
    attribute?.type === 'JSXAttribute' &&
    more.length === 0 &&
    attribute.start === 3 &&
    attribute.end === whole.length - 3 &&
    nameNode !== undefined &&
    whole.slice(nameNode.start, nameNode.end) === name
  if (!fits || value === undefined)
    throw new UnsupportedEditError(
      null,
      `the alternative of an attribute's value is a value of ${name} and nothing else`,
    )
  if (value.type === 'StringLiteral') return plainestString(textOf(value, 'value') ?? '', quote)
  if (value.type !== 'JSXExpressionContainer') return whole.slice(value.start, value.end)
  const inner = childOf(value, 'expression')
  if (inner === undefined || inner.type === 'JSXEmptyExpression')
    throw new UnsupportedEditError(null, `the alternative of an attribute's value is empty`)
  return expressionArm(whole.slice(value.start + 1, value.end - 1), syntax)
}
