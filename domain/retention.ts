import type { PropertyFilter, TrendInterval } from './funnel.js'

export const RETENTION_INTERVALS = ['day', 'week', 'month'] as const satisfies readonly TrendInterval[]
export type RetentionInterval = (typeof RETENTION_INTERVALS)[number]

export const MAX_RETENTION_PERIODS = 31

export interface RetentionQuery {
  /** Milliseconds; start events of `[from, to)` count, and return events after it too. */
  readonly from: number
  readonly to: number
  readonly interval: RetentionInterval
  readonly startEvent: string
  readonly returnEvent: string
  readonly startFilters: readonly PropertyFilter[]
  readonly returnFilters: readonly PropertyFilter[]
  readonly periods: number
}

/** The persons whose first start event in the range is in one bucket. */
export interface RetentionCohort {
  /** Start of the bucket in milliseconds. */
  readonly at: number
  readonly persons: number
  /** Whether the range covers the bucket, and its end has passed. */
  readonly complete: boolean
  /** Persons who returned, by period; null for a period that is not over. */
  readonly returned: readonly (number | null)[]
}
