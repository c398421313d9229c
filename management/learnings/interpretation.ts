import type { Results, VariantResults } from '../../domain/statistics/index.js'
import {
  formatChange,
  formatCount,
  formatPercent,
  formatProbability,
  pluralize,
} from '../../domain/text/format.js'
import type { ConversionTarget, Variant } from '../experiments/index.js'
import type { LearningDecision } from './store.js'

export interface Interpreted {
  readonly results: Results
  readonly variants: readonly Pick<Variant, 'key' | 'displayName'>[]
  readonly targets: readonly Pick<ConversionTarget, 'name' | 'metric'>[]
  readonly decision: LearningDecision
  /** Key of the shipped variant. */
  readonly variant: string | null
}

/** Significance level of p-values adjusted by Holm. */
const SIGNIFICANT = 0.05
/** A lift is small if its whole interval is closer to 0 than this. */
const SMALL = 0.02

/**
 * A draft of what was learned, in English. It claims an effect only if the interval excludes 0, and a small
 * difference only if the interval allows no larger one. Everything else is open. If the split is broken, it
 * names no cause.
 */
export function interpretationOf({ results, variants, targets, decision, variant }: Interpreted): string {
  const nameOf = (key: string) => variants.find((one) => one.key === key)?.displayName ?? key
  const sentences = [decided(decision, variant === null ? null : nameOf(variant))]
  if (results.state === 'no_data')
    return [
      ...sentences,
      `No one was counted, so the results say nothing about the hypothesis: ${results.reason}.`,
      ...doubtsOf(results),
    ].join(' ')
  sentences.push(`${people(results.exposed)} ${results.exposed === 1 ? 'was' : 'were'} counted.`)
  if (results.dataQuality.zeroWeight > 0)
    sentences.push(
      `The split is broken (${people(results.dataQuality.zeroWeight)} saw a variant with a traffic split of 0): the groups may differ in more than the variant they saw, so a difference cannot be attributed to the variants.`,
    )
  else if (!results.srm.ok)
    sentences.push(
      `The split is broken (chi-square, p ${pText(results.srm.pValue)}): the groups may differ in more than the variant they saw, so a difference cannot be attributed to the variants.`,
    )
  if (results.state === 'collecting')
    sentences.push(`There is too little data for a conclusion: ${results.reason}.`)
  results.targets.forEach((target, index) => {
    const declared = targets[index]
    const what = `${declared?.name ?? target.eventName}${target.primary ? '' : ' (secondary)'}`
    const mean = declared?.metric?.type === 'mean'
    const control = target.variants[0]
    for (const one of target.variants.slice(1)) {
      if (control === undefined) continue
      sentences.push(
        `${what}: ${figuresOf(one, control, nameOf, mean)} ${verdictOf(one, target.direction, results, nameOf)}`,
      )
    }
  })
  sentences.push(...doubtsOf(results))
  return sentences.join(' ')
}

function decided(decision: LearningDecision, variant: string | null): string {
  if (decision === 'ship') return `${variant ?? 'A variant'} was shipped.`
  return decision === 'reject'
    ? 'The experiment was rejected: the control stays.'
    : 'The experiment was concluded without a decision.'
}

function figuresOf(
  variant: VariantResults,
  control: VariantResults,
  nameOf: (key: string) => string,
  mean: boolean,
): string {
  const figure = (one: VariantResults) =>
    mean
      ? `${one.mean === null || one.mean === undefined ? 'no mean' : `a mean of ${digits(one.mean)}`} (${people(one.exposed)})`
      : `${one.rate === null ? 'no rate' : formatPercent(one.rate)} (${formatCount(one.converted)} of ${formatCount(one.exposed)})`
  return `${nameOf(variant.key)} has ${figure(variant)}, ${nameOf(control.key)} has ${figure(control)}.`
}

function verdictOf(
  { key, vsControl }: VariantResults,
  direction: 'increase' | 'decrease',
  { state, srm }: Results,
  nameOf: (key: string) => string,
): string {
  const { lift, liftCi, adjustedPValue, chanceToWin } = vsControl ?? {}
  if (lift === null || lift === undefined) return 'There are too few conversions to compare them.'
  if (liftCi === null || liftCi === undefined || adjustedPValue === null || adjustedPValue === undefined)
    return `The difference is ${formatChange(lift)}. Its uncertainty cannot be computed from this data.`
  const [low, high] = liftCi
  const measured = `a difference of ${formatChange(lift)} (95% interval ${formatChange(low)} to ${formatChange(high)}, adjusted p ${pText(adjustedPValue)})`
  if (!srm.ok) return `That is ${measured} between the groups.`
  const clear = adjustedPValue < SIGNIFICANT && (low > 0 || high < 0)
  if (state !== 'ready')
    return `That is ${measured}. It is too early to judge${clear ? ', although the interval excludes 0' : ''}.`
  const chance =
    chanceToWin === null || chanceToWin === undefined
      ? ''
      : `. The probability that ${nameOf(key)} is better is ${formatProbability(chanceToWin)}`
  if (clear) {
    const good = lift > 0 === (direction === 'increase')
    return `That is ${measured}: ${nameOf(key)} did ${good ? 'better' : 'worse'}${chance}.`
  }
  if (low > -SMALL && high < SMALL)
    return `That is ${measured}: any difference is small, within ${formatPercent(SMALL)} either way.`
  return `That is ${measured}. Whether there is a difference, and in which direction, is open${chance}.`
}

function doubtsOf({ exposed, dataQuality }: Results): string[] {
  const { multipleVariants, unknownVariants, beforeStart, clampedShare, lagSeconds } = dataQuality
  const doubts: string[] = []
  if (multipleVariants > 0 && multipleVariants >= exposed / 100)
    doubts.push(
      `${people(multipleVariants)} saw several variants and ${multipleVariants === 1 ? 'was' : 'were'} left out`,
    )
  if (unknownVariants > 0) doubts.push(`${pluralize(unknownVariants, 'exposure')} named an unknown variant`)
  if (beforeStart > 0) doubts.push(`${pluralize(beforeStart, 'exposure')} came before the start`)
  if (clampedShare >= 0.01)
    doubts.push(`the timestamps of ${formatPercent(clampedShare)} of the exposures were adjusted`)
  if (lagSeconds >= 1) doubts.push(`events of the last ${Math.ceil(lagSeconds)} s were not counted`)
  return doubts.length === 0 ? [] : [`Data quality: ${doubts.join('; ')}.`]
}

function pText(p: number): string {
  return p < 0.0001 ? 'below 0.0001' : `= ${digits(p)}`
}

/** Three significant digits. */
function digits(value: number): string {
  return String(Number(value.toPrecision(3)))
}

const people = (count: number): string => pluralize(count, 'person', 'people')
