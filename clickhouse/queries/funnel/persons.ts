import type { OrderKey } from './order-key.js'
import { packedSql, type Relevant } from './relevant.js'

/** What the stages start from: one row a person. */
export interface PersonsOptions {
  /** SQL of the person an event belongs to. */
  readonly person: string
  /** The exact order; left out, events are ordered by timestamp alone and `tied` says where that may be wrong. */
  readonly order: OrderKey | undefined
  /** Whether it matters which of two events a run begins with, although they satisfy the same steps. */
  readonly identified: boolean
  /** Whether the order of equal timestamps can change what a person reaches. */
  readonly orderMatters: boolean
  /** Further conditions on rows. */
  readonly where: readonly string[]
}

/**
 * Persons who have a start, with columns `person`, `tied` and `events`: their relevant events in order as packed numbers
 * behind a 0, which is no event and lies before every window. Where events are in the exact order and identified, `keys` has their
 * order keys at the same places.
 *
 * A person is tied when two events of one timestamp satisfy different steps, so that their order can matter, or when any two
 * have one timestamp and it matters which of them comes first.
 */
export function personsSql(relevant: Relevant, options: PersonsOptions): string {
  const { order, identified } = options
  const sorted =
    order === undefined
      ? `arraySort(groupArray(${packedSql(relevant)}))`
      : `arraySort(groupArray(${order.sql}))`
  const events = order === undefined ? 'sorted' : `arrayMap(k -> ${order.packed('k')}, sorted)`
  const keys = order !== undefined && identified ? ', arrayPushFront(sorted, 0) AS keys' : ''
  return `SELECT person, arrayPushFront(${order === undefined ? 'sorted' : 'packed'}, 0) AS events${keys}, toUInt8(${tiedSql(relevant, options)}) AS tied FROM (
SELECT ${options.person} AS person, ${sorted} AS sorted${order === undefined ? '' : `, ${events} AS packed`}
FROM (${relevant.rowsSql(['person_key', ...(order?.columns ?? [])])})
${options.where.length === 0 ? '' : `WHERE ${options.where.join(' AND ')}`}
GROUP BY person
HAVING arrayExists(x -> ${relevant.isStart('x')}, ${order === undefined ? 'sorted' : 'packed'}))`
}

function tiedSql({ codeBits }: Relevant, { order, identified, orderMatters }: PersonsOptions): string {
  if (order !== undefined) return '0'
  // The first difference is 0 and belongs to no pair.
  const close = `arrayCount(d -> d < ${2 ** codeBits}, arrayDifference(sorted)) > 1`
  const different = `arrayExists(d -> d > 0 AND d < ${2 ** codeBits}, arrayDifference(sorted))`
  if (identified) return close
  return orderMatters && codeBits > 1 ? different : '0'
}

/** The columns of a person that stages hand on. */
export function handedOn(options: Pick<PersonsOptions, 'order' | 'identified'>): string {
  return options.order !== undefined && options.identified ? 'person, tied, keys' : 'person, tied'
}
