import type { components } from '../../../contract/operations.js'
import { jsonOrText } from '../../../domain/text/filter.js'
import {
  DAY_MS,
  type Range,
  rangeOfSaved,
  rangeToSaved,
  readRange,
  wholeStart,
  writeRange,
} from '../../components/controls/range.js'
import { isEventName } from '../../components/query/event-name.js'
import {
  type DraftFilter,
  filterFromList,
  filtersFromBody,
  filtersToBody,
  filterToList,
} from '../../components/query/filter-draft.js'

type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]
export type TrendsBody = Schema<'TrendsQuery'>
export type TrendsInterval = NonNullable<TrendsBody['interval']>
export type Measure = NonNullable<Schema<'TrendSeriesInput'>['measure']>

/*
 * The state of the trends page, and its form in the address and in the API. In the address a series is
 * `series=NAME`, or a JSON object if it has more than a name.
 */

export interface SeriesDraft {
  readonly eventName: string
  readonly measure: Measure
  /** Of a sum, an average or a p90. */
  readonly property: string
  readonly filters: readonly DraftFilter[]
}

export interface TrendsDraft extends Range {
  readonly series: readonly SeriesDraft[]
  readonly filters: readonly DraftFilter[]
  readonly breakdown: string
  readonly limit: number
  readonly interval: TrendsInterval
  /** With the period before. */
  readonly compare: boolean
}

export const MEASURES: Readonly<Record<Measure, string>> = {
  events: 'Events',
  persons: 'Persons',
  sum: 'Sum of',
  average: 'Average of',
  p90: 'p90 of',
}
export const INTERVALS: Readonly<Record<TrendsInterval, string>> = {
  hour: 'By hour',
  day: 'By day',
  week: 'By week',
  month: 'By month',
}
export const MAX_SERIES = 5
const DEFAULT_DAYS = 30
const DEFAULT_LIMIT = 5
export const emptySeries: SeriesDraft = { eventName: '', measure: 'events', property: '', filters: [] }

export const needsProperty = (measure: Measure): boolean => measure !== 'events' && measure !== 'persons'

/** The series that can be asked for. */
export function namedSeries(draft: TrendsDraft): readonly SeriesDraft[] {
  return draft.series.filter(
    ({ eventName, measure, property }) =>
      isEventName(eventName.trim()) && (!needsProperty(measure) || property.trim() !== ''),
  )
}

export function seriesLabel({ eventName, measure, property }: Omit<SeriesDraft, 'filters'>): string {
  if (measure === 'events') return eventName
  return measure === 'persons' ? `Persons of ${eventName}` : `${MEASURES[measure]} ${property} (${eventName})`
}

export function trendsBody(draft: TrendsDraft, now: number): TrendsBody {
  const { to, interval, breakdown, limit } = draft
  return {
    from: wholeStart(draft, now, interval === 'hour' ? DAY_MS / 24 : DAY_MS),
    ...(to === '' ? {} : { to }),
    interval,
    series: namedSeries(draft).map(({ eventName, measure, property, filters }) => ({
      eventName: eventName.trim(),
      measure,
      ...(needsProperty(measure) ? { property: property.trim() } : {}),
      filters: filtersToBody(filters),
    })),
    ...(breakdown.trim() === '' ? {} : { breakdown: { property: breakdown.trim(), limit } }),
    filters: filtersToBody(draft.filters),
  }
}

/** The part of a draft that an insight keeps. */
export function savedTrends(draft: TrendsDraft): Schema<'SavedTrendsQuery'> {
  const { from: _, to: __, ...query } = trendsBody(draft, 0)
  return { ...query, ...rangeToSaved(draft), ...(draft.compare ? { compare: true } : {}) }
}

export function trendsOfSaved(query: Schema<'SavedTrendsQuery'>): TrendsDraft {
  const { series, filters = [], breakdown, interval = 'day', compare = false } = query
  return {
    ...rangeOfSaved(query),
    series: series.map(({ eventName, measure = 'events', property = '', filters = [] }) => ({
      eventName,
      measure,
      property,
      filters: filtersFromBody(filters),
    })),
    filters: filtersFromBody(filters),
    breakdown: breakdown?.property ?? '',
    limit: breakdown?.limit ?? DEFAULT_LIMIT,
    interval,
    compare,
  }
}

export function trendsFromParams(params: URLSearchParams): TrendsDraft {
  const series = params.getAll('series').slice(0, MAX_SERIES).map(readSeries)
  const limit = Number(params.get('top'))
  return {
    ...readRange(params, DEFAULT_DAYS),
    series: series.length === 0 ? [emptySeries] : series,
    filters: params.getAll('where').flatMap((text) => filterFromList(jsonOrText(text))),
    breakdown: params.get('by') ?? '',
    limit: Number.isInteger(limit) && limit >= 1 && limit <= 50 ? limit : DEFAULT_LIMIT,
    interval: keyOf(INTERVALS, params.get('interval')) ?? 'day',
    compare: params.get('compare') !== null,
  }
}

function readSeries(text: string): SeriesDraft {
  const read = text.startsWith('{') ? jsonOrText(text) : undefined
  if (typeof read !== 'object' || read === null) return { ...emptySeries, eventName: text }
  const { event, measure, property, where } = read as Readonly<Record<string, unknown>>
  return {
    eventName: typeof event === 'string' ? event : '',
    measure: keyOf(MEASURES, measure) ?? 'events',
    property: typeof property === 'string' ? property : '',
    filters: Array.isArray(where) ? where.flatMap(filterFromList) : [],
  }
}

function keyOf<Key extends string>(names: Readonly<Record<Key, string>>, value: unknown): Key | undefined {
  return (Object.keys(names) as Key[]).find((key) => key === value)
}

export function trendsToParams(draft: TrendsDraft): Record<string, string | readonly string[] | null> {
  return {
    ...writeRange(draft, DEFAULT_DAYS),
    series: draft.series
      .filter(({ eventName }) => eventName.trim() !== '')
      .map(({ eventName, measure, property, filters }) =>
        measure === 'events' && filters.length === 0
          ? eventName
          : JSON.stringify({
              event: eventName,
              measure,
              ...(property === '' ? {} : { property }),
              ...(filters.length === 0 ? {} : { where: filters.map(filterToList) }),
            }),
      ),
    where: draft.filters.map((filter) => JSON.stringify(filterToList(filter))),
    by: draft.breakdown || null,
    top: draft.limit === DEFAULT_LIMIT ? null : String(draft.limit),
    interval: draft.interval === 'day' ? null : draft.interval,
    compare: draft.compare ? '1' : null,
  }
}
