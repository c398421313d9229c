import type { Refusals } from '../../management/refusals.js'
import type { Services } from '../../management/services.js'
import type { FairQueue } from '../../runtime/concurrency/fair-queue.js'
import type { FairTurns } from '../../runtime/concurrency/fair-turns.js'
import type { ApiAuthenticator } from './authenticator.js'
import type { BodyMemory } from './body-memory.js'
import type { Exchange } from './exchange.js'
import type { Idempotency } from './idempotency.js'
import type { ApiMetrics } from './metrics.js'
import type { RequestRates } from './request-rates.js'
import type { RawResponse } from './response.js'
import type { Route } from './route.js'
import type { Router } from './router.js'
import type { ValidatedRoute } from './validated-route.js'

export interface HandlerContext {
  readonly services: Services
  readonly router: Router
  readonly validated: ReadonlyMap<Route, ValidatedRoute>
  readonly credentials: ApiAuthenticator
  readonly rates: RequestRates
  /** Audits refused requests. */
  readonly refusals: Refusals
  /** Turns of heavy routes, by workspace. */
  readonly queries: FairQueue
  /** Turns of all other routes, so that no workspace has all connections to Postgres. */
  readonly requests: FairQueue
  readonly memory: BodyMemory
  /** Turns of reading large bodies. */
  readonly bodies: FairTurns
  readonly idempotency: Idempotency
  readonly publicRoutes: PublicRoutes
  readonly metrics: ApiMetrics
  /** True while the server drains: responses close their connections. */
  readonly draining: () => boolean
  /** No-op outside of crash tests. */
  readonly faultPoint: (name: 'api:written' | 'api:committed') => void
}

/** Answers what needs no key; undefined for every other request. */
export type PublicRoutes = (
  exchange: Exchange,
  requestId: string,
) => { readonly label: string; readonly answer: RawResponse | Promise<RawResponse> } | undefined
