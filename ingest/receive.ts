import type { Logger } from '../runtime/logger.js'
import { newRequestId } from '../runtime/request-id.js'
import { Admission, type Admitted } from './admit/admission.js'
import type { Authenticator } from './admit/authenticate.js'
import type { RateLimits } from './admit/rate-limit.js'
import { decompress, receiveBody, skipBody, TOO_MUCH_IN_FLIGHT } from './http/body.js'
import { type IngestRefusal, METHOD_NOT_ALLOWED, NOT_FOUND } from './http/errors.js'
import { GatewayExchange, type Traffic } from './http/exchange.js'
import { type Head, readHead } from './http/head.js'
import type { HttpRequest, HttpResponse } from './http/uws.js'
import type { GatewayMetrics, RouteLabel } from './metrics.js'
import type { Work } from './routes/work.js'

export interface Receiving {
  readonly routes: readonly { readonly path: string; readonly route: RouteLabel; readonly work: Work }[]
  readonly authenticator: Authenticator
  readonly rates: RateLimits
  readonly traffic: Traffic
  readonly counts: GatewayMetrics
  readonly logger: Logger
  /** The wall clock in milliseconds: `receivedAt` is read from it. */
  readonly now: () => number
}

/** What happens to a request from its first line to its route: who sends it, whether it may, and its body. */
export class Receiver {
  private readonly admission: Admission

  constructor(private readonly deps: Receiving) {
    this.admission = new Admission(deps.authenticator, deps.rates)
  }

  receive(res: HttpResponse, req: HttpRequest): void {
    const { routes, traffic, now } = this.deps
    const method = req.getMethod()
    const exchange = new GatewayExchange(res, traffic, newRequestId(now()), method === 'head')
    try {
      const head = readHead(req, method)
      if (head.isAmbiguous) {
        exchange.drop()
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
      if (admission instanceof Promise) this.receiveMeanwhile(res, exchange, head, admission, target.work)
      else this.receiveKnown(res, exchange, head, admission, target.work)
    } catch (error) {
      this.fail(exchange, error)
    }
  }

  /** The usual case: whether it may come in is known at once, so a refusal comes before the body. */
  private receiveKnown(
    res: HttpResponse,
    exchange: GatewayExchange,
    head: Head,
    admitted: Admitted | IngestRefusal,
    work: Work,
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
          this.carryOut(exchange, admitted, body, at, work)
          return
        }
        const copy = Buffer.from(body)
        void exchange.nothingBehind().then(() => this.carryOut(exchange, admitted, copy, at, work))
      },
      (refusal) => exchange.refuse(refusal),
    )
  }

  /** Postgres has to be asked; the body comes in meanwhile, and what is wrong with it is said after. */
  private receiveMeanwhile(
    res: HttpResponse,
    exchange: GatewayExchange,
    head: Head,
    admission: Promise<Admitted | IngestRefusal>,
    work: Work,
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
      if (head.endsConnection) await exchange.nothingBehind()
      this.carryOut(exchange, admitted, received.bytes, received.at, work)
    }
    run().catch((error: unknown) => this.fail(exchange, error))
  }

  private carryOut(
    exchange: GatewayExchange,
    admitted: Admitted,
    body: Buffer,
    receivedAt: number,
    work: Work,
  ): void {
    if (!exchange.isOpen) return
    try {
      this.deps.counts.received(body.length)
      const plain = decompress(body, admitted.encoding)
      if ('code' in plain) exchange.refuse(plain)
      else if (plain !== body && !exchange.hold(plain.length)) exchange.refuse(TOO_MUCH_IN_FLIGHT)
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
