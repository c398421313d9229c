/**
 * Moments of the values of an arm's persons: sample variances (over n − 1), 0 for fewer than two persons.
 * `before` is the covariate of a regression adjustment, the same sum before exposure; absent without
 * adjustment.
 *
 * Moments instead of sums of squares, which lose every digit for large and similar values.
 */
export interface Moments {
  readonly n: number
  readonly mean: number
  readonly variance: number
  readonly before?: { readonly mean: number; readonly variance: number; readonly covariance: number }
}

/** The moments of two groups together (Chan, Golub and LeVeque, 1979). */
export function pooled(a: Moments, b: Moments): Moments {
  if (a.n === 0) return b
  if (b.n === 0) return a
  const n = a.n + b.n
  const whole = (varianceA: number, varianceB: number, apart: number) =>
    ((a.n - 1) * varianceA + (b.n - 1) * varianceB + ((a.n * b.n) / n) * apart) / (n - 1)
  const difference = b.mean - a.mean
  const common = {
    n,
    mean: a.mean + (difference * b.n) / n,
    variance: whole(a.variance, b.variance, difference * difference),
  }
  if (a.before === undefined || b.before === undefined) return common
  const earlier = b.before.mean - a.before.mean
  return {
    ...common,
    before: {
      mean: a.before.mean + (earlier * b.n) / n,
      variance: whole(a.before.variance, b.before.variance, earlier * earlier),
      covariance: whole(a.before.covariance, b.before.covariance, difference * earlier),
    },
  }
}

/** Sums of the same numbers in different orders differ by this much: a smaller spread counts as none. */
const ROUNDING = 1e-12

/** Whether values are constant, up to rounding. */
export function isConstant(variance: number, mean: number): boolean {
  return !(variance > (ROUNDING * mean) ** 2)
}

/**
 * θ of regression adjustment (CUPED), pooled over two arms: covariance of values and values before, over the
 * variance of the latter; 0 if either is constant. Source: gbstats 0.8.0, `compute_theta`.
 */
export function adjustmentOf(a: Moments, b: Moments): number {
  const { n, mean, variance, before } = pooled(a, b)
  if (n < 2 || before === undefined) return 0
  if (isConstant(variance, mean) || isConstant(before.variance, before.mean)) return 0
  return before.covariance / before.variance
}

/** An arm's mean and variance adjusted by θ, as `RegressionAdjustedStatistic` of gbstats 0.8.0. */
export function adjusted(arm: Moments, theta: number): { readonly mean: number; readonly variance: number } {
  if (theta === 0 || arm.before === undefined) return arm
  const { mean, variance, covariance } = arm.before
  const spread = arm.variance + theta * theta * variance
  const left = spread - 2 * theta * covariance
  return {
    mean: arm.mean - theta * mean,
    // If the past explains everything, the rest is rounding.
    variance: left > spread * ROUNDING ? left : 0,
  }
}
