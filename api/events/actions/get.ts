import { readEvent } from '../../../clickhouse/queries/events/event.js'
import { notFound } from '../../../management/domain-errors.js'
import { defineRoute } from '../../http/route.js'
import { closed, uuid } from '../../http/schemas.js'
import { presentEvents } from '../present.js'
import { Event, exampleEvent } from '../schemas.js'

export const getEventRoute = defineRoute({
  method: 'GET',
  path: '/events/{eventId}',
  operationId: 'getEvent',
  tag: 'Events',
  summary: 'Read one event',
  scope: null,
  etag: true,
  params: closed({ eventId: uuid('The event') }),
  responses: { 200: { description: 'The event', schema: Event, example: exampleEvent } },
  async handler({ params, services, workspaceId, signal }) {
    const row = await readEvent(services.clickhouse, workspaceId, params.eventId, signal)
    const [event] = row === undefined ? [] : await presentEvents(services.sql, workspaceId, [row])
    if (event === undefined) throw notFound('event')
    return { status: 200, body: event }
  },
})
