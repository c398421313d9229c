import type { Caller } from '../admit/authenticate.js'
import type { GatewayExchange } from '../http/exchange.js'
import type { RequestHead } from '../http/head.js'

/**
 * What a route does with a request that was let in: it answers it, or says through the exchange that it works on it.
 *
 * @param body decompressed; only for as long as the call lasts, unless it is copied
 * @param receivedAt wall clock in milliseconds
 */
export type RouteHandler = (
  exchange: GatewayExchange,
  caller: Caller,
  body: Buffer,
  receivedAt: number,
) => void

/** Answers a GET of an authenticated caller. A body, if there is one, is skipped. */
export type ReadHandler = (exchange: GatewayExchange, caller: Caller, head: RequestHead) => void
