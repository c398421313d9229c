import { Type } from '@sinclair/typebox'
import { classifyKey } from '../../domain/key.js'
import {
  type IdentityProvider,
  openSession,
  type SessionStore,
  type SignInCodes,
} from '../../management/sessions/index.js'
import type { Credential } from '../../postgres/tables/credentials.js'
import { BROWSER_SESSION_DAYS, type CreatedSession } from '../../postgres/tables/sessions.js'
import { networkOf } from '../../runtime/client-address.js'
import { bearerOf, unauthenticated } from '../http/authenticator.js'
import { toHttpError } from '../http/error-mapping.js'
import type { Exchange } from '../http/exchange.js'
import { defineRoute, json, type RouteResponse } from '../http/route.js'
import { closed, named, nullable, time } from '../http/schemas.js'
import {
  CONSOLE_HEADER,
  checkFromConsole,
  isFromConsole,
  isSecureOrigin,
  sessionCookie,
  sessionTokenOf,
} from '../http/session-cookie.js'

const MAX_USER_AGENT = 300

const Session = named(
  'Session',
  closed({
    token: Type.String({ description: 'Shown once', examples: ['tsk_sess_…'] }),
    expiresAt: time('When it ends'),
  }),
)

const SignInState = named(
  'SignInState',
  closed({
    signedIn: Type.Boolean({ description: 'Whether this browser has a session' }),
    provider: nullable(Type.String({ description: 'The identity provider that one can sign in with' })),
  }),
)

const refused = () =>
  unauthenticated('This link has been used, or is too old: ask for another way to sign in')

export const signInRoutes = [
  defineRoute('POST /sessions', 'createSession', {
    tag: 'Identity',
    summary: 'Sign in',
    description: `Send a one-time code (\`tsk_once_…\`) in place of a key: \`Authorization: Bearer CODE\`. The body is ignored. The first start on embedded stores prints a link with such a code after its \`#\`. It works once, for five minutes, at the process that made it, and opens a session of the owner. An invitation of a person has one that works once, for seven days. The session lasts 30 days.

The console also sends \`${CONSOLE_HEADER}\`, with a code or with a person’s session token. It gets 204 and a separate session in an \`HttpOnly\` cookie, which ends after 30 days without use and after ${BROWSER_SESSION_DAYS} days in all.

Signing in is audited as \`session.create\`. A repeated request is refused, whatever its \`Idempotency-Key\`.`,
    errors: ['RATE_LIMITED'],
    responses: {
      200: json('The session', Session, { token: 'tsk_sess_…', expiresAt: '2026-12-21T09:30:00.000Z' }),
      204: { description: 'The session is in the cookie' },
    },
    handler: () => Promise.reject(refused()),
  }),

  defineRoute('GET /sign-in', 'getSignIn', {
    tag: 'Identity',
    summary: 'Ask whether this browser is signed in',
    public: true,
    responses: { 200: json('The state', SignInState, { signedIn: false, provider: 'login.example.com' }) },
    handler: () => Promise.reject(new Error('answered before a key is needed')),
  }),
]

export interface SignInContext {
  readonly codes: SignInCodes
  readonly store: SessionStore
  /** Undefined if none is configured. */
  readonly provider: IdentityProvider | undefined
  /** Counts a request against the rate of its address. Throws HttpError. */
  readonly admitStranger: (exchange: Exchange) => void
  /** Counts the request against the rates of its session. Throws HttpError. */
  readonly authenticate: (exchange: Exchange) => Promise<Credential>
}

/** Answers requests about signing in, which need no key; undefined for any other. */
export function answerSignIn(
  context: SignInContext,
  exchange: Exchange,
  requestId: string,
): Promise<RouteResponse> | undefined {
  const { method, path } = exchange
  if (path === '/v1/sign-in' && (method === 'GET' || method === 'HEAD')) return stateOf(context, exchange)
  if (path !== '/v1/sessions' || method !== 'POST') return undefined
  const key = bearerOf(exchange.header('authorization') ?? '')
  const keyClass = key === undefined ? undefined : classifyKey(key)
  if (key !== undefined && keyClass === 'once') return signInByCode(context, exchange, key, requestId)
  return keyClass === 'session' && isFromConsole(exchange)
    ? signInByToken(context, exchange, requestId)
    : undefined
}

async function stateOf(
  { authenticate, provider }: SignInContext,
  exchange: Exchange,
): Promise<RouteResponse> {
  const state = (signedIn: boolean): RouteResponse => ({
    status: 200,
    body: { signedIn, provider: provider?.name ?? null },
  })
  if (sessionTokenOf(exchange) === undefined) return state(false)
  try {
    await authenticate(exchange)
    return state(true)
  } catch (error) {
    const refusal = toHttpError(error)
    if (refusal.status >= 500 || refusal.code === 'RATE_LIMITED') throw refusal
    return state(false)
  }
}

async function signInByCode(
  { codes, admitStranger }: SignInContext,
  exchange: Exchange,
  code: string,
  requestId: string,
): Promise<RouteResponse> {
  admitStranger(exchange)
  const address = networkOf(exchange.address)
  if (isFromConsole(exchange)) checkFromConsole(exchange)
  const userAgent = isFromConsole(exchange) ? userAgentOf(exchange) : undefined
  const session = await codes.redeem(code, address, requestId, userAgent)
  if (session === undefined) throw refused()
  if (userAgent !== undefined) return inCookie(exchange, session)
  const { token, expiresAt } = session
  return { status: 200, body: { token, expiresAt: expiresAt.toISOString() } }
}

/** The browser gets a separate session, so that signing out there does not end a token of scripts. */
async function signInByToken(
  { authenticate, store }: SignInContext,
  exchange: Exchange,
  requestId: string,
): Promise<RouteResponse> {
  checkFromConsole(exchange)
  const userAgent = userAgentOf(exchange)
  const { workspace, person } = await authenticate(exchange)
  const session = await store.sql.begin((tx) =>
    openSession(tx, store, {
      workspaceId: workspace.id,
      personId: person.id,
      userAgent,
      requestId,
      how: 'with a session token',
    }),
  )
  return inCookie(exchange, session)
}

function inCookie(exchange: Exchange, session: CreatedSession): RouteResponse {
  return { status: 204, cookies: [sessionCookieOf(session, isSecureOrigin(exchange))] }
}

export function sessionCookieOf({ token }: CreatedSession, isSecure: boolean): string {
  return sessionCookie(token, isSecure, BROWSER_SESSION_DAYS * 86_400)
}

export function userAgentOf(exchange: Exchange): string {
  return (exchange.header('user-agent') ?? '').slice(0, MAX_USER_AGENT)
}
