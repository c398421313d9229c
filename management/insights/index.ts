export { createDashboard, deleteDashboard, updateDashboard } from './dashboard-operations.js'
export { findDashboard, listDashboards, lockDashboard } from './dashboard-store.js'
export { createInsight, deleteInsight, updateInsight } from './insight-operations.js'
export {
  findInsight,
  type InsightKind,
  type InsightQuery,
  listInsights,
  lockInsight,
} from './insight-store.js'
