import type { Logger } from '../runtime/logger.js'
import { newRequestId } from '../runtime/request-id.js'
import type { Authentication, Authenticator, Caller } from './admit/authenticate.js'
import type { RateLimits } from './admit/rate-limit.js'
import {
  decompress,
  type Encoding,
  MAX_BODY_BYTES,
  MOST_SKIPPED_BYTES,
  receiveBody,
  skipBody,
  TOO_LARGE,
  TOO_MUCH_IN_FLIGHT,
} from './http/body.js'
import { type IngestRefusal, METHOD_NOT_ALLOWED, NOT_FOUND, SECRET_KEY_IN_BROWSER } from './http/errors.js'
import { GatewayExchange, type Traffic } from './http/exchange.js'
import { type Head, mediaOf, readHead } from './http/head.js'
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

interface Admitted {
  readonly caller: Caller
  readonly encoding: Encoding
}

/** What happens to a request from its first line to its route: who sends it, whether it may, and its body. */
export function createReceiver(deps: Receiving): (res: HttpResponse, req: HttpRequest) => void {
  const { routes, authenticator, rates, traffic, counts, logger, now } = deps

  const handle = (res: HttpResponse, req: HttpRequest): void => {
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
      const admission = admit(exchange, head, authenticator.authenticate(head.authorization))
      if (admission instanceof Promise) receiveMeanwhile(res, exchange, head, admission, target.work)
      else receiveKnown(res, exchange, head, admission, target.work)
    } catch (error) {
      fail(exchange, error)
    }
  }

  /** Before anybody receives the body. */
  const refuseEarly = (res: HttpResponse, exchange: GatewayExchange, refusal: IngestRefusal): void => {
    exchange.refuse(refusal)
    if (exchange.isWaitingForEnd) skipBody(res, exchange)
  }

  /** The usual case: whether it may come in is known at once, so a refusal comes before the body. */
  const receiveKnown = (
    res: HttpResponse,
    exchange: GatewayExchange,
    head: Head,
    admitted: Admitted | IngestRefusal,
    work: Work,
  ): void => {
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
        if (!head.endsConnection) {
          carryOut(exchange, admitted, body, now(), work)
          return
        }
        const at = now()
        const copy = Buffer.from(body)
        void exchange.nothingBehind().then(() => carryOut(exchange, admitted, copy, at, work))
      },
      (refusal) => exchange.refuse(refusal),
    )
  }

  /** Postgres has to be asked; the body comes in meanwhile, and what is wrong with it is said after. */
  const receiveMeanwhile = (
    res: HttpResponse,
    exchange: GatewayExchange,
    head: Head,
    admission: Promise<Admitted | IngestRefusal>,
    work: Work,
  ): void => {
    const body = new Promise<{ readonly bytes: Buffer; readonly at: number } | IngestRefusal>((resolve) => {
      receiveBody(
        res,
        exchange,
        head.contentLength,
        false,
        (bytes) => resolve({ bytes: Buffer.from(bytes), at: now() }),
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
      carryOut(exchange, admitted, received.bytes, received.at, work)
    }
    run().catch((error: unknown) => fail(exchange, error))
  }

  /** Everything that can be said before the body, in the order in which it is said. */
  const admit = (
    exchange: GatewayExchange,
    head: Head,
    authentication: Authentication | Promise<Authentication>,
  ): Admitted | IngestRefusal | Promise<Admitted | IngestRefusal> => {
    if (authentication instanceof Promise) return authentication.then((known) => admit(exchange, head, known))
    if (!authentication.ok) return authentication.refusal
    if (head.hasOrigin) return SECRET_KEY_IN_BROWSER
    const { caller } = authentication
    const limited = rates.spend(caller, 'requests', 1)
    if (limited instanceof Promise)
      return limited.then((refusal) => refusal ?? admitBody(exchange, head, caller))
    return limited ?? admitBody(exchange, head, caller)
  }

  const admitBody = (exchange: GatewayExchange, head: Head, caller: Caller): Admitted | IngestRefusal => {
    const encoding = mediaOf(head)
    if (typeof encoding !== 'string') return encoding
    const length = head.contentLength ?? 0
    if (length > MAX_BODY_BYTES)
      return length > MOST_SKIPPED_BYTES ? { ...TOO_LARGE, closeConnection: true } : TOO_LARGE
    if (!exchange.hasRoomFor(length)) return TOO_MUCH_IN_FLIGHT
    return { caller, encoding }
  }

  const carryOut = (
    exchange: GatewayExchange,
    admitted: Admitted,
    body: Buffer,
    receivedAt: number,
    work: Work,
  ): void => {
    if (!exchange.isOpen) return
    try {
      counts.received(body.length)
      const plain = decompress(body, admitted.encoding)
      if ('code' in plain) exchange.refuse(plain)
      else if (plain !== body && !exchange.hold(plain.length)) exchange.refuse(TOO_MUCH_IN_FLIGHT)
      else work(exchange, admitted.caller, plain, receivedAt)
    } catch (error) {
      fail(exchange, error)
    }
  }

  /** A fault of the program, before anything was written. */
  const fail = (exchange: GatewayExchange, error: unknown): void => {
    logger.error({ error, requestId: exchange.requestId }, 'a request failed')
    exchange.refuse({ code: 'INTERNAL', message: 'the gateway failed; nothing was recorded' })
  }

  return handle
}
