import { EVENT_LIMITS } from '../../domain/event.js'

export const OVERFLOW_RULE = 'must not contain a number too large for a double'

/** The canonical text of properties, exactly `JSON.stringify(properties)`, or the rule they break. */
export function acceptProperties(properties: object): string | { readonly broken: string } {
  // Checked first: `JSON.stringify` recurses and runs out of stack at some four thousand levels.
  const { propertiesBytes: most, propertiesDepth } = EVENT_LIMITS
  if (isDeeperThan(properties, propertiesDepth))
    return { broken: `must not be nested deeper than ${propertiesDepth} levels` }
  const text = JSON.stringify(properties)
  if (text.length > most) return { broken: `must have at most ${most} bytes as compact JSON` }
  if (text.length * 3 > most) {
    const bytes = Buffer.byteLength(text)
    if (bytes > most) return { broken: `must have at most ${most} bytes as compact JSON, not ${bytes}` }
  }
  // Infinity is written as null, so without a null in the text there is none.
  if (text.includes('null') && hasOverflow(properties)) return { broken: OVERFLOW_RULE }
  return text
}

function isDeeperThan(container: object, levels: number): boolean {
  if (levels === 0) return true
  const members: readonly unknown[] = Array.isArray(container) ? container : Object.values(container)
  for (const member of members)
    if (typeof member === 'object' && member !== null && isDeeperThan(member, levels - 1)) return true
  return false
}

/**
 * Whether a parsed JSON value holds a number too large for a double, which was parsed as Infinity. Does not
 * recurse.
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
