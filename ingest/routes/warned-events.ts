import { encodeWithWarnings, type WarnedRequest } from '../decode/warnings.js'
import { fieldOf } from '../http/errors.js'
import type { HttpRequest } from '../http/uws.js'
import type { EventsRouteOptions } from './events.js'
import { parsedBodiesHandler } from './parsed-bodies.js'
import type { RouteHandler } from './route-handler.js'

const WARNINGS = /(?:^|&)warnings=true(?:&|$)/

export function wantsWarnings(req: HttpRequest): boolean {
  const query = req.getQuery()
  return Boolean(query) && WARNINGS.test(query)
}

/**
 * `POST /v1/events?warnings=true`: 202 with what was accepted but is probably not meant.
 *
 * @param plain handles keys for exposures, which have rules that the parser does not know
 */
export function warnedEventsHandler(options: EventsRouteOptions, plain: RouteHandler): RouteHandler {
  const handler = parsedBodiesHandler<WarnedRequest>(
    options,
    'warnings',
    encodeWithWarnings,
    (exchange, { count, warnings, eventNames }) => {
      for (const [index, { path, code, message }] of warnings.entries())
        exchange.note({
          status: 202,
          code,
          field: fieldOf(path),
          message: `${fieldOf(path)} ${message}`,
          eventName: eventNames[index] ?? null,
          value: null,
        })
      exchange.answer(202, JSON.stringify({ accepted: count, requestId: exchange.requestId, warnings }))
    },
  )
  return (exchange, caller, body, receivedAt) =>
    (caller.credential.exposuresOnly ? plain : handler)(exchange, caller, body, receivedAt)
}
