import { ALPHA } from './alpha.js'
import { normalQuantile } from './distributions.js'

/** Figures of persons as they are without a variant. */
export type Baseline =
  /** Share of persons who convert, above 0 and below 1. */
  | { readonly rate: number }
  /** Of the persons' totals: both above 0. */
  | { readonly mean: number; readonly standardDeviation: number }

export interface PowerPlan {
  readonly baseline: Baseline
  /** Percent of each variant; the first is the control. */
  readonly splits: readonly number[]
  /** Relative, such as 0.1 for a tenth more; not 0, above -1. */
  readonly minimumEffect: number
  /** The chance to find it. @default 0.8 */
  readonly power?: number
  /** Two-sided, for all variants together. @default 0.05 */
  readonly alpha?: number
}

const DEFAULT_POWER = 0.8

/**
 * Persons that each variant needs, in the order of the splits: a two-sided test of the relative lift at
 * alpha divided by the number of variants beside the control, with the variance of the lift by the delta
 * method under the alternative. Infinite for a variant without persons. See docs/experiments/results.md.
 */
export function personsNeeded(plan: PowerPlan): number[] {
  const total = totalNeeded(plan)
  return plan.splits.map((split) => Math.ceil((total * split) / sumOf(plan.splits) - ROUNDING))
}

/** A product that is a whole number may come out a little above it. */
const ROUNDING = 1e-9

/** Not rounded. */
function totalNeeded({
  baseline,
  splits,
  minimumEffect,
  power = DEFAULT_POWER,
  alpha = ALPHA,
}: PowerPlan): number {
  const [control = 0, ...others] = splits.map((split) => split / sumOf(splits))
  const compared = others.filter((share) => share > 0)
  const quantiles = normalQuantile(1 - alpha / (2 * others.length)) + normalQuantile(power)
  const needed = compared.map(
    (share) => (quantiles / minimumEffect) ** 2 * variancePerPerson(baseline, minimumEffect, control, share),
  )
  return needed.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...needed)
}

/** The variance of the lift, times the persons in all arms. */
function variancePerPerson(baseline: Baseline, effect: number, control: number, variant: number): number {
  const ratio = 1 + effect
  if ('rate' in baseline) {
    const { rate } = baseline
    const changed = rate * ratio
    return ((changed * (1 - changed)) / variant + (ratio ** 2 * rate * (1 - rate)) / control) / rate ** 2
  }
  return (1 / variant + ratio ** 2 / control) * (baseline.standardDeviation / baseline.mean) ** 2
}

/** Halvings of an interval of effects: more than a number has digits. */
const STEPS = 60
/** Effects above a hundredfold are not worth finding. */
const MAX_EFFECT = 100

/**
 * The smallest effect above 0 that so many persons in all arms show. Null if they show none that is possible.
 */
export function detectableEffect(plan: Omit<PowerPlan, 'minimumEffect'>, persons: number): number | null {
  const shows = (minimumEffect: number) => totalNeeded({ ...plan, minimumEffect }) <= persons
  let low = 0
  let high = 'rate' in plan.baseline ? Math.min(MAX_EFFECT, 1 / plan.baseline.rate - 1) : MAX_EFFECT
  if (!shows(high)) return null
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2
    if (shows(middle)) high = middle
    else low = middle
  }
  return high
}

function sumOf(splits: readonly number[]): number {
  return splits.reduce((total, split) => total + split, 0)
}
