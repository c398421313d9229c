import type { Route } from '../http/route.js'
import { detailRoute, resultsCsvRoute, segmentsRoute, statusRoute } from './detail-routes.js'
import { createRoute, replaceTargetsRoute, updateRoute } from './edit-routes.js'
import { decideRoute, endRoute, pauseRoute, resumeRoute, shipRoute, startRoute } from './lifecycle-routes.js'
import { countsRoute, listRoute } from './list-routes.js'
import { historyRoute, powerRoute } from './planning-routes.js'

/** Experiments, and proposals, which are experiments not approved yet. */
export const experimentRoutes: readonly Route[] = [
  listRoute,
  createRoute,
  countsRoute,
  powerRoute,
  detailRoute,
  segmentsRoute,
  resultsCsvRoute,
  historyRoute,
  statusRoute,
  updateRoute,
  replaceTargetsRoute,
]

export const lifecycleRoutes: readonly Route[] = [
  startRoute,
  pauseRoute,
  resumeRoute,
  endRoute,
  shipRoute,
  decideRoute,
]
