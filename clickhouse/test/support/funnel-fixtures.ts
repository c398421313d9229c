import type { FunnelQuery, FunnelStep } from '../../../domain/funnel.js'
import type { StoredEvent, StoredRequest } from './funnel-store.js'

export const FROM = Date.UTC(2026, 9, 20)
export const DAY = 86_400_000

export function stepsOf(...names: string[]): FunnelStep[] {
  return names.map((name) => ({ name, eventName: name, filters: [] }))
}

export function queryOf(changes: Partial<FunnelQuery> = {}): FunnelQuery {
  return {
    from: FROM,
    to: FROM + DAY,
    windowSeconds: 60,
    order: 'ordered',
    filters: [],
    exclusions: [],
    breakdown: undefined,
    interval: undefined,
    ...changes,
  }
}

/** An event of a person, `at` milliseconds after the query's beginning. */
export function event(name: string, at: number, userId = 'u', more: Partial<StoredEvent> = {}): StoredEvent {
  return { event: name, userId, timestamp: FROM + at, ...more }
}

/** A request received `at` milliseconds after the beginning. */
export function request(logOffset: number, events: StoredEvent[], at = 0, logPartition = 0): StoredRequest {
  return { receivedAt: FROM + at, logPartition, logOffset, events }
}
