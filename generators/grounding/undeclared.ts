import { extractIdentifiers, walkIdentifiers } from '@vue/compiler-sfc'
import { childOf, childrenOf, listOf, type SourceNode, textOf } from '../../variants/script/syntax.js'
import { IS_FUNCTION } from './nodes.js'

type BabelNode = Parameters<typeof walkIdentifiers>[0]
type Pattern = Parameters<typeof extractIdentifiers>[0]

/**
 * The names that a program reads and that nothing around them declares before: globals, and mistakes. An edit
 * may not have more of them than the file had.
 */
export function undeclaredIn(program: SourceNode): Set<string> {
  const found = new Set<string>()
  const root = { ...program, type: 'BlockStatement', directives: [] }
  if (isBabel(root)) walkIdentifiers(root, ({ name }) => found.add(name), false, [], declaredIn(program))
  for (const name of earlyIn(program, new Set(), '')) found.add(name)
  return found
}

const IS_BLOCK = /^(Program|BlockStatement|StaticBlock)$/
/** Names that are no reads: of types, members and properties, and of what is declared. */
const isNoRead = (node: SourceNode, field: string): boolean =>
  /^(id|params|label|typeAnnotation|typeParameters|returnType)$/.test(field) ||
  (/^(property|key)$/.test(field) && node.computed !== true) ||
  (/^TS/.test(node.type) && field !== 'expression')

/**
 * The constants and variables that code reads before it declares them, which fails: at once, or in a function
 * that a call is given, which may run at once.
 * @param later names that are not there yet
 * @param mark stands behind the names that such a function reads
 */
function* earlyIn(node: SourceNode, later: ReadonlySet<string>, mark: string): Generator<string> {
  const name = /^(JSX)?Identifier$/.test(node.type) ? String(node.name) : ''
  if (later.has(name) && (node.type === 'Identifier' || /^[A-Z]/.test(name))) yield name + mark
  const left = new Set(later)
  for (const bound of listOf(node, 'params').flatMap(boundBy)) left.delete(bound)
  const statements = IS_BLOCK.test(node.type) ? listOf(node, 'body') : []
  for (const declared of statements.flatMap(declaredLate)) left.add(declared)
  for (const { node: child, field } of childrenOf(node)) {
    if (isNoRead(node, field)) continue
    if (!IS_FUNCTION.test(child.type)) yield* earlyIn(child, left, mark)
    else if (field === 'arguments') yield* earlyIn(child, left, ' in a callback')
    // Any other function runs later.
    else yield* earlyIn(child, new Set(), '')
    for (const declared of declaredLate(child)) left.delete(declared)
  }
}

const boundBy = (node: SourceNode): string[] =>
  isPattern(node) ? extractIdentifiers(node).map(({ name }) => name) : []

/** The names of `let`, `const` and `class`. */
const declaredLate = (statement: SourceNode): string[] => {
  const declared = childOf(statement, 'declaration') ?? statement
  if (declared.type === 'ClassDeclaration') return boundBy(childOf(declared, 'id') ?? declared)
  return declared.type === 'VariableDeclaration' && declared.kind !== 'var'
    ? listOf(declared, 'declarations').flatMap((one) => boundBy(childOf(one, 'id') ?? one))
    : []
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
