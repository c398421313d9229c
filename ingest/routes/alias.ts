import type { Logger } from '../../runtime/logger.js'
import type { KeyHolder } from '../admit/authenticate.js'
import type { WastedWork } from '../admit/wasted-work.js'
import type { AliasLinker } from '../append/alias.js'
import { wastedBytes } from '../decode/complexity-limit.js'
import { type DecodeResult, decodeAlias } from '../decode/decode.js'
import type { AliasShape } from '../decode/validate.js'
import { ALIAS_CONFLICT, exposuresOnlyRefusal, unavailableRefusal } from '../http/errors.js'
import type { GatewayExchange } from '../http/exchange.js'
import { LARGE_BODY_BYTES, type LargeBodies } from '../large-bodies/large-bodies.js'
import type { RouteHandler } from './route-handler.js'

/** `POST /v1/alias`: 202 if the link is made or exists already. */
export function aliasHandler(deps: {
  readonly aliases: AliasLinker
  readonly large: LargeBodies
  readonly wasted: WastedWork
  readonly logger: Logger
}): RouteHandler {
  const { aliases, large, wasted, logger } = deps
  const link = async (
    exchange: GatewayExchange,
    caller: KeyHolder,
    decoded: DecodeResult<AliasShape>,
    receivedAt: number,
  ): Promise<void> => {
    if (!decoded.ok) {
      exchange.refuse(decoded.refusal)
      return
    }
    const { anonymousId, userId } = decoded.value
    const { workspace } = caller.credential
    const outcome = await aliases.link(workspace.id, caller.hashKeys, anonymousId, userId, receivedAt)
    if (outcome.kind === 'linked' || outcome.kind === 'already-linked')
      exchange.answer(202, `{"outcome":"${outcome.kind}"}`)
    else if (outcome.kind === 'conflict') exchange.refuse(ALIAS_CONFLICT)
    else {
      const facts = { error: String(outcome.error), requestId: exchange.requestId }
      if (outcome.kind === 'unavailable') {
        logger.warn(facts, 'Alias not linked: store unavailable')
        exchange.refuse(LINKS_UNAVAILABLE)
      } else {
        logger.error(facts, 'Alias outcome unknown: connection closed without a response')
        exchange.abort()
      }
    }
  }
  return (exchange, caller, body, receivedAt) => {
    if (caller.credential.exposuresOnly) {
      exchange.refuse(exposuresOnlyRefusal(''))
      return
    }
    if (body.length > LARGE_BODY_BYTES) {
      const decoding = large.decodeAlias(body, caller.credential.workspace.id, () => exchange.isOpen)
      exchange.trackWork(
        decoding.then((found) => {
          wasted.charge(caller, found.wasted)
          return link(exchange, caller, found.decoded, receivedAt)
        }),
      )
      return
    }
    const decoded = decodeAlias(body)
    wasted.charge(caller, wastedBytes(body, decoded.ok ? 1 : 0))
    exchange.trackWork(link(exchange, caller, decoded, receivedAt))
  }
}

const LINKS_UNAVAILABLE = unavailableRefusal(
  'links cannot be made right now; nothing was recorded: send the request again',
  2,
)
