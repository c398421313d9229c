import { readEvent } from '../../clickhouse/queries/events/event.js'
import { listEvents, listingCacheOf } from '../../clickhouse/queries/events/events.js'
import { notFound } from '../../management/domain-errors.js'
import { defineRoute, json, page, pageOf } from '../http/route.js'
import { closed, oneOf, paging, uuid } from '../http/schemas.js'
import { exportPersonRoute } from './export-person.js'
import { streamEventsRoute } from './live.js'
import { presentEvents } from './present.js'
import { EventSchema, exampleEvent } from './schemas.js'
import { eventTrendsRoute } from './trends.js'

const listEventsRoute = defineRoute('GET /events', 'listEvents', {
  heavy: true,
  tag: 'Events',
  summary: 'List events, newest first',
  query: closed({
    ...paging(100, 25),
    sortBy: oneOf(['receivedAt', 'event'], { default: 'receivedAt' }),
    sortDir: oneOf(['asc', 'desc'], { default: 'desc' }),
  }),
  responses: { 200: pageOf('A page of events', 'EventPage', EventSchema, exampleEvent, 25) },
  async handler({ query, services, workspaceId, signal }) {
    const wanted = { workspaceId, ...query, signal }
    const { rows, total } = await listEvents(services.clickhouse, wanted, listingCacheOf(services.clickhouse))
    return page(query, await presentEvents(services.sql, workspaceId, rows), total)
  },
})

const getEventRoute = defineRoute('GET /events/{eventId}', 'getEvent', {
  tag: 'Events',
  summary: 'Get an event',
  etag: true,
  params: closed({ eventId: uuid('The event') }),
  responses: { 200: json('The event', EventSchema, exampleEvent) },
  async handler({ params, services, workspaceId, signal }) {
    const row = await readEvent(services.clickhouse, workspaceId, params.eventId, signal)
    const [event] = row === undefined ? [] : await presentEvents(services.sql, workspaceId, [row])
    if (event === undefined) throw notFound('event')
    return { status: 200, body: event }
  },
})

export const eventRoutes = [
  listEventsRoute,
  streamEventsRoute,
  eventTrendsRoute,
  getEventRoute,
  exportPersonRoute,
]
