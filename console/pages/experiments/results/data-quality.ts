import type { components } from '../../../../contract/operations.js'
import { formatPercent, pluralize } from '../../../../domain/text/format.js'
import { formatSeconds } from '../../../components/text/format.js'

type Results = components['schemas']['Results']

export interface QualityNote {
  readonly tone: 'good' | 'warn' | 'bad'
  readonly text: string
}

/** A larger share is worth a warning. */
const CLAMPED_SHARE_WARNING = 0.01
const LAG_WARNING_SECONDS = 60

/** Whether the figures can be trusted, worst first. */
export function dataQualityNotes(results: Results): QualityNote[] {
  const { srm, dataQuality: quality, reason } = results
  const notes: QualityNote[] = []
  if (quality.zeroWeight > 0)
    notes.push({
      tone: 'bad',
      text: `The split is broken: ${pluralize(quality.zeroWeight, 'person', 'persons')} saw a variant with a traffic split of 0. The site may assign variants in another way than svc.`,
    })
  else if (!srm.ok)
    notes.push({
      tone: 'bad',
      text: `The split is broken: chance alone produces such an uneven split once in ${oneIn(srm.pValue)} times. The groups may differ in more than the variant, so no figure shows what the variant causes.`,
    })
  if (results.state === 'collecting' && reason !== null)
    notes.push({ tone: 'warn', text: `Too little data yet: ${reason}.` })
  if (quality.multipleVariants > 0)
    notes.push({
      tone: quality.multipleVariants > results.exposed * CLAMPED_SHARE_WARNING ? 'warn' : 'good',
      text: `${pluralize(quality.multipleVariants, 'person', 'persons')} saw more than one variant and ${quality.multipleVariants === 1 ? 'is' : 'are'} left out.`,
    })
  if (quality.unknownVariants > 0)
    notes.push({
      tone: 'warn',
      text: `${pluralize(quality.unknownVariants, 'exposure')} named an unknown variant and ${quality.unknownVariants === 1 ? 'does' : 'do'} not count.`,
    })
  if (quality.beforeStart > 0)
    notes.push({
      tone: 'good',
      text: `${pluralize(quality.beforeStart, 'exposure')} came before the start and ${quality.beforeStart === 1 ? 'does' : 'do'} not count.`,
    })
  if (quality.clampedShare > CLAMPED_SHARE_WARNING)
    notes.push({
      tone: 'warn',
      text: `${formatPercent(quality.clampedShare)} of the exposures came with a time too far off, which was corrected.`,
    })
  if (quality.lagSeconds > LAG_WARNING_SECONDS)
    notes.push({
      tone: 'warn',
      text: `Events of the last ${formatSeconds(quality.lagSeconds)} are not counted yet.`,
    })
  if (srm.ok && results.state !== 'no_data')
    notes.push({ tone: 'good', text: `Persons are split as planned (p ${pText(srm.pValue)}).` })
  return notes
}

export function pText(value: number): string {
  if (value < 0.001) return '< 0.001'
  return value.toFixed(3)
}

function oneIn(pValue: number): string {
  if (pValue <= 1e-9) return 'more than a billion'
  return new Intl.NumberFormat(undefined, {
    maximumSignificantDigits: 2,
    notation: 'compact',
    compactDisplay: 'long',
  }).format(1 / pValue)
}

/**
 * Why it is not safe to ship or reject; empty if the figures are clear.
 *
 * @param variant the variant to ship; null to reject
 */
export function decisionWarnings(results: Results | null, variant: string | null): string[] {
  if (results === null) return ['There are no results to base a decision on.']
  const warnings: string[] = []
  if (results.state === 'no_data')
    warnings.push(`There is no data: ${results.reason ?? 'no person has been exposed yet'}.`)
  if (results.state === 'collecting')
    warnings.push(`There is too little data: ${results.reason ?? 'not ready'}.`)
  if (!results.srm.ok)
    warnings.push('The split is broken, so the figures cannot be attributed to the variants.')
  if (results.dataQuality.lagSeconds > LAG_WARNING_SECONDS)
    warnings.push(`Events of the last ${formatSeconds(results.dataQuality.lagSeconds)} are not counted yet.`)
  const primary = results.targets.find((target) => target.primary)
  for (const one of primary?.variants ?? []) {
    const against = one.vsControl
    if (against === null || primary === undefined) continue
    const [low, high] = against.sequentialCi ?? []
    if (variant === one.key) {
      if (low === undefined || high === undefined)
        warnings.push('There is no interval for this variant, so nothing shows that it is better.')
      else if (low <= 0 && high >= 0)
        warnings.push(
          'The sequential interval of this variant still includes 0: the difference may be chance.',
        )
      else if ((primary.direction === 'increase') === high < 0)
        warnings.push('This variant does worse than the control on the primary target.')
    }
    if (variant === null && low !== undefined && high !== undefined && (low > 0 || high < 0)) {
      if ((primary.direction === 'increase') === low > 0)
        warnings.push(`${one.key} does better than the control on the primary target.`)
    }
  }
  return warnings
}
