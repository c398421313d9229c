import { Type } from '@sinclair/typebox'
import {
  type EventProperties,
  readEventProperties,
} from '../../clickhouse/queries/events/event-properties.js'
import { VersionCache } from '../../clickhouse/queries/version-cache.js'
import { memoizePerClient } from '../../runtime/memoize-per-client.js'
import { defineRoute, json } from '../http/route.js'
import { closed, named } from '../http/schemas.js'
import { EventNameSchema } from './schemas.js'

const DEADLINE_MS = 35_000
const CACHE_BYTES = 4 * 1024 * 1024
const ENTRY_BYTES = 400

const EventPropertiesSchema = named(
  'EventProperties',
  closed({
    data: Type.Array(
      closed({
        property: Type.String({
          description: 'A dotted path, down to three levels',
          examples: ['plan.name'],
        }),
        types: Type.Array(Type.String(), {
          description: '`string`, `number`, `boolean`, `array` or `object`, the most frequent first',
        }),
        share: Type.Number({ description: 'Of the events read; a property that is null is missing' }),
        distinct: Type.Integer({ description: 'Different values; 0 for objects' }),
        values: Type.Array(
          closed({
            value: Type.Unsafe<unknown>({ description: 'Any JSON value' }),
            count: Type.Integer(),
          }),
          { description: 'The ten most frequent' },
        ),
      }),
      { description: 'At most 200, the most frequent first' },
    ),
    sampled: Type.Boolean({ description: 'Only the newest 10,000 events were read, or 16 MiB of them' }),
  }),
)

const cacheOf = memoizePerClient(
  () =>
    new VersionCache<EventProperties>(CACHE_BYTES, ({ data }) =>
      data.reduce((bytes, { values }) => bytes + ENTRY_BYTES * (1 + values.length), ENTRY_BYTES),
    ),
)

export const eventPropertiesRoute = defineRoute(
  'GET /funnel/events/{eventName}/properties',
  'listEventProperties',
  {
    heavy: true,
    tag: 'Funnels',
    summary: 'List the properties of an event name, with types and values',
    params: closed({ eventName: EventNameSchema }),
    deadlineMs: DEADLINE_MS,
    responses: {
      200: json(
        'What its newest events have; empty for a name that was never received',
        EventPropertiesSchema,
        {
          data: [
            {
              property: 'plan',
              types: ['string'],
              share: 0.98,
              distinct: 2,
              values: [
                { value: 'free', count: 7_200 },
                { value: 'pro', count: 2_600 },
              ],
            },
          ],
          sampled: true,
        },
      ),
    },
    async handler({ params: { eventName }, services: { clickhouse }, workspaceId, signal }) {
      const body = await cacheOf(clickhouse).answer(clickhouse, workspaceId, eventName, () =>
        readEventProperties(clickhouse, workspaceId, eventName, signal),
      )
      return { status: 200, body }
    },
  },
)
