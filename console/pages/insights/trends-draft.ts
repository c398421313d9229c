import type { components } from '../../../contract/operations.js'
import { jsonOrText } from '../../../domain/text/filter.js'
import {
  DAY_MS,
  lastOf,
  type Range,
  rangeOfLast,
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

/** The saved part of a draft. A range between two dates is left out. */
export function savedTrends(draft: TrendsDraft): Schema<'SavedTrendsQuery'> {
  const { from: _, to: __, ...query } = trendsBody(draft, 0)
  return { ...query, last: lastOf(draft) ?? '30d' }
}

export function trendsOfSaved(query: Schema<'SavedTrendsQuery'>): TrendsDraft {
  const { series, filters = [], breakdown, interval = 'day', last } = query
  return {
    ...rangeOfLast(last),
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
    compare: false,
  }
}

/** The same query of the period before, shifted by whole buckets so that the n-th buckets compare. */
export function periodBefore(body: TrendsBody, now: number): TrendsBody {
  const from = Date.parse(body.from ?? '')
  const to = body.to === undefined ? now : Date.parse(body.to)
  if (body.interval === 'month') {
    const first = new Date(from)
    const last = new Date(to)
    const months =
      1 + (last.getUTCFullYear() - first.getUTCFullYear()) * 12 + last.getUTCMonth() - first.getUTCMonth()
    return { ...body, from: monthsBefore(first, months), to: monthsBefore(last, months) }
  }
  const bucket = { hour: DAY_MS / 24, day: DAY_MS, week: 7 * DAY_MS }[body.interval ?? 'day']
  const shift = Math.ceil((to - from) / bucket) * bucket
  return { ...body, from: new Date(from - shift).toISOString(), to: new Date(to - shift).toISOString() }
}

function monthsBefore(at: Date, months: number): string {
  const shifted = new Date(at)
  shifted.setUTCMonth(at.getUTCMonth() - months)
  return shifted.toISOString()
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
