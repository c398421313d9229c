import { Type } from '@sinclair/typebox'
import { memoizePerClient } from '../../../clickhouse/memoize-per-client.js'
import { ListingCache, listEvents } from '../../../clickhouse/queries/events/events.js'
import { defineRoute } from '../../http/route.js'
import { closed, oneOf, page, pagination, paging } from '../../http/schemas.js'
import { presentEvents } from '../present.js'
import { Event, exampleEvent } from '../schemas.js'

export const listEventsRoute = defineRoute({
  method: 'GET',
  path: '/events',
  operationId: 'listEvents',
  tag: 'Events',
  summary: 'List the events received, newest first',
  scope: null,
  query: closed({
    ...paging(100, 25),
    sortBy: Type.Optional(oneOf(['receivedAt', 'event'], { default: 'receivedAt' })),
    sortDir: Type.Optional(oneOf(['asc', 'desc'], { default: 'desc' })),
  }),
  responses: {
    200: {
      description: 'A page of events',
      schema: page('EventPage', Event),
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
