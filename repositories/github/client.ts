import { Octokit } from '@octokit/core'
import { LruCache } from '../../runtime/concurrency/lru-cache.js'
import { RepositoryError } from '../errors.js'
import { rateLimitWaitMs, toNewObjectError, toRepositoryError } from './error-mapping.js'
import { guardedFetch } from './guarded-fetch.js'

export interface GitHubOptions {
  /** `owner/name`. */
  readonly repository: string
  readonly token: string
  /**
   * Address of the API: `https://api.github.com`, or `https://HOST/api/v3` of an Enterprise server. Plain
   * HTTP is allowed for this machine only.
   */
  readonly baseUrl?: string | undefined
  /** The base branch. Defaults to the host's default branch. */
  readonly branch?: string | undefined
  /** For one request and its response, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined
}

/** Requests for one repository, with `owner` and `repo` filled in. */
export interface GitHubClient {
  readonly owner: string
  /** Requests JSON. */
  json(route: string, parameters?: Parameters, options?: RequestOptions): Promise<Answer>
  /** Requests raw bytes. */
  raw(route: string, parameters: Parameters, options: RequestOptions): Promise<Uint8Array>
  close(): void
}

type Parameters = Readonly<Record<string, unknown>>

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** Purpose of the request, for error messages. */
  readonly what: string
  /**
   * Caches the response and revalidates it by ETag. Unchanged responses do not count against the rate limit.
   */
  readonly conditional?: boolean
  /** The caller's own ETag: the answer is `unchanged` if it still matches. */
  readonly etag?: string | undefined
  readonly maxBytes?: number
  /** The request names what svc has just made or read: a 404, 409 or 422 is retryable. */
  readonly isOfNewObject?: boolean
}

export interface Answer {
  readonly data: unknown
  readonly etag: string | undefined
  /** The caller's ETag still matches, so no data was sent. */
  readonly unchanged: boolean
  /** There is another page. */
  readonly more: boolean
  readonly headers: Readonly<Record<string, string | number | undefined>>
}

/** One request, with its media type and the ETag of a cached response. */
type Asked = RequestOptions & { readonly accept: string; readonly etag?: string | undefined }

const PUBLIC_URL = 'https://api.github.com'
const TIMEOUT_MS = 15_000
const MAX_BYTES = 64 * 1024 * 1024
const CACHE_BYTES = 4 * 1024 * 1024
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/**
 * Octokit for one repository. Adds timeouts, a single origin, complete responses, waiting for rate limits
 * before the next request, and the port's errors. No error or log line contains the token.
 *
 * @throws RepositoryError if the options are not an address and a repository
 */
export function githubClient(options: GitHubOptions): GitHubClient {
  const { owner, repo } = checkedPlace(options)
  const baseUrl = addressOf(options.baseUrl ?? PUBLIC_URL)
  const now = options.now ?? Date.now
  const closing = new AbortController()
  const cache = new LruCache<{ readonly etag: string; readonly answer: Answer }>(CACHE_BYTES)
  const send = createSender(options, baseUrl, closing.signal, { owner, repo })
  let limitedUntil = 0

  const request = async (route: string, parameters: Parameters, ask: Asked) => {
    if (closing.signal.aborted) throw new RepositoryError('cancelled', 'the repository is closed')
    const wait = limitedUntil - now()
    if (wait > 0)
      throw new RepositoryError('rate_limited', 'the host limits requests for now: it goes on by itself', {
        retryAfterMs: wait,
      })
    try {
      return await send(route, parameters, ask)
    } catch (error) {
      const told = answerIn(error)
      if (told === undefined)
        throw error instanceof Error && error.cause instanceof RepositoryError
          ? error.cause
          : unexpected(error)
      if (told.status === 304) return { headers: told.headers, body: undefined }
      const delay = rateLimitWaitMs(told, now())
      if (delay !== undefined) limitedUntil = now() + delay
      const refusal = toRepositoryError(told, ask.what, now())
      throw ask.isOfNewObject === true ? toNewObjectError(refusal) : refusal
    }
  }

  return {
    owner,
    async json(route, parameters = {}, ask = { what: route }) {
      const key = ask.conditional === true ? JSON.stringify([route, parameters]) : undefined
      const before = key === undefined ? undefined : cache.get(key)
      const { headers, body } = await request(route, parameters, {
        ...ask,
        accept: 'application/vnd.github+json',
        etag: ask.etag ?? before?.etag,
      })
      const etag = typeof headers.etag === 'string' ? headers.etag : undefined
      if (body === undefined) {
        if (ask.etag === undefined && before !== undefined) return before.answer
        return { data: undefined, etag: ask.etag, unchanged: true, more: false, headers }
      }
      const more = /;\s*rel="next"/.test(String(headers.link ?? ''))
      const answer = { data: parsed(body), etag, unchanged: false, more, headers }
      if (key !== undefined && etag !== undefined) cache.set(key, { etag, answer }, body.length * 2)
      return answer
    },
    async raw(route, parameters, ask) {
      const { body } = await request(route, parameters, { ...ask, accept: 'application/vnd.github.raw+json' })
      return body ?? new Uint8Array()
    },
    close: () => closing.abort(),
  }
}

/** Sends one request by octokit and reads its whole response. */
function createSender(
  { token, timeoutMs = TIMEOUT_MS }: GitHubOptions,
  baseUrl: URL,
  closing: AbortSignal,
  repository: { readonly owner: string; readonly repo: string },
) {
  const octokit = new Octokit({
    auth: token,
    baseUrl: baseUrl.href.replace(/\/$/, ''),
    userAgent: 'svc',
    log: SILENT,
  })
  return async (route: string, parameters: Parameters, ask: Asked) => {
    const fetchOptions = {
      origin: baseUrl.origin,
      timeoutMs,
      maxBytes: ask.maxBytes ?? MAX_BYTES,
      signals: [ask.signal, closing],
    }
    const response = await octokit.request(route, {
      ...repository,
      ...parameters,
      headers: {
        accept: ask.accept,
        'x-github-api-version': '2022-11-28',
        ...(ask.etag === undefined ? {} : { 'if-none-match': ask.etag }),
      },
      request: {
        fetch: (url: string, init: RequestInit) => guardedFetch(url, init, fetchOptions),
        // Octokit's own parser accepts a truncated response as text.
        parseSuccessResponseBody: false,
      },
    })
    const stream: unknown = response.data
    const body = new Uint8Array(
      await new Response(stream instanceof ReadableStream ? stream : null).arrayBuffer(),
    )
    return { headers: response.headers, body }
  }
}

function checkedPlace({ repository, token }: GitHubOptions): {
  readonly owner: string
  readonly repo: string
} {
  const [owner = '', repo = '', ...rest] = repository.split('/')
  if (
    ![owner, repo].every((name) => /^[A-Za-z0-9._-]{1,100}$/.test(name) && !/^\.+$/.test(name)) ||
    rest.length > 0
  )
    throw new RepositoryError('invalid', `${JSON.stringify(repository)} is no OWNER/NAME`)
  if (!/^[\x21-\x7e]{1,1000}$/.test(token))
    throw new RepositoryError('unauthorised', 'the token file holds no token: it is one word')
  return { owner, repo }
}

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.includes(url.hostname))
  if (
    url === undefined ||
    !secure ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new RepositoryError(
      'invalid',
      'the base URL must be https://HOST/PATH, without a user, a query or a fragment',
    )
  return url
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8')) as unknown
  } catch {
    throw new RepositoryError(
      'unavailable',
      "the host answers with something else than JSON: see whether its address is that of GitHub's API",
    )
  }
}

/** The response inside an octokit error. */
function answerIn(error: unknown) {
  if (!(error instanceof Error) || !('response' in error)) return undefined
  const response = error.response
  if (!(response instanceof Object) || !('status' in response) || !('headers' in response)) return undefined
  return {
    status: Number(response.status),
    headers: response.headers as Record<string, string | number | undefined>,
    body: 'data' in response ? response.data : undefined,
  }
}

function unexpected(error: unknown): RepositoryError {
  // Only its kind: octokit's message may quote the request.
  const kind = error instanceof Error ? error.name : typeof error
  return new RepositoryError('unavailable', `the host could not be asked (${kind})`)
}
