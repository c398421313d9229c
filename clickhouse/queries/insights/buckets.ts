import { bucketStart, nextBucket, type TrendInterval } from '../../../domain/funnel.js'
import type { Parameters } from '../parameters.js'

const LENGTH_MS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const

/** Starts of the buckets that `[from, to)` touches, in milliseconds. */
export function bucketsOf(from: number, to: number, interval: TrendInterval): number[] {
  const starts: number[] = []
  for (let at = bucketStart(from, interval); at < to; at = nextBucket(at, interval)) starts.push(at)
  return starts
}

/**
 * SQL of the index of the bucket that holds an event's `timestamp`, from 0 for that of `from`. A number of 16
 * bits, because grouping by it costs least.
 */
export function bucketIndexSql(from: number, interval: TrendInterval, parameters: Parameters): string {
  const start = parameters.bind('Int64', bucketStart(from, interval))
  return interval === 'month'
    ? `toUInt16(toRelativeMonthNum(timestamp) - toRelativeMonthNum(fromUnixTimestamp64Milli(${start}, 'UTC')))`
    : `toUInt16(intDiv(toUnixTimestamp64Milli(timestamp) - ${start}, ${LENGTH_MS[interval]}))`
}

export const WORD_BITS = 64

/** SQL of the columns `bits0`, `bits1`, …: the buckets of grouped rows (`bucket`), a bit for each. */
export function bucketBitsSql(words: number): string {
  const one = `bitShiftLeft(toUInt64(1), bucket % ${WORD_BITS})`
  return Array.from({ length: words }, (_, word) =>
    words === 1
      ? `groupBitOr(${one}) AS bits0`
      : `groupBitOr(if(intDiv(bucket, ${WORD_BITS}) = ${word}, ${one}, 0)) AS bits${word}`,
  ).join(', ')
}

/** SQL of whether columns of `bucketBitsSql` have a bucket. */
export function hasBucketSql(words: number, bucket: string): string {
  if (words === 1) return `bitTest(bits0, ${bucket})`
  const columns = Array.from({ length: words }, (_, word) => `bits${word}`)
  return `bitTest([${columns.join(', ')}][intDiv(${bucket}, ${WORD_BITS}) + 1], (${bucket}) % ${WORD_BITS})`
}
