import type { FunnelBreakdown, JsonValue, PropertyFilter, TrendInterval } from './funnel.js'

/** The figures of a trend. The last three compute a property; events without a number do not count. */
export const TREND_MEASURES = ['events', 'persons', 'sum', 'average', 'p90'] as const
export type TrendMeasure = (typeof TREND_MEASURES)[number]

export const MAX_TREND_SERIES = 5

/** Whether a measure computes a property. */
export function isOfProperty(measure: TrendMeasure): boolean {
  return measure !== 'events' && measure !== 'persons'
}

export interface TrendSeries {
  readonly eventName: string
  readonly filters: readonly PropertyFilter[]
  readonly measure: TrendMeasure
  /** A path as in `PropertyFilter`; null for `events` and `persons`. */
  readonly property: string | null
}

export interface TrendsQuery {
  /** Milliseconds; events of `[from, to)` count. */
  readonly from: number
  readonly to: number
  readonly interval: TrendInterval
  readonly series: readonly TrendSeries[]
  /** On every event, in addition to those of its series. */
  readonly filters: readonly PropertyFilter[]
  readonly breakdown: FunnelBreakdown | undefined
}

/** Values of the measure. Null for an average or p90 without numbers, and beyond the range of numbers. */
export interface TrendFigures {
  /** Over the whole range: a person counts once. */
  readonly total: number | null
  /** Every bucket of the range. */
  readonly data: readonly { readonly at: number; readonly value: number | null; readonly complete: boolean }[]
}

export interface TrendGroup extends TrendFigures {
  readonly value: JsonValue
}

export interface TrendsResult {
  readonly series: readonly (TrendFigures & { readonly breakdown: readonly TrendGroup[] | null })[]
}
