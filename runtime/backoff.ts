export interface BackoffBounds {
  readonly firstMs: number
  readonly longestMs: number
}

/**
 * Milliseconds to wait before the next try: doubled with every failure, up to a bound.
 *
 * @param failures before this one: 0 for the first
 */
export function backoffMs({ firstMs, longestMs }: BackoffBounds, failures: number): number {
  return Math.min(longestMs, firstMs * 2 ** failures)
}
