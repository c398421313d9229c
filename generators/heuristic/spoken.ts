import { UnsupportedEditError } from '../../variants/dialect.js'
import type { SourceNode } from '../../variants/script/syntax.js'
import { childOf, listOf, programOf, syntaxOf, textOf } from '../../variants/script/syntax.js'
import { allIn } from './form-flow.js'
import type { Taken } from './markup/tree.js'

/** One name for one text that a page shows. */
export const spokenKey = (path: string, expression: string): string => `${path} ${expression}`

/** What a text is called in the file that has it, whatever the file that takes it calls it. */
export const valueKey = ({ expression, name }: Taken): string =>
  [name, ...expression.split('.').slice(1)].join('.')

const LONGEST = 100_000

/** What texts a file has under such names; none where it is no object that is written down. @param asked of one file */
export function spokenIn(path: string, text: string, asked: readonly Taken[]): Map<string, string> {
  const found = new Map<string, string>()
  if (text.length > LONGEST) return found
  let program: SourceNode
  try {
    program = programOf(text, syntaxOf(path))
  } catch (error) {
    if (error instanceof UnsupportedEditError) return found
    throw error
  }
  const declared = new Map<string, (SourceNode | undefined)[]>()
  for (const node of allIn(program))
    for (const one of node.type === 'VariableDeclaration' ? listOf(node, 'declarations') : []) {
      const name = textOf(childOf(one, 'id'), 'name')
      // What may be another one later is none that is known.
      const init = textOf(node, 'kind') === 'const' ? childOf(one, 'init') : undefined
      if (name !== undefined) declared.set(name, [...(declared.get(name) ?? []), init])
    }
  for (const one of asked) {
    const { expression, name } = one
    if (found.has(valueKey(one))) continue
    const [own, ...others] = declared.get(name) ?? []
    let node = others.length === 0 ? written(own) : undefined
    for (const key of expression.split('.').slice(1)) {
      const property = listOf(node, 'properties').find((one) => {
        const called = childOf(one, 'key')
        return one.computed !== true && (textOf(called, 'name') ?? textOf(called, 'value')) === key
      })
      node = written(childOf(property, 'value'))
    }
    const value = node?.type === 'StringLiteral' ? textOf(node, 'value') : undefined
    if (value !== undefined) found.set(valueKey(one), value)
  }
  return found
}

/** Without what only types are told by. */
const written = (node: SourceNode | undefined): SourceNode | undefined =>
  node !== undefined && /^TS\w+Expression$|^ParenthesizedExpression$/.test(node.type)
    ? written(childOf(node, 'expression'))
    : node
