import type { Logger } from '../../runtime/logger.js'
import type { DailyCaps } from '../admit/daily-cap.js'
import type { RateLimits } from '../admit/rate-limit.js'
import type { AppendOutcome, createAppender } from '../append/append.js'
import { LOG_UNAVAILABLE } from '../http/errors.js'
import type { EncodeBody } from './encode-body.js'
import type { RouteHandler } from './route-handler.js'

export function eventsHandler(deps: {
  readonly encode: EncodeBody
  readonly append: ReturnType<typeof createAppender>
  readonly rates: RateLimits
  readonly caps: DailyCaps
  readonly logger: Logger
}): RouteHandler {
  const { encode, append, rates, caps, logger } = deps
  return (exchange, caller, body, receivedAt) => {
    const { credential, hashKeys } = caller
    const { workspace } = credential
    const encoded = encode(body, { workspaceId: workspace.id, keyId: credential.id, receivedAt }, hashKeys)
    if (!encoded.ok) {
      exchange.refuse(encoded.refusal)
      return
    }
    const events = encoded.value
    const capped = workspace.dailyEvents !== null
    const onAppended = (outcome: AppendOutcome): void => {
      if (outcome.kind === 'durable') {
        if (!capped) caps.count(workspace.id, events.count, receivedAt)
        exchange.answer(202, `{"accepted":${events.count},"requestId":"${exchange.requestId}"}`)
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
      append(events, onAppended)
      exchange.beginWork()
    }
    const limited = rates.spend(caller, 'events', events.count)
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
