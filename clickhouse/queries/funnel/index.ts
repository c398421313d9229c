export { FunnelQueryError as FunnelRefusal } from './funnel-query-error.js'
export { type FunnelBounds, type FunnelRequest, queryFunnel } from './query-funnel.js'
