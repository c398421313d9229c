import { Type } from '@sinclair/typebox'
import {
  type EventProperties,
  readEventProperties,
} from '../../clickhouse/queries/events/event-properties.js'
import { VersionCache } from '../../clickhouse/queries/version-cache.js'
import { updateEventProperty } from '../../management/funnels/index.js'
import { NO_ENTRY, readPropertyEntries } from '../../postgres/tables/vocabulary-entries.js'
import { memoizePerClient } from '../../runtime/memoize-per-client.js'
import { defineOperation, defineRoute, json } from '../http/route.js'
import { closed, named, oneOf } from '../http/schemas.js'
import {
  EventNameSchema,
  EventPropertyEntrySchema,
  propertyEntry,
  UpdateEventPropertySchema,
} from './schemas.js'

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
        ...propertyEntry,
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

const params = closed({ eventName: EventNameSchema })

const cacheOf = memoizePerClient(
  () =>
    new VersionCache<EventProperties>(CACHE_BYTES, ({ data }) =>
      data.reduce((bytes, { values }) => bytes + ENTRY_BYTES * (1 + values.length), ENTRY_BYTES),
    ),
)

export const eventPropertyRoutes = [
  defineRoute('GET /funnel/events/{eventName}/properties', 'listEventProperties', {
    heavy: true,
    tag: 'Funnels',
    summary: 'List the properties of an event name, with types and values',
    params,
    query: closed({
      hidden: oneOf(['exclude', 'include'], {
        default: 'exclude',
        description: 'Properties that are hidden: leave them out, or list them too',
      }),
    }),
    deadlineMs: DEADLINE_MS,
    responses: {
      200: json(
        'What its newest events have; empty for a name that was never received',
        EventPropertiesSchema,
        {
          data: [
            {
              property: 'plan',
              description: 'The plan that the visitor has now',
              hidden: false,
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
    async handler({ params: { eventName }, query: { hidden }, services, workspaceId, signal }) {
      const { clickhouse, sql } = services
      const [{ data, sampled }, entries] = await Promise.all([
        cacheOf(clickhouse).answer(clickhouse, workspaceId, eventName, () =>
          readEventProperties(clickhouse, workspaceId, eventName, signal),
        ),
        readPropertyEntries(sql, workspaceId, eventName),
      ])
      const all = data.map((summary) => ({ ...summary, ...(entries.get(summary.property) ?? NO_ENTRY) }))
      const listed = hidden === 'include' ? all : all.filter((property) => !property.hidden)
      return { status: 200, body: { data: listed, sampled } }
    },
  }),

  defineOperation('PATCH /funnel/events/{eventName}/properties', 'updateEventProperty', {
    tag: 'Funnels',
    summary: 'Describe a property of an event name, hide it, or show it again',
    description:
      'A hidden property is left out of lists and suggestions. Its values are stored and queried as before. A request that changes nothing gets no audit entry.',
    scope: 'funnels.manage',
    params,
    body: UpdateEventPropertySchema,
    bodyExample: { property: 'plan', description: 'The plan that the visitor has now' },
    responses: {
      200: json('As it is now', EventPropertyEntrySchema, {
        property: 'plan',
        description: 'The plan that the visitor has now',
        hidden: false,
      }),
    },
    operation: updateEventProperty,
    input: ({ params: { eventName }, body }) => ({ eventName, ...body }),
    answer: (body) => ({ status: 200, body }),
  }),
]
