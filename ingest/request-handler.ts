import type { Logger } from '../runtime/logger.js'
import { newRequestId } from '../runtime/request-id.js'
import { Admission, type Admitted } from './admit/admission.js'
import type { Authenticator } from './admit/authenticate.js'
import type { RateLimits } from './admit/rate-limit.js'
import { decompress, OVERLOADED, receiveBody, skipBody } from './http/body.js'
import { type IngestRefusal, METHOD_NOT_ALLOWED, NOT_FOUND } from './http/errors.js'
import { GatewayExchange, type GatewayLoad } from './http/exchange.js'
import { type RequestHead, readHead } from './http/head.js'
import type { HttpRequest, HttpResponse } from './http/uws.js'
import type { GatewayMetrics, RouteLabel } from './metrics.js'
import type { RouteHandler } from './routes/route-handler.js'

export interface RequestHandlerOptions {
  readonly routes: readonly {
    readonly path: string
    readonly route: RouteLabel
    readonly work: RouteHandler
  }[]
  readonly authenticator: Authenticator
  readonly rates: RateLimits
  readonly load: GatewayLoad
  readonly metrics: GatewayMetrics
  readonly logger: Logger
  /** The wall clock in milliseconds: `receivedAt` is read from it. */
  readonly now: () => number
}

/** What happens to a request from its first line to its route: who sends it, whether it may, and its body. */
export class RequestHandler {
  private readonly admission: Admission

  constructor(private readonly deps: RequestHandlerOptions) {
    this.admission = new Admission(deps.authenticator, deps.rates)
  }

  handle(res: HttpResponse, req: HttpRequest): void {
    const { routes, load, now } = this.deps
    const method = req.getMethod()
    const exchange = new GatewayExchange(res, load, newRequestId(now()), method === 'head')
    try {
      const head = readHead(req, method)
      if (head.isAmbiguous) {
        exchange.abort()
        return
      }
      if (head.endsConnection) exchange.closeAfterBody()
      const path = req.getUrl()
      const target = routes.find((known) => known.path === path)
      if (target === undefined) {
        refuseEarly(res, exchange, NOT_FOUND)
        return
      }
      exchange.route = target.route
      if (method !== 'post') {
        refuseEarly(res, exchange, METHOD_NOT_ALLOWED)
        return
      }
      const admission = this.admission.admit(exchange, head)
      if (admission instanceof Promise) this.handleAuthenticating(res, exchange, head, admission, target.work)
      else this.handleAuthenticated(res, exchange, head, admission, target.work)
    } catch (error) {
      this.fail(exchange, error)
    }
  }

  /** The usual case: whether it may come in is known at once, so a refusal comes before the body. */
  private handleAuthenticated(
    res: HttpResponse,
    exchange: GatewayExchange,
    head: RequestHead,
    admitted: Admitted | IngestRefusal,
    work: RouteHandler,
  ): void {
    if ('code' in admitted) {
      refuseEarly(res, exchange, admitted)
      return
    }
    receiveBody(
      res,
      exchange,
      head.contentLength,
      true,
      (body) => {
        const at = this.deps.now()
        if (!head.endsConnection) {
          this.dispatch(exchange, admitted, body, at, work)
          return
        }
        const copy = Buffer.from(body)
        void exchange.ensureNoPipelining().then(() => this.dispatch(exchange, admitted, copy, at, work))
      },
      (refusal) => exchange.refuse(refusal),
    )
  }

  /** Postgres has to be asked; the body comes in meanwhile, and what is wrong with it is said after. */
  private handleAuthenticating(
    res: HttpResponse,
    exchange: GatewayExchange,
    head: RequestHead,
    admission: Promise<Admitted | IngestRefusal>,
    work: RouteHandler,
  ): void {
    const body = new Promise<{ readonly bytes: Buffer; readonly at: number } | IngestRefusal>((resolve) => {
      receiveBody(
        res,
        exchange,
        head.contentLength,
        false,
        (bytes) => resolve({ bytes: Buffer.from(bytes), at: this.deps.now() }),
        resolve,
      )
    })
    const run = async (): Promise<void> => {
      const admitted = await admission
      if ('code' in admitted) {
        exchange.refuse(admitted)
        return
      }
      const received = await body
      if ('code' in received) {
        exchange.refuse(received)
        return
      }
      if (head.endsConnection) await exchange.ensureNoPipelining()
      this.dispatch(exchange, admitted, received.bytes, received.at, work)
    }
    run().catch((error: unknown) => this.fail(exchange, error))
  }

  private dispatch(
    exchange: GatewayExchange,
    admitted: Admitted,
    body: Buffer,
    receivedAt: number,
    work: RouteHandler,
  ): void {
    if (!exchange.isOpen) return
    try {
      this.deps.metrics.received(body.length)
      const plain = decompress(body, admitted.encoding)
      if ('code' in plain) exchange.refuse(plain)
      else if (plain !== body && !exchange.reserve(plain.length)) exchange.refuse(OVERLOADED)
      else work(exchange, admitted.caller, plain, receivedAt)
    } catch (error) {
      this.fail(exchange, error)
    }
  }

  /** A fault of the program, before anything was written. */
  private fail(exchange: GatewayExchange, error: unknown): void {
    this.deps.logger.error({ error, requestId: exchange.requestId }, 'a request failed')
    exchange.refuse({ code: 'INTERNAL', message: 'the gateway failed; nothing was recorded' })
  }
}

/** Before anybody receives the body. */
function refuseEarly(res: HttpResponse, exchange: GatewayExchange, refusal: IngestRefusal): void {
  exchange.refuse(refusal)
  if (exchange.isWaitingForEnd) skipBody(res, exchange)
}
