import { isUtf8 } from 'node:buffer'
import { type ErrorDetail, MAX_DETAILS } from '../../management/domain-errors.js'
import { errorMessage } from '../../runtime/errors.js'
import { HttpError } from './http-error.js'

const MAX_DEPTH = 64
const MAX_VALUES = 20_000
/** In Unicode mode a pair is one character, so this matches only unpaired ones. */
const LONE_SURROGATE = /[\ud800-\udfff]/u

/** Parses UTF-8 JSON. An empty body is undefined. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw new HttpError('MALFORMED_JSON', 'The body is not valid UTF-8')
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw new HttpError('MALFORMED_JSON', `The body is not valid JSON: ${errorMessage(error)}`)
  }
}

/**
 * Finds what JSON allows and the stores cannot keep: NUL, unpaired surrogates, integers beyond 2^53 - 1,
 * numbers beyond a double, and too much depth or too many values. Does not recurse.
 */
export function findUnstorable(body: unknown): ErrorDetail[] {
  const details: ErrorDetail[] = []
  const stack: Part[] = [{ value: body, name: '', within: undefined, depth: 0 }]
  let values = 1
  while (details.length < MAX_DETAILS) {
    const part = stack.pop()
    if (part === undefined) break
    const { value, depth } = part
    const problem = problemOf(value, depth)
    if (problem !== undefined) details.push({ path: pathOf(part), message: problem })
    else if (typeof value === 'object' && value !== null) {
      // Counted before anything is copied.
      const isList = Array.isArray(value)
      const fields = isList ? undefined : Object.keys(value)
      values += fields?.length ?? (value as unknown[]).length
      if (values > MAX_VALUES) return [{ path: '', message: `has more than ${MAX_VALUES} values` }]
      const names = fields ?? Object.keys(value)
      // Last to first, so that details come in the order of the body.
      for (let i = names.length - 1; i >= 0; i--) {
        const name = names[i] ?? ''
        const wrong = isList ? undefined : textProblem(name)
        if (wrong === undefined)
          stack.push({
            value: (value as Record<string, unknown>)[name],
            name,
            within: part,
            depth: depth + 1,
          })
        else details.push({ path: pathOf(part), message: `has a field whose name ${wrong}` })
      }
    }
  }
  return details
}

interface Part {
  readonly value: unknown
  readonly name: string
  readonly within: Part | undefined
  readonly depth: number
}

/** Built only for a problem: the paths of all values would cost more than everything else. */
function pathOf({ name, within }: Part): string {
  return within === undefined ? '' : `${pathOf(within)}/${escapePointer(name)}`
}

function problemOf(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return textProblem(value)
  if (typeof value === 'object' && value !== null)
    return depth >= MAX_DEPTH ? `is nested deeper than ${MAX_DEPTH} levels` : undefined
  if (typeof value !== 'number') return undefined
  if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return undefined
  return 'must be a number that can be stored exactly: whole numbers up to 9007199254740991'
}

/** Why a text cannot be stored; undefined if it can. */
export function textProblem(text: string): string | undefined {
  if (text.includes('\u0000')) return 'must not contain the character U+0000'
  if (LONE_SURROGATE.test(text)) return 'must not contain an unpaired surrogate'
  return undefined
}

export function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
