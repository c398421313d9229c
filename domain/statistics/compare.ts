import { ALPHA } from './alpha.js'
import { normalQuantile } from './distributions.js'
import {
  type Arm,
  type Direction,
  type Evidence,
  evidenceOf,
  type Interval,
  NO_EVIDENCE,
} from './evidence.js'
import { adjusted, adjustmentOf, isConstant, type Moments } from './moments.js'

/** Persons, and how many of them converted. */
export interface Proportion {
  readonly exposed: number
  readonly converted: number
}

/** The control's and the variant's arm; undefined if nothing can be said of them. */
export type Arms = readonly [control: Arm, variant: Arm] | undefined

/**
 * A variant's proportion against the control's. A control rate of 0 or an empty arm gives nothing; a variant
 * rate of 0, a rate of 1 or one person gives the lift only. As `ProportionStatistic` of gbstats 0.8.0.
 */
export function armsOfProportions(control: Proportion, variant: Proportion): Arms {
  if (control.exposed === 0 || variant.exposed === 0 || control.converted === 0) return undefined
  return [armOf(control), armOf(variant)]
}

function armOf({ exposed, converted }: Proportion): Arm {
  const rate = converted / exposed
  return { n: exposed, mean: rate, raw: rate, variance: rate * (1 - rate) }
}

/**
 * A variant's mean against the control's, adjusted by the values before exposure if both have them. A control
 * mean of 0 or below or an empty arm gives nothing; constant values or one person give the lift only.
 */
export function armsOfMeans(control: Moments, variant: Moments): Arms {
  if (control.n === 0 || variant.n === 0 || !(control.mean > 0)) return undefined
  const theta = adjustmentOf(control, variant)
  const arm = (moments: Moments): Arm => {
    const { mean, variance } = adjusted(moments, theta)
    const varies = moments.n > 1 && !isConstant(moments.variance, moments.mean)
    return { n: moments.n, mean, raw: moments.mean, variance: varies || theta !== 0 ? variance : 0 }
  }
  return [arm(control), arm(variant)]
}

/**
 * The interval of the lift for rates of 0 and 1 too, of which `liftInterval` can say nothing: that of the
 * difference, with one conversion and one other person more in each arm (Agresti and Caffo, 2000), over the
 * control's rate. It holds for all of so many comparisons at once, at 95 %. Null for an empty arm.
 */
export function extremeLiftInterval(
  control: Proportion,
  variant: Proportion,
  comparisons: number,
): Interval | null {
  if (control.exposed === 0 || variant.exposed === 0) return null
  const rateOf = ({ exposed, converted }: Proportion) => (converted + 1) / (exposed + 2)
  const [before, after] = [rateOf(control), rateOf(variant)]
  const variance =
    (before * (1 - before)) / (control.exposed + 2) + (after * (1 - after)) / (variant.exposed + 2)
  const half = normalQuantile(1 - ALPHA / comparisons / 2) * Math.sqrt(variance)
  return [(after - before - half) / before, (after - before + half) / before]
}

export function compareArms(arms: Arms, direction: Direction): Evidence {
  return arms === undefined ? NO_EVIDENCE : evidenceOf(...arms, direction)
}

export function compareProportions(control: Proportion, variant: Proportion, direction: Direction): Evidence {
  return compareArms(armsOfProportions(control, variant), direction)
}

export function compareMeans(control: Moments, variant: Moments, direction: Direction): Evidence {
  return compareArms(armsOfMeans(control, variant), direction)
}

/** A variant's mean as if it had started from the control's. Null for an empty arm. */
export function adjustedMean(control: Moments, variant: Moments): number | null {
  if (control.n === 0 || variant.n === 0) return null
  const theta = adjustmentOf(control, variant)
  const earlier = (variant.before?.mean ?? 0) - (control.before?.mean ?? 0)
  return variant.mean - theta * earlier
}
