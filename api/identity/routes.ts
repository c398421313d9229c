import { Type } from '@sinclair/typebox'
import { SCOPES } from '../../domain/key.js'
import { checkScope } from '../http/authenticator.js'
import { defineRoute, json } from '../http/route.js'
import { closed, list, named, nullable, oneOf, uuid } from '../http/schemas.js'
import { providerSignInRoutes } from './provider-sign-in.js'
import { readinessOf } from './readiness.js'
import { sessionRoutes } from './sessions.js'
import { signInRoutes } from './sign-in.js'

const Me = named(
  'Me',
  closed({
    workspace: closed({ id: uuid('The workspace'), name: Type.String() }),
    key: nullable(
      closed({
        id: uuid('The key'),
        name: Type.String(),
        scopes: Type.Array(oneOf(SCOPES), {
          description: 'Effective scopes: those of the key that its person has too',
        }),
      }),
      { description: 'Null for a session' },
    ),
    person: closed(
      {
        id: uuid('The person'),
        name: Type.String(),
        email: Type.String(),
        owner: Type.Boolean({ description: 'Whether the person owns the workspace, perhaps with others' }),
      },
      { description: 'The person that the key acts as' },
    ),
  }),
)

const PermissionList = list('PermissionList', oneOf(SCOPES))

const Readiness = named(
  'Readiness',
  closed({
    canGenerate: Type.Boolean({ description: 'Proposals can be generated' }),
    canRun: Type.Boolean({ description: 'Experiments can be run and measured' }),
    checks: Type.Array(
      closed({
        code: oneOf(['repository', 'generator', 'events_received', 'log', 'clickhouse', 'export']),
        ok: Type.Boolean(),
        message: Type.String(),
        fix: Type.String({ description: 'What to do; empty if ok' }),
      }),
    ),
    ingestUrl: nullable(
      Type.String({
        description: 'Where clients send events, without `/v1`; null if unknown',
      }),
    ),
    refusedLinks: nullable(
      closed(
        {
          placeholder: Type.Integer({ description: 'An id was a placeholder such as `null`' }),
          contradicted: Type.Integer({ description: 'The anonymous id was linked to another user already' }),
        },
        {
          description:
            'Events with both ids that made no link, of the last seven days, by cause; null if unknown',
        },
      ),
    ),
  }),
)

export const identityRoutes = [
  defineRoute('GET /me', 'getMe', {
    tag: 'Identity',
    summary: 'Get the workspace and the person of the key',
    etag: true,
    responses: {
      200: json('The identity', Me, {
        workspace: { id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e', name: 'Demo' },
        key: {
          id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5f',
          name: 'CI',
          scopes: ['experiments.manage', 'funnels.manage'],
        },
        person: {
          id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d60',
          name: 'Ada',
          email: 'ada@example.com',
          owner: true,
        },
      }),
    },
    handler({ credential }) {
      const { workspace, person } = credential
      const key =
        credential.kind === 'api'
          ? { id: credential.id, name: credential.name, scopes: credential.scopes }
          : null
      return Promise.resolve({
        status: 200,
        body: {
          workspace: { id: workspace.id, name: workspace.name },
          key,
          person,
        },
      })
    },
  }),

  defineRoute('GET /me/permissions', 'listMyPermissions', {
    tag: 'Identity',
    summary: 'List the scopes of this key or session',
    description:
      'A key has those of its scopes that its person has too, a session those of its person; an owner has all.',
    responses: {
      200: json('The scopes', PermissionList, { data: ['experiments.manage', 'funnels.manage'] }),
    },
    handler: ({ credential }) => Promise.resolve({ status: 200, body: { data: [...credential.scopes] } }),
  }),

  defineRoute('GET /readiness', 'getReadiness', {
    tag: 'Identity',
    summary: 'Check what the workspace has and lacks',
    query: closed({
      try: Type.Optional(
        oneOf(['generator'], {
          description:
            'Ask the language model one short question. Needs the scope `proposals.review`, since it costs money',
        }),
      ),
    }),
    etag: true,
    responses: {
      200: json('The checks', Readiness, {
        canGenerate: false,
        canRun: true,
        checks: [
          {
            code: 'repository',
            ok: false,
            message: 'No repository is connected',
            fix: 'Connecting one is not possible in this version yet',
          },
          { code: 'clickhouse', ok: true, message: 'The event store answers', fix: '' },
        ],
        ingestUrl: 'http://127.0.0.1:8080',
        refusedLinks: { placeholder: 12, contradicted: 3 },
      }),
    },
    async handler({ query, credential, services, workspaceId, signal }) {
      const isTrial = query.try === 'generator'
      if (isTrial) checkScope(credential, { scope: 'proposals.review', owners: false })
      return { status: 200, body: await readinessOf(services, workspaceId, isTrial ? signal : undefined) }
    },
  }),

  ...signInRoutes,
  ...providerSignInRoutes,
  ...sessionRoutes,
]
