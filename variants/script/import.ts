import { UnsupportedEditError } from '../dialect.js'
import { COMPONENT_NAME, HELPER_NAME } from '../helper-name.js'
import {
  endsItsLine,
  indentAt,
  isBlank,
  lineEndOf,
  lineStart,
  nextLine,
  type Splice,
  startsItsLine,
} from '../text.js'
import { stringOf } from './choose.js'
import { childOf, everyNode, listOf, type SourceNode, textOf } from './syntax.js'

/** An export of the helper, or of the component beside it. */
interface HelperExport {
  readonly name: string
  /** Local names to try, in this order. */
  readonly names: readonly string[]
  readonly module: RegExp
}

export const FUNCTION: HelperExport = {
  name: 'variant',
  names: ['variant', 'svcVariant', 'chooseVariant', 'svcVariant2'],
  module: HELPER_NAME,
}

/** For Server Components. */
export const COMPONENT: HelperExport = {
  name: 'SvcVariant',
  names: ['SvcVariant', 'SvcChoice', 'SvcVariant2'],
  module: COMPONENT_NAME,
}

interface HelperImport {
  declaration: SourceNode
  local: string
}

const bodyOf = (program: SourceNode): SourceNode[] => listOf(program, 'body')

const isImport = (node: SourceNode): boolean => node.type === 'ImportDeclaration'

/** Imports of only the helper's function or component. */
function helperImports(program: SourceNode, { name, module }: HelperExport): HelperImport[] {
  return bodyOf(program).flatMap((declaration): HelperImport[] => {
    if (!isImport(declaration) || !module.test(textOf(childOf(declaration, 'source'), 'value') ?? ''))
      return []
    const [specifier, ...more] = listOf(declaration, 'specifiers')
    const local = textOf(childOf(specifier, 'local'), 'name')
    const imported = textOf(childOf(specifier, 'imported'), 'name')
    return more.length === 0 && imported === name && local !== undefined ? [{ declaration, local }] : []
  })
}

/** How often the code uses each name, except as a property after a dot. */
function namesOf(program: SourceNode): Map<string, number> {
  const names = new Map<string, number>()
  for (const { node, parent, field } of everyNode(program)) {
    if (node.type !== 'Identifier' && node.type !== 'JSXIdentifier') continue
    const property =
      field === 'property' && parent?.computed !== true && /MemberExpression$/.test(parent?.type ?? '')
    if (property || parent?.type === 'JSXAttribute') continue
    if (field === 'key' && parent?.computed !== true && parent?.shorthand !== true) continue
    const name = textOf(node, 'name') ?? ''
    names.set(name, (names.get(name) ?? 0) + 1)
  }
  return names
}

/** How often the import and the written calls use the name. */
function ownUses(
  program: SourceNode,
  { declaration, local }: HelperImport,
): { calls: number; others: number } {
  let calls = 0
  let others = 0
  for (const { node, parent, field } of everyNode(program)) {
    if (node.type !== 'Identifier' && node.type !== 'JSXIdentifier') continue
    if (textOf(node, 'name') !== local || (node.start >= declaration.start && node.end <= declaration.end))
      continue
    const isCall = parent?.type === 'CallExpression' && field === 'callee'
    if (isCall || /^JSX(Opening|Closing)Element$/.test(parent?.type ?? '')) calls += 1
    else if (
      parent?.type !== 'JSXAttribute' &&
      !(field === 'property' && parent?.computed !== true) &&
      field !== 'key'
    )
      others += 1
  }
  return { calls, others }
}

/**
 * The name by which the code calls the helper, and the import that it needs. Never a name that has another
 * meaning in the program.
 */
export function helperCall(
  program: SourceNode,
  source: string,
  elsewhere: string,
  wanted: HelperExport = FUNCTION,
): { call: string; isThere: boolean } {
  for (const known of helperImports(program, wanted))
    if (ownUses(program, known).others === 0) return { call: known.local, isThere: true }
  const says = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(text)
  // Skips the tree for the many programs without the word.
  const names = says(source, wanted.name) ? namesOf(program) : new Map<string, number>()
  const free = wanted.names.find((name) => !names.has(name) && !says(elsewhere, name))
  if (free === undefined)
    throw new UnsupportedEditError(
      null,
      `every name for the helper is taken in this file: ${wanted.names.join(', ')}`,
    )
  return { call: free, isThere: false }
}

export function importLine(
  call: string,
  path: string,
  { quote, semicolon }: { quote: "'" | '"'; semicolon: boolean },
  { name: exported }: HelperExport = FUNCTION,
): string {
  const name = call === exported ? call : `${exported} as ${call}`
  return `import { ${name} } from ${stringOf(path, quote)}${semicolon ? ';' : ''}`
}

/**
 * Inserts the import after the existing ones, or before the first statement and its comment. `offset` is the
 * start of the program in the text.
 */
export function importSplice(
  text: string,
  program: SourceNode,
  line: string,
  offset: number,
  length: number,
): Splice {
  const lineEnd = lineEndOf(text)
  const body = bodyOf(program)
  const last = body.findLast(isImport)
  const inline = line.endsWith(';') ? line : `${line};`
  if (last !== undefined) {
    const start = offset + last.start
    const end = offset + last.end
    if (!endsItsLine(text, afterComment(text, end))) return { start: end, end, text: inline }
    const next = nextLine(text, end)
    if (next >= offset + length || !startsItsLine(text, start)) {
      if (startsItsLine(text, start))
        return at(lineStart(text, start), indentAt(text, start) + line + lineEnd)
      return at(start, inline)
    }
    return at(next, indentAt(text, start) + line + lineEnd)
  }
  const [first] = body
  if (first === undefined) {
    const end = offset + length
    return at(end, line)
  }
  const start = offset + leadOf(text, program, first, offset)
  if (!startsItsLine(text, start)) return at(start, inline)
  return at(lineStart(text, start), indentAt(text, start) + line + lineEnd + lineEnd)
}

const at = (start: number, text: string): Splice => ({ start, end: start, text })

function afterComment(text: string, end: number): number {
  const comment = /^[ \t]*(\/\/[^\r\n]*|\/\*[^\n]*?\*\/)/.exec(text.slice(end, nextLine(text, end)))
  return end + (comment?.[0].length ?? 0)
}

const PRAGMA = /@(ts-|jsx|flow|license|preserve|vite|vitest|jest)|eslint|prettier|biome|copyright|webpack/i

/** The start of the comments right above a statement, except those about the whole file. */
function leadOf(text: string, program: SourceNode, first: SourceNode, offset: number): number {
  const comments = listOf(first, 'leadingComments').filter(({ start }) => start >= directivesEnd(program))
  let lead = first.start
  for (const comment of comments.reverse()) {
    const between = text.slice(offset + comment.end, offset + lead)
    const words = textOf(comment, 'value') ?? ''
    if (!isBlank(between) || between.split('\n').length > 2 || PRAGMA.test(words)) break
    if (!startsItsLine(text, offset + comment.start)) break
    lead = comment.start
  }
  return lead
}

function directivesEnd(program: SourceNode): number {
  const directives = listOf(program, 'directives')
  return Math.max(0, ...directives.map(({ end }) => end), childOf(program, 'interpreter')?.end ?? 0)
}

/**
 * The imports that nothing uses any more, with the blank line that came with a single import. `elsewhere` is
 * code that may use them as well, such as a component's markup.
 */
export function unusedImports(
  text: string,
  program: SourceNode,
  elsewhere: string,
  offset: number,
): Splice[] {
  const imports = bodyOf(program).filter(isImport)
  const known = [FUNCTION, COMPONENT].flatMap((wanted) => helperImports(program, wanted))
  return known.flatMap((known): Splice[] => {
    const { start: from, end: to } = known.declaration
    const rest = text.slice(offset, offset + from) + text.slice(offset + to)
    const { calls, others } = new RegExp(`\\b${known.local}\\b`).test(rest)
      ? ownUses(program, known)
      : { calls: 0, others: 0 }
    if (calls + others > 0 || new RegExp(`\\b${known.local}\\s*\\(`).test(elsewhere)) return []
    const start = offset + known.declaration.start
    const end = offset + known.declaration.end
    if (!startsItsLine(text, start) || !endsItsLine(text, end)) return [{ start, end, text: '' }]
    const next = nextLine(text, end)
    // An import without a line end is at the end of the text and came without one.
    if (next === end) return [{ start, end, text: '' }]
    const blank = imports.length === 1 && /^[ \t]*\r?\n/.exec(text.slice(next))
    return [{ start: lineStart(text, start), end: next + (blank ? blank[0].length : 0), text: '' }]
  })
}
