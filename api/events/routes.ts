import { Type } from '@sinclair/typebox'
import { perStore } from '../../clickhouse/per-store.js'
import { type ListedEvent, ListingMemory, listEvents } from '../../clickhouse/queries/events/events.js'
import { TIMESTAMP_ADJUSTMENTS } from '../../domain/event.js'
import { personId } from '../../domain/person.js'
import { findLinks } from '../../management/identity/links.js'
import { defineRoute } from '../frame/route.js'
import { closed, named, nullable, oneOf, page, pagination, paging, time, uuid } from '../frame/schemas.js'

const Event = named(
  'Event',
  closed({
    id: uuid('The event'),
    event: Type.String({ examples: ['order_paid'] }),
    userId: nullable(Type.String()),
    anonymousId: nullable(Type.String()),
    personId: Type.String({
      pattern: '^(user|anonymous):',
      description:
        '`user:ID` or `anonymous:ID`: its own user, else the user its anonymous id is linked to, else the anonymous id',
      examples: ['user:u-17'],
    }),
    properties: Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'As sent' }),
    timestamp: time("When it happened, by the service's clock"),
    originalTimestamp: nullable(time('As sent'), { description: 'Null where none was sent' }),
    timestampAdjustment: oneOf(TIMESTAMP_ADJUSTMENTS, {
      description: 'How `timestamp` differs from what was sent',
    }),
    receivedAt: time('When the service received it'),
    insertId: nullable(Type.String()),
    sdkVersion: nullable(Type.String()),
  }),
)

export const eventRoutes = [
  defineRoute({
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
          data: [
            {
              id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e',
              event: 'order_paid',
              userId: 'u-17',
              anonymousId: null,
              personId: 'user:u-17',
              properties: { total: 49.9 },
              timestamp: '2026-11-21T09:29:58.120Z',
              originalTimestamp: '2026-11-21T09:29:58.120Z',
              timestampAdjustment: 'none',
              receivedAt: '2026-11-21T09:29:58.311Z',
              insertId: 'order-4711-paid',
              sdkVersion: null,
            },
          ],
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
      const anonymous = rows.flatMap((row) =>
        row.userId === null && row.anonymousId !== null ? [row.anonymousId] : [],
      )
      const links = await findLinks(services.sql, workspaceId, anonymous)
      const data = rows.map((row) => toEvent(row, links))
      return {
        status: 200,
        body: { data, pagination: pagination(query.limit, query.offset, total, data.length) },
      }
    },
  }),
]

const memoryOf = perStore(() => new ListingMemory())

function toEvent(row: ListedEvent, links: ReadonlyMap<string, string>) {
  return {
    id: row.id,
    event: row.event,
    userId: row.userId,
    anonymousId: row.anonymousId,
    personId: personId(row.userId, row.anonymousId, links.get(row.anonymousId ?? '')),
    properties: JSON.parse(row.properties) as unknown,
    timestamp: new Date(row.timestamp).toISOString(),
    originalTimestamp: row.originalTimestamp === null ? null : new Date(row.originalTimestamp).toISOString(),
    timestampAdjustment: row.timestampAdjustment,
    receivedAt: new Date(row.receivedAt).toISOString(),
    insertId: row.insertId,
    sdkVersion: row.sdkVersion,
  }
}
