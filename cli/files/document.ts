import { readFileSync } from 'node:fs'
import { type Document, isNode, LineCounter, parseDocument } from 'yaml'
import { errorReason } from '../../runtime/errors.js'
import { type CommandError, usageError } from '../command-error.js'
import type { Context } from '../context.js'

/** A YAML or JSON file that can locate its values. */
export interface SourceFile {
  readonly name: string
  readonly document: Document
  readonly value: unknown
  /** Line and column, from 1, of the value at a JSON pointer, or of its closest parent. */
  location(pointer: string): Location
}

export interface Location {
  readonly line: number
  readonly column: number
}

export interface FileProblem extends Location {
  readonly message: string
}

export async function readText(context: Context, file: string): Promise<string> {
  if (file === '-') return context.readStdin()
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = errorReason(error)
    throw usageError(code === 'ENOENT' ? `there is no file ${file}` : `${file} cannot be read (${code})`)
  }
}

/** Parses YAML. Throws CommandError with line and column of every problem. */
export function parseSource(name: string, text: string): SourceFile {
  const lines = new LineCounter()
  const document = parseDocument(text.replace(/^\ufeff/, ''), { lineCounter: lines, prettyErrors: false })
  const placeAt = (offset: number): Location => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  if (document.errors.length > 0)
    throw invalidFileError(
      name,
      document.errors.map((error) => ({ ...placeAt(error.pos[0]), message: error.message })),
    )
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    throw invalidFileError(name, [
      { line: 1, column: 1, message: error instanceof Error ? error.message : String(error) },
    ])
  }
  return {
    name,
    document,
    value,
    location(pointer) {
      const path = pointer
        .split('/')
        .slice(1)
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
        .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
      for (let depth = path.length; depth >= 0; depth--) {
        const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true)
        if (isNode(node) && node.range) return placeAt(node.range[0])
      }
      return { line: 1, column: 1 }
    },
  }
}

export function invalidFileError(name: string, problems: readonly FileProblem[]): CommandError {
  const lines = problems.map(({ line, column, message }) => `${name}:${line}:${column}: ${message}`)
  const [first = `${name} is not right`, ...others] = lines
  return usageError(first, undefined, others.slice(0, 50))
}
