import { Refusal } from '../../variants/dialect.js'
import type { SourceNode } from '../../variants/script/syntax.js'
import { childOf, listOf, programOf, syntaxOf, textOf } from '../../variants/script/syntax.js'
import { allIn } from './form-flow.js'

/** A text of another file that a page shows: `{COPY.plot.soilLabel}`, and where the first of these names comes from. */
export interface Spoken {
  expression: string
  name: string
  from: string
}

/** One name for one text that a page shows. */
export const spokenKey = (path: string, expression: string): string => `${path} ${expression}`

const LONGEST = 100_000

/** What texts a file has under such names; none where it is no object that is written down. @param asked of one file */
export function spokenIn(path: string, text: string, asked: readonly Spoken[]): Map<string, string> {
  const found = new Map<string, string>()
  if (text.length > LONGEST) return found
  let program: SourceNode
  try {
    program = programOf(text, syntaxOf(path))
  } catch (error) {
    if (error instanceof Refusal) return found
    throw error
  }
  for (const { expression, name } of asked) {
    const own = allIn(program).filter(
      (node) => node.type === 'VariableDeclarator' && textOf(childOf(node, 'id'), 'name') === name,
    )
    let node = own.length === 1 ? written(childOf(own[0], 'init')) : undefined
    for (const key of expression.split('.').slice(1)) {
      const property = listOf(node, 'properties').find((one) => {
        const called = childOf(one, 'key')
        return one.computed !== true && (textOf(called, 'name') ?? textOf(called, 'value')) === key
      })
      node = written(childOf(property, 'value'))
    }
    const value = node?.type === 'StringLiteral' ? textOf(node, 'value') : undefined
    if (value !== undefined) found.set(expression, value)
  }
  return found
}

/** Without what only types are told by. */
const written = (node: SourceNode | undefined): SourceNode | undefined =>
  node !== undefined && /^TS\w+Expression$|^ParenthesizedExpression$/.test(node.type)
    ? written(childOf(node, 'expression'))
    : node
