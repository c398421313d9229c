import { formatChange, formatProbability } from '../text/format.js'
import { ALPHA } from './evidence.js'
import type { Results, TargetResults, VariantResults, Verdict, VerdictCode } from './results-types.js'

/** With fewer conversions in the control or in every other arm, a difference is not judged. */
const MIN_CONVERSIONS = 5

/** @param nameOf name of a variant, by its key */
export function verdictOf(
  results: Omit<Results, 'verdict'>,
  hasStarted: boolean,
  nameOf: (key: string) => string,
): Verdict {
  const verdict = (code: VerdictCode, text: string, variant: string | null = null) => ({
    code,
    variant,
    text,
  })
  if (!hasStarted) return verdict('not_started', 'The experiment has not started.')
  const { state, reason, srm, targets } = results
  if (state === 'no_data') return verdict('no_data', `There is no data yet: ${reason}.`)
  if (!srm.ok)
    return verdict('broken_split', 'The split is broken, so no figure shows what a variant causes.')
  const [primary] = targets
  const missing = reason ?? tooFewConversions(primary)
  if (primary === undefined || missing !== undefined)
    return verdict('collecting', `There is too little data to judge: ${missing ?? 'there is no target'}.`)
  const others = primary.variants.filter(({ vsControl, exposed }) => vsControl !== null && exposed > 0)
  const winner = others
    .filter((variant) => clearSign(variant) === (primary.direction === 'increase' ? 1 : -1))
    .sort((a, b) => (b.vsControl?.chanceToWin ?? -1) - (a.vsControl?.chanceToWin ?? -1))[0]
  if (winner !== undefined) {
    const { lift, chanceToWin } = winner.vsControl ?? {}
    return verdict(
      'winner',
      `${nameOf(winner.key)} is better than the control: lift ${formatChange(lift)}, chance to win ${formatProbability(chanceToWin)}.`,
      winner.key,
    )
  }
  if (others.length > 0 && others.every((variant) => clearSign(variant) !== 0)) {
    const [only] = others
    const who = others.length === 1 && only !== undefined ? `${nameOf(only.key)} is` : 'All variants are'
    return verdict('loser', `${who} worse than the control.`)
  }
  return verdict('undecided', 'There is no clear difference yet.')
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
function clearSign({ vsControl }: VariantResults): number {
  const { lift, adjustedPValue, sequentialCi } = vsControl ?? {}
  if (lift === null || lift === undefined) return 0
  const [low = 0, high = 0] = sequentialCi ?? []
  const isClear = (adjustedPValue ?? 1) < ALPHA || low > 0 || high < 0
  return isClear ? Math.sign(lift) : 0
}
