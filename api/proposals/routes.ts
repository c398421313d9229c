import type { Route } from '../http/route.js'
import { approveRoute } from './actions/approve.js'
import { dismissRoute } from './actions/dismiss.js'
import { generateRoute } from './actions/generate.js'
import { generatePrRoute } from './actions/generate-pr.js'
import { refineRoute } from './actions/refine.js'
import { refinementRoute } from './actions/refinement.js'

/** From a proposal to a pull request. */
export const proposalRoutes: readonly Route[] = [
  generateRoute,
  approveRoute,
  dismissRoute,
  refineRoute,
  refinementRoute,
  generatePrRoute,
]
