import type { KeyHolder } from '../admit/authenticate.js'
import type { GatewayExchange } from '../http/exchange.js'
import type { RequestHead } from '../http/head.js'

/**
 * Handles an admitted request: answers it, or tells the exchange that work goes on.
 *
 * @param body decompressed; valid only during the call unless copied
 * @param receivedAt wall clock in milliseconds
 */
export type RouteHandler = (
  exchange: GatewayExchange,
  caller: KeyHolder,
  body: Buffer,
  receivedAt: number,
) => void

/** Answers a GET of an authenticated caller. A body, if there is one, is skipped. */
export type ReadHandler = (exchange: GatewayExchange, caller: KeyHolder, head: RequestHead) => void
