import { FUNNEL_LIMITS } from '../../domain/funnel.js'
import { parseRfc3339 } from '../../domain/rfc3339.js'
import type { ErrorDetail } from '../../management/domain-errors.js'

/** For a query of many events, with the time that it may run. */
export const QUERY_DEADLINE_MS = 35_000
const DAY_MS = 86_400_000
const DEFAULT_DAYS = 30
/** Range of the event store's time type, with room for a window on either side. */
const EARLIEST_MS = Date.UTC(1970, 0, 1)
const LATEST_MS = Date.UTC(2200, 0, 1)

/** The time range of a query as it was sent. */
export interface RangeInput {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Problems of the fields `from` and `to`. */
export function rangeProblems(body: RangeInput, now: number): ErrorDetail[] {
  const { from, to, sentFrom, sentTo } = rangeOf(body, now)
  const details: ErrorDetail[] = []
  for (const [path, at] of [
    ['/from', sentFrom],
    ['/to', sentTo],
  ] as const)
    if (at !== undefined && (at < EARLIEST_MS || at > LATEST_MS))
      details.push({ path, message: 'must lie between the years 1970 and 2200' })
  // If `from` is left out it is 30 days before `to`, which may be before 1970.
  if (details.length === 0 && from < EARLIEST_MS)
    details.push({
      path: '/to',
      message: `must be at least ${DEFAULT_DAYS} days after the start of 1970`,
    })
  if (from >= to)
    details.push(
      body.to === undefined
        ? { path: '/from', message: 'must be in the past if to is left out' }
        : { path: '/to', message: 'must be after from' },
    )
  else if (to - from > FUNNEL_LIMITS.rangeDays * DAY_MS)
    details.push({
      path: '/from',
      message: `must be at most ${FUNNEL_LIMITS.rangeDays} days before to`,
    })
  return details
}

/** Milliseconds, with defaults for what was left out. */
export function rangeOf(body: RangeInput, now: number) {
  const sentTo = body.to === undefined ? undefined : parseRfc3339(body.to)
  const sentFrom = body.from === undefined ? undefined : parseRfc3339(body.from)
  const to = sentTo ?? now
  return { sentFrom, sentTo, to, from: sentFrom ?? to - DEFAULT_DAYS * DAY_MS }
}
