import type { PropertyFilter } from '../../../domain/funnel.js'
import type { Metric } from '../../../domain/statistics/index.js'

/** Whose exposures count, and when. Times in milliseconds. */
export interface MeasuredPeriod {
  readonly workspaceId: string
  /** The experiment's key, as exposures name it. */
  readonly key: string
  /** Keys, in the experiment's order. */
  readonly variants: readonly string[]
  /** Null where it never started: then nobody counts. */
  readonly startedAt: number | null
  /** The last time of an exposure; null while it has not ended. */
  readonly endedAt: number | null
  /** The last time of a conversion: the end plus settling; null while it has not ended. */
  readonly measuredUntil: number | null
}

export interface ResultsTarget {
  readonly eventName: string
  /** Hours from the first exposure, any number above 0; null without a bound. */
  readonly windowHours: number | null
  readonly filters: readonly PropertyFilter[]
  /** Left out: a proportion. */
  readonly metric?: Metric | undefined
}

export interface ResultsRequest extends MeasuredPeriod {
  readonly targets: readonly ResultsTarget[]
  readonly limits?: ResultsBounds | undefined
  readonly signal?: AbortSignal | undefined
}

/** What bounds a query; the engine stops it at a bound with a `ClickHouseFailure` that names it. */
export interface ResultsBounds {
  readonly maxSeconds: number
  readonly maxMemoryBytes: number
  readonly maxRows: number
  readonly maxThreads: number
}
