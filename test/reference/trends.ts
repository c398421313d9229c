import type { JsonValue, TrendInterval } from '../../domain/funnel.js'
import { personId } from '../../domain/person.js'
import type { TrendFigures, TrendSeries, TrendsQuery, TrendsResult } from '../../domain/trends.js'
import { bucketAfter, bucketOf, quantile, type ReferenceEvent } from './funnel.js'
import { compareValues, inOneForm, lookUp, passes, sameJson, valueOrNull } from './property-filter.js'

/**
 * The answer to a query of trends, by the shortest way from the words of API.md section 11. Slow, and
 * independent of the compiler.
 *
 * @param links anonymous id → user id
 */
export function referenceTrends(
  events: readonly ReferenceEvent[],
  links: ReadonlyMap<string, string>,
  query: TrendsQuery,
  now: number,
): TrendsResult {
  const inRange = events.filter(
    (event) =>
      event.timestamp >= query.from &&
      event.timestamp < query.to &&
      query.filters.every((filter) => passes(event.properties, filter)),
  )
  return {
    series: query.series.map((series) => {
      const own = inRange.filter(
        (event) =>
          event.event === series.eventName &&
          series.filters.every((filter) => passes(event.properties, filter)),
      )
      const figures = (some: readonly ReferenceEvent[]): TrendFigures => ({
        total: measured(some, series, links),
        data: buckets(query.from, query.to, query.interval).map(({ at, end }) => ({
          at,
          value: measured(
            some.filter(({ timestamp }) => timestamp >= at && timestamp < end),
            series,
            links,
          ),
          complete: query.from <= at && end <= query.to && end <= now,
        })),
      })
      if (query.breakdown === undefined) return { ...figures(own), breakdown: null }
      const { property, limit } = query.breakdown
      const groups: { readonly value: JsonValue; readonly events: ReferenceEvent[] }[] = []
      for (const event of own) {
        const value = valueOrNull(event.properties, property)
        const group = groups.find((candidate) => sameJson(candidate.value, value))
        if (group === undefined) groups.push({ value: inOneForm(value), events: [event] })
        else group.events.push(event)
      }
      const size = (some: readonly ReferenceEvent[]) =>
        series.measure === 'average' || series.measure === 'p90'
          ? numbers(some, series).length
          : (measured(some, series, links) ?? 0)
      return {
        ...figures(own),
        breakdown: groups
          .sort((a, b) => size(b.events) - size(a.events) || compareValues(a.value, b.value))
          .slice(0, limit)
          .map((group) => ({ value: group.value, ...figures(group.events) })),
      }
    }),
  }
}

export function buckets(from: number, to: number, interval: TrendInterval) {
  const all: { readonly at: number; readonly end: number }[] = []
  for (let at = bucketOf(from, interval); at < to; at = bucketAfter(at, interval))
    all.push({ at, end: bucketAfter(at, interval) })
  return all
}

export function personOf(
  { userId, anonymousId }: ReferenceEvent,
  links: ReadonlyMap<string, string>,
): string {
  return personId(userId, anonymousId, anonymousId === undefined ? undefined : links.get(anonymousId))
}

function numbers(events: readonly ReferenceEvent[], { property }: TrendSeries): number[] {
  return events
    .map((event) => lookUp(event.properties, property ?? ''))
    .filter((value) => typeof value === 'number')
}

function measured(
  events: readonly ReferenceEvent[],
  series: TrendSeries,
  links: ReadonlyMap<string, string>,
): number | null {
  const sum = () => numbers(events, series).reduce((total, value) => total + value, 0)
  switch (series.measure) {
    case 'events':
      return events.length
    case 'persons':
      return new Set(events.map((event) => personOf(event, links))).size
    case 'sum':
      return sum()
    case 'average': {
      const { length } = numbers(events, series)
      return length === 0 ? null : sum() / length
    }
    case 'p90':
      return quantile(numbers(events, series), 0.9)
  }
}
