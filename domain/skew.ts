const IGNORED_BELOW_MS = 2_000
const CORRECTION_CAP_MS = 24 * 60 * 60 * 1_000

/**
 * The correction for a client's clock, in milliseconds to add to each of its timestamps.
 * Offsets under two seconds are network delay and ignored; the correction is capped at 24 hours either way.
 * Source: SERVICE.md section 6, rule 3.
 */
export function skewCorrection(receivedAt: number, sentAt: number | undefined): number {
  if (sentAt === undefined) return 0
  const offset = receivedAt - sentAt
  if (Math.abs(offset) < IGNORED_BELOW_MS) return 0
  return Math.max(-CORRECTION_CAP_MS, Math.min(CORRECTION_CAP_MS, offset))
}
