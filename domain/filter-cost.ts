import type { JsonValue, PropertyFilter } from './funnel.js'

/**
 * Most comparisons of all filters of one query. Planning takes time in proportion, also if there are no
 * events, and the event store refuses statements that are several times as large.
 */
export const MAX_COMPARISONS = 200

/** Parts of a path whose planning takes as long as a comparison. */
const PARTS_PER_COMPARISON = 20

/**
 * Comparisons that filters compile to: one for each filter, another if its path has dots, and those of each
 * part of a list or object that it is compared with. Texts and numbers of `in` are compared at once.
 */
export function comparisonsOf(filters: readonly PropertyFilter[]): number {
  return filters.reduce((sum, filter) => {
    const { property, operator, value } = filter
    const several = operator === 'in' && Array.isArray(value)
    const values = several
      ? value.filter((item) => typeof item !== 'string' && typeof item !== 'number')
      : [value]
    const at = (length: number) =>
      values.reduce<number>((all, one) => all + valueCost(one, length), several ? length : 0)
    const parts = property.split('.').length
    return sum + at(1) + (parts > 1 ? at(Math.ceil(parts / PARTS_PER_COMPARISON)) : 0)
  }, 0)
}

/** The path to each part is written out, so a part costs its depth. Stops above the limit. */
function valueCost(value: JsonValue | undefined, length: number): number {
  let cost = length
  if (typeof value === 'object' && value !== null)
    for (const item of Array.isArray(value) ? value : Object.values(value)) {
      if (cost > MAX_COMPARISONS) break
      cost += valueCost(item, length + 1)
    }
  return cost
}
