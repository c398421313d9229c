import { KEEP_ALIVE } from '../../runtime/request-framing.js'
import { type IngestRefusal, REFUSAL_STATUS, refusalBody } from './errors.js'
import type { HttpResponse } from './uws.js'

export type RouteLabel = 'events' | 'alias' | 'serving' | 'other'

/** What all exchanges of a gateway share: who is open, and how many bytes they hold. */
export class GatewayLoad {
  /** Number of requests that are neither answered nor gone, or still have work to do. */
  open = 0
  bytesInFlight = 0
  /** While draining every answer closes its connection. */
  draining = false
  private idleWaiters: (() => void)[] = []

  constructor(
    readonly maxBytesInFlight: number,
    /** Called once for every exchange; status 0 where the connection ended without an answer. */
    readonly answered: (route: RouteLabel, status: number, milliseconds: number) => void,
    readonly clock: () => number,
  ) {}

  /** Resolves when no exchange is open. */
  idle(): Promise<void> {
    if (this.open === 0) return Promise.resolve()
    return new Promise((resolve) => this.idleWaiters.push(resolve))
  }

  closed(): void {
    this.open--
    if (this.open > 0) return
    for (const resolve of this.idleWaiters.splice(0)) resolve()
  }
}

const STATUS_LINES: Readonly<Record<number, string>> = {
  200: '200 OK',
  202: '202 Accepted',
  304: '304 Not Modified',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  409: '409 Conflict',
  413: '413 Content Too Large',
  415: '415 Unsupported Media Type',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
}

/**
 * One request and its answer. uWebSockets.js forbids touching a response after it was answered or aborted: all access goes through
 * here and does nothing then. Bytes held are given back exactly once, when the answer is out and the work is done.
 */
export class GatewayExchange {
  route: RouteLabel = 'other'
  /** The body has not ended, or only in this turn: an answer waits for that and then closes the connection. */
  private awaitsEnd = false
  private bodyEnded = false
  private closesConnection = false
  private waitingAnswer: (() => void) | undefined
  private state: 'open' | 'answered' | 'gone' = 'open'
  /** Pieces of work under way. */
  private workInProgress = 0
  private reservedBytes = 0
  private readonly startedAt: number

  constructor(
    private readonly res: HttpResponse,
    private readonly load: GatewayLoad,
    readonly requestId: string,
    private readonly isHead: boolean,
  ) {
    this.startedAt = load.clock()
    load.open++
    res.onAborted(() => {
      if (this.state !== 'open') return
      this.state = 'gone'
      this.load.answered(this.route, 0, this.load.clock() - this.startedAt)
      this.settle()
    })
  }

  /** Whether an answer can still be given. */
  get isOpen(): boolean {
    return this.state === 'open'
  }

  /**
   * The connection is not used again: what follows this request is never read as another (`RequestFraming` says of which requests). It closes with the answer, which waits for the
   * end of the body, so that a client that is still sending can read it.
   */
  closeAfterBody(): void {
    this.awaitsEnd = true
    this.closesConnection = true
  }

  /** Whether `endBody` has to be called. */
  get isWaitingForEnd(): boolean {
    return this.awaitsEnd
  }

  endBody(): void {
    if (!this.awaitsEnd || this.bodyEnded) return
    this.bodyEnded = true
    // Not in this turn: behind an answer uWebSockets.js goes on with the rest of the packet, before one it closes the connection where there is a rest.
    setImmediate(() => {
      this.awaitsEnd = false
      this.waitingAnswer?.()
      this.waitingAnswer = undefined
    })
  }

  /**
   * Resolves in the next turn, by which the server has closed the connection if anything stood behind the request in its packet; what comes later stays unread. Work that
   * begins before could be answered by the parser, which newer versions let refuse what they do not understand, trailers for one, without a look at who is waiting.
   */
  ensureNoPipelining(): Promise<void> {
    if (this.state === 'open') this.res.pause()
    return new Promise((resolve) => setImmediate(resolve))
  }

  /** Counts bytes against the bound of the gateway; false where they would cross it, and then they are not counted. */
  reserve(bytes: number): boolean {
    if (!this.hasRoomFor(bytes)) return false
    this.reservedBytes += bytes
    this.load.bytesInFlight += bytes
    return true
  }

  hasRoomFor(bytes: number): boolean {
    return this.load.bytesInFlight + bytes <= this.load.maxBytesInFlight
  }

  /** Keeps the exchange open, and its bytes held, until the work is done: whatever happens to the connection meanwhile. */
  beginWork(): void {
    this.workInProgress++
  }

  endWork(): void {
    this.workInProgress--
    this.settle()
  }

  /** The same for work that is a promise. */
  trackWork(promise: Promise<void>): void {
    this.beginWork()
    promise.then(
      () => this.endWork(),
      () => {
        // Whether anything was recorded is not known here, so no answer is true.
        this.abort()
        this.endWork()
      },
    )
  }

  answer(
    status: number,
    body: string,
    headers: readonly (readonly [string, string])[] = [],
    closeConnection = false,
  ): void {
    if (this.state !== 'open') return
    // A body too long to be skipped is not waited for.
    if (this.awaitsEnd && !closeConnection) {
      this.waitingAnswer ??= () => this.answer(status, body, headers, closeConnection)
      return
    }
    this.state = 'answered'
    const close = closeConnection || this.closesConnection || this.load.draining
    this.res.cork(() => {
      this.res.writeStatus(STATUS_LINES[status] ?? String(status))
      this.res.writeHeader('Content-Type', 'application/json')
      this.res.writeHeader('X-Request-Id', this.requestId)
      if (!close) this.res.writeHeader('Keep-Alive', KEEP_ALIVE)
      for (const [name, value] of headers) this.res.writeHeader(name, value)
      // A HEAD gets no body; endWithoutBody would leave the connection waiting for one in this build.
      this.res.end(this.isHead ? '' : body, close)
    })
    this.load.answered(this.route, status, this.load.clock() - this.startedAt)
    this.settle()
  }

  refuse(refusal: IngestRefusal): void {
    this.answer(
      REFUSAL_STATUS[refusal.code],
      refusalBody(refusal, this.requestId),
      refusal.headers,
      refusal.closeConnection,
    )
  }

  /** Closes the connection without an answer: neither 202 nor a refusal would be true. */
  abort(): void {
    // The abort handler does the rest.
    if (this.state === 'open') this.res.close()
  }

  private settle(): void {
    if (this.workInProgress > 0 || this.state === 'open') return
    this.load.bytesInFlight -= this.reservedBytes
    this.reservedBytes = 0
    this.load.closed()
  }
}
