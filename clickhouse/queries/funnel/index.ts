export { type FunnelPersonRow, type FunnelPersonsRequest, queryFunnelPersons } from './funnel-persons.js'
export { FunnelQueryError as FunnelRefusal } from './funnel-query-error.js'
export { DEFAULT_BOUNDS, type FunnelBounds, type FunnelRequest, queryFunnel } from './query-funnel.js'
