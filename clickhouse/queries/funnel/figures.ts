import type { FunnelResult, FunnelStep, FunnelStepResult, FunnelTotals } from '../../../domain/funnel.js'

/** More tied persons than this are not asked for one by one: all are computed in the exact order. */
export const MOST_TIED = 10_000

/** One group of persons, as the engine answers. */
export interface FiguresRow {
  /** How many reached each step. */
  readonly counts: readonly number[]
  /** How many tied persons there are; they are in no other figure. */
  readonly tiedCount: number
  /** Their keys, or more than `MOST_TIED` of them. */
  readonly tiedPersons: readonly string[]
  /** A step each from the second on: stretches of its sorted durations in milliseconds, around the median and around p90. */
  readonly durations: readonly (readonly [Stretch, Stretch])[]
}

/** Place of the first value among the sorted ones, and the values. */
type Stretch = readonly [number, readonly number[]]

const QUANTILES = [0.5, 0.9] as const

/**
 * Counts and durations over the persons of a query with `person`, `tied`, `level` and times `t0` …. Quantiles are not taken here but
 * the stretch of sorted durations in which they must lie, however the tied persons, who come later, are spread.
 */
export function figuresSql(steps: number, attempts: string): string {
  const indexes = Array.from({ length: steps }, (_, step) => step)
  const later = indexes.slice(1)
  const sorted = later.map(
    (step) => `arraySort(groupArrayIf(t${step} - t${step - 1}, level > ${step} AND NOT tied)) AS d${step}`,
  )
  const stretches = later.map(
    (step) => `(${QUANTILES.map((quantile) => stretchSql(`d${step}`, quantile)).join(', ')})`,
  )
  return `SELECT counts, tiedCount, tiedPersons, ${stretches.length === 0 ? '[]' : `[${stretches.join(', ')}]`} AS durations FROM (
SELECT [${indexes.map((step) => `countIf(level > ${step} AND NOT tied)`).join(', ')}] AS counts,
${['countIf(tied) AS tiedCount', `groupArrayIf(${MOST_TIED + 1})(toString(person), tied) AS tiedPersons`, ...sorted].join(',\n')}
FROM (${attempts}))`
}

/** From `tiedCount` places before the quantile of the values here to `tiedCount` places after it, whatever rounding does. */
function stretchSql(values: string, quantile: number): string {
  const n = `toInt64(length(${values}))`
  const from = `greatest(toInt64(floor(${quantile} * (${n} - 1))) - toInt64(tiedCount) - 1, 0)`
  const to = `toInt64(ceil(${quantile} * (${n} + toInt64(tiedCount)))) + 1`
  return `(${from}, arraySlice(${values}, ${from} + 1, ${to} - ${from}))`
}

/** Figures of all persons from those of the untied and of the tied ones, whose durations are whole. */
export class Figures {
  readonly counts: readonly number[]

  constructor(
    private readonly steps: readonly FunnelStep[],
    private readonly parts: readonly FiguresRow[],
  ) {
    this.counts = steps.map((_, step) => parts.reduce((sum, part) => sum + (part.counts[step] ?? 0), 0))
  }

  result(): FunnelResult {
    return { ...this.totals(), steps: this.stepResults(), breakdown: null, trend: null }
  }

  private totals(): FunnelTotals {
    const entered = this.counts[0] ?? 0
    const completed = this.counts.at(-1) ?? 0
    return { entered, completed, conversionRate: rate(completed, entered) }
  }

  private stepResults(): FunnelStepResult[] {
    return this.steps.map((step, index) => {
      const count = this.counts[index] ?? 0
      const previous = this.counts[index - 1] ?? 0
      return {
        index,
        name: step.name,
        eventName: step.eventName,
        count,
        conversionFromPrevious: index === 0 ? null : rate(count, previous),
        conversionFromStart: rate(count, this.counts[0] ?? 0),
        dropOff: index === 0 ? 0 : previous - count,
        medianSecondsFromPrevious: this.seconds(index, 0),
        p90SecondsFromPrevious: this.seconds(index, 1),
      }
    })
  }

  /** A quantile of the time from the step before, in seconds, interpolated as `quantileExactInclusive` does. */
  private seconds(step: number, which: 0 | 1): number | null {
    const count = this.counts[step] ?? 0
    if (step === 0 || count === 0) return null
    let below = 0
    const values: number[] = []
    for (const part of this.parts) {
      const [from, stretch] = part.durations[step - 1]?.[which] ?? [0, []]
      below += from
      for (const value of stretch) values.push(value)
    }
    values.sort((a, b) => a - b)
    const place = QUANTILES[which] * (count - 1)
    const low = values[Math.floor(place) - below]
    const high = values[Math.ceil(place) - below]
    if (low === undefined || high === undefined)
      throw new RangeError('the quantile lies outside of its stretch')
    return (low + (high - low) * (place - Math.floor(place))) / 1_000
  }
}

function rate(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}
