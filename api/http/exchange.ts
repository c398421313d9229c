import { Writable } from 'node:stream'
import type { Request, Response } from 'hyper-express'
import { ApiError } from '../errors.js'

export const MAX_BODY_BYTES = 1_048_576

/** The client closed the connection: nobody waits for an answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/**
 * One request and its answer: the only file that touches hyper-express' objects, and what of 6.17 it has to work around.
 *
 * The server runs without hyper-express' own body limit, whose 413 is empty and comes without a call to the handler: bytes are counted here.
 */
export class Exchange {
  readonly method: string
  /** As sent, not decoded. */
  readonly path: string
  readonly queryText: string
  private controller: AbortController | undefined
  private readonly declaredBytes: number
  private readonly chunked: boolean

  constructor(
    private readonly request: Request,
    private readonly response: Response,
  ) {
    this.method = request.method
    this.path = request.path
    this.queryText = request.path_query ?? ''
    this.chunked = request.headers['transfer-encoding'] !== undefined
    this.declaredBytes = Number(request.headers['content-length'] ?? 0)
  }

  /** @param name in lower case */
  header(name: string): string | undefined {
    return this.request.headers[name]
  }

  /**
   * Two lengths let this server and a proxy in front disagree on where a request ends. The parser takes the first and hands over what follows as a
   * further request; so the connection ends here, before that is read. Call it before anything else.
   *
   * @returns true where the request is over
   */
  dropAmbiguous(): boolean {
    if (this.request.headers['content-length'] === undefined) return false
    let lengths = 0
    // The headers object keeps one of a name.
    this.request.raw.forEach((name) => {
      if (name === 'content-length') lengths++
    })
    if (lengths > 1) this.response.close()
    return lengths > 1
  }

  get gone(): boolean {
    return this.response.completed
  }

  /** Aborted when the client goes away before the answer. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      const controller = new AbortController()
      this.controller = controller
      if (this.gone) controller.abort(new ClientGone())
      else this.response.once('abort', () => controller.abort(new ClientGone()))
    }
    return this.controller.signal
  }

  get hasBody(): boolean {
    return this.chunked || this.declaredBytes > 0
  }

  /** Reads the body to its end. Rejects with PAYLOAD_TOO_LARGE as soon as that is certain, with ClientGone where the rest will not come. */
  readBody(): Promise<Buffer> {
    if (this.chunked && this.request.headers['transfer-encoding'] !== 'chunked')
      return refuse(
        new ApiError('VALIDATION_FAILED', 'Transfer-Encoding must be chunked', [
          { path: 'header.Transfer-Encoding', message: 'must be chunked or left out' },
        ]),
      )
    if (!this.hasBody) return Promise.resolve(Buffer.alloc(0))
    if (this.declaredBytes > MAX_BODY_BYTES) return refuse(tooLarge())
    // Gone while its key was looked up: neither the rest of the body nor another word of it will come.
    if (this.signal.aborted) return Promise.reject(new ClientGone())
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let received = 0
      this.signal.addEventListener('abort', () => reject(new ClientGone()))
      // Not `on('data')`: hyper-express' request does not start to flow by that.
      this.request.pipe(
        new Writable({
          write: (chunk: Buffer, _encoding, done) => {
            received += chunk.length
            if (received <= MAX_BODY_BYTES) chunks.push(chunk)
            else if (chunks.length > 0) {
              chunks.length = 0
              reject(tooLarge())
            }
            done()
          },
          final: (done) => {
            if (this.gone) reject(new ClientGone())
            else resolve(Buffer.concat(chunks))
            done()
          },
        }),
      )
    })
  }

  /**
   * Sends the answer, once. An unread body of ordinary size is taken in first (clients that write before they read would otherwise see a broken
   * connection); where it is or may be oversized the answer goes out at once and the rest is thrown away as it comes.
   *
   * @param contentLength of the body that a HEAD or 304 stands for
   */
  send(
    status: number,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array | undefined,
    options: { readonly close: boolean; readonly contentLength?: number },
  ): void {
    const { request, response } = this
    if (response.completed) return
    const internals = request as unknown as RequestInternals
    const mayBeEndless = this.chunked || this.declaredBytes > MAX_BODY_BYTES
    if (!internals.received && mayBeEndless) {
      // As hyper-express does it before its own early answer; without the stop it would go on buffering, and pause a response that is gone.
      internals._body_parser_stop()
      internals.received = true
    }
    response.status(status)
    for (const [name, value] of Object.entries(headers)) response.header(name, value)
    if (body === undefined) this.endBare(options)
    else response.send(typeof body === 'string' ? body : Buffer.from(body), options.close)
  }

  /**
   * Ends an answer that has no body, and names the length of one only where it stands for it (204 must not name any). This goes past hyper-express'
   * `send` and keeps its books as that does: `send` would name a length of 0, or hand the length to uWebSockets.js, which then waits for that many
   * bytes, answers no further request on the connection, and has read it all the same. As a plain header it is not waited for.
   */
  private endBare({
    close,
    contentLength,
  }: {
    readonly close: boolean
    readonly contentLength?: number
  }): void {
    const { response } = this
    const requestInternals = this.request as unknown as RequestInternals
    const responseInternals = response as unknown as ResponseInternals
    if (!requestInternals.received) requestInternals._body_parser_stop()
    response.atomic(() => {
      responseInternals._initiate_response()
      const raw = responseInternals._raw_response
      if (contentLength !== undefined) raw.writeHeader('content-length', String(contentLength))
      // Said only; whoever drains closes the connections in the end. An argument to close would take the place of the length.
      if (close) raw.writeHeader('connection', 'close')
      raw.endWithoutBody()
    })
    responseInternals.completed = true
    responseInternals.route.app._resolve_pending_request()
  }
}

/** Members of hyper-express 6.17's Request and Response that its types leave out. */
interface RequestInternals {
  received: boolean
  _body_parser_stop(): void
}

interface ResponseInternals {
  completed: boolean
  readonly route: { readonly app: { _resolve_pending_request(): void } }
  readonly _raw_response: {
    writeHeader(name: string, value: string): void
    endWithoutBody(): void
  }
  _initiate_response(): boolean
}

function tooLarge(): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The body is larger than ${MAX_BODY_BYTES} bytes`)
}

function refuse(error: ApiError): Promise<never> {
  return Promise.reject(error)
}
