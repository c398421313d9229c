import { auditRoutes } from './audit/routes.js'
import { eventRoutes } from './events/routes.js'
import { experimentRoutes, lifecycleRoutes } from './experiments/routes.js'
import { funnelRoutes } from './funnels/routes.js'
import { hookRoutes } from './hooks/routes.js'
import type { Route } from './http/route.js'
import { identityRoutes } from './identity/routes.js'
import { insightRoutes } from './insights/routes.js'
import { keyRoutes } from './keys/routes.js'
import { learningRoutes } from './learnings/routes.js'
import { personRoutes } from './people/routes.js'
import { privacyRoutes } from './privacy/routes.js'
import { proposalRoutes } from './proposals/routes.js'
import { runRoutes } from './runs/routes.js'

/** All routes, in the order of the reference. */
export const routes: readonly Route[] = [
  ...experimentRoutes,
  ...proposalRoutes,
  ...lifecycleRoutes,
  ...learningRoutes,
  ...runRoutes,
  ...funnelRoutes,
  ...eventRoutes,
  ...insightRoutes,
  ...identityRoutes,
  ...keyRoutes,
  ...personRoutes,
  ...auditRoutes,
  ...hookRoutes,
  ...privacyRoutes,
]
