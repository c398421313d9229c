/*
 * Numbers, shares and spans of time in the viewer's locale.
 */

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const plain = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 4 })
const share = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })
const change = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
})

const NO_VALUE = '–'

export const formatCount = (value: number): string => whole.format(value)
export const formatCompact = (value: number): string => short.format(value)
export const formatNumber = (value: number | null | undefined): string =>
  value == null ? NO_VALUE : plain.format(value)
/** @param value 0 to 1 */
export const formatPercent = (value: number | null | undefined): string =>
  value == null ? NO_VALUE : share.format(value)
/** With its sign. @param value 0.1 for ten percent more */
export const formatChange = (value: number | null | undefined): string =>
  value == null ? NO_VALUE : change.format(value)

const UNITS = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const

/** A span of time in its two largest units, as `2h 5m`. */
export function formatDuration(seconds: number | null | undefined): string {
  if (seconds == null) return NO_VALUE
  const at = UNITS.findIndex((unit) => seconds >= unit.seconds)
  const first = UNITS[at === -1 ? UNITS.length - 1 : at]
  if (first === undefined) return NO_VALUE
  const next = at === -1 ? undefined : UNITS[at + 1]
  if (next === undefined) return formatUnit(Math.round(seconds * 10) / 10, first.unit)
  const whole = Math.floor(seconds / first.seconds)
  const rest = Math.floor((seconds - whole * first.seconds) / next.seconds)
  return rest === 0
    ? formatUnit(whole, first.unit)
    : `${formatUnit(whole, first.unit)} ${formatUnit(rest, next.unit)}`
}

function formatUnit(value: number, unit: string): string {
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit,
    unitDisplay: 'narrow',
    maximumFractionDigits: 1,
  }).format(value)
}

/** A word with its number, in English: `1 person`, `1,204 persons`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** `pr_open` as `Pr open`. */
export function humanize(name: string): string {
  const words = name.replaceAll(/[_-]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
