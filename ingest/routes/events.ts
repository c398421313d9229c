import type { EventLog } from '../../log/port.js'
import type { Logger } from '../../runtime/logger.js'
import type { KeyHolder } from '../admit/authenticate.js'
import type { DailyCaps } from '../admit/daily-cap.js'
import type { RateLimits } from '../admit/rate-limit.js'
import type { WastedWork } from '../admit/wasted-work.js'
import type { AppendOutcome, createAppender } from '../append/append.js'
import { traceAppend } from '../append/trace-append.js'
import { wastedBytes } from '../decode/complexity-limit.js'
import type { DecodeResult } from '../decode/decode.js'
import { type EncodeBody, encodeExposures, encodeWithParser } from '../decode/encode-body.js'
import type { EncodedRequest } from '../decode/fast-path/decoder.js'
import { LOG_UNAVAILABLE } from '../http/errors.js'
import type { GatewayExchange } from '../http/exchange.js'
import { LARGE_BODY_BYTES, type LargeBodies } from '../large-bodies/large-bodies.js'
import type { RouteHandler } from './route-handler.js'

export interface EventsRouteOptions {
  readonly log: Pick<EventLog, 'partitions' | 'id' | 'end'>
  /** Decodes bodies that would block this thread for too long in another one. */
  readonly large: LargeBodies
  readonly append: ReturnType<typeof createAppender>
  readonly rates: RateLimits
  /** Limits the work for bodies that are refused. */
  readonly wasted: WastedWork
  readonly caps: DailyCaps
  readonly exposureCaps: DailyCaps
  /** Called with the number of accepted events whose id is a programming accident such as `undefined`. */
  readonly onPlaceholders: (workspaceId: string, events: number) => void
  readonly logger: Logger
}

/** @param encode decodes a body and encodes its records, in this thread */
export function eventsHandler(options: EventsRouteOptions, encode: EncodeBody): RouteHandler {
  const { log, large, wasted } = options
  const accept = eventsAcceptor<EncodedRequest>(options, (exchange, { count }) =>
    exchange.answer(202, `{"accepted":${count},"requestId":"${exchange.requestId}"}`),
  )
  return (exchange, caller, body, receivedAt) => {
    const { credential, hashKeys } = caller
    const { workspace, id: keyId, imports: imported } = credential
    const sender = { workspaceId: workspace.id, keyId, receivedAt, imported }
    if (body.length > LARGE_BODY_BYTES && !credential.exposuresOnly) {
      const encoding = large.encode(body, sender, hashKeys, () => exchange.isOpen)
      exchange.trackWork(
        encoding.then((found) => {
          wasted.charge(caller, found.wasted)
          accept(exchange, caller, found.decoded, receivedAt)
        }),
      )
      return
    }
    const decoded = credential.exposuresOnly
      ? encodeExposures(body, sender, hashKeys, log)
      : imported
        ? encodeWithParser(body, sender, hashKeys, log)
        : encode(body, sender, hashKeys)
    wasted.charge(caller, wastedBytes(body, decoded.ok ? decoded.value.count : 0))
    accept(exchange, caller, decoded, receivedAt)
  }
}

/**
 * Records decoded events within the limits of their key and workspace, and answers.
 *
 * @param answer called when all of them are durable
 */
export function eventsAcceptor<Request extends EncodedRequest>(
  options: EventsRouteOptions,
  answer: (exchange: GatewayExchange, events: Request) => void,
) {
  const { append, rates, logger } = options
  return (
    exchange: GatewayExchange,
    caller: KeyHolder,
    decoded: DecodeResult<Request>,
    receivedAt: number,
  ): void => {
    if (!decoded.ok) {
      exchange.refuse(decoded.refusal)
      return
    }
    const { workspace, exposuresOnly, imports } = caller.credential
    const events = decoded.value
    const caps = exposuresOnly ? options.exposureCaps : options.caps
    const capped = !imports && (exposuresOnly ? workspace.dailyExposures : workspace.dailyEvents) !== null
    const onAppended = (outcome: AppendOutcome): void => {
      if (outcome.kind === 'durable') {
        // The events of a capped workspace were counted when they were reserved.
        if (!capped && !imports) caps.count(workspace.id, events.count, receivedAt)
        if (events.placeholders > 0) options.onPlaceholders(workspace.id, events.placeholders)
        answer(exchange, events)
      } else {
        const facts = { error: String(outcome.error), requestId: exchange.requestId }
        if (outcome.kind === 'unavailable') {
          logger.warn(facts, 'Log append failed: batch refused')
          if (capped) caps.count(workspace.id, -events.count, receivedAt)
          exchange.refuse(LOG_UNAVAILABLE)
        } else {
          logger.error(facts, 'Append outcome unknown: connection closed without a response')
          exchange.abort()
        }
      }
      exchange.endWork()
    }
    const record = (): void => {
      append(events, traceAppend(options.log, exchange.span, events.records, onAppended))
      exchange.beginWork()
    }
    // Foreign formats link without events; a link costs as much.
    const limited = imports
      ? undefined
      : rates.spend(caller, 'events', Math.max(events.count, events.pairs.length))
    if (limited === undefined && !capped) {
      record()
      return
    }
    const run = async (): Promise<void> => {
      const refusal =
        (await limited) ?? (capped ? await caps.reserve(workspace.id, events.count, receivedAt) : undefined)
      if (refusal === undefined) record()
      else exchange.refuse(refusal)
    }
    exchange.trackWork(run())
  }
}
