import type { ResultsBounds } from '../../clickhouse/queries/results/index.js'

export interface MeasureOptions {
  readonly limits?: ResultsBounds
  readonly signal?: AbortSignal
  /** Sees every event stored so far, on whichever replica. */
  readonly upToDate?: boolean
}
