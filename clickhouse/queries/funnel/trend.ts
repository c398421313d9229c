import {
  bucketStart,
  type FunnelQuery,
  type FunnelTrendPoint,
  isBucketComplete,
  nextBucket,
  type TrendInterval,
} from '../../../domain/funnel.js'

/** Bucket starts in milliseconds and the number of persons who began there, in the same order. */
export type BucketCounts = readonly [starts: readonly number[], persons: readonly number[]]

/** SQL of the start of a time's bucket (`bucketStart`), both in milliseconds. */
export function bucketSql(time: string, interval: TrendInterval): string {
  const at = `fromUnixTimestamp64Milli(toInt64(${time}), 'UTC')`
  return {
    hour: `toInt64(toUnixTimestamp(toStartOfHour(${at}))) * 1000`,
    day: `toInt64(toUnixTimestamp(toStartOfDay(${at}))) * 1000`,
    week: `toInt64(toMonday(${at})) * 86400000`,
    month: `toInt64(toStartOfMonth(${at})) * 86400000`,
  }[interval]
}

/** Every bucket of the query's range, empty ones too. */
export function trendOf(
  query: FunnelQuery,
  interval: TrendInterval,
  entered: readonly BucketCounts[],
  completed: readonly BucketCounts[],
  now: number,
): FunnelTrendPoint[] {
  const enteredAt = sumOf(entered)
  const completedAt = sumOf(completed)
  const points: FunnelTrendPoint[] = []
  for (let at = bucketStart(query.from, interval); at < query.to; at = nextBucket(at, interval)) {
    const persons = enteredAt.get(at) ?? 0
    const done = completedAt.get(at) ?? 0
    points.push({
      at,
      entered: persons,
      completed: done,
      conversionRate: persons === 0 ? null : done / persons,
      complete: isBucketComplete(at, interval, query, now),
    })
  }
  return points
}

function sumOf(parts: readonly BucketCounts[]): Map<number, number> {
  const sum = new Map<number, number>()
  for (const [starts, persons] of parts)
    starts.forEach((start, index) => {
      sum.set(start, (sum.get(start) ?? 0) + (persons[index] ?? 0))
    })
  return sum
}
