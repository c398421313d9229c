import type { Credential } from '../../postgres/tables/credentials.js'
import type { IngestProblem } from '../../postgres/tables/ingest-problems.js'
import type { ClientAddresses } from '../../runtime/client-address.js'
import { KEEP_ALIVE } from '../../runtime/request-framing.js'
import { failSpan, type TraceSpan } from '../../runtime/tracing.js'
import { type IngestRefusal, OVERLOADED, REFUSAL_STATUS, refusalBody, TOO_MUCH_AT_ONCE } from './errors.js'
import type { HttpResponse } from './uws.js'

export type RouteLabel = 'events' | 'alias' | 'serving' | 'segment' | 'posthog' | 'other'

/** One workspace may hold this many times what is left for the others. */
const SHARE_OF_FREE = 3
/** Beyond it the shares that hold nothing are forgotten. */
const MAX_SHARES = 10_000

/** Body bytes that the requests of one workspace hold. */
interface Share {
  bytes: number
}

/** Gets what owners of keys should know about their requests. */
interface ProblemSink {
  refused(sender: Credential, refusal: IngestRefusal): void
  add(sender: Credential, problem: IngestProblem, times: number): void
}

/** The parts that all exchanges of a gateway share. */
export class GatewayLoad {
  /** Requests that are neither answered nor aborted, or still have work in progress. */
  open = 0
  bytesInFlight = 0
  draining = false
  /** Of requests whose sender is not known yet. */
  readonly strangers: Share = { bytes: 0 }
  private readonly shares = new Map<string, Share>()
  private idleWaiters: (() => void)[] = []

  constructor(
    readonly maxBytesInFlight: number,
    /** Called once per exchange; status 0 if the connection ended without a response. */
    readonly answered: (route: RouteLabel, status: number, milliseconds: number) => void,
    readonly clock: () => number,
    readonly addresses: ClientAddresses,
    readonly problems: ProblemSink,
  ) {}

  shareOf(workspaceId: string): Share {
    const known = this.shares.get(workspaceId)
    if (known !== undefined) return known
    if (this.shares.size >= MAX_SHARES)
      for (const [id, { bytes }] of this.shares) if (bytes === 0) this.shares.delete(id)
    const share = { bytes: 0 }
    this.shares.set(workspaceId, share)
    return share
  }

  /**
   * Why so many more bytes of a share cannot be held; undefined if they can. A share grows with what is free,
   * so one workspace alone uses most of the memory, and a newcomer always finds some.
   */
  overload(share: Share, bytes: number): IngestRefusal | undefined {
    const free = this.maxBytesInFlight - this.bytesInFlight
    if (bytes > free) return OVERLOADED
    return share.bytes + bytes > SHARE_OF_FREE * free ? TOO_MUCH_AT_ONCE : undefined
  }

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
 * One request and its answer. uWebSockets.js forbids touching a response that was answered or aborted, so all
 * access goes through here and is a no-op then.
 */
export class GatewayExchange {
  route: RouteLabel = 'other'
  /** Its span; undefined if there are no traces. */
  span: TraceSpan | undefined
  /** All `X-Forwarded-For` headers, joined by commas. */
  forwardedFor: string | undefined
  /** The body has not ended before this turn: the answer waits for that and then closes the connection. */
  private awaitsEnd = false
  private bodyEnded = false
  private closesConnection = false
  private waitingAnswer: (() => void) | undefined
  private state: 'open' | 'answered' | 'gone' = 'open'
  private workInProgress = 0
  private reservedBytes = 0
  private share: Share
  private sender: Credential | undefined
  private readonly startedAt: number

  constructor(
    private readonly res: HttpResponse,
    private readonly load: GatewayLoad,
    readonly requestId: string,
    private readonly isHead: boolean,
  ) {
    this.startedAt = load.clock()
    this.share = load.strangers
    load.open++
    res.onAborted(() => {
      if (this.state !== 'open') return
      this.state = 'gone'
      this.answered(0)
    })
  }

  /** Of the client, as far as trusted proxies tell it. Empty if the client has gone. */
  get address(): string {
    if (this.state !== 'open') return ''
    const peer = Buffer.from(this.res.getRemoteAddressAsText()).toString('latin1')
    return this.load.addresses.of(peer, this.forwardedFor)
  }

  get isOpen(): boolean {
    return this.state === 'open'
  }

  /**
   * Nothing after this request is read as another (see `RequestFraming`). The connection closes with the
   * answer, which waits for the end of the body so that a client that is still sending can read it.
   */
  closeAfterBody(): void {
    this.awaitsEnd = true
    this.closesConnection = true
  }

  /** Whether `endBody` has to be called. */
  get isWaitingForEnd(): boolean {
    return this.awaitsEnd && this.state === 'open'
  }

  endBody(): void {
    if (!this.awaitsEnd || this.bodyEnded) return
    this.bodyEnded = true
    // Not in this turn: after an answer uWebSockets.js goes on with the rest of the packet; before one it
    // closes the connection if there is a rest.
    setImmediate(() => {
      this.awaitsEnd = false
      this.waitingAnswer?.()
      this.waitingAnswer = undefined
    })
  }

  /**
   * Resolves in the next turn. By then the server has closed the connection if its packet held more than this
   * request; later bytes stay unread. Work that begins sooner could race with the parser, which in newer
   * versions answers what it does not understand, such as trailers.
   */
  ensureNoPipelining(): Promise<void> {
    if (this.state === 'open') this.res.pause()
    return new Promise((resolve) => setImmediate(resolve))
  }

  /** From now on the workspace holds the request's bytes, and the owner of the key sees its problems. */
  belongTo(sender: Credential): void {
    this.sender = sender
    this.share.bytes -= this.reservedBytes
    this.share = this.load.shareOf(sender.workspace.id)
    this.share.bytes += this.reservedBytes
  }

  /** Notes why parts of an accepted request are refused, or a warning about it. */
  note(problem: IngestProblem, times = 1): void {
    if (this.sender !== undefined) this.load.problems.add(this.sender, problem, times)
  }

  /** Reserves body bytes; a refusal, and nothing reserved, if the gateway or the workspace holds too many. */
  reserve(bytes: number): IngestRefusal | undefined {
    const refusal = this.overload(bytes)
    if (refusal !== undefined) return refusal
    this.reservedBytes += bytes
    this.share.bytes += bytes
    this.load.bytesInFlight += bytes
    return undefined
  }

  /** Why so many more bytes could not be reserved. */
  overload(bytes: number): IngestRefusal | undefined {
    return this.load.overload(this.share, bytes)
  }

  /** Keeps the exchange and its reserved bytes until the work is done, whatever happens to the connection. */
  beginWork(): void {
    this.workInProgress++
  }

  endWork(): void {
    this.workInProgress--
    this.settle()
  }

  trackWork(promise: Promise<void>): void {
    this.beginWork()
    promise.then(
      () => this.endWork(),
      () => {
        // Whether anything was recorded is unknown here, so no answer would be true.
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
    // Do not wait for a body that is too long to be skipped.
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
      // A HEAD has no body; endWithoutBody would leave the connection waiting for one in this build.
      this.res.end(this.isHead ? '' : body, close)
    })
    this.answered(status)
  }

  refuse(refusal: IngestRefusal): void {
    if (this.sender !== undefined && this.isOpen) this.load.problems.refused(this.sender, refusal)
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

  private answered(status: number): void {
    this.load.answered(this.route, status, this.load.clock() - this.startedAt)
    if (this.span !== undefined) this.endSpan(this.span, status)
    this.settle()
  }

  private endSpan(span: TraceSpan, status: number): void {
    span.updateName(`ingest ${this.route}`).setAttributes({
      'http.route': this.route,
      'http.response.status_code': status,
      'svc.request_id': this.requestId,
    })
    if (status === 0 || status >= 500) failSpan(span, status === 0 ? 'connection closed' : `HTTP ${status}`)
    span.end()
  }

  private settle(): void {
    if (this.workInProgress > 0 || this.state === 'open') return
    this.load.bytesInFlight -= this.reservedBytes
    this.share.bytes -= this.reservedBytes
    this.reservedBytes = 0
    this.load.closed()
  }
}
