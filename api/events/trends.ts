import { Type } from '@sinclair/typebox'
import { readTrends } from '../../clickhouse/queries/events/event-trends.js'
import { validationFailed } from '../../management/domain-errors.js'
import { defineRoute, json } from '../http/route.js'
import { closed, named, oneOf, time } from '../http/schemas.js'

const MAX_NAMES = 50
const HOUR_MS = 3_600_000

/** Length and number of buckets; the last one is incomplete. */
const INTERVALS = {
  minute: { bucketMs: 60_000, buckets: 60 },
  hour: { bucketMs: HOUR_MS, buckets: 24 },
  day: { bucketMs: 24 * HOUR_MS, buckets: 30 },
} as const

const EventTrends = named(
  'EventTrends',
  closed({
    from: time('Start of the first bucket, UTC'),
    interval: oneOf(['minute', 'hour', 'day']),
    data: Type.Array(
      named(
        'EventTrend',
        closed({
          eventName: Type.String({ examples: ['order_paid'] }),
          counts: Type.Array(Type.Integer({ minimum: 0 }), {
            description: 'Events by the bucket of their `timestamp`; the last bucket is incomplete',
          }),
        }),
      ),
      { description: 'In the order of `events`' },
    ),
  }),
)

const single = /^[A-Za-z0-9_.$-]{1,500}$/

export const eventTrendsRoute = defineRoute('GET /events/trends', 'listEventTrends', {
  heavy: true,
  tag: 'Events',
  summary: 'Count events by time',
  query: closed({
    events: Type.String({
      minLength: 1,
      description: `At most ${MAX_NAMES} event names, separated by commas`,
      examples: ['product_viewed,order_paid'],
    }),
    interval: oneOf(['minute', 'hour', 'day'], {
      default: 'hour',
      description: 'The last 60 minutes, 24 hours or 30 days',
    }),
  }),
  responses: {
    200: json('The counts', EventTrends, {
      from: '2026-10-23T00:00:00.000Z',
      interval: 'day',
      data: [{ eventName: 'order_paid', counts: Array.from({ length: 30 }, (_, day) => (day * 7) % 12) }],
    }),
  },
  async handler({ query, services, workspaceId, signal }) {
    const eventNames = [...new Set(query.events.split(','))]
    if (eventNames.length > MAX_NAMES || !eventNames.every((name) => single.test(name)))
      throw validationFailed([
        { path: 'query.events', message: `must be 1 to ${MAX_NAMES} event names, separated by commas` },
      ])
    const { interval } = query
    const { bucketMs, buckets } = INTERVALS[interval]
    const from = (Math.floor(services.now() / bucketMs) + 1 - buckets) * bucketMs
    const wanted = { workspaceId, eventNames, from, bucketMs, buckets, signal }
    const trends = await readTrends(services.clickhouse, wanted)
    const none = Array.from({ length: buckets }, () => 0)
    return {
      status: 200,
      body: {
        from: new Date(from).toISOString(),
        interval,
        data: eventNames.map((eventName) => ({ eventName, counts: trends.get(eventName) ?? none })),
      },
    }
  },
})
