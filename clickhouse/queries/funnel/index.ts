export { type FunnelBounds, type FunnelRequest, queryFunnel } from './query.js'
export { UnsupportedFunnel } from './unsupported.js'
