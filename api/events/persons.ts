import { Type } from '@sinclair/typebox'
import { EVENT_LIMITS } from '../../domain/event.js'
import { findPerson, type PersonSummary, searchPersons } from '../../management/persons/index.js'
import { refuseExceeded } from '../http/error-mapping.js'
import { defineRoute, json, page, pageOf } from '../http/route.js'
import { closed, named, nullable, paging, textUpTo, time } from '../http/schemas.js'

const DEADLINE_MS = 35_000
const SEARCH_LENGTH = 200

/** With the kind of the id before it. */
export const personIdText = textUpTo(
  Math.max(EVENT_LIMITS.userIdLength, EVENT_LIMITS.anonymousIdLength) + 'anonymous:'.length,
  '`user:ID` or `anonymous:ID`, as events have it; an anonymous id that is linked means its user',
)

const summary = {
  personId: Type.String({ pattern: '^(user|anonymous):', examples: ['user:u-17'] }),
  userId: nullable(Type.String()),
  firstSeenAt: time('Of their first event, by `timestamp`'),
  lastSeenAt: time('Of their last event'),
  events: Type.Integer({ description: 'Exposures included' }),
}
const PersonSummarySchema = named('PersonSummary', closed(summary))

const PersonDetailSchema = named(
  'PersonDetail',
  closed({
    personId: summary.personId,
    userId: summary.userId,
    anonymousIds: Type.Array(Type.String(), { description: 'Linked to the user, or their own' }),
    firstSeenAt: summary.firstSeenAt,
    lastSeenAt: summary.lastSeenAt,
    events: summary.events,
    experiments: Type.Array(
      closed({
        key: Type.String(),
        variant: Type.String(),
        exposedAt: time('Their first exposure to it'),
      }),
      { description: 'Variants that they saw, by time' },
    ),
  }),
)

const example = {
  personId: 'user:u-17',
  userId: 'u-17',
  firstSeenAt: '2026-11-01T08:12:00.000Z',
  lastSeenAt: '2026-11-21T09:29:58.120Z',
  events: 42,
}

export const listPersonsRoute = defineRoute('GET /events/persons', 'listPersons', {
  heavy: true,
  tag: 'Events',
  summary: 'List or search persons, those seen last first',
  query: closed({
    ...paging(100, 25),
    search: Type.Optional(
      textUpTo(SEARCH_LENGTH, 'Part of a user id or an anonymous id; case does not matter'),
    ),
  }),
  deadlineMs: DEADLINE_MS,
  responses: { 200: pageOf('A page of persons', 'PersonPage', PersonSummarySchema, example, 25) },
  async handler({ query, services, workspaceId, signal }) {
    const { search = '', limit, offset } = query
    const { rows, total } = await searchPersons(
      services,
      workspaceId,
      { search, limit, offset },
      signal,
    ).catch(refuseExceeded('query.search'))
    return page(query, rows.map(toSummary), total)
  },
})

export const getEventPersonRoute = defineRoute('GET /events/persons/{personId}', 'getEventPerson', {
  heavy: true,
  tag: 'Events',
  etag: true,
  summary: 'Get a person',
  description: 'Their events are `GET /events?personId=`.',
  params: closed({ personId: personIdText }),
  deadlineMs: DEADLINE_MS,
  responses: {
    200: json('The person', PersonDetailSchema, {
      personId: example.personId,
      userId: example.userId,
      anonymousIds: ['a-3'],
      firstSeenAt: example.firstSeenAt,
      lastSeenAt: example.lastSeenAt,
      events: example.events,
      experiments: [{ key: 'shorter-checkout', variant: 'one-page', exposedAt: '2026-11-20T10:00:00.000Z' }],
    }),
  },
  async handler({ params, services, workspaceId, signal }) {
    const person = await findPerson(services, workspaceId, params.personId, signal)
    const { personId, userId, firstSeenAt, lastSeenAt, events } = toSummary(person)
    const experiments = person.experiments.map(({ key, variant, exposedAt }) => ({
      key,
      variant,
      exposedAt: isoOf(exposedAt),
    }))
    const body = {
      personId,
      userId,
      anonymousIds: person.anonymousIds,
      firstSeenAt,
      lastSeenAt,
      events,
      experiments,
    }
    return { status: 200, body }
  },
})

function toSummary({ personId, userId, firstSeenAt, lastSeenAt, events }: PersonSummary) {
  return { personId, userId, firstSeenAt: isoOf(firstSeenAt), lastSeenAt: isoOf(lastSeenAt), events }
}

function isoOf(at: number): string {
  return new Date(at).toISOString()
}
