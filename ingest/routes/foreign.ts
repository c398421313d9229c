import { encodeForeign, type ForeignCall, type ForeignRequest } from '../formats/encode-foreign.js'
import { SEGMENT_CALLS } from '../formats/segment/messages.js'
import { exposuresOnlyRefusal, validationRefusal } from '../http/errors.js'
import type { EventsRouteOptions } from './events.js'
import { parsedBodiesHandler } from './parsed-bodies.js'
import type { RouteHandler } from './route-handler.js'

/** Called with the number of messages that were refused beside good ones. */
type OnRefused = (messages: number) => void

/** PostHog's clients send a slash at the end, its examples for curl do not. */
const POSTHOG_PATHS = ['/batch', '/capture', '/i/v0/e'].flatMap((path) => [`${path}/`, path])

/** The routes of Segment's and PostHog's clients. */
export function foreignRoutes(options: EventsRouteOptions, onRefused: OnRefused) {
  const posthog = foreignHandler(options, 'posthog', onRefused)
  return [
    ...SEGMENT_CALLS.map((call) => ({
      path: `/v1/${call}`,
      route: 'segment' as const,
      handler: foreignHandler(options, call, onRefused),
      keyIn: 'basic' as const,
    })),
    ...POSTHOG_PATHS.map((path) => ({
      path,
      route: 'posthog' as const,
      handler: posthog,
      keyIn: 'body' as const,
    })),
  ]
}

/**
 * A route of another product's format. 200 if every good message is durable: the clients never send a batch
 * again that was refused, so a bad message must not take the others with it.
 */
function foreignHandler(options: EventsRouteOptions, call: ForeignCall, onRefused: OnRefused): RouteHandler {
  const success = call === 'posthog' ? { status: 'Ok' } : { success: true }
  const handler = parsedBodiesHandler<ForeignRequest>(
    options,
    call,
    (body, sender, keys, log) => encodeForeign(call, body, sender, keys, log),
    (exchange, { refused, details, subject }) => {
      const [first] = details
      if (first !== undefined) {
        onRefused(refused)
        const { code, field = null, message } = validationRefusal([first])
        exchange.note({ ...subject, status: 200, code, field, message }, refused)
      }
      exchange.answer(200, JSON.stringify(refused > 0 ? { ...success, refused: details } : success))
    },
  )
  return (exchange, caller, body, receivedAt) => {
    if (caller.credential.exposuresOnly) exchange.refuse(exposuresOnlyRefusal(''))
    else handler(exchange, caller, body, receivedAt)
  }
}
