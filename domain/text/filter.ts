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
