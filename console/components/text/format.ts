import { formatDuration } from '../../../domain/text/format.js'

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const precise = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 })

/** Such as `1.2K`. */
export const formatCompact = (value: number): string => compact.format(value)

export const formatNumber = (value: number | null | undefined): string =>
  value == null ? '-' : precise.format(value)

export const formatSeconds = (seconds: number | null | undefined): string =>
  formatDuration(seconds == null ? seconds : seconds * 1_000)
