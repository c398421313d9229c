const IGNORED_BELOW_MS = 2_000
const CORRECTION_CAP_MS = 24 * 60 * 60 * 1_000

/**
 * The correction for a client's clock: milliseconds to add to its timestamps. Offsets under two seconds are
 * network delay and ignored; at most 24 hours either way. Described in docs/send-events.md.
 */
export function skewCorrection(receivedAt: number, sentAt: number | undefined): number {
  if (sentAt === undefined) return 0
  const offset = receivedAt - sentAt
  if (Math.abs(offset) < IGNORED_BELOW_MS) return 0
  return Math.max(-CORRECTION_CAP_MS, Math.min(CORRECTION_CAP_MS, offset))
}
