import type { Results, VariantResults } from '../../domain/statistics/index.js'
import type { ConversionTarget, Variant } from '../experiments/index.js'
import type { LearningDecision } from './store.js'

export interface Interpreted {
  readonly results: Results
  readonly variants: readonly Pick<Variant, 'key' | 'displayName'>[]
  readonly targets: readonly Pick<ConversionTarget, 'name' | 'metric'>[]
  readonly decision: LearningDecision
  /** The key of the variant that is shipped. */
  readonly variant: string | null
}

/** Below this a difference is taken for one, after Holm. */
const SIGNIFICANT = 0.05
/** A lift whose interval lies within so much of 0 is small, whatever it is. */
const SMALL = 0.02

/**
 * A first draft of what was learned, in English. It says what was measured and how sure that is: an effect only where the interval leaves out 0, none only where
 * the interval leaves no room for more than a small one, and of everything else that it is open. Where the split is broken nothing is said to be caused by
 * the variants.
 */
export function interpretationOf({ results, variants, targets, decision, variant }: Interpreted): string {
  const nameOf = (key: string) => variants.find((one) => one.key === key)?.displayName ?? key
  const sentences = [decided(decision, variant === null ? null : nameOf(variant))]
  if (results.state === 'no_data')
    return [
      ...sentences,
      `Nobody counts, so it says nothing about its hypothesis: ${results.reason}.`,
      ...doubtsOf(results),
    ].join(' ')
  sentences.push(`${persons(results.exposed)} counted.`)
  if (!results.srm.ok)
    sentences.push(
      `They are not split as they should be (chi-square, p ${pText(results.srm.pValue)}): the groups may differ in more than what they saw, so the figures describe the groups and cannot be put down to the variants.`,
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
    ? 'It was rejected: everything stays as it was.'
    : 'It was concluded without a decision.'
}

function figuresOf(
  variant: VariantResults,
  control: VariantResults,
  nameOf: (key: string) => string,
  mean: boolean,
): string {
  const figure = (one: VariantResults) =>
    mean
      ? `${one.mean === null || one.mean === undefined ? 'no mean' : `a mean of ${digits(one.mean)}`} (${persons(one.exposed)})`
      : `${one.rate === null ? 'no rate' : percent(one.rate)} (${whole(one.converted)} of ${whole(one.exposed)})`
  return `${nameOf(variant.key)} has ${figure(variant)}, ${nameOf(control.key)} ${figure(control)}.`
}

function verdictOf(
  { key, vsControl }: VariantResults,
  direction: 'increase' | 'decrease',
  { state, srm }: Results,
  nameOf: (key: string) => string,
): string {
  const { lift, liftCi, adjustedPValue, chanceToWin } = vsControl ?? {}
  if (lift === null || lift === undefined) return 'How they compare cannot be told from so few conversions.'
  if (liftCi === null || liftCi === undefined || adjustedPValue === null || adjustedPValue === undefined)
    return `The difference is ${signed(lift)}; how sure that is cannot be told from this data.`
  const [low, high] = liftCi
  const measured = `a difference of ${signed(lift)} (95 % interval ${signed(low)} to ${signed(high)}, adjusted p ${pText(adjustedPValue)})`
  if (!srm.ok) return `That is ${measured} between the groups as they are.`
  const clear = adjustedPValue < SIGNIFICANT && (low > 0 || high < 0)
  if (state !== 'ready')
    return `That is ${measured}, which is too early to judge${clear ? ', although the interval leaves out 0' : ''}.`
  const chance =
    chanceToWin === null || chanceToWin === undefined
      ? ''
      : `; the chance that ${nameOf(key)} is better is ${chanceText(chanceToWin)}`
  if (clear) {
    const good = lift > 0 === (direction === 'increase')
    return `That is ${measured}: ${nameOf(key)} did ${good ? 'better' : 'worse'}${chance}.`
  }
  if (low > -SMALL && high < SMALL)
    return `That is ${measured}: if there is a difference it is small, within ${percent(SMALL)} either way.`
  return `That is ${measured}, which leaves open whether there is a difference, and in which direction${chance}.`
}

function doubtsOf({ exposed, dataQuality }: Results): string[] {
  const { multipleVariants, unknownVariants, beforeStart, clampedShare, lagSeconds } = dataQuality
  const doubts: string[] = []
  if (multipleVariants > 0 && multipleVariants >= exposed / 100)
    doubts.push(`${persons(multipleVariants)} saw several variants and were left out`)
  if (unknownVariants > 0)
    doubts.push(`${count(unknownVariants, 'exposure')} named a variant that there is not`)
  if (beforeStart > 0) doubts.push(`${count(beforeStart, 'exposure')} came before the start`)
  if (clampedShare >= 0.01)
    doubts.push(`the time of ${percent(clampedShare)} of the exposures had to be moved`)
  if (lagSeconds >= 1)
    doubts.push(`events of the last ${Math.ceil(lagSeconds)} s had not been counted when it was frozen`)
  return doubts.length === 0 ? [] : [`Of the data: ${doubts.join('; ')}.`]
}

function pText(p: number): string {
  return p < 0.0001 ? 'below 0.0001' : `= ${digits(p)}`
}

/** Nothing is certain. */
function chanceText(chance: number): string {
  if (chance > 0.999) return 'above 99.9 %'
  return chance < 0.001 ? 'below 0.1 %' : percent(chance)
}

function signed(share: number): string {
  return share < 0 ? `−${percent(-share)}` : `+${percent(share)}`
}

function percent(share: number): string {
  return `${digits(share * 100)} %`
}

/** Three that count. */
function digits(value: number): string {
  return String(Number(value.toPrecision(3)))
}

function whole(value: number): string {
  return value.toLocaleString('en-US')
}

function count(n: number, what: string): string {
  return `${whole(n)} ${what}${n === 1 ? '' : 's'}`
}

function persons(n: number): string {
  return count(n, 'person')
}
