type Optional = number | null | undefined

const NO_VALUE = '-'

/** A whole number with a comma between thousands, such as `20,034`. */
export function formatCount(count: number): string {
  return count.toFixed(0).replace(/\B(?=(\d{3})+(?!\d))/g, ',')
}

/** A count with its noun, such as `1 person` or `1,204 persons`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/**
 * A share as a percentage with one decimal, such as `16.9%`. Rounding never makes some look like none or like
 * all: 0.0002 is `<0.1%` and 0.9996 is `>99.9%`.
 *
 * @param share 0 to 1
 */
export function formatPercent(share: Optional): string {
  if (share === null || share === undefined) return NO_VALUE
  if (share === 0) return '0%'
  if (share === 1) return '100%'
  const rounded = (share * 100).toFixed(1)
  if (rounded === '0.0') return '<0.1%'
  return rounded === '100.0' && share < 1 ? '>99.9%' : `${rounded}%`
}

/** A probability as a percentage. It is never certain: 1 is `>99.9%` and 0 is `<0.1%`. */
export function formatProbability(probability: Optional): string {
  if (probability === null || probability === undefined) return NO_VALUE
  if (probability > 0.999) return '>99.9%'
  return probability < 0.001 ? '<0.1%' : formatPercent(probability)
}

/** A relative change with its sign, such as `+16.9%`; one that rounds to zero is `<+0.1%` or `>-0.1%`. */
export function formatChange(change: Optional): string {
  if (change === null || change === undefined) return NO_VALUE
  if (change === 0) return '0%'
  const rounded = Math.abs(change * 100).toFixed(1)
  if (rounded === '0.0') return change > 0 ? '<+0.1%' : '>-0.1%'
  return `${change > 0 ? '+' : '-'}${rounded}%`
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** A length of time in at most two units: `1d 4h`, `3m 20s`, `400ms`. */
export function formatDuration(milliseconds: Optional): string {
  if (milliseconds === null || milliseconds === undefined) return NO_VALUE
  if (milliseconds < 1_000) return `${Math.round(milliseconds)}ms`
  if (milliseconds < 10_000) return `${(milliseconds / 1_000).toFixed(1).replace(/\.0$/, '')}s`
  let rest = Math.round(milliseconds / 1_000) * 1_000
  const parts: string[] = []
  for (const [unit, ms] of UNITS) {
    const amount = Math.floor(rest / ms)
    rest -= amount * ms
    if (amount > 0 && parts.length < 2) parts.push(`${amount}${unit}`)
    else if (parts.length > 0) break
  }
  return parts.join(' ')
}
