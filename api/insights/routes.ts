import { queryTrendsRoute } from './trends.js'

export const insightRoutes = [queryTrendsRoute]
