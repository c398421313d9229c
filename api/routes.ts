import { auditRoutes } from './audit/routes.js'
import { eventRoutes } from './events/routes.js'
import { funnelRoutes } from './funnels/routes.js'
import { identityRoutes } from './identity/routes.js'
import type { Route } from './route.js'

/** Every route of the management API, in the order in which the reference shows them. */
export const routes: readonly Route[] = [...funnelRoutes, ...eventRoutes, ...identityRoutes, ...auditRoutes]
