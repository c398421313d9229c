import { type Static, Type } from '@sinclair/typebox'
import { listAuditEntries } from '../../postgres/tables/audit-entries.js'
import { readTime } from '../http/read-time.js'
import { assertValid, defineRoute, page, pageOf, type Rule } from '../http/route.js'
import { closed, named, nullable, paging, time, uuid } from '../http/schemas.js'

const AuditEntry = named(
  'AuditEntry',
  closed({
    id: uuid('The entry'),
    at: time('When it was done'),
    action: Type.String({ description: 'Resource and verb', examples: ['funnel.delete'] }),
    resourceType: Type.String({ examples: ['funnel'] }),
    resourceId: Type.String(),
    actorApiKeyId: nullable(uuid('The key that did it'), { description: 'Null for a session' }),
    actorApiKeyName: nullable(Type.String(), { description: "The key's name at that time" }),
    actorPersonId: nullable(uuid('The person it was done by, or whom the key acts as'), {
      description: 'Null if the repository or the clock did it',
    }),
    actorPersonName: Type.String({
      description: "The person's name at that time; `svc` if the repository or the clock did it",
    }),
    requestId: Type.String({ description: 'The `X-Request-Id` of the response' }),
    summary: Type.String({ description: 'A sentence about what was done' }),
  }),
)

const auditQuery = closed({
  actorApiKeyId: Type.Optional(uuid('Only what was done with this key')),
  action: Type.Optional(
    Type.String({
      pattern: '^[a-z][a-z_-]*\\.[a-z][a-z_-]*$',
      maxLength: 100,
      description: 'Only this action',
      examples: ['funnel.create'],
    }),
  ),
  from: Type.Optional(time('Only what was done then or later')),
  to: Type.Optional(time('Only what was done before')),
  ...paging(100, 25),
})

const rules: readonly Rule<Static<typeof auditQuery>>[] = [
  {
    of: ['from', 'to'],
    problems({ from, to }) {
      const [begin, end] = [readTime(from), readTime(to)]
      return begin !== undefined && end !== undefined && end < begin
        ? [{ path: 'query.to', message: 'must not be before from' }]
        : []
    },
  },
]

const exampleEntry = {
  id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e',
  at: '2026-11-21T09:30:00.000Z',
  action: 'funnel.create',
  resourceType: 'funnel',
  resourceId: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5f',
  actorApiKeyId: null,
  actorApiKeyName: null,
  actorPersonId: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d60',
  actorPersonName: 'Ada',
  requestId: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d61',
  summary: 'Created the funnel "Checkout"',
}

export const auditRoutes = [
  defineRoute('GET /audit', 'listAuditEntries', {
    tag: 'Audit',
    summary: 'List audit entries, newest first',
    description: 'Needs a session token.',
    query: auditQuery,
    queryRules: rules,
    responses: { 200: pageOf('A page of entries', 'AuditPage', AuditEntry, exampleEntry, 25) },
    async handler({ query, services, workspaceId }) {
      assertValid(rules, query, services.now())
      const { rows, total } = await listAuditEntries(services.sql, workspaceId, {
        ...query,
        from: readTime(query.from),
        to: readTime(query.to),
      })
      return page(query, rows, total)
    },
  }),
]
