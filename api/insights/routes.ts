import { queryRetentionRoute } from './retention.js'
import { queryTrendsRoute } from './trends.js'

export const insightRoutes = [queryTrendsRoute, queryRetentionRoute]
