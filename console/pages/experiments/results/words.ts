import type { components } from '../../../../contract/operations.js'
import { asShare, asSpan, counted } from '../../../parts/text/format.js'

type Results = components['schemas']['Results']

export interface Remark {
  readonly look: 'good' | 'warn' | 'bad'
  readonly text: string
}

/** Moving times of more than so many of the exposures is worth a word. */
const MANY_CLAMPED = 0.01
const LATE_SECONDS = 60

/** Whether the figures can be trusted, in sentences: first what makes them worthless, then what to keep in mind. */
export function remarksOf(results: Results): Remark[] {
  const { srm, dataQuality: quality, reason } = results
  const remarks: Remark[] = []
  if (!srm.ok)
    remarks.push({
      look: 'bad',
      text: `The split is broken: so uneven a split comes by chance once in ${oneIn(srm.pValue)}. The groups may differ in more than what they saw, so no figure says what a variant causes.`,
    })
  if (results.state === 'collecting' && reason !== null)
    remarks.push({ look: 'warn', text: `Too little data yet: ${reason}.` })
  if (quality.multipleVariants > 0)
    remarks.push({
      look: quality.multipleVariants > results.exposed * MANY_CLAMPED ? 'warn' : 'good',
      text: `${counted(quality.multipleVariants, 'person', 'persons')} saw more than one variant and ${quality.multipleVariants === 1 ? 'is' : 'are'} left out.`,
    })
  if (quality.unknownVariants > 0)
    remarks.push({
      look: 'warn',
      text: `${counted(quality.unknownVariants, 'exposure')} named a variant that there is not, and ${quality.unknownVariants === 1 ? 'does' : 'do'} not count.`,
    })
  if (quality.beforeStart > 0)
    remarks.push({
      look: 'good',
      text: `${counted(quality.beforeStart, 'exposure')} came before the start and ${quality.beforeStart === 1 ? 'does' : 'do'} not count.`,
    })
  if (quality.clampedShare > MANY_CLAMPED)
    remarks.push({
      look: 'warn',
      text: `${asShare(quality.clampedShare)} of the exposures came with a time too far off, which was moved.`,
    })
  if (quality.lagSeconds > LATE_SECONDS)
    remarks.push({
      look: 'warn',
      text: `Events of the last ${asSpan(quality.lagSeconds)} are not counted yet.`,
    })
  if (srm.ok && results.state !== 'no_data')
    remarks.push({ look: 'good', text: `Persons are split as they should be (p ${pText(srm.pValue)}).` })
  return remarks
}

export function pText(value: number): string {
  if (value < 0.001) return '< 0.001'
  return value.toFixed(3)
}

function oneIn(pValue: number): string {
  if (pValue <= 1e-9) return 'more than a billion'
  return new Intl.NumberFormat(undefined, { maximumSignificantDigits: 2, notation: 'compact' }).format(
    1 / pValue,
  )
}

/**
 * Why it is not safe to ship a variant or to reject, as far as the figures say: none where they are clear.
 *
 * @param variant the one to ship; null for rejecting
 */
export function doubtsOf(results: Results | null, variant: string | null): string[] {
  if (results === null) return ['There are no results: what is decided has nothing to stand on.']
  const doubts: string[] = []
  if (results.state === 'no_data')
    doubts.push(`There is no data: ${results.reason ?? 'nobody has been exposed yet'}.`)
  if (results.state === 'collecting')
    doubts.push(`There is too little data: ${results.reason ?? 'not ready'}.`)
  if (!results.srm.ok) doubts.push('The split is broken, so the figures cannot be put down to the variants.')
  if (results.dataQuality.lagSeconds > LATE_SECONDS)
    doubts.push(`Events of the last ${asSpan(results.dataQuality.lagSeconds)} are not counted yet.`)
  const primary = results.targets.find((target) => target.primary)
  for (const one of primary?.variants ?? []) {
    const against = one.vsControl
    if (against === null || primary === undefined) continue
    const [low, high] = against.sequentialCi ?? []
    if (variant === one.key) {
      if (low === undefined || high === undefined)
        doubts.push('There is no interval for this variant, so nothing says that it is better.')
      else if (low <= 0 && high >= 0)
        doubts.push('The sequential interval of this variant still holds 0: the difference may be chance.')
      else if ((primary.direction === 'increase') === high < 0)
        doubts.push('This variant does worse than the control on the primary target.')
    }
    if (variant === null && low !== undefined && high !== undefined && (low > 0 || high < 0)) {
      if ((primary.direction === 'increase') === low > 0)
        doubts.push(`${one.key} does better than the control on the primary target.`)
    }
  }
  return doubts
}
