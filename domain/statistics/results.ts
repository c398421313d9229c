import {
  type Arms,
  adjustedMean,
  armsOfMeans,
  armsOfProportions,
  compareArms,
  extremeLiftInterval,
} from './compare.js'
import type { ExperimentCounts, QualityCounts, TargetCounts, VariantCounts } from './counts.js'
import { type Direction, liftInterval } from './evidence.js'
import { holm } from './holm.js'
import type { GuardrailState, Results, Sized, VariantResults } from './results-types.js'
import { sampleRatio } from './sample-ratio.js'
import { verdictOf } from './verdict.js'

/**
 * Inputs from the experiment. The first variant is the control. The first target is primary, and guardrails
 * come after the others.
 */
export interface MeasuredExperiment {
  readonly variants: readonly {
    readonly key: string
    readonly trafficSplit: number
    /** Defaults to the key. */
    readonly displayName?: string
  }[]
  readonly targets: readonly MeasuredTarget[]
  /** @default true */
  readonly hasStarted?: boolean
  /** Null unless the experiment is sized. */
  readonly sizing?: Sized | null
}

export interface MeasuredTarget {
  readonly eventName: string
  readonly direction: Direction
  /** Defaults to a proportion. */
  readonly metric?: Metric | undefined
  /** @default 'conversion' */
  readonly role?: 'guardrail' | undefined
  /** Of a guardrail: the relative lift in the wrong direction that is accepted, above 0. */
  readonly margin?: number | undefined
}

export type Metric =
  | { readonly type: 'proportion' }
  | {
      readonly type: 'mean'
      /** A dotted path into `properties`. */
      readonly property: string
      /** 0.5 to 1: values above this quantile of those that are not 0 are capped at it. */
      readonly percentile?: number | undefined
      readonly cuped?: boolean | undefined
    }

/** The figures in lists of experiments: the variant with the highest chance to win on the primary target. */
export interface Measurements {
  readonly usersExposed: number
  readonly estimatedLift: number | null
  readonly confidence: number | null
  readonly asOf: string
}

/** An arm is large enough with so many persons, the primary target with so many conversions in all arms. */
const READY = { persons: 100, conversions: 10 } as const

/**
 * The results of an experiment from its counts, in the experiment's order of variants and targets.
 * @param asOf milliseconds
 * @param lagSeconds age of the oldest accepted event that is not counted yet, else 0
 */
export function resultsOf(
  counts: ExperimentCounts,
  experiment: MeasuredExperiment,
  { asOf, lagSeconds }: { readonly asOf: number; readonly lagSeconds: number },
): Results {
  const arms = counts.variants
  const { multipleVariants, unknownVariants, beforeStart, clampedShare } = counts.quality
  const weight = (index: number) => experiment.variants[index]?.trafficSplit ?? 0
  const nameOf = (key: string) => experiment.variants.find((one) => one.key === key)?.displayName ?? key
  const unplanned = arms.filter((_, index) => weight(index) === 0)
  const results = {
    asOf: new Date(asOf).toISOString(),
    ...stateOf(arms, weight, counts.quality),
    exposed: sum(arms.map(({ exposed }) => exposed)),
    multipleVariants,
    srm: sampleRatio(arms.map(({ exposed }, index) => ({ exposed, weight: weight(index) }))),
    dataQuality: {
      multipleVariants,
      unknownVariants,
      beforeStart,
      zeroWeight: sum(unplanned.map(({ exposed }) => exposed)),
      clampedShare,
      lagSeconds,
    },
    targets: experiment.targets.map((target, index) => ({
      eventName: target.eventName,
      direction: target.direction,
      primary: index === 0,
      ...(target.role === 'guardrail' && { role: target.role, margin: target.margin }),
      variants: targetVariants(arms, index, target),
    })),
  }
  return { ...results, verdict: verdictOf(results, experiment, nameOf) }
}

function stateOf(
  arms: readonly VariantCounts[],
  weight: (index: number) => number,
  quality: QualityCounts,
): Pick<Results, 'state' | 'reason'> {
  if (arms.every(({ exposed }) => exposed === 0)) return { state: 'no_data', reason: whyNoData(quality) }
  const reasons = arms
    .filter(({ exposed }, index) => weight(index) > 0 && exposed < READY.persons)
    .map(({ key, exposed }) => `variant ${key} has ${exposed} of ${READY.persons} persons`)
  const conversions = sum(arms.map(({ targets }) => targets[0]?.converted ?? 0))
  if (conversions < READY.conversions)
    reasons.push(`the primary target has ${conversions} of ${READY.conversions} conversions`)
  return reasons.length === 0
    ? { state: 'ready', reason: null }
    : { state: 'collecting', reason: reasons.join('; ') }
}

/** Why no person counts. */
function whyNoData({ multipleVariants, unknownVariants, beforeStart }: QualityCounts): string {
  if (multipleVariants > 0) return 'everybody who was exposed saw several variants'
  if (unknownVariants > 0) return 'no exposure since the start names a variant of the experiment'
  return beforeStart > 0 ? 'all exposures came before the start' : 'no one has been exposed yet'
}

function targetVariants(
  arms: readonly VariantCounts[],
  index: number,
  target: MeasuredTarget,
): VariantResults[] {
  const [control] = arms
  const controlCounts = countsOf(control, index)
  const compared = arms.map((arm, place) => {
    if (place === 0 || control === undefined) return null
    const pair = [
      { exposed: control.exposed, ...controlCounts },
      { exposed: arm.exposed, ...countsOf(arm, index) },
    ] as const
    return { pair, both: toArms(...pair, target) }
  })
  const evidence = compared.map((one) => (one === null ? null : compareArms(one.both, target.direction)))
  const adjusted = holm(evidence.map((one) => one?.pValue ?? null))
  return arms.map((arm, place) => {
    const counts = countsOf(arm, index)
    const one = evidence[place] ?? null
    const against = compared[place] ?? null
    return {
      key: arm.key,
      exposed: arm.exposed,
      converted: counts.converted,
      ...figuresOf(controlCounts, arm.exposed, counts, target),
      vsControl: one === null ? null : { ...one, adjustedPValue: adjusted[place] ?? null },
      ...(target.role === 'guardrail' &&
        against !== null && {
          guardrail: guardrailState(against.both, against.pair, target, arms.length - 1),
        }),
    }
  })
}

/**
 * By the interval of the lift that holds for all variants at once. A guardrail with a rate of 0 or 1 in an
 * arm is judged too: it may be broken.
 */
function guardrailState(
  arms: Arms,
  counts: readonly [control: ArmCounts, variant: ArmCounts],
  { direction, margin = 0, metric }: MeasuredTarget,
  comparisons: number,
): GuardrailState {
  const interval =
    (arms === undefined ? null : liftInterval(...arms, comparisons)) ??
    (metric?.type === 'mean' ? null : extremeLiftInterval(...counts, comparisons))
  if (interval === null) return 'unclear'
  const [low, high] = interval
  const [worst, best] = direction === 'increase' ? [low, high] : [-high, -low]
  if (best < -margin) return 'harmed'
  return worst >= -margin ? 'ok' : 'unclear'
}

type ArmCounts = TargetCounts & { readonly exposed: number }

function toArms(control: ArmCounts, variant: ArmCounts, { metric }: MeasuredTarget): Arms {
  if (metric?.type !== 'mean') return armsOfProportions(control, variant)
  return control.values === undefined || variant.values === undefined
    ? undefined
    : armsOfMeans(control.values, variant.values)
}

function figuresOf(
  control: TargetCounts,
  exposed: number,
  { converted, values }: TargetCounts,
  { metric }: MeasuredTarget,
): Pick<VariantResults, 'rate' | 'mean' | 'standardDeviation' | 'adjustedMean'> {
  if (metric?.type !== 'mean') return { rate: exposed === 0 ? null : converted / exposed }
  const mean = values === undefined || values.n === 0 ? null : finite(values.mean)
  return {
    rate: null,
    mean,
    standardDeviation: values === undefined || values.n < 2 ? null : finite(Math.sqrt(values.variance)),
    ...(metric.cuped === true
      ? {
          adjustedMean:
            control.values === undefined || values === undefined
              ? null
              : finite(adjustedMean(control.values, values)),
        }
      : {}),
  }
}

function countsOf(arm: VariantCounts | undefined, target: number): TargetCounts {
  return arm?.targets[target] ?? { converted: 0 }
}

function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
