import type { components } from '../../../contract/operations.js'
import { jsonOrText, parseFilterValue } from '../../../domain/text/filter.js'

type Filter = components['schemas']['FunnelStep']['filters'][number]

export type Operator = Filter['operator']

export interface DraftFilter {
  readonly property: string
  readonly operator: Operator
  /** As typed: JSON if it is valid JSON, text otherwise. */
  readonly value: string
}

export const emptyFilter: DraftFilter = { property: '', operator: 'eq', value: '' }

export const OPERATORS: readonly (readonly [Operator, string])[] = [
  ['eq', 'is'],
  ['neq', 'is not'],
  ['gt', '>'],
  ['gte', '≥'],
  ['lt', '<'],
  ['lte', '≤'],
  ['contains', 'contains'],
  ['in', 'is one of'],
  ['exists', 'exists'],
  ['not_exists', 'does not exist'],
]

export function filterFromList(read: unknown): DraftFilter[] {
  if (!Array.isArray(read)) return []
  const [property, operator, value] = read as unknown[]
  const known = OPERATORS.find(([name]) => name === operator)?.[0]
  if (typeof property !== 'string' || known === undefined) return []
  return [{ property, operator: known, value: typeof value === 'string' ? value : '' }]
}

/** The text that parses back into the value. */
export function operandText(value: unknown, operator: string): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  if (operator === 'contains') return value
  return typeof jsonOrText(value) === 'string' && !value.startsWith('"') ? value : JSON.stringify(value)
}

/** Filters of the API as they are typed. */
export function filtersFromBody(filters: readonly Filter[]): DraftFilter[] {
  return filters.map((filter) => ({
    property: filter.property,
    operator: filter.operator,
    value: 'value' in filter ? operandText(filter.value, filter.operator) : '',
  }))
}

/** The complete filters in the form of the API. */
export function filtersToBody(filters: readonly DraftFilter[]): Filter[] {
  return filters
    .filter(
      ({ property, operator, value }) =>
        property.trim() !== '' && (value !== '' || operator === 'exists' || operator === 'not_exists'),
    )
    .map(({ property, operator, value }) =>
      operator === 'exists' || operator === 'not_exists'
        ? { property, operator }
        : { property, operator, value: parseFilterValue(operator, value) },
    ) as Filter[]
}

/** In an address a filter is a list of three. */
export const filterToList = ({ property, operator, value }: DraftFilter): unknown[] => [
  property,
  operator,
  value,
]
