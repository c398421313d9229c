import { type Static, Type } from '@sinclair/typebox'
import { readEvent } from '../../clickhouse/queries/events/event.js'
import { listEvents, listingCacheOf } from '../../clickhouse/queries/events/events.js'
import { eventsAfter, searchEvents } from '../../clickhouse/queries/events/search-events.js'
import {
  FILTER_OPERATORS,
  type FilterOperator,
  type JsonValue,
  type PropertyFilter,
} from '../../domain/funnel.js'
import { notFound } from '../../management/domain-errors.js'
import { presentEvents } from '../../management/events/index.js'
import { personKeysOf } from '../../management/persons/index.js'
import type { Services } from '../../management/services.js'
import { EventNameSchema, FilterSchema, property } from '../funnels/schemas.js'
import { refuseExceeded } from '../http/error-mapping.js'
import { readTime } from '../http/read-time.js'
import { assertValid, defineRoute, json, page, type Rule } from '../http/route.js'
import { closed, oneOf, paging, time, uuid } from '../http/schemas.js'
import { bodyPath, compileValidator } from '../http/validate.js'
import { exportEventsRoute } from './export-events.js'
import { exportPersonRoute } from './export-person.js'
import { keyLedgerRoute } from './key-ledger.js'
import { streamEventsRoute } from './live.js'
import { getEventPersonRoute, listPersonsRoute, personIdText } from './persons.js'
import { listIngestProblemsRoute } from './problems.js'
import { EventPageSchema, EventSchema, exampleEvent } from './schemas.js'
import { eventTrendsRoute } from './trends.js'

const SEARCH_DEADLINE_MS = 35_000
const CONDITION_FIELDS = ['event', 'personId', 'from', 'to', 'property', 'operator', 'value'] as const
const checkFilter = compileValidator(FilterSchema, bodyPath)

const listQuery = closed({
  ...paging(100, 25),
  sortBy: oneOf(['receivedAt', 'event'], { default: 'receivedAt' }),
  sortDir: oneOf(['asc', 'desc'], { default: 'desc' }),
  event: Type.Optional({ ...EventNameSchema, description: 'Only events of this name' }),
  personId: Type.Optional(personIdText),
  from: Type.Optional(time('Only events that happened then or later, by `timestamp`')),
  to: Type.Optional(time('Only events that happened before')),
  property: Type.Optional({ ...property, description: 'With `operator`: a condition on a property' }),
  operator: Type.Optional(oneOf(FILTER_OPERATORS, { description: 'As in filters of funnels' })),
  value: Type.Optional(
    Type.String({ description: 'What the property is compared with: JSON if it parses, else a text' }),
  ),
  cursor: Type.Optional(
    uuid('Where the page before ended: no event is repeated or left out while others arrive'),
  ),
})

type EventsQuery = Static<typeof listQuery>

const listRules: readonly Rule<EventsQuery>[] = [
  {
    of: ['property', 'operator', 'value'],
    problems({ property: name, operator, value }) {
      if (name === undefined && operator === undefined && value === undefined) return []
      if (name === undefined)
        return [{ path: 'query.property', message: 'is required with operator and value' }]
      if (operator === undefined) return [{ path: 'query.operator', message: 'is required with property' }]
      const details = checkFilter(filterOf({ property: name, operator, value }))
      return details.length === 0
        ? []
        : [
            {
              path: 'query.value',
              message: `${details[0]?.message ?? 'does not fit'} (operator ${operator})`,
            },
          ]
    },
  },
  {
    of: ['sortBy', 'cursor', 'offset', ...CONDITION_FIELDS],
    problems({ sortBy, cursor, offset, ...query }) {
      const asked = CONDITION_FIELDS.find((name) => query[name] !== undefined)
      if (sortBy === 'event' && (cursor ?? asked) !== undefined)
        return [{ path: 'query.sortBy', message: `must be receivedAt with ${asked ?? 'cursor'}` }]
      return cursor !== undefined && offset > 0
        ? [{ path: 'query.offset', message: 'must be left out with cursor' }]
        : []
    },
  },
]

const listEventsRoute = defineRoute('GET /events', 'listEvents', {
  heavy: true,
  tag: 'Events',
  summary: 'List or search events, newest first',
  description: 'The total counts all events that meet the conditions.',
  query: listQuery,
  queryRules: listRules,
  deadlineMs: SEARCH_DEADLINE_MS,
  responses: {
    200: json('A page of events', EventPageSchema, {
      ...page({ limit: 25, offset: 0 }, [exampleEvent], 1).body,
      cursor: null,
    }),
  },
  async handler({ query, services, workspaceId, signal }) {
    assertValid(listRules, query, services.now())
    const { rows, total } = await pageOfEvents(services, workspaceId, query, signal).catch(
      refuseExceeded('query.from'),
    )
    const { body } = page(query, await presentEvents(services.sql, workspaceId, rows), total)
    const isLast = rows.length < query.limit || query.sortBy === 'event'
    const pagination = query.cursor === undefined ? body.pagination : { ...body.pagination, hasMore: !isLast }
    return { status: 200, body: { ...body, pagination, cursor: isLast ? null : (rows.at(-1)?.id ?? null) } }
  },
})

async function pageOfEvents(
  services: Services,
  workspaceId: string,
  query: EventsQuery,
  signal: AbortSignal,
) {
  const { clickhouse } = services
  const { limit, offset, sortBy, sortDir, cursor } = query
  const wanted = { workspaceId, limit, offset, sortDir, signal }
  const memory = listingCacheOf(clickhouse)
  if (CONDITION_FIELDS.some((name) => query[name] !== undefined)) {
    const person =
      query.personId === undefined ? undefined : await personKeysOf(services, workspaceId, query.personId)
    const { event, property: name, operator, value } = query
    const conditions = {
      event,
      personKeys: query.personId === undefined ? undefined : (person?.keys ?? []),
      from: readTime(query.from)?.getTime(),
      to: readTime(query.to)?.getTime(),
      filter:
        name === undefined || operator === undefined
          ? undefined
          : filterOf({ property: name, operator, value }),
    }
    return searchEvents(clickhouse, { ...wanted, conditions, after: cursor })
  }
  if (cursor === undefined) return listEvents(clickhouse, { ...wanted, sortBy }, memory)
  const [rows, { total }] = await Promise.all([
    eventsAfter(clickhouse, { ...wanted, after: cursor }, memory),
    listEvents(clickhouse, { ...wanted, limit: 1, sortBy }, memory),
  ])
  return { rows, total }
}

function filterOf({
  property: name,
  operator,
  value,
}: {
  readonly property: string
  readonly operator: FilterOperator
  readonly value: string | undefined
}): PropertyFilter {
  return { property: name, operator, ...(value === undefined ? {} : { value: parsedOrText(value) }) }
}

function parsedOrText(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    // Not JSON: the text itself.
    return text
  }
}

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
  exportEventsRoute,
  keyLedgerRoute,
  getEventRoute,
  listIngestProblemsRoute,
  listPersonsRoute,
  getEventPersonRoute,
  exportPersonRoute,
]
