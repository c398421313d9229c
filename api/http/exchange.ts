import { Writable } from 'node:stream'
import type { Request, Response } from 'hyper-express'
import { ClientAddresses } from '../../runtime/client-address.js'
import { KEEP_ALIVE, RequestFraming } from '../../runtime/request-framing.js'
import { ClientGoneError } from './client-gone-error.js'
import { HttpError } from './http-error.js'
import { internalsOf, ResponseStream } from './response-stream.js'

export const MAX_API_BODY_BYTES = 1_048_576

const NO_PROXIES = new ClientAddresses([])

/** How long a response that ends its connection waits for an unread body. */
const MAX_WAIT_MS = 1_000

/** Headers that identify the caller. */
const IDENTITY_HEADERS: ReadonlyMap<string, string> = new Map([
  ['authorization', 'Authorization'],
  ['cookie', 'Cookie'],
  ['x-workspace-id', 'X-Workspace-Id'],
])

type OutgoingHeaders = Readonly<Record<string, string | string[]>>

interface SendOptions {
  readonly close: boolean
  /** Of the body that a HEAD or 304 leaves out. */
  readonly contentLength?: number
}

/**
 * One request and its response. The only file that touches hyper-express' objects, including workarounds for
 * 6.17. It counts body bytes itself, since hyper-express' limit answers an empty 413 without calling the
 * handler.
 */
export class Exchange {
  readonly method: string
  /** As sent, not decoded. */
  readonly path: string
  readonly queryText: string
  /** A header that identifies the caller and was sent twice: a proxy may have read the other one. */
  readonly repeatedHeader: string | undefined
  private controller: AbortController | undefined
  private forwardedFor: string | undefined
  private readonly framing: RequestFraming
  private readonly declaredBytes: number

  constructor(
    private readonly request: Request,
    private readonly response: Response,
    private readonly addresses = NO_PROXIES,
  ) {
    this.method = request.method
    this.path = request.path
    this.queryText = request.path_query ?? ''
    this.framing = new RequestFraming(request.method)
    // The headers object keeps one value per name.
    const seen = new Set<string>()
    let repeated: string | undefined
    request.raw.forEach((name, value) => {
      this.framing.header(name, value)
      if (name === 'x-forwarded-for')
        this.forwardedFor = this.forwardedFor === undefined ? value : `${this.forwardedFor},${value}`
      if (!IDENTITY_HEADERS.has(name)) return
      if (seen.has(name)) repeated = IDENTITY_HEADERS.get(name)
      seen.add(name)
    })
    this.repeatedHeader = repeated
    this.declaredBytes = Number(this.framing.contentLength ?? 0)
  }

  /** @param name in lower case */
  header(name: string): string | undefined {
    return this.request.headers[name]
  }

  /**
   * Closes the connection of a request whose end is ambiguous, before what follows is read. Call it first.
   *
   * @returns true if the request is over
   */
  dropAmbiguous(): boolean {
    if (this.framing.isAmbiguous) this.response.close()
    return this.framing.isAmbiguous
  }

  get isGone(): boolean {
    return this.response.completed
  }

  /** Aborted if the client closes the connection before the response. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      const controller = new AbortController()
      this.controller = controller
      if (this.isGone) controller.abort(new ClientGoneError())
      else this.response.once('abort', () => controller.abort(new ClientGoneError()))
    }
    return this.controller.signal
  }

  /** Of the client, as far as trusted proxies tell it. Empty if the client has gone. */
  get address(): string {
    return this.isGone ? '' : this.addresses.of(this.request.ip, this.forwardedFor)
  }

  get hasBody(): boolean {
    return this.framing.isChunked || this.declaredBytes > 0
  }

  /** Bytes that `readBody` may hold. */
  get maxBodyBytes(): number {
    return this.framing.isChunked ? MAX_API_BODY_BYTES : Math.min(this.declaredBytes, MAX_API_BODY_BYTES)
  }

  /**
   * @throws ApiError PAYLOAD_TOO_LARGE as soon as that is certain
   * @throws ClientGoneError if the rest will not come
   */
  async readBody(): Promise<Buffer> {
    const body = await this.receiveBody()
    if (!this.framing.endsConnection) return body
    // Wait a turn: if anything follows the request in its packet, the server closes the connection in this
    // turn. Later bytes stay unread.
    if (!this.isGone) internalsOf(this.response)._raw_response.pause()
    await new Promise((resolve) => setImmediate(resolve))
    if (this.isGone) throw new ClientGoneError()
    return body
  }

  private receiveBody(): Promise<Buffer> {
    // hyper-express knows no other spelling.
    if (this.framing.isChunked && this.request.headers['transfer-encoding'] !== 'chunked')
      return refuse(
        new HttpError('VALIDATION_FAILED', 'Transfer-Encoding must be chunked', [
          { path: 'header.Transfer-Encoding', message: 'must be chunked or left out' },
        ]),
      )
    if (!this.hasBody) return Promise.resolve(Buffer.alloc(0))
    if (this.declaredBytes > MAX_API_BODY_BYTES) return refuse(tooLarge())
    // Aborted while its key was looked up: the rest of the body will not come.
    if (this.signal.aborted) return Promise.reject(new ClientGoneError())
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let received = 0
      this.signal.addEventListener('abort', () => reject(new ClientGoneError()))
      // `on('data')` would not make hyper-express' request flow.
      this.request.pipe(
        new Writable({
          write: (chunk: Buffer, _encoding, done) => {
            received += chunk.length
            if (received <= MAX_API_BODY_BYTES) chunks.push(chunk)
            else if (chunks.length > 0) {
              chunks.length = 0
              reject(tooLarge())
            }
            done()
          },
          final: (done) => {
            if (this.isGone) reject(new ClientGoneError())
            else resolve(Buffer.concat(chunks))
            done()
          },
        }),
      )
    })
  }

  /**
   * Sends the response, once. An unread body of ordinary size is read first, since clients that write before
   * they read would see a broken connection; an oversized one is discarded as it comes.
   */
  send(
    status: number,
    headers: OutgoingHeaders,
    body: string | Uint8Array | undefined,
    options: SendOptions,
  ): void {
    if (this.framing.endsConnection)
      this.afterBody(() => this.answer(status, headers, body, { ...options, close: true }))
    else this.answer(status, headers, body, options)
  }

  /**
   * Sends the head of a chunked response.
   *
   * @returns undefined if the client has gone
   */
  stream(status: number, headers: OutgoingHeaders): ResponseStream | undefined {
    const { request, response, signal } = this
    if (response.completed) return undefined
    if (!(request as unknown as RequestInternals).received) request.resume()
    this.writeHead(status, headers, this.framing.endsConnection)
    const isEvents = String(headers['Content-Type']).startsWith('text/event-stream')
    return new ResponseStream(response, signal, isEvents ? ':\n\n' : undefined)
  }

  private writeHead(status: number, headers: OutgoingHeaders, closes: boolean): void {
    this.response.status(status)
    for (const [name, value] of Object.entries(headers)) this.response.header(name, value)
    if (!closes) this.response.header('Keep-Alive', KEEP_ALIVE)
  }

  /**
   * Calls back when the body has ended, is too large, or has not ended for a second. Always in a later turn
   * than the one that read its last bytes; see `RequestFraming` for the reason.
   */
  private afterBody(answer: () => void): void {
    const internals = this.request as unknown as RequestInternals
    let passed = internals._body_received_bytes
    if (internals.received || Math.max(passed, this.declaredBytes) > MAX_API_BODY_BYTES) {
      setImmediate(answer)
      return
    }
    internals._body_parser_stop()
    const end = (): void => {
      clearTimeout(limit)
      if (internals.received) return
      internals.received = true
      setImmediate(answer)
    }
    const limit = setTimeout(end, MAX_WAIT_MS).unref()
    internals._body_parser_on_chunk = (_response, chunk, isLast) => {
      passed += chunk.byteLength
      if (isLast || passed > MAX_API_BODY_BYTES) end()
    }
    // It may be paused until somebody reads.
    this.request.resume()
  }

  private answer(
    status: number,
    headers: OutgoingHeaders,
    body: string | Uint8Array | undefined,
    options: SendOptions,
  ): void {
    const { request, response } = this
    if (response.completed) return
    const internals = request as unknown as RequestInternals
    const mayBeEndless = this.framing.isChunked || this.declaredBytes > MAX_API_BODY_BYTES
    if (!internals.received && mayBeEndless) {
      // As hyper-express does before an early response. Otherwise it would go on buffering and pause a
      // response that is gone.
      internals._body_parser_stop()
      internals.received = true
    }
    this.writeHead(status, headers, options.close)
    if (body === undefined) this.endBare(options)
    else response.send(typeof body === 'string' ? body : Buffer.from(body), options.close)
  }

  /**
   * Ends a response without a body. Bypasses hyper-express' `send`, which would send a length of 0, or hand
   * the length to uWebSockets.js, which then waits for that many bytes and answers no further request on the
   * connection. A plain header has no such effect.
   *
   * uWebSockets.js does not close the connection after such a response. If it must, the empty line that ends
   * the headers goes out with the last of them, and then the connection is closed.
   */
  private endBare({ close, contentLength }: SendOptions): void {
    const { response } = this
    const requestInternals = this.request as unknown as RequestInternals
    const responseInternals = internalsOf(response)
    const raw = responseInternals._raw_response
    const ends = this.framing.endsConnection
    if (!requestInternals.received) requestInternals._body_parser_stop()
    response.atomic(() => {
      responseInternals._initiate_response()
      if (contentLength !== undefined) raw.writeHeader('content-length', String(contentLength))
      if (ends) raw.writeHeader('connection', 'close\r\n')
      else {
        // Only announced; the drain closes the connections. An argument to close would replace the length.
        if (close) raw.writeHeader('connection', 'close')
        raw.endWithoutBody()
      }
    })
    responseInternals.completed = true
    responseInternals.route.app._resolve_pending_request()
    if (ends) raw.close()
  }
}

/** Members of hyper-express 6.17's Request that its types lack. */
interface RequestInternals {
  received: boolean
  readonly _body_received_bytes: number
  _body_parser_stop(): void
  /** Looked up for each chunk of the body. */
  _body_parser_on_chunk(response: unknown, chunk: ArrayBuffer, isLast: boolean): void
}

function tooLarge(): HttpError {
  return new HttpError('PAYLOAD_TOO_LARGE', `The body is larger than ${MAX_API_BODY_BYTES} bytes: send less`)
}

function refuse(error: HttpError): Promise<never> {
  return Promise.reject(error)
}
