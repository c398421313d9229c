/** How a comparison is written on the command line; other operators are written by name. */
export const COMPARISON_SIGNS: Readonly<Record<string, string>> = {
  eq: '=',
  neq: '!=',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
}

/** A filter on a property for people, such as `total >= 10` or `coupon does not exist`. */
export function formatFilter(filter: {
  readonly property: string
  readonly operator: string
  readonly value?: unknown
}): string {
  const { property, operator, value } = filter
  if (operator === 'not_exists') return `${property} does not exist`
  const sign = COMPARISON_SIGNS[operator] ?? operator
  return value === undefined ? `${property} ${sign}` : `${property} ${sign} ${JSON.stringify(value)}`
}

/**
 * The value of a filter as a person types it: JSON if it is valid JSON, text otherwise. `contains` has text
 * only, and `in` a list, also one separated by commas.
 */
export function parseFilterValue(operator: string, text: string): unknown {
  if (operator === 'contains') return text
  const value = jsonOrText(text)
  if (operator !== 'in' || Array.isArray(value)) return value
  return text.split(',').map((part) => jsonOrText(part.trim()))
}

export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A bare word is text.
    return text
  }
}
