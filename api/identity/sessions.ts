import { Type } from '@sinclair/typebox'
import { found } from '../../management/domain-errors.js'
import { endSession } from '../../management/sessions/index.js'
import type { Credential } from '../../postgres/tables/credentials.js'
import { findOwnSession, listOwnSessions } from '../../postgres/tables/sessions.js'
import { type ApiRequest, defineOperation, defineRoute, json, page, pageOf } from '../http/route.js'
import { closed, named, nullable, paging, time, uuid } from '../http/schemas.js'
import { expiredSessionCookies } from '../http/session-cookie.js'

const CURRENT = 'current'

const OwnSession = named(
  'OwnSession',
  closed({
    id: uuid('The session'),
    createdAt: time('When the person signed in'),
    lastUsedAt: nullable(time('When it was last used, to the minute'), { description: 'Null if never' }),
    expiresAt: time('When it ends. Each use of a browser’s session moves it by 30 days'),
    endsAt: time('When it ends at the latest'),
    userAgent: nullable(Type.String({ description: 'The browser that signed in' }), {
      description: 'Null for a token for scripts',
    }),
    current: Type.Boolean({ description: 'Whether this request was sent with it' }),
  }),
)

const example = {
  id: '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e',
  createdAt: '2026-11-21T09:30:00.000Z',
  lastUsedAt: '2026-11-22T10:00:00.000Z',
  expiresAt: '2026-12-22T10:00:00.000Z',
  endsAt: '2027-02-19T09:30:00.000Z',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0',
  current: true,
}

const params = closed({
  sessionId: Type.String({
    pattern: `^(${CURRENT}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$`,
    description: `The session, or \`${CURRENT}\``,
    examples: [CURRENT],
  }),
})

/** Names one session. Nothing else of a session changes but its use. */
const stateOf = ({ sessionId }: { readonly sessionId: string }, credential: Credential) => ({
  id: sessionId === CURRENT ? credential.id : sessionId.toLowerCase(),
})

const ownerOf = ({
  workspaceId,
  credential,
  services,
}: Pick<ApiRequest<unknown, unknown, unknown>, 'workspaceId' | 'credential' | 'services'>) => ({
  workspaceId,
  personId: credential.person.id,
  now: new Date(services.now()),
})

export const sessionRoutes = [
  defineRoute('GET /sessions', 'listSessions', {
    tag: 'Identity',
    summary: 'List your sessions, newest first',
    description: 'Those of the person of this session that have not ended.',
    query: closed(paging(100, 25)),
    responses: { 200: pageOf('A page of sessions', 'SessionPage', OwnSession, example, 25) },
    async handler(request) {
      const { query, services, credential } = request
      const { rows, total } = await listOwnSessions(services.sql, ownerOf(request), query)
      return page(
        query,
        rows.map((row) => ({ ...row, current: row.id === credential.id })),
        total,
      )
    },
  }),

  defineRoute('GET /sessions/{sessionId}', 'getSession', {
    tag: 'Identity',
    summary: 'Get one of your sessions',
    description: `\`${CURRENT}\` is the session of this request.`,
    params,
    etag: true,
    responses: { 200: json('The session', OwnSession, example) },
    async handler(request) {
      const { params, services, credential } = request
      const state = stateOf(params, credential)
      const session = found(await findOwnSession(services.sql, ownerOf(request), state.id), 'session')
      return { status: 200, body: { ...session, current: session.id === credential.id }, state }
    },
  }),

  defineOperation('DELETE /sessions/{sessionId}', 'endSession', {
    tag: 'Identity',
    summary: 'End one of your sessions',
    description: `\`${CURRENT}\` is the session of this request: it signs out, and removes the cookie. Open streams of the session end within a second.`,
    params,
    lockState: async (_tx, _workspaceId, params, credential) => stateOf(params, credential),
    operation: endSession,
    input: ({ params, credential }) => stateOf(params, credential),
    answer: (isCurrent) => ({ status: 204, ...(isCurrent ? { cookies: expiredSessionCookies() } : {}) }),
    responses: { 204: { description: 'Ended' } },
  }),
]
