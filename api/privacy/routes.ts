import { type Static, Type } from '@sinclair/typebox'
import { EVENT_LIMITS } from '../../domain/event.js'
import { notFound } from '../../management/domain-errors.js'
import { requestErasure } from '../../management/privacy/index.js'
import { findErasure, listErasures } from '../../postgres/tables/erasures.js'
import {
  accepted,
  assertValid,
  defineOperation,
  defineRoute,
  json,
  page,
  pageOf,
  type Rule,
} from '../http/route.js'
import { closed, named, nullable, oneOf, paging, textUpTo, time, uuid } from '../http/schemas.js'

const count = (description: string) => Type.Integer({ minimum: 0, description })

const ErasureSchema = named(
  'Erasure',
  closed({
    id: uuid('The erasure'),
    status: oneOf(['pending', 'running', 'done', 'failed']),
    requestedAt: time('When it was requested: everything received up to then is erased'),
    finishedAt: nullable(time('When it was done or failed'), { description: 'Null until then' }),
    receipt: nullable(
      closed({
        events: count('Events removed, without exposures'),
        links: count('Links between anonymous ids and users removed'),
        exposures: count('Exposures to experiments removed'),
        deadLetters: count('Events removed from dead letters'),
      }),
      { description: 'What was removed; null until it is done' },
    ),
    error: nullable(Type.String(), { description: 'Why it does not get on, or has failed' }),
  }),
)

const PersonSchema = named(
  'ErasedPerson',
  closed(
    {
      userId: Type.Optional(
        textUpTo(EVENT_LIMITS.userIdLength, 'The user, with all anonymous ids that are linked to it'),
      ),
      anonymousId: Type.Optional(textUpTo(EVENT_LIMITS.anonymousIdLength, 'The anonymous id')),
    },
    { description: 'Either a user or an anonymous id' },
  ),
)

const rules: readonly Rule<Static<typeof PersonSchema>>[] = [
  {
    of: ['userId', 'anonymousId'],
    problems: ({ userId, anonymousId }) =>
      (userId === undefined) === (anonymousId === undefined)
        ? [{ path: '/userId', message: 'is required, or else anonymousId, and not both' }]
        : [],
  },
]

const exampleErasure = {
  id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e',
  status: 'done',
  requestedAt: '2026-11-21T09:30:00.000Z',
  finishedAt: '2026-11-21T09:30:09.000Z',
  receipt: { events: 214, links: 2, exposures: 3, deadLetters: 0 },
  error: null,
}
const exampleRequested = { ...exampleErasure, status: 'pending', finishedAt: null, receipt: null }

const params = closed({ id: uuid('The erasure') })

export const privacyRoutes = [
  defineOperation('POST /erasures', 'createErasure', {
    tag: 'Privacy',
    summary: 'Erase a person',
    description:
      'Removes everything that was received of a person up to now from every store: events, exposures, links, dead letters, and what waits in the log. An event that is sent again with its `insertId` in the same month stays erased. What comes later is new. Frozen evidence of experiments stays, as it holds no ids.',
    owners: true,
    body: PersonSchema,
    bodyExample: { userId: 'user-42' },
    bodyRules: rules,
    responses: { 202: json('The erasure', ErasureSchema, exampleRequested) },
    operation: requestErasure,
    input({ body, services }) {
      assertValid(rules, body, services.now())
      return body
    },
    answer: (erasure) => accepted(erasure, `/v1/erasures/${erasure.id}`, 2),
  }),

  defineRoute('GET /erasures', 'listErasures', {
    tag: 'Privacy',
    summary: 'List erasures, newest first',
    owners: true,
    query: closed(paging(100, 25)),
    responses: { 200: pageOf('A page of erasures', 'ErasurePage', ErasureSchema, exampleErasure, 25) },
    async handler({ query, services, workspaceId }) {
      const { rows, total } = await listErasures(services.sql, workspaceId, query)
      return page(query, rows, total)
    },
  }),

  defineRoute('GET /erasures/{id}', 'getErasure', {
    tag: 'Privacy',
    summary: 'Get an erasure',
    owners: true,
    etag: true,
    params,
    responses: { 200: json('The erasure', ErasureSchema, exampleErasure) },
    async handler({ params, services, workspaceId }) {
      const erasure = await findErasure(services.sql, workspaceId, params.id)
      if (erasure === undefined) throw notFound('erasure')
      return { status: 200, body: erasure }
    },
  }),
]
