import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const pack = promisify(gzip)
/** Higher levels cost more time than they save on the network. */
const GZIP_LEVEL = 1
const MIN_GZIP_BYTES = 1_024
const MAX_ANSWER_BYTES = 1_048_576
/** A longer `Retry-After` is cut, because a quota may be raised meanwhile. */
const MAX_RETRY_AFTER_MS = 600_000

export type PostOutcome =
  | { readonly kind: 'accepted'; readonly warnings: unknown }
  /** svc would refuse it again. `named` has the wrong events by their index; empty if svc names none. */
  | {
      readonly kind: 'refused'
      readonly status: number
      readonly code: string
      readonly message: string
      readonly named: ReadonlyMap<number, string>
    }
  /** To be tried again. If it did arrive, each `insertId` is stored once. */
  | {
      readonly kind: 'failed'
      readonly status: number | null
      readonly code: string
      readonly message: string
      readonly waitMs: number
    }

export interface PostRequest {
  readonly path: string
  readonly body: string
  /** How many events the answer must confirm; undefined for a link. */
  readonly events: number | undefined
}

export interface Poster {
  /** Sends a request once. Never rejects. */
  post(request: PostRequest, signal: AbortSignal): Promise<PostOutcome>
  close(): void
}

interface Answer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly text: string
}

/** @throws TypeError if the address is not one of HTTP */
export function createPoster(options: {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly gzip: boolean
}): Poster {
  const base = new URL(options.url)
  if (!/^https?:$/.test(base.protocol)) throw new TypeError(`${options.url} is not an address of HTTP`)
  const isSecure = base.protocol === 'https:'
  const agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 1 })
  const start = isSecure ? httpsRequest : httpRequest

  const exchange = (path: string, body: Buffer, encoding: string | undefined, signal: AbortSignal) =>
    new Promise<Answer>((resolve, reject) => {
      const url = new URL(base.href.replace(/\/*$/, '') + path)
      const more = encoding === undefined ? {} : { 'content-encoding': encoding }
      const headers = { ...options.headers, ...more, 'content-length': body.length }
      const sent: RequestOptions = { method: 'POST', agent, headers }
      const request = start(url, sent, (response) => readAnswer(response).then(resolve, reject))
      const fail = (reason: string): void => void request.destroy(new Error(reason))
      const onAbort = (): void => fail('closed')
      const timer = setTimeout(
        () => fail(`no answer within ${options.timeoutMs} ms`),
        options.timeoutMs,
      ).unref()
      signal.addEventListener('abort', onAbort)
      request.once('close', () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      })
      request.once('error', (error: NodeJS.ErrnoException) => {
        // An idle connection that the server closed as the request was written.
        const isStale = request.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted
        if (isStale) exchange(path, body, encoding, signal).then(resolve, reject)
        else reject(error)
      })
      // A request under way does not keep the process alive: the exit flush waits for it.
      request.once('socket', (socket) => {
        socket.unref()
        if (socket.connecting)
          for (const name of ['lookup', 'connectionAttempt']) socket.on(name, () => void socket.unref())
      })
      request.end(body)
    })

  return {
    async post({ path, body, events }, signal) {
      try {
        const bytes = Buffer.from(body)
        const isPacked = options.gzip && bytes.length > MIN_GZIP_BYTES
        const sent = isPacked ? await pack(bytes, { level: GZIP_LEVEL }) : bytes
        return outcomeOf(await exchange(path, sent, isPacked ? 'gzip' : undefined, signal), events)
      } catch (error) {
        return noAnswer(null, error instanceof Error ? error.message || error.name : String(error))
      }
    },
    close: () => agent.destroy(),
  }
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_ANSWER_BYTES) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    text: Buffer.concat(chunks).toString(),
  }
}

function outcomeOf({ status, retryAfter, text }: Answer, events: number | undefined): PostOutcome {
  const body = parseObject(text)
  const isOurs = typeof body.requestId === 'string'
  if (status >= 200 && status < 300) {
    const isReceipt =
      events === undefined ? typeof body.outcome === 'string' : isOurs && body.accepted === events
    return isReceipt
      ? { kind: 'accepted', warnings: body.warnings }
      : noAnswer(status, 'the answer is not from svc: is the address right?')
  }
  const code = typeof body.code === 'string' ? body.code : `HTTP_${status}`
  const message = typeof body.message === 'string' ? body.message : text.slice(0, 200)
  // A 400 without svc's body is from a proxy, and about no event. A 413 may be too: smaller batches may pass.
  if (status === 413 || (isOurs && (status === 400 || status === 409)))
    return { kind: 'refused', status, code, message, named: namedEvents(body.details) }
  return {
    kind: 'failed',
    status,
    code,
    message: `svc answered ${status}: ${message}`,
    waitMs: waitOf(retryAfter),
  }
}

function noAnswer(status: number | null, message: string): PostOutcome {
  return { kind: 'failed', status, code: 'NO_ANSWER', message: `no answer from svc: ${message}`, waitMs: 0 }
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  } catch {
    // Not JSON: not from svc.
    return {}
  }
}

/** The first message for each index of `/events/3/event`. */
function namedEvents(details: unknown): ReadonlyMap<number, string> {
  const named = new Map<number, string>()
  for (const detail of Array.isArray(details) ? details : []) {
    const index = /^\/events\/(\d+)(?:\/|$)/.exec(String(detail?.path))?.[1]
    if (index !== undefined && !named.has(Number(index))) named.set(Number(index), String(detail.message))
  }
  return named
}

/** @param retryAfter seconds, or a date */
function waitOf(retryAfter: string | undefined): number {
  if (retryAfter === undefined) return 0
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now()
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), MAX_RETRY_AFTER_MS)
}
