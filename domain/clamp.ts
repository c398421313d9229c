import type { TimestampAdjustment } from './event.js'
import { skewCorrection } from './skew.js'

export const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1_000
export const MAX_AHEAD_MS = 60 * 60 * 1_000

/**
 * The time of an event on the service's clock. After skew correction, times older than seven days or more
 * than one hour ahead of the receipt are clamped and marked; a clamp mark wins over `skew`. Milliseconds.
 * Imported events keep their times from 1970 until the receipt. Described in docs/send-events.md.
 */
export function correctTime(
  timestamp: number | undefined,
  receivedAt: number,
  sentAt: number | undefined,
  imported = false,
): { readonly timestamp: number; readonly adjustment: TimestampAdjustment } {
  if (timestamp === undefined) return { timestamp: receivedAt, adjustment: 'none' }
  if (imported) return importedTime(timestamp, receivedAt)
  const correction = skewCorrection(receivedAt, sentAt)
  const corrected = timestamp + correction
  if (corrected < receivedAt - MAX_AGE_MS)
    return { timestamp: receivedAt - MAX_AGE_MS, adjustment: 'clamped_past' }
  if (corrected > receivedAt + MAX_AHEAD_MS)
    return { timestamp: receivedAt + MAX_AHEAD_MS, adjustment: 'clamped_future' }
  return { timestamp: corrected, adjustment: correction === 0 ? 'none' : 'skew' }
}

/** Times before 1970 and times that have not come yet are not history. */
function importedTime(
  timestamp: number,
  receivedAt: number,
): { readonly timestamp: number; readonly adjustment: TimestampAdjustment } {
  if (timestamp < 0) return { timestamp: 0, adjustment: 'clamped_past' }
  if (timestamp > receivedAt) return { timestamp: receivedAt, adjustment: 'clamped_future' }
  return { timestamp, adjustment: 'imported' }
}
