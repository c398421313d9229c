import { COMPARISON_SIGNS, parseFilterValue } from '../../domain/text/filter.js'
import type { Input } from '../client/api.js'
import { usageError } from '../command-error.js'

type Filters = NonNullable<NonNullable<Input<'queryFunnel'>['body']>['filters']>
type Exclusions = NonNullable<NonNullable<Input<'queryFunnel'>['body']>['exclusions']>

const OPERATORS = new Map(Object.entries(COMPARISON_SIGNS).map(([operator, sign]) => [sign, operator]))

/**
 * Parses a filter such as `plan = pro`, `total >= 10`, `coupon exists` or `country in ["de","at"]`. A value
 * that is valid JSON is JSON, any other value is text. Throws CommandError.
 */
export function parseFilter(text: string): Filters[number] {
  const bare = /^\s*(.+?)\s+(exists|not_exists)\s*$/.exec(text)
  if (bare !== null) return { property: bare[1], operator: bare[2] } as Filters[number]
  // A word operator is tried first, because the value may contain a sign.
  const match =
    /^\s*(\S+)\s+(eq|neq|gte?|lte?|contains|in)\s+(.*?)\s*$/s.exec(text) ??
    /^\s*(.+?)\s*(!=|>=|<=|=|>|<)\s*(.*?)\s*$/s.exec(text)
  const [, property, sign, value] = match ?? []
  if (property === undefined || sign === undefined || value === undefined || value === '')
    throw usageError(
      `--where ${JSON.stringify(text)} is not a filter: write it like "plan = pro", "total >= 10" or "coupon exists"`,
    )
  const operator = OPERATORS.get(sign) ?? sign
  return { property, operator, value: parseFilterValue(operator, value) } as Filters[number]
}

/** `EVENT:FROM:TO`, steps counted from 0. */
export function parseExclusion(text: string): Exclusions[number] {
  const match = /^([A-Za-z0-9_.$-]+):(\d{1,2}):(\d{1,2})$/.exec(text)
  if (match === null)
    throw usageError(
      `--exclude ${JSON.stringify(text)} must be EVENT:FROM:TO, such as refund_asked:0:2, with steps counted from 0`,
    )
  return { eventName: match[1] ?? '', fromStep: Number(match[2]), toStep: Number(match[3]) }
}
