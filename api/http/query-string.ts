import type { TObject } from '@sinclair/typebox'
import type { ErrorDetail } from '../../management/domain-errors.js'
import { textProblem } from './json.js'

/**
 * Reads a query string for a schema. Plain numbers and booleans are converted; anything else stays text for
 * the schema to refuse. A repeated parameter, or one that is not percent-encoded UTF-8, is an error.
 */
export function parseQuery(
  text: string,
  schema: TObject | undefined,
): { readonly values: Record<string, unknown>; readonly details: ErrorDetail[] } {
  const values: Record<string, unknown> = {}
  const details: ErrorDetail[] = []
  const seen = new Set<string>()
  for (const part of text.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decode(equals < 0 ? part : part.slice(0, equals))
    if (name === undefined || textProblem(name) !== undefined) {
      details.push({
        path: 'query',
        message: 'has a parameter whose name is not text in percent-encoded UTF-8',
      })
      continue
    }
    const path = `query.${name}`
    const value = decode(equals < 0 ? '' : part.slice(equals + 1))
    const problem = value === undefined ? 'must be percent-encoded UTF-8' : textProblem(value)
    if (problem !== undefined) details.push({ path, message: problem })
    else if (seen.has(name)) details.push({ path, message: 'must be given once' })
    else
      Object.defineProperty(values, name, {
        value: coerce(value ?? '', schema?.properties[name]?.type),
        enumerable: true,
        configurable: true,
        writable: true,
      })
    seen.add(name)
  }
  return { values, details }
}

/** Path parameters, percent-decoded after the route was chosen. */
export function parseParams(raw: Readonly<Record<string, string>>): {
  readonly values: Record<string, unknown>
  readonly details: ErrorDetail[]
} {
  const values: Record<string, unknown> = {}
  const details: ErrorDetail[] = []
  for (const [name, text] of Object.entries(raw)) {
    const value = decode(text, false)
    const problem = value === undefined ? 'must be percent-encoded UTF-8' : textProblem(value)
    if (problem === undefined) values[name] = value
    else details.push({ path: 'path.id', message: problem })
  }
  return { values, details }
}

function decode(text: string, plusIsSpace = true): string | undefined {
  try {
    return decodeURIComponent(plusIsSpace ? text.replaceAll('+', ' ') : text)
  } catch {
    // Not percent-encoding: the caller reports the parameter.
    return undefined
  }
}

function coerce(value: string, type: unknown): unknown {
  if (type === 'integer' && /^-?\d{1,20}$/.test(value)) return Number(value)
  if (type === 'number' && /^-?\d{1,20}(\.\d{1,20})?$/.test(value)) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}
