import { EVENT_LIMITS } from '../../domain/event.js'

export const OVERFLOW_RULE = 'must not contain a number too large for a double'

/** The canonical text of properties, exactly `JSON.stringify(properties)`, or the rule they break. */
export function acceptProperties(properties: object): string | { readonly broken: string } {
  // Checked first: `JSON.stringify` recurses and runs out of stack at some four thousand levels.
  const { propertiesBytes: most, propertiesDepth } = EVENT_LIMITS
  const tooLarge = { broken: `must have at most ${most} bytes as compact JSON` }
  const shape = shapeProblem(properties, propertiesDepth, { left: most / MIN_MEMBER_BYTES })
  if (shape === 'deep') return { broken: `must not be nested deeper than ${propertiesDepth} levels` }
  // Writing out 700,000 keys to measure them takes seconds.
  if (shape === 'large') return tooLarge
  const text = JSON.stringify(properties)
  if (text.length > most) return tooLarge
  if (text.length * 3 > most) {
    const bytes = Buffer.byteLength(text)
    if (bytes > most) return { broken: `must have at most ${most} bytes as compact JSON, not ${bytes}` }
  }
  // Infinity is written as null, so a text without null has no Infinity.
  if (text.includes('null') && hasOverflow(properties)) return { broken: OVERFLOW_RULE }
  return text
}

/** A digit and a comma. */
const MIN_MEMBER_BYTES = 2

function shapeProblem(
  container: object,
  levels: number,
  members: { left: number },
): 'deep' | 'large' | undefined {
  if (levels === 0) return 'deep'
  const values: readonly unknown[] = Array.isArray(container) ? container : Object.values(container)
  members.left -= values.length
  if (members.left < 0) return 'large'
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue
    const problem = shapeProblem(value, levels - 1, members)
    if (problem !== undefined) return problem
  }
  return undefined
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
