import { type Static, Type } from '@sinclair/typebox'
import { FunnelRefusal } from '../../clickhouse/queries/funnel/index.js'
import { queryTrends } from '../../clickhouse/queries/insights/query-trends.js'
import { neverReceived } from '../../clickhouse/queries/vocabulary.js'
import { FUNNEL_LIMITS, type JsonValue, TREND_INTERVALS, toBreakdown } from '../../domain/funnel.js'
import {
  isOfProperty,
  MAX_TREND_SERIES,
  TREND_MEASURES,
  type TrendFigures,
  type TrendsQuery,
} from '../../domain/trends.js'
import { type ErrorDetail, validationFailed } from '../../management/domain-errors.js'
import { comparisonProblems } from '../funnels/funnel-query.js'
import { QUERY_DEADLINE_MS, rangeOf, rangeProblems } from '../funnels/query-range.js'
import {
  breakdownOf,
  EventNameSchema,
  FilterSchema,
  filters,
  property,
  queryCost,
} from '../funnels/schemas.js'
import { refuseExceeded } from '../http/error-mapping.js'
import { assertValid, defineRoute, json, type Rule } from '../http/route.js'
import { closed, named, nullable, oneOf, time } from '../http/schemas.js'
import { neverReceivedNames } from './schemas.js'

const measure = oneOf(TREND_MEASURES, {
  description:
    '`events`, if left out, and `persons` count; a person counts once a bucket, and once in `total`. `sum`, `average` and `p90` compute the numbers of `property`; events without a number do not count',
})

export const TrendsQuerySchema = named(
  'TrendsQuery',
  closed({
    from: Type.Optional(time('Events happen then or later; 30 days before `to` if left out')),
    to: Type.Optional(time('Events happen before; now if left out')),
    interval: Type.Optional(
      oneOf(TREND_INTERVALS, {
        description: 'Length of the buckets, in UTC; weeks from Monday. A day if left out',
      }),
    ),
    series: Type.Array(
      named(
        'TrendSeriesInput',
        closed({
          eventName: EventNameSchema,
          filters: Type.Optional(filters('All must hold')),
          measure: Type.Optional(measure),
          property: Type.Optional(property),
        }),
      ),
      { minItems: 1, maxItems: MAX_TREND_SERIES },
    ),
    breakdown: Type.Optional(
      breakdownOf(
        'Figures for each value of this property, per series. Largest first: by `total`, for averages and p90 by the number of events with a number; ties in the order of their values',
      ),
    ),
    filters: Type.Optional(filters('Every event must satisfy them')),
  }),
)
export type TrendsQueryInput = Static<typeof TrendsQuerySchema>

const figures = {
  total: nullable(Type.Number(), { description: 'Over the whole range' }),
  data: Type.Array(
    named(
      'TrendPoint',
      closed({
        at: time('Start of the bucket'),
        value: nullable(Type.Number(), {
          description: 'Null for an average or p90 of nothing, and for a sum beyond the range of numbers',
        }),
        complete: Type.Boolean({ description: 'The range covers it, and its end has passed' }),
      }),
    ),
    { description: 'Every bucket of the range, empty ones too' },
  ),
}

export const TrendsResultSchema = named(
  'TrendsResult',
  closed({
    from: time('As asked, or the default'),
    to: time('As asked, or the default'),
    interval: oneOf(TREND_INTERVALS),
    series: Type.Array(
      named(
        'TrendSeries',
        closed({
          eventName: Type.String(),
          filters: Type.Array(FilterSchema),
          measure: oneOf(TREND_MEASURES),
          property: nullable(Type.String()),
          ...figures,
          breakdown: nullable(
            Type.Array(
              named(
                'TrendGroup',
                closed({
                  value: Type.Unsafe<JsonValue>({ description: 'Null also if the property is missing' }),
                  ...figures,
                }),
              ),
            ),
            { description: 'Largest groups first; null without `breakdown`' },
          ),
        }),
      ),
      { description: 'In the order of the query' },
    ),
    neverReceived: neverReceivedNames,
    query: queryCost,
  }),
)

const trendsRules: readonly Rule<TrendsQueryInput>[] = [
  { of: ['from', 'to'], problems: rangeProblems },
  { of: ['series', 'filters'], problems: trendsProblems },
  { of: ['from', 'to', 'interval', 'series', 'breakdown'], problems: pointsProblems },
]

const HOUR_MS = 3_600_000
/** Figures in an answer, some 50 MB. Only hours can make more. */
const MAX_POINTS = 500_000

function pointsProblems(body: TrendsQueryInput, now: number): ErrorDetail[] {
  if (body.interval !== 'hour') return []
  const { from, to } = rangeOf(body, now)
  const groups = body.breakdown === undefined ? 0 : (body.breakdown.limit ?? FUNNEL_LIMITS.defaultGroups)
  const points = Math.ceil((to - from) / HOUR_MS) * body.series.length * (1 + groups)
  return points <= MAX_POINTS
    ? []
    : [
        {
          path: '/interval',
          message: `must be longer than an hour for ${points} figures: at most ${MAX_POINTS}`,
        },
      ]
}

type SeriesAndFilters = Pick<TrendsQueryInput, 'series' | 'filters' | 'breakdown'>

export function trendsProblems({ series, filters = [], breakdown }: SeriesAndFilters): ErrorDetail[] {
  // Each series compiles the filters of all, and once more for its groups.
  const times = breakdown === undefined ? 1 : 2
  const repeat = <Item>(items: readonly Item[], count: number) =>
    Array.from({ length: count }, () => items).flat()
  return [
    ...series.flatMap(propertyProblems),
    ...comparisonProblems({
      '/series': repeat(
        series.flatMap((one) => one.filters ?? []),
        times,
      ),
      '/filters': repeat(filters, times * series.length),
    }),
  ]
}

function propertyProblems(
  { measure = 'events', property }: TrendsQueryInput['series'][number],
  index: number,
): ErrorDetail[] {
  if (isOfProperty(measure) === (property !== undefined)) return []
  const message =
    property === undefined
      ? `is required with the measure ${measure}`
      : `must be left out with the measure ${measure}`
  return [{ path: `/series/${index}/property`, message }]
}

const example = {
  from: '2026-11-20T00:00:00.000Z',
  to: '2026-11-21T12:00:00.000Z',
  interval: 'day',
  series: [
    {
      eventName: 'order_paid',
      filters: [],
      measure: 'sum',
      property: 'total',
      total: 1_480.5,
      data: [
        { at: '2026-11-20T00:00:00.000Z', value: 1_000, complete: true },
        { at: '2026-11-21T00:00:00.000Z', value: 480.5, complete: false },
      ],
      breakdown: null,
    },
  ],
  neverReceived: [],
  query: { elapsedMs: 18.2, rowsRead: 42_000 },
}

export const queryTrendsRoute = defineRoute('POST /events/trends', 'queryTrends', {
  heavy: true,
  tag: 'Insights',
  summary: 'Query trends of events',
  description:
    'Counts events or persons, or computes a property, in buckets of time. A person is the user of an event, else the user that its anonymous id is linked to, else the anonymous id. Writes nothing. A query that exceeds the limits of one query (30 seconds, memory, events read) is a 400 with `/from` in `details`, or a 503 if waiting can help.',
  body: TrendsQuerySchema,
  bodyRules: trendsRules,
  bodyExample: {
    from: '2026-11-20T00:00:00Z',
    to: '2026-11-21T12:00:00Z',
    series: [{ eventName: 'order_paid', measure: 'sum', property: 'total' }],
  },
  deadlineMs: QUERY_DEADLINE_MS,
  responses: { 200: json('The figures of every series', TrendsResultSchema, example) },
  async handler({ body, services: { clickhouse, now: clock }, workspaceId, signal }) {
    const now = clock()
    assertValid(trendsRules, body, now)
    const query = toTrendsQuery(body, now)
    const names = query.series.map(({ eventName }) => eventName)
    const [answer, absent] = await Promise.all([
      queryTrends(clickhouse, { workspaceId, query, now, signal }),
      neverReceived(clickhouse, workspaceId, names, signal),
    ]).catch((error: unknown) => {
      if (error instanceof FunnelRefusal)
        throw validationFailed([{ path: `/${error.field}`, message: error.message }])
      return refuseExceeded('/from')(error)
    })
    const { elapsedMs, rowsRead } = answer
    return {
      status: 200,
      body: {
        from: new Date(query.from).toISOString(),
        to: new Date(query.to).toISOString(),
        interval: query.interval,
        series: answer.result.series.map(({ breakdown, ...own }, index) => ({
          ...query.series[index],
          ...shown(own),
          breakdown: breakdown?.map(({ value, ...group }) => ({ value, ...shown(group) })) ?? null,
        })),
        neverReceived: absent,
        query: { elapsedMs, rowsRead },
      },
    }
  },
})

function toTrendsQuery(body: TrendsQueryInput, now: number): TrendsQuery {
  const { from, to } = rangeOf(body, now)
  const { breakdown } = body
  return {
    from,
    to,
    interval: body.interval ?? 'day',
    series: body.series.map(({ eventName, filters = [], measure = 'events', property = null }) => ({
      eventName,
      filters,
      measure,
      property,
    })),
    filters: body.filters ?? [],
    breakdown: toBreakdown(breakdown),
  }
}

function shown({ total, data }: TrendFigures) {
  return { total, data: data.map((point) => ({ ...point, at: new Date(point.at).toISOString() })) }
}
