import { childOf, everyNode, listOf, type SourceNode, textOf } from '../../../variants/script/syntax.js'
import type { Place } from './tree.js'

export interface Constant extends Place {
  value: string
  quote: '"' | "'"
}

/** Looks a name up. */
export interface Constants {
  get(name: string): Constant | undefined
}

/** Reads the code when a name is asked for, and not before: most files ask for none. */
export function constantsWhenAsked(read: () => Map<string, Constant>): Constants {
  let known: Map<string, Constant> | null = null
  return {
    get: (name) => {
      known ??= read()
      return known.get(name)
    },
  }
}

/**
 * Strings that have a name in the code and never another value: `const title = '…'`, `{ title: '…' }` of a constant object as `copy.title`, and a
 * property's default. A name that stands for two things stands for none.
 */
export function constantsOf(program: SourceNode, text: string, offset: number): Map<string, Constant> {
  const found = new Map<string, Constant>()
  const declared = new Map<string, number>()
  const add = (name: string, node: SourceNode): void => {
    const value = node.type === 'StringLiteral' ? textOf(node, 'value') : undefined
    const quote = text[offset + node.start]
    if (value !== undefined && (quote === '"' || quote === "'"))
      found.set(name, { value, quote, start: offset + node.start, end: offset + node.end })
  }
  for (const { node, parent } of everyNode(program)) {
    if (node.type === 'VariableDeclarator') {
      const name = textOf(childOf(node, 'id'), 'name')
      const init = unwrapped(childOf(node, 'init'))
      if (name === undefined) continue
      declared.set(name, (declared.get(name) ?? 0) + 1)
      if (init === undefined || textOf(parent ?? undefined, 'kind') !== 'const') continue
      add(name, init)
      if (init.type === 'ObjectExpression')
        for (const property of listOf(init, 'properties')) {
          const key = textOf(childOf(property, 'key'), 'name')
          const value = childOf(property, 'value')
          if (key !== undefined && value !== undefined && property.computed !== true)
            add(`${name}.${key}`, value)
        }
    } else if (node.type === 'AssignmentPattern') {
      const name = textOf(childOf(node, 'left'), 'name')
      const right = childOf(node, 'right')
      if (name === undefined || right === undefined) continue
      declared.set(name, (declared.get(name) ?? 0) + 1)
      add(name, right)
    }
  }
  for (const name of found.keys()) if ((declared.get(name.split('.')[0] ?? '') ?? 0) > 1) found.delete(name)
  return found
}

const unwrapped = (node: SourceNode | undefined): SourceNode | undefined =>
  node?.type === 'TSAsExpression' || node?.type === 'TSSatisfiesExpression'
    ? childOf(node, 'expression')
    : node

/** `title` or `copy.title`, where an expression is no more than that. */
export function nameOf(node: SourceNode): string | null {
  if (node.type === 'Identifier') return textOf(node, 'name') ?? null
  if (node.type !== 'MemberExpression' || node.computed === true) return null
  const object = textOf(childOf(node, 'object'), 'name')
  const property = textOf(childOf(node, 'property'), 'name')
  return object === undefined || property === undefined ? null : `${object}.${property}`
}
