import { formatChange, formatCount, formatPercent, formatProbability } from '../text/format.js'
import { ALPHA } from './alpha.js'
import type { Results, Sized, TargetResults, VariantResults, Verdict, VerdictCode } from './results-types.js'

/** With fewer conversions in the control or in every other arm, a difference is not judged. */
const MIN_CONVERSIONS = 5

interface Judged {
  /** @default true */
  readonly hasStarted?: boolean
  /** Null unless the experiment is sized. */
  readonly sizing?: Sized | null
}

/**
 * The first code that fits, in the order of docs/experiments/results.md.
 * @param nameOf name of a variant, by its key
 */
export function verdictOf(
  results: Omit<Results, 'verdict'>,
  { hasStarted = true, sizing = null }: Judged,
  nameOf: (key: string) => string,
): Verdict {
  if (!hasStarted) return verdict('not_started', 'The experiment has not started.')
  const { state, reason, srm, targets, exposed } = results
  if (state === 'no_data') return verdict('no_data', `There is no data yet: ${reason}.`)
  if (!srm.ok)
    return verdict('broken_split', 'The split is broken, so no figure shows what a variant causes.')
  const [primary] = targets
  const missing = reason ?? tooFewConversions(primary)
  if (primary === undefined || missing !== undefined)
    return verdict('collecting', `There is too little data to judge: ${missing ?? 'there is no target'}.`)
  const others = primary.variants.filter((variant) => variant.vsControl !== null && variant.exposed > 0)
  const needed = sizing?.personsNeeded ?? 0
  if (exposed < needed && !others.some(isApartAtEveryLook))
    return verdict(
      'collecting',
      `${formatCount(exposed)} of the ${formatCount(needed)} persons that it needs were exposed.`,
    )
  return (
    harmOf(targets, nameOf) ??
    winnerOf(primary, others, nameOf) ??
    loserOf(others, nameOf) ??
    (sizing !== null && needed > 0 && others.every((variant) => isWithin(variant, sizing.minimumEffect))
      ? verdict(
          'no_difference',
          `No variant differs from the control by more than ${formatPercent(Math.abs(sizing.minimumEffect))}.`,
        )
      : verdict('undecided', 'There is no clear difference yet.'))
  )
}

function verdict(code: VerdictCode, text: string, variant: string | null = null): Verdict {
  return { code, variant, text }
}

function harmOf(targets: readonly TargetResults[], nameOf: (key: string) => string): Verdict | undefined {
  for (const { eventName, variants } of targets) {
    const harmed = variants.find(({ guardrail }) => guardrail === 'harmed')
    if (harmed !== undefined)
      return verdict(
        'harmed',
        `${nameOf(harmed.key)} harms ${eventName} by more than its margin: lift ${formatChange(harmed.vsControl?.lift)}.`,
        harmed.key,
      )
  }
  return undefined
}

function winnerOf(
  { direction }: TargetResults,
  others: readonly VariantResults[],
  nameOf: (key: string) => string,
): Verdict | undefined {
  const [winner] = others
    .filter((variant) => clearSign(variant) === (direction === 'increase' ? 1 : -1))
    .sort((a, b) => (b.vsControl?.chanceToWin ?? -1) - (a.vsControl?.chanceToWin ?? -1))
  if (winner === undefined) return undefined
  const { lift, chanceToWin } = winner.vsControl ?? {}
  return verdict(
    'winner',
    `${nameOf(winner.key)} is better than the control: lift ${formatChange(lift)}, chance to win ${formatProbability(chanceToWin)}.`,
    winner.key,
  )
}

/** If all variants are clearly apart from the control and none has won. */
function loserOf(others: readonly VariantResults[], nameOf: (key: string) => string): Verdict | undefined {
  if (others.length === 0 || !others.every((variant) => clearSign(variant) !== 0)) return undefined
  const [only] = others
  const names = others.length === 1 && only !== undefined ? `${nameOf(only.key)} is` : 'All variants are'
  return verdict('loser', `${names} worse than the control.`)
}

function tooFewConversions(primary: TargetResults | undefined): string | undefined {
  const [control, ...others] = primary?.variants ?? []
  if ((control?.converted ?? 0) < MIN_CONVERSIONS)
    return `the control has fewer than ${MIN_CONVERSIONS} conversions`
  return others.every(({ converted }) => converted < MIN_CONVERSIONS)
    ? `every variant has fewer than ${MIN_CONVERSIONS} conversions`
    : undefined
}

/** 1 or -1 if the variant is clearly above or below the control, by either test; else 0. */
function clearSign(variant: VariantResults): number {
  const { lift, adjustedPValue } = variant.vsControl ?? {}
  if (lift === null || lift === undefined) return 0
  return (adjustedPValue ?? 1) < ALPHA || isApartAtEveryLook(variant) ? Math.sign(lift) : 0
}

/** Whether the sequential interval has no 0. */
function isApartAtEveryLook({ vsControl }: VariantResults): boolean {
  const [low = 0, high = 0] = vsControl?.sequentialCi ?? []
  return low > 0 || high < 0
}

function isWithin({ vsControl }: VariantResults, effect: number): boolean {
  const [low, high] = vsControl?.liftCi ?? []
  return low !== undefined && high !== undefined && low >= -Math.abs(effect) && high <= Math.abs(effect)
}
