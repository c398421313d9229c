import { dashboardRoutes } from './dashboards.js'
import { savedInsightRoutes } from './insights.js'
import { queryRetentionRoute } from './retention.js'
import { queryTrendsRoute } from './trends.js'

export const insightRoutes = [
  queryTrendsRoute,
  queryRetentionRoute,
  ...savedInsightRoutes,
  ...dashboardRoutes,
]
