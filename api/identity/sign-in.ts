import { Type } from '@sinclair/typebox'
import { classifyKey } from '../../domain/key.js'
import type { SignInCodes } from '../../management/sign-in-codes.js'
import { networkOf } from '../../runtime/client-address.js'
import { bearerOf, unauthenticated } from '../http/authenticator.js'
import type { Exchange } from '../http/exchange.js'
import { defineRoute, json, type RouteResponse } from '../http/route.js'
import { closed, named, time } from '../http/schemas.js'

const PATH = '/sessions'

const Session = named(
  'Session',
  closed({
    token: Type.String({ description: 'Shown once', examples: ['tsk_sess_…'] }),
    expiresAt: time('When it ends'),
  }),
)

const refused = () =>
  unauthenticated('This link has been used, or is too old: ask for another way to sign in')

export const signInRoute = defineRoute(`POST ${PATH}`, 'createSession', {
  tag: 'Identity',
  summary: 'Sign in with a one-time code',
  description:
    'Send a code (`tsk_once_…`) in place of a key: `Authorization: Bearer CODE`. The body is ignored. The first start on embedded stores prints a link with such a code after its `#`. It works once, for five minutes, at the process that made it. The session is the owner’s and lasts 30 days. Signing in is audited as `session.create`. A repeated request is refused, whatever its `Idempotency-Key`.',
  errors: ['RATE_LIMITED'],
  responses: {
    200: json('The session', Session, { token: 'tsk_sess_…', expiresAt: '2026-12-21T09:30:00.000Z' }),
  },
  handler: () => Promise.reject(refused()),
})

/** The response to a request with a sign-in code; undefined for any other. */
export function answerSignIn(
  codes: SignInCodes | undefined,
  exchange: Exchange,
  requestId: string,
): Promise<RouteResponse> | undefined {
  if (exchange.method !== 'POST' || exchange.path !== `/v1${PATH}`) return undefined
  const code = bearerOf(exchange.header('authorization') ?? '')
  return code !== undefined && classifyKey(code) === 'once'
    ? sessionOf(codes, code, networkOf(exchange.address), requestId)
    : undefined
}

async function sessionOf(
  codes: SignInCodes | undefined,
  code: string,
  address: string,
  requestId: string,
): Promise<RouteResponse> {
  const session = await codes?.redeem(code, address, requestId)
  if (session === undefined) throw refused()
  const { token, expiresAt } = session
  return { status: 200, body: { token, expiresAt: expiresAt.toISOString() } }
}
