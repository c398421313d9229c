import { executeOperation } from '../../management/operation.js'
import type { Services } from '../../management/services.js'
import type { Credential } from '../../postgres/tables/credentials.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { newRequestId } from '../../runtime/request-id.js'
import type { Console } from '../pages/console/console.js'
import type { Reference } from '../pages/reference/reference.js'
import { type ApiAuthenticator, checkScope, checkWorkspace } from './authenticator.js'
import { ClientGoneError } from './client-gone-error.js'
import { ApiError } from './error-codes.js'
import { toApiError } from './error-mapping.js'
import { withEtag } from './etag.js'
import type { Exchange } from './exchange.js'
import {
  type Claim,
  type Idempotency,
  type RawResponse,
  type StoredResponse,
  toStoredResponse,
} from './idempotency.js'
import type { ApiMetrics } from './metrics.js'
import { API_KEY_SEGMENTS, type ApiRequest, type ApiResponse, type Route } from './route.js'
import type { Router } from './router.js'
import type { Input, ValidatedRoute } from './validated-route.js'

const DEADLINE_MS = 5_000
/** An operation that has stayed is answered as done, whether or not its answer can be noted. */
const SETTLE_MS = 500

export interface HandlerContext {
  readonly services: Services
  readonly router: Router
  readonly validated: ReadonlyMap<Route, ValidatedRoute>
  readonly credentials: ApiAuthenticator
  readonly idempotency: Idempotency
  readonly reference: Reference
  /** Answers what hosts deliver below `/hooks/`, which no key opens. */
  readonly hooks: (exchange: Exchange) => Promise<RawResponse>
  /** The page at `/` and every address that is not the API's. */
  readonly console: Console
  /** Answers a request that comes with a code for signing in, and no other. */
  readonly signIn: (exchange: Exchange, requestId: string) => Promise<ApiResponse> | undefined
  readonly metrics: ApiMetrics
  /** True while the server drains: answers close their connections. */
  readonly draining: () => boolean
  /** Does nothing outside of tests of crashes. */
  readonly faultPoint: (name: 'api:written' | 'api:committed') => void
}

interface Progress {
  routeLabel: string
  credential: Credential | undefined
}

/** Answers one request, whatever happens; never rejects. */
export async function handleRequest(context: HandlerContext, exchange: Exchange): Promise<void> {
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
      const refusal = toApiError(error)
      status = refusal.status
      if (status >= 500) {
        const level = status === 500 ? 'error' : 'warn'
        context.services.logger[level]({ err: refusal.cause ?? refusal, requestId }, 'a request failed')
      }
      send(context, exchange, requestId, refusalAnswer(refusal, requestId))
    }
  }
  const seconds = (performance.now() - startedAt) / 1_000
  context.metrics.observe(progress.routeLabel, exchange.method, status, seconds)
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
  const open = answerWithoutKey(context, exchange, requestId)
  if (open !== undefined) {
    progress.routeLabel = open.label
    return open.answer
  }
  const credential = await withTimeout(
    DEADLINE_MS,
    'Postgres, looking up a key',
    context.credentials.authenticate(exchange.header('authorization')),
  )
  progress.credential = credential
  checkWorkspace(credential, exchange.header('x-workspace-id'))

  const segments = exchange.path.split('/').slice(1)
  const below = segments[0] === 'v1' ? segments.slice(1) : undefined
  if (credential.kind === 'api' && below !== undefined && !API_KEY_SEGMENTS.has(below[0] ?? ''))
    throw new ApiError(
      'API_KEY_NOT_ALLOWED_HERE',
      'API keys do not open this path: it takes the session of a person',
    )
  const match = below === undefined ? undefined : context.router.match(exchange.method, below)
  if (match === undefined || match.kind === 'none') throw new ApiError('NOT_FOUND', 'No such route')
  if (match.kind === 'method') {
    const allow = match.allow.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
    throw new ApiError('METHOD_NOT_ALLOWED', `This path takes ${allow}`, [], { Allow: allow })
  }
  const { route } = match
  progress.routeLabel = `/v1${route.path}`
  checkScope(credential, route)
  const validated = context.validated.get(route)
  if (validated === undefined) throw new Error(`${route.operationId} was not compiled`)
  const input = await validated.read(exchange, match.params, context.services.now())
  if (input.idempotencyKey === undefined) return run(context, exchange, route, credential, requestId, input)

  const begun = await context.idempotency.begin({
    credential,
    route: `${route.method} ${exchange.path}`,
    key: input.idempotencyKey,
    body: input.sentBody,
    signal: exchange.signal,
  })
  if (begun.kind === 'replay')
    return { ...begun.answer, headers: { ...begun.answer.headers, 'Idempotent-Replayed': 'true' } }
  return run(context, exchange, route, credential, requestId, input, begun.claim)
}

/** What is answered without a key; undefined for all that takes one. Requests of the API come through here: nothing is awaited, nothing is made for them. */
function answerWithoutKey(
  { reference, console, hooks, signIn }: HandlerContext,
  exchange: Exchange,
  requestId: string,
): { readonly label: string; readonly answer: RawResponse | Promise<RawResponse> } | undefined {
  const { method, path } = exchange
  const ifNoneMatch = exchange.header('if-none-match')
  const page = reference.answer(method, path, ifNoneMatch) ?? reference.file(method, path, ifNoneMatch)
  if (page !== undefined) return { label: '/reference', answer: page }
  if (path.startsWith('/hooks/'))
    return { label: '/hooks', answer: withTimeout(DEADLINE_MS, 'a delivery', hooks(exchange)) }
  const acceptEncoding = exchange.header('accept-encoding')
  const shown = console.answer({ method, path, ifNoneMatch, acceptEncoding })
  if (shown !== undefined) return { label: '/', answer: shown }
  const signedIn = signIn(exchange, requestId)
  if (signedIn === undefined) return undefined
  return {
    label: '/v1/sessions',
    answer: withTimeout(DEADLINE_MS, 'Postgres, signing in', signedIn).then(toStoredResponse),
  }
}

/** Carries a request out, within the route's time; an answer that comes later than that is thrown away, but its claim is settled. */
async function run(
  context: HandlerContext,
  exchange: Exchange,
  route: Route,
  credential: Credential,
  requestId: string,
  input: Input,
  claim?: Claim,
): Promise<RawResponse> {
  const { services } = context
  const workspaceId = credential.workspace.id
  const deadlineMs = route.deadlineMs ?? DEADLINE_MS
  const answerBy = performance.now() + deadlineMs
  const overdue = new AbortController()
  let recorded = false
  /** What the record of the key says, where an operation has left one. */
  let kept: StoredResponse | undefined
  const request: ApiRequest<unknown, unknown, unknown> = {
    params: input.params,
    query: input.query,
    body: input.body,
    credential,
    workspaceId,
    requestId,
    services,
    header: (name) => exchange.header(name),
    async reauthenticate() {
      await context.credentials.authenticate(exchange.header('authorization'))
    },
    get signal() {
      return AbortSignal.any([exchange.signal, overdue.signal])
    },
    async execute(operation, wanted, answer) {
      let said: ApiResponse | undefined
      const { signal } = request
      const caller = { services, workspaceId, credential, requestId, signal, answerBy }
      const result = await executeOperation(operation, caller, wanted, {
        async beforeCommit(tx, { result, awaits, subjectId }) {
          if (awaits === undefined) {
            said = answer(result, services.now())
            await claim?.finish(tx, toStoredResponse(said))
          } else await claim?.deferToJob(tx, { job: awaits, operationId: route.operationId, subjectId })
          // The client was told 503: what it may send again must not have stayed.
          overdue.signal.throwIfAborted()
          context.faultPoint('api:written')
        },
        afterCommit() {
          recorded = true
          context.faultPoint('api:committed')
        },
      })
      if (said !== undefined) return said
      said = answer(result, services.now())
      // Where this fails, or takes long, the job writes it.
      const settled = claim?.settle(toStoredResponse(said))
      kept = await (settled === undefined
        ? undefined
        : withTimeout(SETTLE_MS, 'Postgres, noting an answer', settled).catch(() => undefined))
      return said
    },
  }
  const work = async (): Promise<RawResponse> => {
    try {
      const answer = await route.handler(request)
      if (answer.stream !== undefined) return { ...toStoredResponse(answer), stream: answer.stream }
      const stored = kept ?? toStoredResponse(answer)
      // The answer of a question, which wrote nothing that it could be part of.
      if (!recorded) await claim?.finish(services.sql, stored)
      return route.etag ? withEtag(stored, exchange.header('if-none-match')) : stored
    } catch (error) {
      if (!recorded) await claim?.release().catch(() => {})
      throw error
    }
  }
  return withTimeout(deadlineMs, 'the request', work(), (error) => overdue.abort(error))
}

function refusalAnswer(error: ApiError, requestId: string): StoredResponse {
  const { code, message, details } = error
  return {
    status: error.status,
    headers: error.headers,
    body: JSON.stringify({ code, message, requestId, details }),
  }
}

function send(context: HandlerContext, exchange: Exchange, requestId: string, answer: RawResponse): void {
  const headers: Record<string, string> = {
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    ...(answer.body === undefined ? {} : { 'Content-Type': 'application/json; charset=utf-8' }),
    ...answer.headers,
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
