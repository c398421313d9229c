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
  const stack: Array<{ readonly value: unknown; readonly path: string; readonly depth: number }> = [
    { value: body, path: '', depth: 0 },
  ]
  let values = 1
  while (stack.length > 0 && details.length < MAX_DETAILS) {
    const item = stack.pop()
    if (item === undefined) break
    const { value, path, depth } = item
    if (typeof value === 'string') {
      const problem = textProblem(value)
      if (problem !== undefined) details.push({ path, message: problem })
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
        details.push({
          path,
          message: 'must be a number that can be stored exactly: whole numbers up to 9007199254740991',
        })
    } else if (typeof value === 'object' && value !== null) {
      if (depth >= MAX_DEPTH) {
        details.push({ path, message: `is nested deeper than ${MAX_DEPTH} levels` })
        continue
      }
      // Counted before anything is copied.
      const names = Array.isArray(value) ? undefined : Object.keys(value)
      values += names?.length ?? (value as unknown[]).length
      if (values > MAX_VALUES) return [{ path: '', message: `has more than ${MAX_VALUES} values` }]
      const entries: Array<[string, unknown]> = Array.isArray(value)
        ? value.map((element, index) => [String(index), element])
        : Object.entries(value)
      // Last to first, so that details come in the order of the body.
      for (let i = entries.length - 1; i >= 0; i--) {
        const [key, child] = entries[i] ?? ['', undefined]
        if (textProblem(key) !== undefined)
          details.push({ path, message: `has a field whose name ${textProblem(key)}` })
        else stack.push({ value: child, path: `${path}/${escapePointer(key)}`, depth: depth + 1 })
      }
    }
  }
  return details
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
