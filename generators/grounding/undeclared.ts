import { extractIdentifiers, walkIdentifiers } from '@vue/compiler-sfc'
import { childOf, childrenOf, listOf, type SourceNode, textOf } from '../../variants/script/syntax.js'

type BabelNode = Parameters<typeof walkIdentifiers>[0]
type Pattern = Parameters<typeof extractIdentifiers>[0]

/**
 * The names that a program reads and that nothing around them declares: globals, and mistakes. An edit may
 * not have more of them than the file had.
 */
export function undeclaredIn(program: SourceNode): Set<string> {
  const found = new Set<string>()
  const root = { ...program, type: 'BlockStatement', directives: [] }
  if (isBabel(root)) walkIdentifiers(root, ({ name }) => found.add(name), false, [], declaredIn(program))
  return found
}

/** Names of a module: of its imports, and of what it declares and exports. */
function declaredIn(program: SourceNode): Record<string, number> {
  const known: Record<string, number> = Object.create(null) as Record<string, number>
  const add = (node: SourceNode | undefined): void => {
    if (node !== undefined && isPattern(node))
      for (const { name } of extractIdentifiers(node)) known[name] = 1
  }
  for (const statement of listOf(program, 'body')) {
    for (const one of listOf(statement, 'specifiers'))
      if (textOf(one, 'type') !== 'ExportSpecifier') add(childOf(one, 'local'))
    const declared = childOf(statement, 'declaration') ?? statement
    add(childOf(declared, 'id'))
    for (const { node } of childrenOf(declared))
      if (node.type === 'VariableDeclarator') add(childOf(node, 'id'))
  }
  return known
}

/** The parser is Babel's: only the types of this folder leave its nodes open. */
const isBabel = (node: object): node is BabelNode => 'type' in node
const isPattern = (node: object): node is Pattern => 'type' in node
