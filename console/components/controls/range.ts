export interface Range {
  /** Days until now, if `from` is empty; 0 is any time. */
  readonly days: number
  /** ISO 8601, or empty. */
  readonly from: string
  /** Exclusive; empty is now. */
  readonly to: string
}

export const DAY_MS = 86_400_000
const MAX_DAYS = 366
const stamp = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })
const stampWithTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

export function rangeLabel({ days, from, to }: Range): string {
  if (from !== '') return `${momentLabel(from)} to ${to === '' ? 'now' : momentLabel(to)}`
  return days === 0 ? 'Any time' : days === 1 ? 'Last 24 hours' : `Last ${days} days`
}

function momentLabel(iso: string): string {
  const at = new Date(iso)
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0
  return (isMidnight ? stamp : stampWithTime).format(at)
}

/** The time a range begins, in ISO 8601; empty for any time. */
export function rangeStart({ days, from }: Range, now: number): string {
  return from !== '' || days === 0 ? from : new Date(now - days * DAY_MS).toISOString()
}

/** The time a range begins, in ISO 8601. A number of days begins with a whole bucket, by default a day. */
export function wholeStart({ days, from }: Range, now: number, bucketMs = DAY_MS): string {
  if (from !== '') return from
  return new Date(Math.floor((now - days * DAY_MS) / bucketMs) * bucketMs).toISOString()
}

/** The range in an address. Invalid parts are dropped. */
export function readRange(params: URLSearchParams, usualDays: number): Range {
  const days = Number(params.get('days') ?? Number.NaN)
  return {
    days: Number.isInteger(days) && days >= 1 && days <= MAX_DAYS ? days : usualDays,
    from: readMoment(params.get('from')),
    to: readMoment(params.get('to')),
  }
}

export function writeRange({ days, from, to }: Range, usualDays: number): Record<string, string | null> {
  return {
    days: from !== '' || days === usualDays ? null : String(days),
    from: from || null,
    to: to || null,
  }
}

function readMoment(text: string | null): string {
  const at = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(at) ? '' : new Date(at).toISOString()
}

/** The ranges that can be saved, and their days. */
const LAST = { '24h': 1, '7d': 7, '30d': 30, '90d': 90, '365d': 365 } as const
export type Last = keyof typeof LAST

/** The name of a range that can be saved; undefined for others. */
export function lastOf({ from, days }: Range): Last | undefined {
  return from === '' ? (Object.keys(LAST) as Last[]).find((name) => LAST[name] === days) : undefined
}

/** The range of a saved insight: one that ends now, or a fixed one. */
export interface SavedInsightRange {
  readonly last?: Last
  readonly from?: string
  readonly to?: string
}

/** A number of days without a name is saved as 30 days. */
export function rangeToSaved(range: Range): SavedInsightRange {
  const { from, to } = range
  if (from === '') return { last: lastOf(range) ?? '30d' }
  return to === '' ? { from } : { from, to }
}

export function rangeOfSaved({ last, from, to = '' }: SavedInsightRange): Range {
  return from === undefined ? rangeOfLast(last) : { ...rangeOfLast(last), from, to }
}

export const canSaveRange = (range: Range): boolean => range.from !== '' || lastOf(range) !== undefined

export function rangeOfLast(last: Last = '30d'): Range {
  return { days: LAST[last], from: '', to: '' }
}
