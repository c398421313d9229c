export { type FunnelBounds, type FunnelRequest, queryFunnel } from './query.js'
export { FunnelRefusal } from './refusal.js'
