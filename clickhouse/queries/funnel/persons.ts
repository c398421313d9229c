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
  return options.order === undefined
    ? byTimestampSql(relevant, options)
    : inOrderSql(relevant, options, options.order)
}

/** Into how many groups persons are put, by the last bits of their keys. */
const GROUPS = 64

/**
 * Collected and sorted in groups of many persons, and then parted where one person ends and the next begins: an array a person in the
 * aggregation, most of them of two or three events, costs four times as much.
 */
function byTimestampSql(relevant: Relevant, options: PersonsOptions): string {
  return `SELECT person, arrayPushFront(sorted, 0) AS events, toUInt8(${tiedSql(relevant, options)}) AS tied FROM (
SELECT toUInt64(bitShiftRight(part[1], 64)) AS person, arrayMap(k -> toUInt64(k), part) AS sorted FROM (
SELECT arrayJoin(arraySplit((k, previous) -> bitShiftRight(bitXor(k, previous), 64) != 0, keys, arrayPushFront(arrayPopBack(keys), toUInt128(0)))) AS part FROM (
SELECT arraySort(groupArray(bitOr(bitShiftLeft(toUInt128(person), 64), ${packedSql(relevant)}))) AS keys
FROM (SELECT ${options.person} AS person, time, code FROM (${relevant.rowsSql(['person_key'])}))
${options.where.length === 0 ? '' : `WHERE ${options.where.join(' AND ')}`}
GROUP BY person % ${GROUPS}))
WHERE arrayExists(x -> ${relevant.isStart('x')}, sorted))`
}

/** In the exact order, for which the keys are too wide to stand behind a person's. */
function inOrderSql(relevant: Relevant, options: PersonsOptions, order: OrderKey): string {
  const keys = options.identified ? ', arrayPushFront(sorted, 0) AS keys' : ''
  return `SELECT person, arrayPushFront(packed, 0) AS events${keys}, toUInt8(0) AS tied FROM (
SELECT ${options.person} AS person, arraySort(groupArray(${order.sql})) AS sorted, arrayMap(k -> ${order.packed('k')}, sorted) AS packed
FROM (${relevant.rowsSql(['person_key', ...order.columns])})
${options.where.length === 0 ? '' : `WHERE ${options.where.join(' AND ')}`}
GROUP BY person
HAVING arrayExists(x -> ${relevant.isStart('x')}, packed))`
}

function tiedSql({ codeBits }: Relevant, { identified, orderMatters }: PersonsOptions): string {
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
