import { type Direction, type Evidence, evidenceOf, NO_EVIDENCE } from './evidence.js'
import { adjusted, adjustmentOf, isConstant, type Moments } from './moments.js'

/** Persons, and how many of them converted. */
export interface Proportion {
  readonly exposed: number
  readonly converted: number
}

/**
 * A variant's proportion against the control's. A control rate of 0 or an empty arm gives nothing; a variant
 * rate of 0, a rate of 1 or one person gives the lift only. As `ProportionStatistic` of gbstats 0.8.0.
 */
export function compareProportions(control: Proportion, variant: Proportion, direction: Direction): Evidence {
  if (control.exposed === 0 || variant.exposed === 0 || control.converted === 0) return NO_EVIDENCE
  return evidenceOf(armOf(control), armOf(variant), direction)
}

function armOf({ exposed, converted }: Proportion) {
  const rate = converted / exposed
  return { n: exposed, mean: rate, raw: rate, variance: rate * (1 - rate) }
}

/**
 * A variant's mean against the control's, adjusted by the values before exposure if both have them. A control
 * mean of 0 or below or an empty arm gives nothing; constant values or one person give the lift only.
 */
export function compareMeans(control: Moments, variant: Moments, direction: Direction): Evidence {
  if (control.n === 0 || variant.n === 0 || !(control.mean > 0)) return NO_EVIDENCE
  const theta = adjustmentOf(control, variant)
  const arm = (moments: Moments) => {
    const { mean, variance } = adjusted(moments, theta)
    const varies = moments.n > 1 && !isConstant(moments.variance, moments.mean)
    return { n: moments.n, mean, raw: moments.mean, variance: varies || theta !== 0 ? variance : 0 }
  }
  return evidenceOf(arm(control), arm(variant), direction)
}

/** A variant's mean as if it had started from the control's. Null for an empty arm. */
export function adjustedMean(control: Moments, variant: Moments): number | null {
  if (control.n === 0 || variant.n === 0) return null
  const theta = adjustmentOf(control, variant)
  const earlier = (variant.before?.mean ?? 0) - (control.before?.mean ?? 0)
  return variant.mean - theta * earlier
}
