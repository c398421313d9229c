import { Type } from '@sinclair/typebox'
import { notFound } from '../../management/domain-errors.js'
import { PENDING_MS, type SignInRefusal, signInIdentity } from '../../management/sessions/index.js'
import type { Exchange } from '../http/exchange.js'
import { defineRoute, json, type RouteResponse } from '../http/route.js'
import { closed, named } from '../http/schemas.js'
import { checkFromConsole, cookieOf } from '../http/session-cookie.js'
import { type SignInContext, sessionCookieOf, userAgentOf } from './sign-in.js'

const BEGIN_PATH = '/sign-in/provider'
const CALLBACK_PATH = '/sign-in/callback'
const COOKIE = 'svc_sign_in'
const COOKIE_PATH = `/v1${CALLBACK_PATH}`

const ProviderAddress = named(
  'ProviderAddress',
  closed({ url: Type.String({ description: 'Where to send the browser' }) }),
)

const answered = () => Promise.reject(new Error('answered before a key is needed'))

export const providerSignInRoutes = [
  defineRoute(`POST ${BEGIN_PATH}`, 'beginProviderSignIn', {
    tag: 'Identity',
    summary: 'Begin to sign in with the identity provider',
    description:
      'Of the console, if `SVC_OIDC_ISSUER` is set. The provider sends the browser back to `/v1/sign-in/callback` of the origin of this request.',
    public: true,
    errors: ['CROSS_SITE_REQUEST', 'NOT_FOUND'],
    responses: {
      200: json('The address', ProviderAddress, { url: 'https://login.example.com/authorize?client_id=svc' }),
    },
    handler: answered,
  }),

  defineRoute(`GET ${CALLBACK_PATH}`, 'finishProviderSignIn', {
    tag: 'Identity',
    summary: 'Come back from the identity provider',
    description:
      'Opens a session of the person with the verified email address, and leads to the console: to `/`, or to `/#sign-in=REASON` if the person was not signed in.',
    public: true,
    responses: { 303: { description: 'To the console' } },
    handler: answered,
  }),
]

/** Answers the two requests of a sign-in with the identity provider; undefined for any other. */
export function answerProviderSignIn(
  context: SignInContext,
  exchange: Exchange,
  requestId: string,
): Promise<RouteResponse> | undefined {
  const { method, path } = exchange
  if (path === `/v1${BEGIN_PATH}` && method === 'POST') return begin(context, exchange)
  if (path === COOKIE_PATH && (method === 'GET' || method === 'HEAD'))
    return finish(context, exchange, requestId)
  return undefined
}

async function begin({ provider, admitStranger }: SignInContext, exchange: Exchange): Promise<RouteResponse> {
  admitStranger(exchange)
  const origin = exchange.header('origin')
  if (provider === undefined || origin === undefined) throw notFound('identity provider')
  checkFromConsole(exchange)
  const { url, pending } = await provider.begin(origin + COOKIE_PATH)
  // Lax, because the provider's page sends the browser back.
  const secure = origin.startsWith('https:') ? '; Secure' : ''
  const cookie = `${COOKIE}=${pending}; Path=${COOKIE_PATH}; HttpOnly; SameSite=Lax; Max-Age=${PENDING_MS / 1_000}${secure}`
  return { status: 200, body: { url }, cookies: [cookie] }
}

async function finish(context: SignInContext, exchange: Exchange, requestId: string): Promise<RouteResponse> {
  const { provider, store } = context
  context.admitStranger(exchange)
  const pending = cookieOf(exchange, COOKIE)
  if (provider === undefined || pending === undefined) return refused('failed')
  const found = await provider.finish(pending, exchange.queryText)
  if (typeof found === 'string') return refused(found)
  const { identity, isSecure } = found
  const session = await signInIdentity(store, provider, identity, {
    userAgent: userAgentOf(exchange),
    requestId,
  })
  if (typeof session === 'string') return refused(session)
  return toConsole('/', [sessionCookieOf(session, isSecure)])
}

function refused(reason: SignInRefusal): RouteResponse {
  return toConsole(`/#sign-in=${reason}`, [])
}

function toConsole(location: string, cookies: readonly string[]): RouteResponse {
  const used = `${COOKIE}=; Path=${COOKIE_PATH}; HttpOnly; SameSite=Lax; Max-Age=0`
  return { status: 303, headers: { Location: location }, cookies: [used, ...cookies] }
}
