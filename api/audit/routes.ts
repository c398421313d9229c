import { type Static, Type } from '@sinclair/typebox'
import { listAuditEntries, readAuditEntries } from '../../postgres/tables/audit-entries.js'
import { ndjson } from '../http/download.js'
import { readTime, timesInOrder } from '../http/read-time.js'
import { assertValid, defineRoute, page, pageOf, type Rule } from '../http/route.js'
import { closed, named, nullable, oneOf, paging, textUpTo, time, uuid } from '../http/schemas.js'

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
      description: 'Null if the service or an operator did it, or someone unknown',
    }),
    actorPersonName: Type.String({
      description:
        "The person's name at that time; `svc` if a job, the repository or the clock did it, `operator` for `svc admin`, `unknown` for a refused request without a known key",
    }),
    requestId: Type.String({ description: 'The `X-Request-Id` of the response' }),
    summary: Type.String({ description: 'A sentence about what was done' }),
  }),
)

const auditQuery = closed({
  actorApiKeyId: Type.Optional(uuid('Only what was done with this key')),
  actorPersonId: Type.Optional(uuid('Only what was done by this person, or with a key that acts as them')),
  action: Type.Optional(
    Type.String({
      pattern: '^[a-z][a-z_-]*\\.[a-z][a-z_-]*$',
      maxLength: 100,
      description: 'Only this action',
      examples: ['funnel.create'],
    }),
  ),
  resourceType: Type.Optional(
    Type.String({
      pattern: '^[a-z][a-z_-]*$',
      maxLength: 100,
      description: 'Only resources of this type',
      examples: ['experiment'],
    }),
  ),
  resourceId: Type.Optional(textUpTo(200, 'Only what was done to this resource')),
  from: Type.Optional(time('Only what was done then or later')),
  to: Type.Optional(time('Only what was done before')),
  format: oneOf(['json', 'ndjson'], {
    default: 'json',
    description: '`ndjson`: all matching entries, one JSON object a line; `limit` and `offset` do not apply',
  }),
  ...paging(100, 25),
})

const rules: readonly Rule<Static<typeof auditQuery>>[] = [timesInOrder]

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
    description:
      'Needs a session token. Every change has an entry, also those of jobs, of the repository and of `svc admin`. Refused sign-ins are `session.refused`, denied writes `access.denied`; of many at once some are only counted. Entries are never changed or removed. With `format=ndjson` the answer streams all entries that the filters match, newest first.',
    query: auditQuery,
    queryRules: rules,
    responses: {
      200: {
        ...pageOf('A page of entries', 'AuditPage', AuditEntry, exampleEntry, 25),
        lineSchema: AuditEntry,
      },
    },
    async handler(request) {
      const { services, workspaceId } = request
      const { format, limit, offset, ...query } = request.query
      assertValid(rules, { format, limit, offset, ...query }, services.now())
      const filter = { ...query, from: readTime(query.from), to: readTime(query.to) }
      if (format === 'ndjson')
        return ndjson(request, readAuditEntries(services.sql, workspaceId, filter), 'audit.ndjson')
      const { rows, total } = await listAuditEntries(services.sql, workspaceId, { ...filter, limit, offset })
      return page({ limit, offset }, rows, total)
    },
  }),
]
