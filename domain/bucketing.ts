/** Variant assignment, frozen: clients compute it too, so results must never change. */
export const BUCKETS = 10_000

const OFFSET = 0x811c9dc5
const PRIME = 0x01000193

/** FNV-1a of 32 bits over UTF-16 code units, a whole unit at a time; not that of the UTF-8 bytes. */
export function fnv1a(text: string): number {
  let hash = OFFSET
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME)
  return hash >>> 0
}

/** The bucket of a unit (a visitor or user) in an experiment, 0 to 9,999: `n` times 10,000. */
export function bucketOf(experimentKey: string, unitId: string): number {
  return fnv1a(String(fnv1a(experimentKey + unitId))) % BUCKETS
}

/**
 * The variant of a bucket. Ranges are cumulative splits, start inclusive, compared as whole numbers of
 * 10,000.
 * @param splits whole percents that add up to 100, in the order of the variants
 */
export function variantIndexOf(bucket: number, splits: readonly number[]): number {
  let end = 0
  for (const [index, split] of splits.entries()) {
    end += split * (BUCKETS / 100)
    if (bucket < end) return index
  }
  throw new RangeError('the splits do not add up to 100')
}
