import { type OrderKey, packedSql, type Relevant } from './relevant.js'

/** What the stages start from: one row a person. */
export interface PersonsOptions {
  /** SQL of the person an event belongs to. */
  readonly person: string
  /** The exact order; left out, events are ordered by timestamp alone and `tied` says where that may be wrong. */
  readonly order: OrderKey | undefined
  /** Further conditions on rows. */
  readonly where: readonly string[]
}

/**
 * Persons who have a start, with columns `person`, `tied` and `events`: their relevant events in order as packed numbers
 * behind a 0, which is no event and lies before every window.
 *
 * A person is tied when two events of one timestamp satisfy different steps, so that their order can matter.
 */
export function personsSql(relevant: Relevant, options: PersonsOptions): string {
  const { order } = options
  const sorted =
    order === undefined
      ? `arraySort(groupArray(${packedSql(relevant)}))`
      : `arrayMap(k -> ${order.packed('k')}, arraySort(groupArray(${order.sql})))`
  const tied =
    order === undefined && relevant.codeBits > 1
      ? `arrayExists(d -> d > 0 AND d < ${2 ** relevant.codeBits}, arrayDifference(sorted))`
      : '0'
  return `SELECT person, arrayPushFront(sorted, 0) AS events, toUInt8(${tied}) AS tied FROM (
WITH ${relevant.time} AS time, ${relevant.code} AS code
SELECT ${options.person} AS person, ${sorted} AS sorted
FROM events
WHERE ${[relevant.where, ...options.where].join(' AND ')}
GROUP BY person
HAVING arrayExists(x -> ${relevant.satisfies('x', 0)}, sorted))`
}
