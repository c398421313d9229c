import { getEventRoute } from './actions/get.js'
import { listEventsRoute } from './actions/list.js'
import { streamEventsRoute } from './actions/live.js'
import { eventTrendsRoute } from './actions/trends.js'

export const eventRoutes = [listEventsRoute, streamEventsRoute, eventTrendsRoute, getEventRoute]
