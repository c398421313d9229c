import { EVENT_LIMITS } from '../../domain/event.js'

export const OVERFLOW_RULE = 'must not hold a number too large for a double'

/** The canonical text of properties, or the rule they break. */
export function acceptProperties(properties: object): string | { readonly broken: string } {
  const most = EVENT_LIMITS.propertiesBytes
  const text = canonicalProperties(properties, most)
  if (text === undefined || text.length > most)
    return { broken: `must have at most ${most} bytes as compact JSON` }
  if (text.length * 3 > most) {
    const bytes = Buffer.byteLength(text)
    if (bytes > most) return { broken: `must have at most ${most} bytes as compact JSON, not ${bytes}` }
  }
  // Infinity is written as null: without a null in the text there is none.
  if (text.includes('null') && hasOverflow(properties)) return { broken: OVERFLOW_RULE }
  return text
}

/**
 * The canonical text of a parsed JSON value, exactly `JSON.stringify(value)`; undefined where it surely has more than `longest`
 * characters.
 *
 * `JSON.stringify` recurses and runs out of stack at some four thousand levels, fewer than fit into 8 KiB. Then a loop does the same.
 */
export function canonicalProperties(value: object, longest: number): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return stringifyInLoop(value, longest)
  }
}

interface Level {
  readonly container: object
  /** Undefined for an array. */
  readonly keys: readonly string[] | undefined
  next: number
}

function stringifyInLoop(value: object, longest: number): string | undefined {
  let text = ''
  const stack: Level[] = []
  const open = (container: object): void => {
    const keys = Array.isArray(container) ? undefined : Object.keys(container)
    text += keys === undefined ? '[' : '{'
    stack.push({ container, keys, next: 0 })
  }
  open(value)
  for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
    if (text.length > longest) return undefined
    const { container, keys } = level
    const size = keys === undefined ? (container as readonly unknown[]).length : keys.length
    if (level.next === size) {
      text += keys === undefined ? ']' : '}'
      stack.pop()
      continue
    }
    const index = level.next++
    if (index > 0) text += ','
    let member: unknown
    if (keys === undefined) member = (container as readonly unknown[])[index]
    else {
      const key = keys[index] ?? ''
      text += `${JSON.stringify(key)}:`
      // A parsed `__proto__` is a property of the object's own, so a plain look-up is right.
      member = (container as Readonly<Record<string, unknown>>)[key]
    }
    if (typeof member === 'object' && member !== null) open(member)
    else text += JSON.stringify(member)
  }
  return text
}

/**
 * Whether a parsed JSON value holds a number that was too large for a double: it is Infinity now, which no JSON text can say.
 * Walks without recursion.
 */
export function hasOverflow(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isInfinite(value)
  const waiting: object[] = [value]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const member of Object.values(next) as unknown[]) {
      if (typeof member === 'object' && member !== null) waiting.push(member)
      else if (isInfinite(member)) return true
    }
  }
  return false
}

function isInfinite(value: unknown): boolean {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
}
