import { FairTurns } from '../runtime/concurrency/fair-turns.js'
import type { Logger } from '../runtime/logger.js'
import { newRequestId } from '../runtime/request-id.js'
import { isTracing, startSpan } from '../runtime/tracing.js'
import { Admission, type Admitted } from './admit/admission.js'
import type { Authenticator, KeyHolder } from './admit/authenticate.js'
import type { RateLimits } from './admit/rate-limit.js'
import type { ReadRates } from './admit/read-rates.js'
import type { StrangerRates } from './admit/stranger-rates.js'
import type { WastedWork } from './admit/wasted-work.js'
import { API_KEY_MISSING, findApiKey } from './formats/posthog/api-key.js'
import { withBearer } from './formats/segment/basic-authorization.js'
import { decompress, isGzip, maxDecompressedBytes, receiveBody, skipBody } from './http/body.js'
import {
  type IngestRefusal,
  methodNotAllowed,
  NOT_FOUND,
  repeatedHeader,
  TOO_MUCH_AT_ONCE,
} from './http/errors.js'
import { GatewayExchange, type GatewayLoad, type RouteLabel } from './http/exchange.js'
import { type RequestHead, readContentEncoding, readHead } from './http/head.js'
import type { HttpRequest, HttpResponse } from './http/uws.js'
import type { GatewayMetrics } from './metrics.js'
import type { ReadHandler, RouteHandler } from './routes/route-handler.js'

interface RouteBase {
  readonly path: string
  readonly route: RouteLabel
  /** Whether this is the route of a request, if several have its path. */
  readonly isFor?: (head: RequestHead, req: HttpRequest) => boolean
}

/**
 * The routes of other products' formats ignore the content type. `keyIn` is where their clients send the key,
 * if not in a Bearer `Authorization`.
 */
type Route = RouteBase &
  ({ readonly handler: RouteHandler; readonly keyIn?: 'basic' | 'body' } | { readonly read: ReadHandler })

export interface RequestHandlerOptions {
  readonly routes: readonly Route[]
  readonly authenticator: Authenticator
  readonly rates: RateLimits
  readonly wasted: WastedWork
  readonly reads: ReadRates
  readonly strangers: StrangerRates
  readonly load: GatewayLoad
  readonly metrics: GatewayMetrics
  readonly logger: Logger
  /** Wall clock in milliseconds, used as `receivedAt`. */
  readonly now: () => number
}

/** Takes a request from its head to its route handler: authentication, admission, body. */
export class RequestHandler {
  private readonly admission: Admission
  private readonly turns: FairTurns

  constructor(private readonly deps: RequestHandlerOptions) {
    this.admission = new Admission(deps.authenticator, deps.rates, deps.wasted, deps.reads)
    this.turns = new FairTurns(deps.load.clock)
  }

  handle(res: HttpResponse, req: HttpRequest): void {
    const { routes, load, now } = this.deps
    const method = req.getMethod()
    const exchange = new GatewayExchange(res, load, newRequestId(now()), method === 'head')
    if (isTracing())
      exchange.span = startSpan(method, { kind: 'server', traceparent: req.getHeader('traceparent') })
    try {
      const head = readHead(req, method)
      if (head.isAmbiguous) {
        exchange.abort()
        return
      }
      if (head.endsConnection) exchange.closeAfterBody()
      exchange.forwardedFor = head.forwardedFor
      const path = req.getUrl()
      const target = routes.find((known) => known.path === path && known.isFor?.(head, req) !== false)
      if (target === undefined) {
        refuseBeforeBody(res, exchange, NOT_FOUND)
        return
      }
      exchange.route = target.route
      const isRead = 'read' in target
      const isAllowed = isRead ? method === 'get' || method === 'head' : method === 'post'
      if (!isAllowed) refuseBeforeBody(res, exchange, methodNotAllowed(isRead ? 'GET, HEAD' : 'POST'))
      else if (head.repeatedHeader !== undefined)
        refuseBeforeBody(res, exchange, repeatedHeader(head.repeatedHeader))
      else if (isRead) this.read(res, exchange, head, target.read)
      else if (target.keyIn === undefined) this.receive(res, exchange, head, target.handler)
      else if (target.keyIn === 'body') this.receiveWithKey(res, exchange, head, target.handler)
      else this.receive(res, exchange, withBearer(head), target.handler)
    } catch (error) {
      this.fail(exchange, error)
    }
  }

  private read(res: HttpResponse, exchange: GatewayExchange, head: RequestHead, handler: ReadHandler): void {
    const run = (caller: KeyHolder | IngestRefusal): void => {
      if ('code' in caller) exchange.refuse(caller)
      else handler(exchange, caller, head)
    }
    const caller = this.admission.admitReader(exchange, head)
    if (caller instanceof Promise) caller.then(run).catch((error: unknown) => this.fail(exchange, error))
    else run(caller)
    if (exchange.isWaitingForEnd) skipBody(res, exchange)
  }

  /**
   * Memory usually knows the sender: then a refusal comes before the body, and the body is handled during the
   * call. If Postgres has to be asked, the body is read meanwhile and copied.
   */
  private receive(
    res: HttpResponse,
    exchange: GatewayExchange,
    head: RequestHead,
    handler: RouteHandler,
  ): void {
    const admission = this.admission.admit(exchange, head)
    const isPending = admission instanceof Promise
    if (!isPending && 'code' in admission) {
      refuseBeforeBody(res, exchange, admission)
      return
    }
    if (isPending)
      admission.then(
        (admitted) => {
          if ('code' in admitted) exchange.refuse(admitted)
        },
        (error: unknown) => this.fail(exchange, error),
      )
    receiveBody(
      res,
      exchange,
      head.contentLength,
      !isPending,
      (body) => {
        const receivedAt = this.deps.now()
        if (!isPending && !head.endsConnection) this.dispatch(exchange, admission, body, receivedAt, handler)
        else void this.dispatchLater(exchange, admission, head, Buffer.from(body), receivedAt, handler)
      },
      (refusal) => {
        // If the admission rejects, `fail` has answered.
        if (isPending)
          admission.then(
            () => exchange.refuse(refusal),
            () => {},
          )
        else exchange.refuse(refusal)
      },
    )
  }

  /** For a format with the key in the body, so that the sender is known only when the body has come. */
  private receiveWithKey(
    res: HttpResponse,
    exchange: GatewayExchange,
    head: RequestHead,
    handler: RouteHandler,
  ): void {
    receiveBody(
      res,
      exchange,
      head.contentLength,
      false,
      (body) => void this.dispatchWithKey(exchange, head, Buffer.from(body), this.deps.now(), handler),
      (refusal) => exchange.refuse(refusal),
    )
  }

  private async dispatchWithKey(
    exchange: GatewayExchange,
    head: RequestHead,
    body: Buffer,
    receivedAt: number,
    handler: RouteHandler,
  ): Promise<void> {
    try {
      if (head.endsConnection) await exchange.ensureNoPipelining()
      const plain = this.decompressForStranger(exchange, head, body)
      if ('code' in plain) {
        exchange.refuse(plain)
        return
      }
      const key = findApiKey(plain)
      const admitted = await this.admission.admit(exchange, {
        ...head,
        authorization: key === undefined ? undefined : `Bearer ${key}`,
        contentType: undefined,
        contentEncoding: undefined,
        contentLength: undefined,
      })
      if (!('code' in admitted))
        this.dispatch(exchange, { ...admitted, receivedBytes: body.length }, plain, receivedAt, handler)
      else
        exchange.refuse(key === undefined && admitted.code === 'UNAUTHENTICATED' ? API_KEY_MISSING : admitted)
    } catch (error) {
      this.fail(exchange, error)
    }
  }

  /** An address that sends no valid keys must not make us decompress without a bound. */
  private decompressForStranger(
    exchange: GatewayExchange,
    head: RequestHead,
    body: Buffer,
  ): Buffer | IngestRefusal {
    const { strangers } = this.deps
    const { address } = exchange
    const limited = strangers.refusal(address)
    if (limited !== undefined) return limited
    const encoding = readContentEncoding({ ...head, contentType: undefined })
    if (typeof encoding !== 'string') return encoding
    const plain = decompress(body, encoding === 'identity' && isGzip(body) ? 'gzip' : encoding)
    if ('code' in plain) return strangers.spend(address) ?? plain
    return (plain === body ? undefined : exchange.reserve(plain.length)) ?? plain
  }

  /** For a body that outlives its callback: the sender is not known yet, or the connection ends with it. */
  private async dispatchLater(
    exchange: GatewayExchange,
    admission: Admitted | Promise<Admitted | IngestRefusal>,
    head: RequestHead,
    body: Buffer,
    receivedAt: number,
    handler: RouteHandler,
  ): Promise<void> {
    try {
      const admitted = admission instanceof Promise ? await admission : admission
      if ('code' in admitted) return
      if (head.endsConnection) await exchange.ensureNoPipelining()
      this.dispatch(exchange, admitted, body, receivedAt, handler)
    } catch (error) {
      this.fail(exchange, error)
    }
  }

  /** Decodes the body and hands it to the route, now or when the workspace has its turn. */
  private dispatch(
    exchange: GatewayExchange,
    admitted: Admitted,
    body: Buffer,
    receivedAt: number,
    handler: RouteHandler,
  ): void {
    const { id } = admitted.caller.credential.workspace
    if (this.turns.mayRun(id)) {
      this.turns.run(id, () => this.process(exchange, admitted, body, receivedAt, handler))
      return
    }
    const copy = Buffer.from(body)
    const later = (): void => {
      const refusal = this.deps.wasted.refusal(admitted.caller)
      if (refusal === undefined) this.process(exchange, admitted, copy, receivedAt, handler)
      else exchange.refuse(refusal)
    }
    if (!this.turns.wait(id, later)) exchange.refuse(TOO_MUCH_AT_ONCE)
  }

  private process(
    exchange: GatewayExchange,
    { caller, encoding, receivedBytes }: Admitted,
    body: Buffer,
    receivedAt: number,
    handler: RouteHandler,
  ): void {
    if (!exchange.isOpen) return
    try {
      this.deps.metrics.received(receivedBytes ?? body.length)
      const plain = decompress(body, encoding)
      if ('code' in plain) {
        this.deps.wasted.charge(caller, maxDecompressedBytes(body.length))
        exchange.refuse(plain)
        return
      }
      const overloaded = plain === body ? undefined : exchange.reserve(plain.length)
      if (overloaded === undefined) handler(exchange, caller, plain, receivedAt)
      else exchange.refuse(overloaded)
    } catch (error) {
      this.fail(exchange, error)
    }
  }

  /** A bug, before anything was written. */
  private fail(exchange: GatewayExchange, error: unknown): void {
    this.deps.logger.error(
      { err: error, requestId: exchange.requestId },
      'Request failed: nothing was recorded',
    )
    exchange.refuse({
      code: 'INTERNAL',
      message:
        'the gateway failed; nothing was recorded: send the request again, and report its requestId if it fails again',
    })
  }
}

function refuseBeforeBody(res: HttpResponse, exchange: GatewayExchange, refusal: IngestRefusal): void {
  exchange.refuse(refusal)
  if (exchange.isWaitingForEnd) skipBody(res, exchange)
}
