import { Type } from '@sinclair/typebox'
import { TIMESTAMP_ADJUSTMENTS } from '../../domain/event.js'
import { closed, named, nullable, oneOf, pageSchema, time, uuid } from '../http/schemas.js'

export const EventSchema = named(
  'Event',
  closed({
    id: uuid('The event'),
    event: Type.String({ examples: ['order_paid'] }),
    userId: nullable(Type.String()),
    anonymousId: nullable(Type.String()),
    personId: Type.String({
      pattern: '^(user|anonymous):',
      description:
        "`user:ID` or `anonymous:ID`: the event's user, else the user that its anonymous id is linked to, else the anonymous id",
      examples: ['user:u-17'],
    }),
    properties: Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'As sent' }),
    timestamp: time("When it happened, by the service's clock"),
    originalTimestamp: nullable(time('As sent'), { description: 'Null if none was sent' }),
    timestampAdjustment: oneOf(TIMESTAMP_ADJUSTMENTS, {
      description: 'How `timestamp` differs from the one that was sent',
    }),
    receivedAt: time('When the service received it'),
    insertId: nullable(Type.String()),
    sdkVersion: nullable(Type.String()),
  }),
)

export const EventPageSchema = named(
  'EventPage',
  closed({
    ...pageSchema('EventPage', EventSchema).properties,
    cursor: nullable(Type.String(), {
      description: 'Pass it as `cursor` for the next page; null after the last event, and sorted by name',
    }),
  }),
)

export const exampleEvent = {
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
  insertId: '019c2f4e-8a35-7f08-8e17-b2a95d6c3f40',
  sdkVersion: null,
}
