import type { Logger } from '../../runtime/logger.js'
import type { DailyCaps } from '../admit/daily-cap.js'
import type { RateLimits } from '../admit/rate-limit.js'
import type { AppendOutcome, createAppender } from '../append/append.js'
import { decodeEvents } from '../decode/decode.js'
import { LOG_UNAVAILABLE } from '../http/errors.js'
import type { Work } from './work.js'

/** `POST /v1/events`: 202 when every event is durable. */
export function eventsWork(deps: {
  readonly append: ReturnType<typeof createAppender>
  readonly rates: RateLimits
  readonly caps: DailyCaps
  readonly logger: Logger
}): Work {
  const { append, rates, caps, logger } = deps
  return (exchange, caller, body, receivedAt) => {
    const decoded = decodeEvents(body)
    if (!decoded.ok) {
      exchange.refuse(decoded.refusal)
      return
    }
    const { sentAt, events } = decoded.value
    const { credential, hashKeys } = caller
    const { workspace } = credential
    const capped = workspace.dailyEvents !== null
    const batch = { workspaceId: workspace.id, keyId: credential.id, receivedAt, sentAt, events }
    const told = (outcome: AppendOutcome): void => {
      if (outcome.kind === 'durable') {
        if (!capped) caps.count(workspace.id, events.length, receivedAt)
        exchange.answer(202, `{"accepted":${events.length},"requestId":"${exchange.requestId}"}`)
      } else {
        const facts = { error: String(outcome.error), requestId: exchange.requestId }
        if (outcome.kind === 'unavailable') {
          logger.warn(facts, 'the log takes nothing')
          if (capped) caps.count(workspace.id, -events.length, receivedAt)
          exchange.refuse(LOG_UNAVAILABLE)
        } else {
          logger.error(facts, 'outcome of an append unknown')
          exchange.drop()
        }
      }
      exchange.endWork()
    }
    const record = (): void => {
      append(batch, hashKeys, told)
      exchange.beginWork()
    }
    const limited = rates.spend(caller, 'events', events.length)
    if (limited === undefined && !capped) {
      record()
      return
    }
    const run = async (): Promise<void> => {
      const refusal =
        (await limited) ?? (capped ? await caps.reserve(workspace.id, events.length, receivedAt) : undefined)
      if (refusal === undefined) record()
      else exchange.refuse(refusal)
    }
    exchange.work(run())
  }
}
