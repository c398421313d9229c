import { withTimeout } from '../runtime/concurrency/with-timeout.js'
import type { Exchange } from './http/exchange.js'
import type { PublicRoutes } from './http/handler-context.js'
import { type RawResponse, toRawResponse } from './http/response.js'
import type { RouteResponse } from './http/route.js'
import type { Console } from './pages/console/console.js'
import type { Reference } from './pages/reference/reference.js'

const DEADLINE_MS = 5_000

/**
 * Answers what needs no key. Every request passes through here first, so nothing is awaited or allocated
 * before a match.
 */
export function publicRoutes({
  reference,
  console,
  deliver,
  signIn,
}: {
  readonly reference: Reference
  /** The page at `/` and its assets. */
  readonly console: Console
  readonly deliver: (exchange: Exchange) => Promise<RawResponse>
  /** Handles a request that signs in; undefined for any other. */
  readonly signIn: (exchange: Exchange, requestId: string) => Promise<RouteResponse> | undefined
}): PublicRoutes {
  return (exchange, requestId) => {
    const { method, path } = exchange
    const ifNoneMatch = exchange.header('if-none-match')
    const page = reference.answer(method, path, ifNoneMatch)
    if (page !== undefined) return { label: '/reference', answer: page }
    if (path.startsWith('/hooks/'))
      return { label: '/hooks', answer: withTimeout(DEADLINE_MS, 'a delivery', deliver(exchange)) }
    const acceptEncoding = exchange.header('accept-encoding')
    const asset = console.answer({ method, path, ifNoneMatch, acceptEncoding })
    if (asset !== undefined) return { label: '/', answer: asset }
    const session = signIn(exchange, requestId)
    if (session === undefined) return undefined
    return {
      label: exchange.path,
      answer: withTimeout(DEADLINE_MS, 'Postgres, signing in', session).then(toRawResponse),
    }
  }
}
