import type { FunnelBreakdown } from '../../../domain/funnel.js'
import type { Parameters } from '../parameters.js'
import { isMissingSql, storedTextSql, writtenTextSql } from '../value-text.js'
import type { EventSelection } from './selection/event-selection.js'

/** Rows of events with the text of a value, whose hash is in the lowest bits of a person's numbers. */
export interface InlineBreakdown {
  /** SQL of rows with `person_key`, `time`, `code` and `value`. */
  readonly rows: string
  readonly bits: number
  /** SQL of the hash of a text. */
  hash(text: string): string
}

/** The engine throws this if there are more values than can be carried, or if hashes collide. */
export const TOO_MANY_VALUES = 'funnel breakdown values are not carried'
/** Limits: different values per group of persons, in all, and length of each. */
export const MAX_INLINE_VALUES = 300
const MAX_CARRIED = 1_000
const MAX_BYTES = 200

/** Fewer bits distinguish too few values. */
const MIN_BITS = 20
const MAX_BITS = 32

/**
 * Carries breakdown values along with the events, as hashes in the bits that times and codes leave, and their
 * texts once per group of persons. For few values this costs half of finding them again
 * (`valuedAttemptsSql`). A hash is never trusted: the engine throws `TOO_MANY_VALUES` if one may belong to
 * two values. Undefined if too few bits are left.
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
 * `whole` with value texts (as in `valueTextSql`) instead of the hashes in `values`, an array of tuples that
 * begin with one; `allTexts` has the candidates.
 * @param others further columns of `whole`
 * @param figures SQL of the rest of a tuple `g`
 */
export function namedSql(
  whole: string,
  others: readonly string[],
  figures: string,
  { hash }: InlineBreakdown,
): string {
  const known = `arrayDistinct(arrayMap(text -> (${hash('text')}, ${writtenTextSql('text')}, NOT ${isMissingSql('text')}), allTexts))`
  const refused = [
    `length(allTexts) > ${MAX_CARRIED}`,
    'length(arrayDistinct(hashes)) < length(hashes)',
    'length(arrayDistinct(arrayMap(w -> w.2, known))) < length(hashes)',
    "arrayExists(w -> w.3 AND w.2 = '', known)",
    'arrayExists(g -> NOT has(hashes, g.1), hashed)',
  ]
  return `SELECT ${others.join(', ')}, arrayMap(g -> (known[indexOf(hashes, g.1)].2, ${figures}), hashed) AS values FROM (
SELECT *, arrayMap(w -> w.1, known) AS hashes FROM (
SELECT * EXCEPT values, values AS hashed, ${known} AS known FROM (${whole})))
WHERE throwIf(${refused.join(' OR ')}, '${TOO_MANY_VALUES}') = 0`
}
