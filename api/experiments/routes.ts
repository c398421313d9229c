import type { Route } from '../http/route.js'
import { countsRoute } from './actions/counts.js'
import { createRoute } from './actions/create.js'
import { decideRoute } from './actions/decide.js'
import { detailRoute } from './actions/detail.js'
import { endRoute } from './actions/end.js'
import { listRoute } from './actions/list.js'
import { pauseRoute } from './actions/pause.js'
import { replaceTargetsRoute } from './actions/replace-targets.js'
import { segmentsRoute } from './actions/results.js'
import { resumeRoute } from './actions/resume.js'
import { shipRoute } from './actions/ship.js'
import { startRoute } from './actions/start.js'
import { statusRoute } from './actions/status.js'
import { updateRoute } from './actions/update.js'

/** Experiments, and proposals, which are experiments that nobody has approved yet. */
export const experimentRoutes: readonly Route[] = [
  listRoute,
  createRoute,
  countsRoute,
  detailRoute,
  segmentsRoute,
  statusRoute,
  updateRoute,
  replaceTargetsRoute,
]

/** From the start of an experiment to its outcome. */
export const lifecycleRoutes: readonly Route[] = [
  startRoute,
  pauseRoute,
  resumeRoute,
  endRoute,
  shipRoute,
  decideRoute,
]
