export { LiveEvents } from './live-events.js'
export type { LiveMessage, LiveReader } from './tail.js'
