import { parse } from 'svelte/compiler'
import { parsing, UnsupportedEditError } from '../dialect.js'
import { expressionArm } from '../script/arms.js'
import { plainestString } from '../script/choose.js'
import { isNode, listOf, type SourceNode, textOf } from '../script/syntax.js'
import { nodesIn } from './component.js'

function markupOf(code: string): SourceNode[] {
  return parsing('the alternative', () => nodesIn(parse(code, { modern: true }).fragment))
}

/** The text that the compiler makes of markup without tags and braces; `null` for other markup. */
export function textArm(code: string, inPre: boolean): string | null {
  const nodes = markupOf(code)
  const [only] = nodes
  if (only === undefined) return "''"
  if (nodes.length > 1 || only.type !== 'Text') return null
  const text = textOf(only, 'data') ?? ''
  return plainestString(inPre ? text : text.replace(/[ \t\r\n\f]+/g, ' '), "'")
}

/**
 * An attribute's value as an expression; `null` if it mixes text and expressions, or is not a single
 * attribute.
 */
export function attributeArm(code: string, name: string | null, typescript: boolean): string | null {
  const whole = `<a ${code}></a>`
  const [element, ...others] = markupOf(whole)
  const [attribute, ...more] = listOf(element, 'attributes')
  const fits =
    element !== undefined &&
    others.length === 0 &&
    more.length === 0 &&
    attribute?.type === 'Attribute' &&
    attribute.start === 3 &&
    attribute.end === whole.length - 5 &&
    element.end === whole.length
  if (!fits || (name !== null && textOf(attribute, 'name') !== name)) return null
  const { value } = attribute
  const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (Array.isArray(value) && value.length === 0) return "''"
  if (!isNode(single)) return null
  if (single.type === 'Text') return plainestString(textOf(single, 'data') ?? '', "'")
  if (single.type !== 'ExpressionTag' || Array.isArray(value)) return null
  return expressionArm(whole.slice(single.start + 1, single.end - 1), { typescript, jsx: false })
}

/** The arm of an attribute, if no other unit fits. */
export function attributeArmOf(code: string, name: string, typescript: boolean, edit: number | null): string {
  const arm = attributeArm(code, name, typescript)
  if (arm === null)
    throw new UnsupportedEditError(
      edit,
      `the alternative of an attribute's value is a value of ${name} and nothing else`,
    )
  return arm
}
