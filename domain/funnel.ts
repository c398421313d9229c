/** Funnel definitions and queries. docs/funnels.md describes their meaning. */
export const FILTER_OPERATORS = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'exists',
  'not_exists',
  'in',
] as const
export type FilterOperator = (typeof FILTER_OPERATORS)[number]

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }

export interface PropertyFilter {
  /** A dotted path into `properties`: looked up as a whole key first, then split at its dots. */
  readonly property: string
  readonly operator: FilterOperator
  /** Absent for `exists` and `not_exists`; an array for `in`. */
  readonly value?: JsonValue
}

export interface FunnelStep {
  readonly name: string
  readonly eventName: string
  readonly filters: readonly PropertyFilter[]
}

export const FUNNEL_LIMITS = {
  nameLength: 200,
  descriptionLength: 2_000,
  steps: 20,
  windowSeconds: 7_776_000,
  defaultWindowSeconds: 604_800,
  rangeDays: 366,
  defaultGroups: 10,
} as const

export type FunnelOrder = 'ordered' | 'strict' | 'any'
export const TREND_INTERVALS = ['hour', 'day', 'week', 'month'] as const
export type TrendInterval = (typeof TREND_INTERVALS)[number]

export interface FunnelExclusion {
  readonly eventName: string
  /** 0-based, `fromStep` < `toStep`. */
  readonly fromStep: number
  readonly toStep: number
}

export interface FunnelBreakdown {
  /** A path as in `PropertyFilter`. */
  readonly property: string
  readonly limit: number
}

/** A breakdown with its defaults. @param input undefined or null for none */
export function toBreakdown(
  input: { readonly property: string; readonly limit?: number } | null | undefined,
): FunnelBreakdown | undefined {
  return input === null || input === undefined ? undefined : { limit: FUNNEL_LIMITS.defaultGroups, ...input }
}

/** Ranges of saved queries, which end now, and their lengths in milliseconds. */
export const SAVED_RANGES = {
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
  '90d': 7_776_000_000,
  '365d': 31_536_000_000,
} as const
export type SavedRange = keyof typeof SAVED_RANGES

/** How a saved funnel is queried unless a request says otherwise. */
export interface SavedFunnelQuery<Filter = PropertyFilter> {
  readonly order: FunnelOrder
  readonly filters: readonly Filter[]
  readonly exclusions: readonly FunnelExclusion[]
  readonly breakdown: FunnelBreakdown | null
  readonly interval: TrendInterval | null
  readonly last: SavedRange
}

/** Fields that are left out get their defaults. */
export type SavedQueryInput<Filter = PropertyFilter> = Partial<
  Omit<SavedFunnelQuery<Filter>, 'breakdown'>
> & {
  readonly breakdown?: { readonly property: string; readonly limit?: number } | null
}

/** A saved query with its defaults. @param input undefined or null for none */
export function toSavedQuery<Filter>(
  input: SavedQueryInput<Filter> | null | undefined,
): SavedFunnelQuery<Filter> | null {
  if (input === null || input === undefined) return null
  const { order = 'ordered', filters = [], exclusions = [], breakdown, interval = null, last = '30d' } = input
  return { order, filters, exclusions, breakdown: toBreakdown(breakdown) ?? null, interval, last }
}

/** An experiment whose variants divide a funnel: a person's exposure counts, and what came after it. */
export interface FunnelExperiment {
  readonly key: string
  /** Keys, in the experiment's order. */
  readonly variants: readonly string[]
  /** Milliseconds; null if it never started: then no person was exposed. */
  readonly startedAt: number | null
  /** The last time of an exposure; null while it has not ended. */
  readonly endedAt: number | null
  /** The last time of every other event: the end plus settling; null while it has not ended. */
  readonly measuredUntil: number | null
}

export interface FunnelQuery {
  /** Milliseconds; step 1 falls in `[from, to)`. */
  readonly from: number
  readonly to: number
  readonly windowSeconds: number
  readonly order: FunnelOrder
  readonly filters: readonly PropertyFilter[]
  readonly exclusions: readonly FunnelExclusion[]
  readonly breakdown: FunnelBreakdown | undefined
  readonly interval: TrendInterval | undefined
  /** Not together with a breakdown. */
  readonly experiment?: FunnelExperiment | undefined
}

/** Conversion figures of one step. Rates are 0 to 1, null if the denominator is 0. */
export interface FunnelStepResult {
  readonly index: number
  readonly name: string
  readonly eventName: string
  readonly count: number
  readonly conversionFromPrevious: number | null
  readonly conversionFromStart: number | null
  readonly dropOff: number
  readonly medianSecondsFromPrevious: number | null
  readonly p90SecondsFromPrevious: number | null
}

export interface FunnelTotals {
  readonly entered: number
  readonly completed: number
  readonly conversionRate: number | null
}

export interface FunnelTrendPoint extends FunnelTotals {
  readonly at: number
  readonly complete: boolean
}

/** The figures of a funnel, or of one group of its breakdown. */
export interface FunnelFigures extends FunnelTotals {
  readonly steps: readonly FunnelStepResult[]
  /** Null without an interval. */
  readonly trend: readonly FunnelTrendPoint[] | null
}

export interface FunnelGroup extends FunnelFigures {
  readonly value: JsonValue
}

export interface FunnelResult extends FunnelFigures {
  readonly breakdown: readonly FunnelGroup[] | null
}

const LENGTH_MS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const
/** 5 January 1970: weeks begin on Mondays. */
const FIRST_MONDAY = 4 * LENGTH_MS.day

/** Start of the UTC bucket that contains a time, in milliseconds. */
export function bucketStart(time: number, interval: TrendInterval): number {
  if (interval === 'month') return startOfMonth(time, 0)
  const first = interval === 'week' ? FIRST_MONDAY : 0
  const length = LENGTH_MS[interval]
  return Math.floor((time - first) / length) * length + first
}

/** Start of the bucket after the one that begins at `start`. */
export function nextBucket(start: number, interval: TrendInterval): number {
  return interval === 'month' ? startOfMonth(start, 1) : start + LENGTH_MS[interval]
}

function startOfMonth(time: number, later: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later)
}

/**
 * Whether nothing can change the bucket at `at` but late events: the range covers it, and the window of all
 * who began in it is over. Milliseconds, except the window.
 */
export function isBucketComplete(
  at: number,
  interval: TrendInterval,
  {
    from,
    to,
    windowSeconds = 0,
  }: { readonly from: number; readonly to: number; readonly windowSeconds?: number },
  now: number,
): boolean {
  const end = nextBucket(at, interval)
  return at >= from && end <= to && end + windowSeconds * 1_000 <= now
}
