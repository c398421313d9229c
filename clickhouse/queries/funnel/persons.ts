import type { PersonSql } from '../../port.js'
import type { AttemptOptions } from './attempts/step-times.js'
import { type InlineBreakdown, MAX_INLINE_VALUES, TOO_MANY_VALUES } from './inline-breakdown.js'
import { type EventSelection, packedSql } from './selection/event-selection.js'
import { ORDER_COLUMNS, type OrderKey } from './selection/order-key.js'

/** Inputs of the stages: one row per person. */
export interface PersonsOptions {
  readonly person: PersonSql
  /** The exact order. If undefined, timestamps alone decide, and `tied` marks persons that needs more. */
  readonly order: OrderKey | undefined
  /** Whether it matters with which of two events an attempt begins, although they satisfy the same steps. */
  readonly identified: boolean
  /** Whether the order of equal timestamps can change what a person reaches. */
  readonly orderMatters: boolean
  /** Further conditions on rows. */
  readonly where: readonly string[]
  /** Set if the value of a person's first event is carried along (`inlineBreakdown`). */
  readonly carried: InlineBreakdown | undefined
}

/**
 * Persons with a start: `person`, `tied` and `events`, their relevant events in order as packed numbers after
 * a 0, which is no event and precedes every window. In the exact order and identified, `keys` has the order
 * keys at the same indexes.
 *
 * A person is tied if two events of one timestamp satisfy different steps, so that their order can matter, or
 * if any two share a timestamp and it matters which comes first.
 */
export function personsSql(relevant: EventSelection, options: PersonsOptions): string {
  if (options.carried !== undefined) return withValuesSql(relevant, options, options.carried)
  return options.order === undefined
    ? byTimestampSql(relevant, options)
    : inOrderSql(relevant, options, options.order)
}

/** Number of groups of persons, by the last bits of their keys. */
const GROUPS = 64

/**
 * Collects and sorts large groups of persons, then splits them by person. One array per person in the
 * aggregation, mostly of two or three events, costs four times as much.
 */
function byTimestampSql(relevant: EventSelection, options: PersonsOptions): string {
  return `SELECT person, arrayPushFront(sorted, 0) AS events, toUInt8(${tiedSql(relevant, options)}) AS tied FROM (
SELECT toUInt64(bitShiftRight(part[1], 64)) AS person, arrayMap(k -> toUInt64(k), part) AS sorted FROM (
SELECT arrayJoin(arraySplit((k, previous) -> bitShiftRight(bitXor(k, previous), 64) != 0, keys, arrayPushFront(arrayPopBack(keys), toUInt128(0)))) AS part FROM (
SELECT arraySort(groupArray(bitOr(bitShiftLeft(toUInt128(person), 64), ${packedSql(relevant)}))) AS keys
FROM (SELECT ${options.person.key} AS person, time, code FROM (${options.person.linked(relevant.rowsSql(['person_key']))}))
${options.where.length === 0 ? '' : `WHERE ${options.where.join(' AND ')}`}
GROUP BY person % ${GROUPS}))
WHERE arrayExists(x -> ${relevant.isStart('x')}, sorted))`
}

/**
 * The same with `keys`, hashes of the events' values, and `values`, all texts of a group in its first person.
 */
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
FROM (SELECT ${options.person.key} AS person, time, code, value FROM (${options.person.linked(rows)}))
${options.where.length === 0 ? '' : `WHERE ${options.where.join(' AND ')}`}
GROUP BY person % ${GROUPS})
WHERE throwIf(length(texts) > ${MAX_INLINE_VALUES}, '${TOO_MANY_VALUES}') = 0)
ARRAY JOIN parts AS part, lists AS values))`
}

/** In the exact order, whose keys are too wide to be packed behind a person's. */
function inOrderSql(relevant: EventSelection, options: PersonsOptions, order: OrderKey): string {
  const keys = options.identified ? ', arrayPushFront(sorted, 0) AS keys' : ''
  return `SELECT person, arrayPushFront(packed, 0) AS events${keys}, toUInt8(0) AS tied FROM (
SELECT ${options.person.key} AS person, arraySort(groupArray(${order.sql})) AS sorted, arrayMap(k -> ${order.packed('k')}, sorted) AS packed
FROM (${options.person.linked(relevant.rowsSql(['person_key', ...ORDER_COLUMNS]))})
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

/** Columns of a person that stages pass on, those in the attempt, and the array that identifies its start. */
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
