import type { FunnelBreakdown, JsonValue } from '../../../domain/funnel.js'
import type { PersonSql } from '../../port.js'
import type { Parameters } from '../parameters.js'
import { valueTextSql } from '../value-text.js'
import { type EventSelection, packedSql } from './selection/event-selection.js'
import { ORDER_COLUMNS, type OrderKey } from './selection/order-key.js'

/** Above this number of different lists and objects a breakdown is refused. */
export const MAX_COMPOSITES = 5_000

/**
 * `attempts` with the value (`valueTextSql`) of their first event, found again by its number: in the exact
 * order, and if values cannot be carried inline (`inlineBreakdown`).
 */
export function valuedAttemptsSql(
  attempts: string,
  relevant: EventSelection,
  breakdown: FunnelBreakdown,
  options: {
    readonly person: PersonSql
    readonly order: OrderKey | undefined
    readonly where: readonly string[]
  },
  parameters: Parameters,
): string {
  const packed = packedSql(relevant)
  const rows = `SELECT attempts.person AS person, tied, times, properties
FROM (
SELECT ${options.person.key} AS person, ${options.order?.sql ?? packed} AS start, properties
FROM (${options.person.linked(relevant.rowsSql(['person_key', 'properties', ...(options.order === undefined ? [] : ORDER_COLUMNS)], 'starts'))})
WHERE ${[...options.where, relevant.isStart(packed)].join(' AND ')}) AS starts
INNER JOIN (${attempts}) AS attempts ON starts.person = attempts.person AND starts.start = attempts.start`
  return valueTextSql(rows, 'person, tied, times', 'value', breakdown.property, parameters)
}

/**
 * SQL of the groups that can be among the largest, from `groups` (an array of tuples that begin with a
 * value's text and the size of its group): the requested number of single values, in the order of
 * `compareGroups`, and all lists and objects, whose texts do not show which are equal.
 */
export function largestGroupsSql(groups: string, limit: number): string {
  const composite = `match(g.1, '^[\\\\[{]')`
  const kind = `multiIf(g.1 = '', 0, g.1 = 'false', 1, g.1 = 'true', 2, startsWith(g.1, '"'), 4, 3)`
  // Not JSONExtractFloat: the JSON parser rejects whole numbers above 64 bits.
  const order = `(negate(g.2), ${kind}, toFloat64OrZero(g.1), JSONExtractString(g.1))`
  return `arrayConcat(
arraySlice(arraySort(g -> ${order}, arrayFilter(g -> NOT ${composite}, ${groups})), 1, ${limit}),
arraySlice(arrayFilter(g -> ${composite}, ${groups}), 1, ${MAX_COMPOSITES + 1}))`
}

/** The canonical text of a value, independent of the order of an object's keys. */
export function canonicalText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${canonicalText(item)}`).join(',')}}`
  }
  return JSON.stringify(value)
}

/** Largest first; equal sizes by value: null, false, true, numbers, strings, then lists and objects. */
export function compareGroups(
  a: { readonly value: JsonValue; readonly size: number },
  b: { readonly value: JsonValue; readonly size: number },
): number {
  if (a.size !== b.size) return b.size - a.size
  const kinds = kindOf(a.value) - kindOf(b.value)
  if (kinds !== 0) return kinds
  if (typeof a.value === 'number' && typeof b.value === 'number') return a.value - b.value
  const text = (value: JsonValue) => Buffer.from(typeof value === 'string' ? value : canonicalText(value))
  return Buffer.compare(text(a.value), text(b.value))
}

function kindOf(value: JsonValue): number {
  if (value === null) return 0
  if (typeof value === 'boolean') return value ? 2 : 1
  if (typeof value === 'number') return 3
  return typeof value === 'string' ? 4 : 5
}
