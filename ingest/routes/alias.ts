import type { Logger } from '../../runtime/logger.js'
import type { AliasLinker } from '../append/alias.js'
import { decodeAlias } from '../decode/decode.js'
import { ALIAS_CONFLICT, unavailableRefusal } from '../http/errors.js'
import type { RouteHandler } from './route-handler.js'

/** `POST /v1/alias`: 202 if the link is made or exists already. */
export function aliasHandler(deps: { readonly aliases: AliasLinker; readonly logger: Logger }): RouteHandler {
  const { aliases, logger } = deps
  return (exchange, caller, body, receivedAt) => {
    const decoded = decodeAlias(body)
    if (!decoded.ok) {
      exchange.refuse(decoded.refusal)
      return
    }
    const { anonymousId, userId } = decoded.value
    exchange.trackWork(
      aliases
        .link(caller.credential.workspace.id, caller.hashKeys, anonymousId, userId, receivedAt)
        .then((outcome) => {
          if (outcome.kind === 'linked' || outcome.kind === 'already-linked')
            exchange.answer(202, `{"outcome":"${outcome.kind}"}`)
          else if (outcome.kind === 'conflict') exchange.refuse(ALIAS_CONFLICT)
          else if (outcome.kind === 'unavailable') {
            logger.warn(
              { error: String(outcome.error), requestId: exchange.requestId },
              'Alias not linked: store unavailable',
            )
            exchange.refuse(
              unavailableRefusal(
                'links cannot be made right now; nothing was recorded: send the request again',
                2,
              ),
            )
          } else {
            logger.error(
              { error: String(outcome.error), requestId: exchange.requestId },
              'Alias outcome unknown: connection closed without a response',
            )
            exchange.abort()
          }
        }),
    )
  }
}
