/** Bounds of an exponential backoff, named as in Temporal's `RetryPolicy`. */
export interface BackoffBounds {
  readonly initialIntervalMs: number
  readonly maxIntervalMs: number
}

/**
 * Milliseconds to wait before the next attempt. Doubles with every failure, up to `maxIntervalMs`.
 *
 * @param failures earlier failures in a row, 0 before the first retry
 */
export function backoffMs({ initialIntervalMs, maxIntervalMs }: BackoffBounds, failures: number): number {
  return Math.min(maxIntervalMs, initialIntervalMs * 2 ** failures)
}
