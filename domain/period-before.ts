import type { TrendInterval } from './funnel.js'

const HOUR_MS = 3_600_000
const BUCKET_MS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS } as const

interface Ranged {
  /** ISO 8601 */
  readonly from?: string
  /** Left out, it is now. */
  readonly to?: string
  readonly interval?: TrendInterval
}

/**
 * The same query of the period before, shifted by whole buckets so that the n-th buckets compare.
 *
 * @param now milliseconds since 1970
 */
export function periodBefore<Query extends Ranged>(query: Query, now: number): Query {
  const { interval = 'day' } = query
  const from = new Date(query.from ?? '')
  const to = query.to === undefined ? new Date(now) : new Date(query.to)
  if (interval === 'month') {
    const years = to.getUTCFullYear() - from.getUTCFullYear()
    const months = 1 + years * 12 + to.getUTCMonth() - from.getUTCMonth()
    return { ...query, from: monthsBefore(from, months), to: monthsBefore(to, months) }
  }
  const bucket = BUCKET_MS[interval]
  const shift = Math.ceil((to.getTime() - from.getTime()) / bucket) * bucket
  const before = (at: Date): string => new Date(at.getTime() - shift).toISOString()
  return { ...query, from: before(from), to: before(to) }
}

function monthsBefore(at: Date, months: number): string {
  const shifted = new Date(at)
  shifted.setUTCMonth(at.getUTCMonth() - months)
  return shifted.toISOString()
}
