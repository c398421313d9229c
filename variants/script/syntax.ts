import { type ParserOptions, type ParserPlugin, parse, parseExpression } from '@babel/parser'
import { parsing, UnsupportedEditError } from '../dialect.js'

/** A node of the tree, reduced to position and type. Parenthesized expressions are nodes. */
export interface SourceNode {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

export interface Syntax {
  typescript: boolean
  jsx: boolean
}

export function syntaxOf(path: string): Syntax {
  const ending = /\.([cm]?[jt]sx?)$/i.exec(path)?.[1]?.toLowerCase() ?? 'js'
  const typescript = ending.includes('t')
  return { typescript, jsx: ending.endsWith('x') || !typescript }
}

/** Parameters have decorators in TypeScript only (Angular, Nest), and only in the older form. */
const DECORATORS: Readonly<Record<Reading, ParserPlugin>> = {
  plain: ['decorators', { allowCallParenthesized: true }],
  flow: ['decorators', { allowCallParenthesized: true }],
  legacy: 'decorators-legacy',
}

type Reading = 'plain' | 'flow' | 'legacy'

function optionsOf({ typescript, jsx }: Syntax, reading: Reading): ParserOptions {
  const plugins: ParserPlugin[] = [
    DECORATORS[reading],
    'decoratorAutoAccessors',
    'deferredImportEvaluation',
    'sourcePhaseImports',
    'importAttributes',
  ]
  if (typescript) plugins.push('typescript')
  if (jsx) plugins.push('jsx')
  if (reading === 'flow') plugins.push('flow')
  return {
    plugins,
    sourceType: 'unambiguous',
    createParenthesizedExpressions: true,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    allowSuperOutsideMethod: true,
    allowUndeclaredExports: true,
  }
}

/** If plain code does not parse, reads Flow types in JavaScript, and older decorators in TypeScript. */
function either<T>(syntax: Syntax, read: (options: ParserOptions) => T): T {
  try {
    return read(optionsOf(syntax, 'plain'))
  } catch (error) {
    if (error instanceof RangeError) throw error
    try {
      return read(optionsOf(syntax, syntax.typescript ? 'legacy' : 'flow'))
    } catch {
      // The first error is the better one.
      throw error
    }
  }
}

/** The program of a file, or of a part of one. Offsets count from the start of the part. */
export function programOf(text: string, syntax: Syntax): SourceNode {
  const file = parsing('the code', () => either(syntax, (options) => parse(text, options)))
  const program: unknown = file.program
  if (!isNode(program)) throw new UnsupportedEditError(null, 'the code cannot be read')
  return program
}

export function expressionOf(text: string, syntax: Syntax): SourceNode {
  const node: unknown = parsing('the alternative', () =>
    // An alternative may hold `import.meta`, which alone does not show that its file is a module.
    either(syntax, (options) => parseExpression(text, { ...options, sourceType: 'module' })),
  )
  if (!isNode(node)) throw new UnsupportedEditError(null, 'the alternative cannot be read')
  return node
}

export const isNode = (value: unknown): value is SourceNode =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  'start' in value &&
  typeof value.start === 'number'

const NO_CHILDREN = new Set([
  'loc',
  'extra',
  'leadingComments',
  'trailingComments',
  'innerComments',
  'comments',
  'tokens',
])

export interface PathStep {
  node: SourceNode
  /** the field of the parent that holds the node */
  field: string
}

export function childrenOf(node: SourceNode): PathStep[] {
  const children: PathStep[] = []
  // Hot path: no generators and no allocation for other values.
  for (const field in node) {
    const value = node[field]
    if (typeof value !== 'object' || value === null || NO_CHILDREN.has(field)) continue
    if (Array.isArray(value)) {
      for (const one of value as unknown[]) if (isNode(one)) children.push({ node: one, field })
    } else if (isNode(value)) children.push({ node: value, field })
  }
  return children
}

/** The root and all nodes below it, with their parents. */
export function* everyNode(root: SourceNode): Generator<PathStep & { parent: SourceNode | null }> {
  const stack: (PathStep & { parent: SourceNode | null })[] = [{ node: root, field: '', parent: null }]
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    yield step
    for (const child of childrenOf(step.node)) stack.push({ ...child, parent: step.node })
  }
}

/** The nodes from the root to the smallest one that contains the range. */
export function pathTo(root: SourceNode, start: number, end: number): PathStep[] {
  const path: PathStep[] = []
  let step: PathStep | undefined = { node: root, field: '' }
  while (step !== undefined) {
    path.push(step)
    let next: PathStep | undefined
    // A shorthand property contains its name twice; the value comes last.
    for (const child of childrenOf(step.node))
      if (child.node.start <= start && child.node.end >= end) next = child
    step = next
  }
  return path
}

/** The node in a field, if the field holds one. */
export function childOf(node: SourceNode | undefined, field: string): SourceNode | undefined {
  const value = node?.[field]
  return isNode(value) ? value : undefined
}

export function listOf(node: SourceNode | undefined, field: string): SourceNode[] {
  const value = node?.[field]
  return Array.isArray(value) ? value.filter(isNode) : []
}

export function textOf(node: SourceNode | undefined, field: string): string | undefined {
  const value = node?.[field]
  return typeof value === 'string' ? value : undefined
}
