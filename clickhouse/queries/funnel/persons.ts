import type { AttemptOptions } from './attempts/step-times.js'
import { type InlineBreakdown, MAX_INLINE_VALUES, TOO_MANY_VALUES } from './inline-breakdown.js'
import { type EventSelection, packedSql } from './selection/event-selection.js'
import type { OrderKey } from './selection/order-key.js'

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
  /** Where the value of a person's first event is carried along (`carriedValues`). */
  readonly carried: InlineBreakdown | undefined
}

/**
 * Persons who have a start, with columns `person`, `tied` and `events`: their relevant events in order as packed numbers
 * behind a 0, which is no event and lies before every window. Where events are in the exact order and identified, `keys` has their
 * order keys at the same places.
 *
 * A person is tied when two events of one timestamp satisfy different steps, so that their order can matter, or when any two
 * have one timestamp and it matters which of them comes first.
 */
export function personsSql(relevant: EventSelection, options: PersonsOptions): string {
  if (options.carried !== undefined) return withValuesSql(relevant, options, options.carried)
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
function byTimestampSql(relevant: EventSelection, options: PersonsOptions): string {
  return `SELECT person, arrayPushFront(sorted, 0) AS events, toUInt8(${tiedSql(relevant, options)}) AS tied FROM (
SELECT toUInt64(bitShiftRight(part[1], 64)) AS person, arrayMap(k -> toUInt64(k), part) AS sorted FROM (
SELECT arrayJoin(arraySplit((k, previous) -> bitShiftRight(bitXor(k, previous), 64) != 0, keys, arrayPushFront(arrayPopBack(keys), toUInt128(0)))) AS part FROM (
SELECT arraySort(groupArray(bitOr(bitShiftLeft(toUInt128(person), 64), ${packedSql(relevant)}))) AS keys
FROM (SELECT ${options.person} AS person, time, code FROM (${relevant.rowsSql(['person_key'])}))
${options.where.length === 0 ? '' : `WHERE ${options.where.join(' AND ')}`}
GROUP BY person % ${GROUPS}))
WHERE arrayExists(x -> ${relevant.isStart('x')}, sorted))`
}

/** The same with `keys`, the hashes of the events' values at their places, and `values`: all texts of a group, which its first person has. */
function withValuesSql(
  relevant: EventSelection,
  options: PersonsOptions,
  { rows, bits, hash }: InlineBreakdown,
): string {
  return `SELECT person, arrayPushFront(sorted, 0) AS events, arrayPushFront(hashes, 0) AS keys, values, toUInt8(${tiedSql(relevant, options)}) AS tied FROM (
SELECT toUInt64(bitShiftRight(part[1], 64)) AS person, arrayMap(k -> bitShiftRight(toUInt64(k), ${bits}), part) AS sorted,
arrayMap(k -> toUInt32(bitAnd(k, ${2 ** bits - 1})), part) AS hashes, values FROM (
SELECT part, values FROM (
SELECT arrayFilter(part -> arrayExists(k -> ${relevant.isStart(`bitShiftRight(toUInt64(k), ${bits})`)}, part),
arraySplit((k, previous) -> bitShiftRight(bitXor(k, previous), 64) != 0, keys, arrayPushFront(arrayPopBack(keys), toUInt128(0)))) AS parts,
arrayResize([texts], length(parts)) AS lists FROM (
SELECT arraySort(groupArray(bitOr(bitShiftLeft(toUInt128(person), 64), bitOr(bitShiftLeft(${packedSql(relevant)}, ${bits}), ${hash('value')})))) AS keys,
groupUniqArrayIf(${MAX_INLINE_VALUES + 1})(value, ${relevant.isStart(packedSql(relevant))}) AS texts
FROM (SELECT ${options.person} AS person, time, code, value FROM (${rows}))
${options.where.length === 0 ? '' : `WHERE ${options.where.join(' AND ')}`}
GROUP BY person % ${GROUPS})
WHERE throwIf(length(texts) > ${MAX_INLINE_VALUES}, '${TOO_MANY_VALUES}') = 0)
ARRAY JOIN parts AS part, lists AS values))`
}

/** In the exact order, for which the keys are too wide to stand behind a person's. */
function inOrderSql(relevant: EventSelection, options: PersonsOptions, order: OrderKey): string {
  const keys = options.identified ? ', arrayPushFront(sorted, 0) AS keys' : ''
  return `SELECT person, arrayPushFront(packed, 0) AS events${keys}, toUInt8(0) AS tied FROM (
SELECT ${options.person} AS person, arraySort(groupArray(${order.sql})) AS sorted, arrayMap(k -> ${order.packed('k')}, sorted) AS packed
FROM (${relevant.rowsSql(['person_key', ...order.columns])})
${options.where.length === 0 ? '' : `WHERE ${options.where.join(' AND ')}`}
GROUP BY person
HAVING arrayExists(x -> ${relevant.isStart('x')}, packed))`
}

function tiedSql({ codeBits }: EventSelection, { identified, orderMatters }: PersonsOptions): string {
  // The first difference is 0 and belongs to no pair.
  const close = `arrayCount(d -> d < ${2 ** codeBits}, arrayDifference(sorted)) > 1`
  const different = `arrayExists(d -> d > 0 AND d < ${2 ** codeBits}, arrayDifference(sorted))`
  if (identified) return close
  return orderMatters && codeBits > 1 ? different : '0'
}

/** The columns of a person that stages hand on, those that an attempt has in the end, and the array that knows its beginning. */
export function personColumns({
  order,
  identified,
  carried,
}: Pick<PersonsOptions, 'order' | 'identified' | 'carried'>): Pick<
  AttemptOptions,
  'handedOn' | 'kept' | 'startIn'
> {
  const kept = carried === undefined ? 'person, tied' : 'person, tied, values'
  if (!identified) return { kept, handedOn: kept, startIn: undefined }
  return order === undefined && carried === undefined
    ? { kept, handedOn: kept, startIn: 'events' }
    : { kept, handedOn: `${kept}, keys`, startIn: 'keys' }
}
