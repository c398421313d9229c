import type { TimestampAdjustment } from './event.js'
import { skewCorrection } from './skew.js'

export const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1_000
export const MAX_AHEAD_MS = 60 * 60 * 1_000

/**
 * The time of an event on the service's clock. After skew correction, times older than seven days or more
 * than one hour ahead of the receipt are clamped and marked; a clamp mark wins over `skew`. Milliseconds.
 * Described in docs/send-events.md.
 */
export function correctTime(
  timestamp: number | undefined,
  receivedAt: number,
  sentAt: number | undefined,
): { readonly timestamp: number; readonly adjustment: TimestampAdjustment } {
  if (timestamp === undefined) return { timestamp: receivedAt, adjustment: 'none' }
  const correction = skewCorrection(receivedAt, sentAt)
  const corrected = timestamp + correction
  if (corrected < receivedAt - MAX_AGE_MS)
    return { timestamp: receivedAt - MAX_AGE_MS, adjustment: 'clamped_past' }
  if (corrected > receivedAt + MAX_AHEAD_MS)
    return { timestamp: receivedAt + MAX_AHEAD_MS, adjustment: 'clamped_future' }
  return { timestamp: corrected, adjustment: correction === 0 ? 'none' : 'skew' }
}
