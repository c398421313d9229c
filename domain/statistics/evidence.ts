import { ALPHA } from './alpha.js'
import { normalDensity, normalTail, studentCritical, studentTwoSided } from './distributions.js'
import { sequentialHalfWidth, sequentialPValue } from './sequential.js'

export type Direction = 'increase' | 'decrease'

/** Lower and upper end. */
export type Interval = readonly [number, number]

/**
 * A variant against the control: relative figures, two-sided, 95 %. Null if a figure cannot be computed;
 * never NaN. `adjustedPValue` is null until `holm` has seen all variants of the target.
 */
export interface Evidence {
  readonly lift: number | null
  readonly liftCi: Interval | null
  readonly pValue: number | null
  readonly adjustedPValue: number | null
  readonly chanceToWin: number | null
  readonly risk: number | null
  readonly sequentialCi: Interval | null
  readonly sequentialPValue: number | null
}

export const NO_EVIDENCE: Evidence = {
  lift: null,
  liftCi: null,
  pValue: null,
  adjustedPValue: null,
  chanceToWin: null,
  risk: null,
  sequentialCi: null,
  sequentialPValue: null,
}

/** An arm for the tests. `raw` is the mean without adjustment, to which effects are relative. */
export interface Arm {
  readonly n: number
  readonly mean: number
  readonly raw: number
  readonly variance: number
}

/**
 * The evidence of two arms whose control has a `raw` mean above 0.
 *
 * - `lift` (m_b − m_a) / raw_a and its variance by the delta method, `TTest` of gbstats 0.8.0
 * - `liftCi`, `pValue`: Welch's t with Welch-Satterthwaite degrees of freedom, `TwoSidedTTest`
 * - `chanceToWin`, `risk`: posterior N(lift, variance) of a flat prior, `EffectBayesianABTest`; the risk is
 * the variant's, relative
 * - `sequentialCi`, `sequentialPValue`: `SequentialTwoSidedTTest`
 */
export function evidenceOf(control: Arm, variant: Arm, direction: Direction): Evidence {
  const lift = liftOf(control, variant)
  if (!Number.isFinite(lift)) return NO_EVIDENCE
  const only: Evidence = { ...NO_EVIDENCE, lift }
  const spread = spreadOf(control, variant)
  if (spread === undefined) return only
  const { variance, deviation, degrees } = spread
  const z = lift / deviation
  const together = control.n + variant.n
  const sequential = sequentialHalfWidth(variance, together, ALPHA)
  const better = direction === 'increase' ? z : -z
  const evidence = {
    lift,
    liftCi: intervalAt(ALPHA, lift, spread),
    pValue: studentTwoSided(z, degrees),
    adjustedPValue: null,
    chanceToWin: normalTail(-better),
    risk: deviation * expectedLoss(better),
    sequentialCi: [lift - sequential, lift + sequential] as const,
    sequentialPValue: sequentialPValue(z, together, ALPHA),
  } satisfies Evidence
  // Values that span hundreds of powers of ten overflow.
  return Object.values(evidence)
    .flat()
    .every((figure) => figure === null || Number.isFinite(figure))
    ? evidence
    : only
}

/** The interval of the lift that holds for all of so many comparisons at once (Bonferroni), at 95 %. */
export function liftInterval(control: Arm, variant: Arm, comparisons: number): Interval | null {
  const spread = spreadOf(control, variant)
  if (spread === undefined) return null
  const interval = intervalAt(ALPHA / comparisons, liftOf(control, variant), spread)
  return interval.every(Number.isFinite) ? interval : null
}

function liftOf(control: Arm, variant: Arm): number {
  return (variant.mean - control.mean) / control.raw
}

/** Of the lift. */
interface Spread {
  readonly variance: number
  readonly deviation: number
  readonly degrees: number
}

/** Undefined if an arm has one person or constant values, or if figures overflow. */
function spreadOf(control: Arm, variant: Arm): Spread | undefined {
  if (!(control.variance > 0 && variant.variance > 0) || control.n < 2 || variant.n < 2) return undefined
  // In units of the control's mean, so that no very large or small value overflows.
  const ratio = variant.raw / control.raw
  const varianceA = (Math.sqrt(control.variance) / control.raw) ** 2 / control.n
  const varianceB = (Math.sqrt(variant.variance) / control.raw) ** 2 / variant.n
  const variance = varianceB + varianceA * ratio * ratio
  const deviation = Math.sqrt(variance)
  if (!(deviation > 0 && Number.isFinite(deviation))) return undefined
  // Degrees of the difference, as in gbstats, not of the lift.
  return { variance, deviation, degrees: degreesOf(varianceA, control.n, varianceB, variant.n) }
}

function intervalAt(alpha: number, lift: number, { deviation, degrees }: Spread): Interval {
  const width = studentCritical(alpha, degrees) * deviation
  return [lift - width, lift + width]
}

/** Welch-Satterthwaite, from variances of means. */
function degreesOf(varianceA: number, nA: number, varianceB: number, nB: number): number {
  const shareA = varianceA / (varianceA + varianceB)
  const shareB = varianceB / (varianceA + varianceB)
  return 1 / (shareA ** 2 / (nA - 1) + shareB ** 2 / (nB - 1))
}

/** E max(−X, 0) for X ~ N(z, 1): the expected loss of choosing the variant. */
function expectedLoss(z: number): number {
  return Math.max(0, normalDensity(z) - z * normalTail(z))
}
