import { type Static, Type } from '@sinclair/typebox'
import { queryRetention } from '../../clickhouse/queries/insights/query-retention.js'
import { neverReceived } from '../../clickhouse/queries/vocabulary.js'
import { MAX_RETENTION_PERIODS, RETENTION_INTERVALS } from '../../domain/retention.js'
import type { ErrorDetail } from '../../management/domain-errors.js'
import { comparisonProblems } from '../funnels/funnel-query.js'
import { QUERY_DEADLINE_MS, rangeOf, rangeProblems } from '../funnels/query-range.js'
import { EventNameSchema, filters, queryCost } from '../funnels/schemas.js'
import { refuseExceeded } from '../http/error-mapping.js'
import { assertValid, defineRoute, json, type Rule } from '../http/route.js'
import { closed, named, nullable, oneOf, time } from '../http/schemas.js'
import { neverReceivedNames } from './schemas.js'

const DEFAULT_PERIODS = 8

export const RetentionQuerySchema = named(
  'RetentionQuery',
  closed({
    from: Type.Optional(time('Start events happen then or later; 30 days before `to` if left out')),
    to: Type.Optional(time('Start events happen before; now if left out. Return events after it count too')),
    interval: Type.Optional(
      oneOf(RETENTION_INTERVALS, {
        description: 'Length of cohorts and periods, in UTC; weeks from Monday. A day if left out',
      }),
    ),
    startEvent: EventNameSchema,
    returnEvent: EventNameSchema,
    startFilters: Type.Optional(filters('Start events must satisfy them')),
    returnFilters: Type.Optional(filters('Return events must satisfy them')),
    periods: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_RETENTION_PERIODS,
        description: `Number of periods, that of the cohort included; ${DEFAULT_PERIODS} if left out`,
      }),
    ),
  }),
)
export type RetentionQueryInput = Static<typeof RetentionQuerySchema>

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const RetentionResultSchema = named(
  'RetentionResult',
  closed({
    from: time('As asked, or the default'),
    to: time('As asked, or the default'),
    interval: oneOf(RETENTION_INTERVALS),
    cohorts: Type.Array(
      named(
        'RetentionCohort',
        closed({
          at: time('Start of the bucket'),
          persons: count('Persons whose first start event in the range is in the bucket'),
          complete: Type.Boolean({ description: 'The range covers the bucket, and its end has passed' }),
          returned: Type.Array(nullable(count('')), {
            description:
              'Persons with a return event in the period, which is so many intervals after the bucket; null if it is not over',
          }),
        }),
      ),
      { description: 'Every bucket of the range, empty ones too' },
    ),
    neverReceived: neverReceivedNames,
    query: queryCost,
  }),
)

const retentionRules: readonly Rule<RetentionQueryInput>[] = [
  { of: ['from', 'to'], problems: rangeProblems },
  { of: ['startFilters', 'returnFilters'], problems: retentionProblems },
]

export function retentionProblems({
  startFilters = [],
  returnFilters = [],
}: Pick<RetentionQueryInput, 'startFilters' | 'returnFilters'>): ErrorDetail[] {
  return comparisonProblems({ '/startFilters': startFilters, '/returnFilters': returnFilters })
}

export const queryRetentionRoute = defineRoute('POST /events/retention', 'queryRetention', {
  heavy: true,
  tag: 'Insights',
  summary: 'Query retention',
  description:
    'Counts persons who come back. A person belongs to the cohort of the first start event in the range. Period 0 is the bucket of the cohort, and needs a return event at or after the start event. Persons are resolved as in funnels. Writes nothing. A query that exceeds the limits of one query is a 400 with `/from` in `details`, or a 503 if waiting can help.',
  body: RetentionQuerySchema,
  bodyRules: retentionRules,
  bodyExample: {
    from: '2026-11-02T00:00:00Z',
    to: '2026-11-09T00:00:00Z',
    interval: 'week',
    startEvent: 'signed_up',
    returnEvent: 'order_paid',
    periods: 3,
  },
  deadlineMs: QUERY_DEADLINE_MS,
  responses: {
    200: json('The cohorts', RetentionResultSchema, {
      from: '2026-11-02T00:00:00.000Z',
      to: '2026-11-09T00:00:00.000Z',
      interval: 'week',
      cohorts: [{ at: '2026-11-02T00:00:00.000Z', persons: 120, complete: true, returned: [80, 45, null] }],
      neverReceived: [],
      query: { elapsedMs: 24.5, rowsRead: 64_000 },
    }),
  },
  async handler({ body, services: { clickhouse, now: clock }, workspaceId, signal }) {
    const now = clock()
    assertValid(retentionRules, body, now)
    const { interval = 'day', startEvent, returnEvent, startFilters = [], returnFilters = [] } = body
    const { from, to } = rangeOf(body, now)
    const query = {
      from,
      to,
      interval,
      startEvent,
      returnEvent,
      startFilters,
      returnFilters,
      periods: body.periods ?? DEFAULT_PERIODS,
    }
    const [{ cohorts, elapsedMs, rowsRead }, absent] = await Promise.all([
      queryRetention(clickhouse, { workspaceId, query, now, signal }),
      neverReceived(clickhouse, workspaceId, [startEvent, returnEvent], signal),
    ]).catch(refuseExceeded('/from'))
    return {
      status: 200,
      body: {
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        interval,
        cohorts: cohorts.map((cohort) => ({ ...cohort, at: new Date(cohort.at).toISOString() })),
        neverReceived: absent,
        query: { elapsedMs, rowsRead },
      },
    }
  },
})
