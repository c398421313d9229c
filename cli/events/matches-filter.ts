import { jsonEquals } from '../funnels/definition.js'
import type { parseFilter } from '../funnels/filter.js'

type Filter = ReturnType<typeof parseFilter>

/** Matches as funnels do: no conversion, and a path is tried whole before it is split at dots. */
export function matchesFilter(properties: Readonly<Record<string, unknown>>, filter: Filter): boolean {
  const value = lookUp(properties, filter.property)
  const present = value !== undefined && value !== null
  switch (filter.operator) {
    case 'exists':
      return present
    case 'not_exists':
      return !present
    case 'eq':
      return value !== undefined && jsonEquals(value, filter.value)
    case 'neq':
      return value === undefined || !jsonEquals(value, filter.value)
    case 'contains':
      return typeof value === 'string' && value.includes(filter.value)
    case 'in':
      return value !== undefined && filter.value.some((one) => jsonEquals(one, value))
    default: {
      const bound = filter.value
      if (typeof value === 'number' && typeof bound === 'number')
        return compare(value - bound, filter.operator)
      if (typeof value === 'string' && typeof bound === 'string')
        return compare(value < bound ? -1 : value > bound ? 1 : 0, filter.operator)
      return false
    }
  }
}

function compare(difference: number, operator: 'gt' | 'gte' | 'lt' | 'lte'): boolean {
  if (operator === 'gt') return difference > 0
  if (operator === 'gte') return difference >= 0
  return operator === 'lt' ? difference < 0 : difference <= 0
}

function lookUp(properties: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(properties, path)) return properties[path]
  let value: unknown = properties
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}
