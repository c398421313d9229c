import { Type } from '@sinclair/typebox'
import { memoizePerClient } from '../../clickhouse/memoize-per-client.js'
import { readEvent } from '../../clickhouse/queries/events/event.js'
import { ListingCache, listEvents } from '../../clickhouse/queries/events/events.js'
import { notFound } from '../../management/domain-errors.js'
import { defineRoute } from '../http/route.js'
import { closed, oneOf, pageSchema, pagination, paging, uuid } from '../http/schemas.js'
import { streamEventsRoute } from './live.js'
import { presentEvents } from './present.js'
import { EventSchema, exampleEvent } from './schemas.js'
import { eventTrendsRoute } from './trends.js'

const listEventsRoute = defineRoute({
  method: 'GET',
  path: '/events',
  operationId: 'listEvents',
  heavy: true,
  tag: 'Events',
  summary: 'List events, newest first',
  scope: null,
  query: closed({
    ...paging(100, 25),
    sortBy: Type.Optional(oneOf(['receivedAt', 'event'], { default: 'receivedAt' })),
    sortDir: Type.Optional(oneOf(['asc', 'desc'], { default: 'desc' })),
  }),
  responses: {
    200: {
      description: 'A page of events',
      schema: pageSchema('EventPage', EventSchema),
      example: {
        data: [exampleEvent],
        pagination: { limit: 25, offset: 0, total: 1, hasMore: false },
      },
    },
  },
  async handler({ query, services, workspaceId, signal }) {
    const wanted = {
      workspaceId,
      limit: query.limit,
      offset: query.offset,
      sortBy: query.sortBy ?? 'receivedAt',
      sortDir: query.sortDir ?? 'desc',
      signal,
    }
    const { rows, total } = await listEvents(services.clickhouse, wanted, memoryOf(services.clickhouse))
    const data = await presentEvents(services.sql, workspaceId, rows)
    return {
      status: 200,
      body: { data, pagination: pagination(query.limit, query.offset, total, data.length) },
    }
  },
})

const memoryOf = memoizePerClient(() => new ListingCache())

const getEventRoute = defineRoute({
  method: 'GET',
  path: '/events/{eventId}',
  operationId: 'getEvent',
  tag: 'Events',
  summary: 'Get an event',
  scope: null,
  etag: true,
  params: closed({ eventId: uuid('The event') }),
  responses: { 200: { description: 'The event', schema: EventSchema, example: exampleEvent } },
  async handler({ params, services, workspaceId, signal }) {
    const row = await readEvent(services.clickhouse, workspaceId, params.eventId, signal)
    const [event] = row === undefined ? [] : await presentEvents(services.sql, workspaceId, [row])
    if (event === undefined) throw notFound('event')
    return { status: 200, body: event }
  },
})

export const eventRoutes = [listEventsRoute, streamEventsRoute, eventTrendsRoute, getEventRoute]
