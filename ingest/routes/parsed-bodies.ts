import type { Sender } from '../../domain/event.js'
import type { WorkspaceHashKeys } from '../../log/record.js'
import { wastedBytes } from '../decode/complexity-limit.js'
import type { DecodeResult } from '../decode/decode.js'
import type { EncodedRequest } from '../decode/fast-path/decoder.js'
import type { GatewayExchange } from '../http/exchange.js'
import { LARGE_BODY_BYTES, type ParsedFormat } from '../large-bodies/large-bodies.js'
import { type EventsRouteOptions, eventsAcceptor } from './events.js'
import type { RouteHandler } from './route-handler.js'

/**
 * Handles bodies that are always parsed, small ones in this thread, with the limits of our own route.
 *
 * @param answer called when all events are durable
 */
export function parsedBodiesHandler<Request extends EncodedRequest>(
  options: EventsRouteOptions,
  format: ParsedFormat,
  encode: (
    body: Buffer,
    sender: Sender,
    keys: WorkspaceHashKeys,
    log: { readonly partitions: number },
  ) => DecodeResult<Request>,
  answer: (exchange: GatewayExchange, events: Request) => void,
): RouteHandler {
  const { log, large, wasted } = options
  const accept = eventsAcceptor(options, answer)
  return (exchange, caller, body, receivedAt) => {
    const { credential, hashKeys } = caller
    const { workspace, id: keyId, imports: imported } = credential
    const sender = { workspaceId: workspace.id, keyId, receivedAt, imported }
    if (body.length > LARGE_BODY_BYTES) {
      const encoding = large.encodeParsed<Request>(format, body, sender, hashKeys, () => exchange.isOpen)
      exchange.trackWork(
        encoding.then((found) => {
          wasted.charge(caller, found.wasted)
          accept(exchange, caller, found.decoded, receivedAt)
        }),
      )
      return
    }
    const decoded = encode(body, sender, hashKeys, log)
    wasted.charge(caller, wastedBytes(body, decoded.ok ? decoded.value.count : 0))
    accept(exchange, caller, decoded, receivedAt)
  }
}
