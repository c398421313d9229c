import { OPERATIONS, type operations } from '../../contract/operations.js'
import { errorCode } from '../../runtime/errors.js'
import { refusedError, unauthenticatedError } from '../command-error.js'
import type { Connection } from './connection.js'
import { parseErrorResponse, refusalError, retryAfterSeconds, unreachableError } from './error-response.js'
import { type HttpResponse, type HttpStream, openStream, sendRequest } from './transport.js'

type Operation = keyof operations
type Immutable<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
  : Value
type Parameters<O extends Operation> = operations[O]['parameters']
type PathOf<O extends Operation> =
  Parameters<O> extends { path: infer P } ? { readonly path: P } : { readonly path?: never }
type QueryOf<O extends Operation> =
  Parameters<O> extends { query?: infer Q } ? { readonly query?: Q } : object
type BodyOf<O extends Operation> = operations[O] extends {
  requestBody: { content: { 'application/json': infer B } }
}
  ? { readonly body: B }
  : operations[O] extends { requestBody?: { content: { 'application/json': infer B } } }
    ? { readonly body?: B }
    : { readonly body?: never }
export type Input<O extends Operation> = Immutable<PathOf<O> & QueryOf<O> & BodyOf<O>>

type Contents<R> = R extends { content: { 'application/json': infer B } } ? Immutable<B> : undefined
export type Result<O extends Operation> = {
  [Status in keyof operations[O]['responses']]: Contents<operations[O]['responses'][Status]>
}[keyof operations[O]['responses']]

export interface ApiResponse<Body> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly body: Body
}

interface ApiOptions {
  readonly connection: Connection
  readonly userAgent: string
  readonly newIdempotencyKey: () => string
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly now: () => number
  /** Called before a retry. */
  readonly onWait?: (reason: string, seconds: number) => void
}

const TIMEOUT_MS = 60_000
/** Total wait of the retries of one request. */
const MAX_RETRY_MS = 45_000
const INITIAL_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 8_000

/** Client of the management API, typed by its OpenAPI document. Error answers are thrown as CommandError. */
export class Api {
  constructor(private readonly options: ApiOptions) {}

  get url(): string {
    return this.options.connection.apiUrl
  }

  /** Calls an operation. All attempts of a write share one Idempotency-Key, so that it happens once. */
  async call<O extends Operation>(
    operation: O,
    input: Input<O>,
    signal?: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiResponse<Result<O>>> {
    const { method, path } = OPERATIONS[operation]
    const {
      path: names = {},
      query = {},
      body,
    } = input as {
      path?: Readonly<Record<string, string>>
      query?: Readonly<Record<string, unknown>>
      body?: unknown
    }
    return this.send(method, fillPath(path, names), query, body, names, signal, headers)
  }

  /** Calls a path that is not in this client's document. */
  get<Body>(
    path: string,
    query: Readonly<Record<string, unknown>>,
    names: Readonly<Record<string, string>>,
  ): Promise<ApiResponse<Body>> {
    return this.send('GET', fillPath(path, names), query, undefined, names)
  }

  /** Opens a stream, without retries: the reader knows its position. */
  async stream<O extends Operation>(
    operation: O,
    input: Input<O>,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<HttpStream> {
    const { connection: access } = this.options
    const { method, path } = OPERATIONS[operation]
    const { path: names = {}, query = {} } = input as {
      path?: Readonly<Record<string, string>>
      query?: Readonly<Record<string, unknown>>
    }
    const request = {
      method,
      url: this.address(fillPath(path, names), query),
      headers: { ...this.headers(), Accept: 'text/event-stream', ...headers },
      timeoutMs: TIMEOUT_MS,
      signal,
    }
    let stream: HttpStream
    try {
      stream = await openStream(request)
    } catch (error) {
      throw unreachableError(access.apiUrl, error)
    }
    if (stream.status === 200) return stream
    const chunks: Buffer[] = []
    for await (const chunk of stream.body) chunks.push(chunk)
    throw refusalError(parseErrorResponse({ ...stream, text: Buffer.concat(chunks).toString('utf8') }))
  }

  private address(path: string, query: Readonly<Record<string, unknown>>): URL {
    const url = new URL(`${this.url}/v1${path}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    return url
  }

  private headers(): Record<string, string> {
    const { connection: access, userAgent } = this.options
    if (access.apiKey === undefined)
      throw unauthenticatedError('no key is configured', undefined, [
        'try: svc login, or a key in SVC_API_KEY',
      ])
    return { Authorization: `Bearer ${access.apiKey}`, Accept: 'application/json', 'User-Agent': userAgent }
  }

  private async send<Body>(
    method: string,
    path: string,
    query: Readonly<Record<string, unknown>>,
    body: unknown,
    subject: Readonly<Record<string, string>>,
    signal?: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiResponse<Body>> {
    const answer = await this.attempt(method, this.address(path, query), body, signal, headers)
    if (answer.status < 200 || answer.status > 299)
      throw refusalError(parseErrorResponse(answer), { list: listCommandFor(path), ...subject })
    return {
      status: answer.status,
      headers: answer.headers,
      text: answer.text,
      body: (answer.text === '' ? undefined : parseAnswer(answer, this.url)) as Body,
    }
  }

  private async attempt(
    method: string,
    url: URL,
    body: unknown,
    signal: AbortSignal | undefined,
    more: Readonly<Record<string, string>>,
  ): Promise<HttpResponse> {
    const { options } = this
    const headers = {
      ...this.headers(),
      ...more,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(method === 'POST' ? { 'Idempotency-Key': options.newIdempotencyKey() } : {}),
    }
    const request = {
      method,
      url,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      timeoutMs: TIMEOUT_MS,
      signal,
    }
    const end = options.now() + MAX_RETRY_MS
    let pause = INITIAL_BACKOFF_MS
    for (let first = true; ; first = false) {
      let wait: number
      let reason: string
      try {
        const answer = await sendRequest(request)
        if (!isRetryable(answer, first)) return answer
        wait = (retryAfterSeconds(answer) ?? pause / 1_000) * 1_000
        reason =
          answer.status === 429 ? 'the service has had too many requests' : 'the service is not available'
        if (options.now() + wait > end) return answer
      } catch (error) {
        // Retry only broken connections: the key makes that safe. A refused connection is often a mistyped
        // address.
        if (!isConnectionReset(error) || options.now() + pause > end)
          throw unreachableError(options.connection.apiUrl, error)
        wait = pause
        reason = 'the connection broke'
      }
      options.onWait?.(reason, wait / 1_000)
      await options.sleep(wait, signal)
      pause = Math.min(pause * 2, MAX_BACKOFF_MS)
    }
  }
}

function isRetryable(answer: HttpResponse, first: boolean): boolean {
  if (answer.status === 503 || answer.status === 429) return true
  // The first attempt is still running: wait for its answer.
  return !first && answer.status === 409 && parseErrorResponse(answer).code === 'IDEMPOTENCY_IN_FLIGHT'
}

function isConnectionReset(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ECONNRESET' || code === 'EPIPE'
}

function fillPath(path: string, names: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ''))
}

function listCommandFor(path: string): string {
  if (path.startsWith('/learnings')) return 'svc learnings list'
  if (path.startsWith('/experiment-runs')) return 'svc runs list'
  if (path.startsWith('/funnel')) return 'svc funnels list'
  if (path.startsWith('/hooks')) return 'svc hooks list'
  return 'svc experiments list, or svc proposals list'
}

function parseAnswer(answer: HttpResponse, apiUrl: string): unknown {
  try {
    return JSON.parse(answer.text)
  } catch {
    throw refusedError(`${apiUrl} is not the API of svc: its answer is not JSON`, undefined, [
      'try: svc doctor',
    ])
  }
}
