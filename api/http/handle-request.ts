import type { Credential } from '../../postgres/tables/credentials.js'
import { TooMuchWaitingError } from '../../runtime/concurrency/fair-turns.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { newRequestId } from '../../runtime/request-id.js'
import { failSpan, isTracing, type TraceSpan, withSpan } from '../../runtime/tracing.js'
import { auditRefusal } from './audit-refusal.js'
import { checkScope, checkWorkspace } from './authenticator.js'
import { ClientGoneError } from './client-gone-error.js'
import { toHttpError } from './error-mapping.js'
import type { Exchange } from './exchange.js'
import type { HandlerContext } from './handler-context.js'
import { HttpError } from './http-error.js'
import type { Claim } from './idempotency.js'
import type { RawResponse, StoredResponse } from './response.js'
import { API_KEY_SEGMENTS, type Route } from './route.js'
import { DEADLINE_MS, RouteRun, tooMuchAtWork } from './route-run.js'
import type { RouteMatch, Router } from './router.js'
import { LARGE_INPUT_BYTES, type ValidatedInput } from './validated-route.js'

/** A request that goes on for longer asks again whether its key is active. */
const RECHECK_MS = 1_000

interface Progress {
  routeLabel: string
  credential: Credential | undefined
}

/** Answers one request; never rejects. */
export function handleRequest(context: HandlerContext, exchange: Exchange): Promise<void> {
  if (!isTracing()) return answerRequest(context, exchange)
  const traceparent = exchange.header('traceparent')
  return withSpan(exchange.method, { kind: 'server', traceparent }, (span) =>
    answerRequest(context, exchange, span),
  )
}

async function answerRequest(context: HandlerContext, exchange: Exchange, span?: TraceSpan): Promise<void> {
  const startedAt = performance.now()
  const requestId = newRequestId(context.services.now())
  const progress: Progress = { routeLabel: 'unmatched', credential: undefined }
  let status: number
  try {
    const answer = await answerTo(context, exchange, requestId, progress)
    status = answer.status
    send(context, exchange, requestId, answer)
  } catch (error) {
    if (error instanceof ClientGoneError || exchange.isGone) status = 499
    else {
      const refusal = toHttpError(error)
      status = refusal.status
      if (status >= 500) {
        const level = status === 500 ? 'error' : 'warn'
        context.services.logger[level]({ err: refusal.cause ?? refusal, requestId }, 'a request failed')
      }
      await auditRefusal(context, exchange, progress.credential, requestId, refusal)
      send(context, exchange, requestId, refusalAnswer(refusal, requestId))
    }
  }
  const seconds = (performance.now() - startedAt) / 1_000
  context.metrics.observe(progress.routeLabel, exchange.method, status, seconds)
  span?.updateName(`${exchange.method} ${progress.routeLabel}`).setAttributes({
    'http.request.method': exchange.method,
    'http.route': progress.routeLabel,
    'http.response.status_code': status,
    'svc.request_id': requestId,
  })
  if (span !== undefined && status >= 500) failSpan(span, `HTTP ${status}`)
  context.services.logger.debug(
    {
      requestId,
      method: exchange.method,
      route: progress.routeLabel,
      status,
      ms: Math.round(seconds * 1_000),
      workspaceId: progress.credential?.workspace.id,
      credentialId: progress.credential?.id,
    },
    'request',
  )
}

async function answerTo(
  context: HandlerContext,
  exchange: Exchange,
  requestId: string,
  progress: Progress,
): Promise<RawResponse> {
  const { repeatedHeader } = exchange
  if (repeatedHeader !== undefined) {
    context.rates.admitStranger(exchange.address)
    throw new HttpError('VALIDATION_FAILED', `The header ${repeatedHeader} was sent twice: send it once`, [
      { path: `header.${repeatedHeader}`, message: 'must be sent once' },
    ])
  }
  const open = context.publicRoutes(exchange, requestId)
  if (open !== undefined) {
    progress.routeLabel = open.label
    return open.answer
  }
  const authenticate = () =>
    withTimeout(
      DEADLINE_MS,
      'Postgres, looking up a key',
      context.credentials.authenticate(exchange, () => context.rates.admitStranger(exchange.address)),
    )
  const credential = await authenticate()
  const recheckAt = performance.now() + RECHECK_MS
  progress.credential = credential
  context.rates.admit(credential)
  checkWorkspace(credential, exchange.header('x-workspace-id'))
  const { route, params } = routeOf(context.router, exchange, credential)
  progress.routeLabel = `/v1${route.path}`
  checkScope(credential, route)
  const bodyBytes = route.body === undefined ? 0 : exchange.maxBodyBytes
  const release = context.memory.reserve(credential.workspace.id, bodyBytes)
  try {
    return await answerRoute(
      context,
      exchange,
      requestId,
      { route, params, credential, recheckAt },
      authenticate,
    )
  } finally {
    release()
  }
}

interface AuthorizedRequest extends Pick<RouteMatch, 'route' | 'params'> {
  readonly credential: Credential
  /** When the credential is checked again, by `performance.now()`. */
  readonly recheckAt: number
}

async function answerRoute(
  context: HandlerContext,
  exchange: Exchange,
  requestId: string,
  { route, params, credential, recheckAt }: AuthorizedRequest,
  authenticate: () => Promise<Credential>,
): Promise<RawResponse> {
  const validated = context.validated.get(route)
  if (validated === undefined) throw new Error(`${route.operationId} was not compiled`)
  const input = await validated
    .read(exchange, params, context.services.now(), (size, parse) =>
      size < LARGE_INPUT_BYTES ? parse() : context.bodies.result(credential.workspace.id, parse),
    )
    .catch((error: unknown) => {
      throw error instanceof TooMuchWaitingError ? tooMuchAtWork(error) : error
    })
  // A body may arrive slowly, and a query may take its time.
  if (performance.now() > recheckAt) checkScope(await authenticate(), route)
  const run = (claim?: Claim): Promise<RawResponse> =>
    new RouteRun(context, exchange, route, credential, requestId, input, claim).start()
  const { answer, isRepeated } = await answerOnce(context, exchange, route, credential, input, run)
  // Changes have checked their key in their transaction, and streams do it themselves.
  const shows = isRepeated || (route.audit === undefined && answer.stream === undefined)
  if (shows && performance.now() > recheckAt) await authenticate()
  return answer
}

/** Runs a request, or repeats the response of an earlier one with its Idempotency-Key. */
async function answerOnce(
  context: HandlerContext,
  exchange: Exchange,
  route: Route,
  credential: Credential,
  input: ValidatedInput,
  run: (claim?: Claim) => Promise<RawResponse>,
): Promise<{ readonly answer: RawResponse; readonly isRepeated: boolean }> {
  if (input.idempotencyKey === undefined) return { answer: await run(), isRepeated: false }
  const begun = await context.idempotency.begin({
    credential,
    route: `${route.method} ${exchange.path}`,
    key: input.idempotencyKey,
    body: input.sentBody,
    secret: route.secret,
    signal: exchange.signal,
  })
  if (begun.kind === 'claimed') return { answer: await run(begun.claim), isRepeated: false }
  const headers = { ...begun.answer.headers, 'Idempotent-Replayed': 'true' }
  return { answer: { ...begun.answer, headers }, isRepeated: true }
}

/** @throws ApiError API_KEY_NOT_ALLOWED_HERE, NOT_FOUND or METHOD_NOT_ALLOWED */
function routeOf(router: Router, { method, path }: Exchange, credential: Credential): RouteMatch {
  const segments = path.split('/').slice(1)
  const below = segments[0] === 'v1' ? segments.slice(1) : undefined
  if (credential.kind === 'api' && below !== undefined && !API_KEY_SEGMENTS.has(below[0] ?? ''))
    throw new HttpError(
      'API_KEY_NOT_ALLOWED_HERE',
      'API keys are not accepted on this path: use the session token of a person',
    )
  const match = below === undefined ? undefined : router.match(method, below)
  if (match === undefined || match.kind === 'none') throw new HttpError('NOT_FOUND', 'No such route')
  if (match.kind === 'route') return match
  const allow = match.allow.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])).join(', ')
  throw new HttpError('METHOD_NOT_ALLOWED', `This path accepts ${allow}`, [], { Allow: allow })
}

function refusalAnswer(error: HttpError, requestId: string): StoredResponse {
  const { code, message, details } = error
  return {
    status: error.status,
    headers: error.headers,
    body: JSON.stringify({ code, message, requestId, details }),
  }
}

function send(context: HandlerContext, exchange: Exchange, requestId: string, answer: RawResponse): void {
  const headers: Record<string, string | string[]> = {
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    ...(answer.body === undefined ? {} : { 'Content-Type': 'application/json; charset=utf-8' }),
    ...answer.headers,
    ...(answer.cookies === undefined ? {} : { 'Set-Cookie': [...answer.cookies] }),
  }
  const close = context.draining()
  if (answer.stream !== undefined && exchange.method !== 'HEAD') {
    answer.stream(exchange.stream(answer.status, headers))
    return
  }
  answer.stream?.(undefined)
  if (exchange.method === 'HEAD' && answer.body !== undefined)
    exchange.send(answer.status, headers, undefined, {
      close,
      contentLength: Buffer.byteLength(answer.body),
    })
  else exchange.send(answer.status, headers, answer.body, { close })
}
