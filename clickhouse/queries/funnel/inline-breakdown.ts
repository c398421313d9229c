import type { FunnelBreakdown } from '../../../domain/funnel.js'
import type { Parameters } from './parameters.js'
import type { EventSelection } from './selection/event-selection.js'
import { isMissingSql, storedTextSql, writtenTextSql } from './value-text.js'

/** Rows of events with the text of a value, of which the lowest bits of a person's numbers hold a hash. */
export interface InlineBreakdown {
  /** SQL of rows with `person_key`, `time`, `code` and `value`. */
  readonly rows: string
  readonly bits: number
  /** SQL of the hash of a text. */
  hash(text: string): string
}

/** Thrown by the engine where values are more than are carried, or cannot be told apart by their hashes. */
export const TOO_MANY_VALUES = 'funnel breakdown values are not carried'
/** How many different values a group of persons may have, and all of them together, and how long each may be. */
export const MAX_INLINE_VALUES = 300
const MAX_CARRIED = 1_000
const MAX_BYTES = 200

/** Fewer bits tell too few values apart. */
const MIN_BITS = 20
const MAX_BITS = 32

/**
 * How the values of a breakdown are carried along with the events, as hashes in the bits that times and codes leave, with their texts once a group of persons.
 * Where they are few it costs half of finding them again (`valuedAttemptsSql`). Nothing rests on a hash: the engine refuses with `NOT_CARRIED` where one may
 * not be that of one value alone. Undefined where too few bits are left.
 */
export function inlineBreakdown(
  relevant: EventSelection,
  breakdown: FunnelBreakdown,
  parameters: Parameters,
): InlineBreakdown | undefined {
  const bits = Math.min(MAX_BITS, 64 - relevant.timeBits - relevant.codeBits)
  if (bits < MIN_BITS) return undefined
  const columns = 'person_key, time, code'
  const starts = relevant.rowsSql(['person_key', 'properties'], 'starts')
  const valued = storedTextSql(starts, columns, 'value', breakdown.property, MAX_BYTES, parameters)
  const others = `SELECT ${columns}, '' AS value FROM (${relevant.rowsSql(['person_key'], 'others')})`
  return {
    rows: relevant.hasOthers ? `${valued} UNION ALL ${others}` : valued,
    bits,
    hash: (text) => `if(${isMissingSql(text)}, 0, bitAnd(cityHash64(${text}), ${2 ** bits - 1}))`,
  }
}

/**
 * `whole` with texts as `valueTextSql` has them in place of the hashes in `values`, an array of tuples that begin with one; `allTexts` has all that may be meant.
 *
 * @param others further columns of `whole`
 */
export function namedSql(whole: string, others: readonly string[], { hash }: InlineBreakdown): string {
  const known = `arrayDistinct(arrayMap(text -> (${hash('text')}, ${writtenTextSql('text')}, NOT ${isMissingSql('text')}), allTexts))`
  const refused = [
    `length(allTexts) > ${MAX_CARRIED}`,
    'length(arrayDistinct(hashes)) < length(hashes)',
    'length(arrayDistinct(arrayMap(w -> w.2, known))) < length(hashes)',
    "arrayExists(w -> w.3 AND w.2 = '', known)",
    'arrayExists(g -> NOT has(hashes, g.1), hashed)',
  ]
  return `SELECT ${others.join(', ')}, arrayMap(g -> (known[indexOf(hashes, g.1)].2, g.2, g.3), hashed) AS values FROM (
SELECT *, arrayMap(w -> w.1, known) AS hashes FROM (
SELECT * EXCEPT values, values AS hashed, ${known} AS known FROM (${whole})))
WHERE throwIf(${refused.join(' OR ')}, '${TOO_MANY_VALUES}') = 0`
}
