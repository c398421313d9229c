import type { PropertyFilter } from '../../../domain/funnel.js'
import type { Metric } from '../../../domain/statistics/index.js'
import type { MeasuredPeriod } from '../exposures.js'

export interface ResultsTarget {
  readonly eventName: string
  /** Hours from the first exposure, any number above 0; null without a limit. */
  readonly windowHours: number | null
  readonly filters: readonly PropertyFilter[]
  /** Defaults to a proportion. */
  readonly metric?: Metric | undefined
}

export interface ResultsRequest extends MeasuredPeriod {
  /** The last time of a conversion: the end plus settling; null while it has not ended. */
  readonly measuredUntil: number | null
  readonly targets: readonly ResultsTarget[]
  readonly limits?: ResultsBounds | undefined
  readonly signal?: AbortSignal | undefined
  /** Sees everything stored before, on any replica. */
  readonly upToDate?: boolean | undefined
}

/** Limits of a query. The engine stops it at a limit with a `ClickHouseError` that names it. */
export interface ResultsBounds {
  readonly maxSeconds: number
  readonly maxMemoryBytes: number
  readonly maxRows: number
  readonly maxThreads: number
}
