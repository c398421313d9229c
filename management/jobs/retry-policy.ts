/** How a job is retried after a failure that may pass. */
export interface RetryPolicy {
  /** Pause before the second attempt, in milliseconds. @default 1000 */
  readonly initialIntervalMs: number
  /** How many times longer each pause is than the one before. @default 2 */
  readonly backoffCoefficient: number
  /** Longest pause, in milliseconds. A host may ask for a longer one. @default 60000 */
  readonly maxIntervalMs: number
  /**
   * Milliseconds from the first failure after which the job has failed for good. Failures because Postgres or
   * ClickHouse cannot be reached do not count. @default 900000
   */
  readonly maxElapsedMs: number
}

/** The time limit is that of docs/experiments/pull-requests.md for a host that does not answer. */
const DEFAULTS: RetryPolicy = {
  initialIntervalMs: 1_000,
  backoffCoefficient: 2,
  maxIntervalMs: 60_000,
  maxElapsedMs: 900_000,
}

/** Fills in the defaults. @throws RangeError if a value makes no sense */
export function retryPolicy(overrides: Partial<RetryPolicy> = {}): RetryPolicy {
  const policy = { ...DEFAULTS, ...overrides }
  const { initialIntervalMs, backoffCoefficient, maxIntervalMs, maxElapsedMs } = policy
  if (!(initialIntervalMs > 0)) throw new RangeError('initialIntervalMs must be above 0')
  if (!(backoffCoefficient >= 1)) throw new RangeError('backoffCoefficient must be at least 1')
  if (!(maxIntervalMs >= initialIntervalMs) || !Number.isFinite(maxIntervalMs))
    throw new RangeError('maxIntervalMs must be finite and at least initialIntervalMs')
  if (!(maxElapsedMs > 0) || !Number.isFinite(maxElapsedMs))
    throw new RangeError('maxElapsedMs must be finite and above 0')
  return policy
}

/**
 * The pause after a failed attempt: between one and two of its intervals, so that jobs that failed together
 * are not retried together.
 *
 * @param attempt number of the attempt that failed, starting at 1
 * @param random between 0 and 1
 */
export function retryDelayMs(policy: RetryPolicy, attempt: number, random: number): number {
  const { initialIntervalMs, backoffCoefficient, maxIntervalMs } = policy
  return Math.min(maxIntervalMs, initialIntervalMs * backoffCoefficient ** (attempt - 1) * (1 + random))
}
