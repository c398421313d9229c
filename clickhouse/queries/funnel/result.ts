import type {
  FunnelQuery,
  FunnelResult,
  FunnelStep,
  FunnelStepResult,
  FunnelTotals,
  JsonValue,
} from '../../../domain/funnel.js'
import { canonicalText, compareGroups, MAX_COMPOSITES } from './breakdown.js'
import { type FiguresRow, QUANTILES, type StepFigures } from './figures.js'
import { FunnelQueryError } from './funnel-query-error.js'
import { trendOf } from './trend.js'

const MEDIAN = 0
const P90 = 1

/** The result from one answer, or from the answers for untied and tied persons. */
export function resultOf(
  steps: readonly FunnelStep[],
  query: FunnelQuery,
  now: number,
  answers: readonly FiguresRow[],
): FunnelResult {
  const timed = query.order !== 'any'
  const countsOf = (of: 'entered' | 'completed') =>
    answers.map((answer) => answer[of]).filter((counts) => counts !== undefined)
  return {
    ...figuresOf(
      steps,
      answers.map((answer) => allSteps(answer.persons, answer.steps)),
      timed,
    ),
    breakdown: breakdownOf(
      steps,
      query,
      answers.flatMap((answer) => answer.groups ?? []),
      timed,
    ),
    trend:
      query.interval === undefined
        ? null
        : trendOf(query, query.interval, countsOf('entered'), countsOf('completed'), now),
  }
}

function breakdownOf(
  steps: readonly FunnelStep[],
  { breakdown, experiment }: FunnelQuery,
  groups: NonNullable<FiguresRow['groups']>,
  timed: boolean,
): FunnelResult['breakdown'] {
  if (experiment !== undefined) return variantsOf(steps, experiment.variants, groups, timed)
  return breakdown === undefined ? null : valuesOf(steps, groups, breakdown.limit, timed)
}

/** Every variant in the experiment's order, also those without persons. */
function variantsOf(
  steps: readonly FunnelStep[],
  variants: readonly string[],
  groups: NonNullable<FiguresRow['groups']>,
  timed: boolean,
): FunnelResult['breakdown'] {
  return variants.map((value) => {
    const parts = groups
      .filter(([text]) => JSON.parse(text) === value)
      .map(([, persons, later]) => allSteps(persons, later))
    return { value, ...figuresOf(steps, parts, timed) }
  })
}

function valuesOf(
  steps: readonly FunnelStep[],
  groups: NonNullable<FiguresRow['groups']>,
  limit: number,
  timed: boolean,
): FunnelResult['breakdown'] {
  const byText = new Map<string, { readonly value: JsonValue; readonly parts: (readonly StepFigures[])[] }>()
  let composites = 0
  for (const [text, persons, later] of groups) {
    const figures = allSteps(persons, later)
    const parsed = text === '' ? null : (JSON.parse(text) as JsonValue)
    if (typeof parsed === 'object' && parsed !== null && ++composites > MAX_COMPOSITES)
      throw new FunnelQueryError(
        `has more than ${MAX_COMPOSITES} different lists and objects as values: break down by a property inside them`,
        'breakdown/property',
      )
    const canonical = canonicalText(parsed)
    const group = byText.get(canonical)
    if (group === undefined)
      byText.set(canonical, { value: JSON.parse(canonical) as JsonValue, parts: [figures] })
    else group.parts.push(figures)
  }
  return [...byText.values()]
    .map(({ value, parts }) => ({ value, ...figuresOf(steps, parts, timed) }))
    .sort((a, b) => compareGroups({ ...a, size: a.entered }, { ...b, size: b.entered }))
    .slice(0, limit)
}

function allSteps(persons: number, later: readonly StepFigures[]): readonly StepFigures[] {
  return [[persons, []], ...later]
}

function figuresOf(
  steps: readonly FunnelStep[],
  parts: readonly (readonly StepFigures[])[],
  timed: boolean,
): FunnelTotals & { steps: FunnelStepResult[] } {
  const rows = steps.map((_, index) => parts.flatMap((part) => part.slice(index, index + 1)))
  const counts = rows.map(countOf)
  const entered = counts[0] ?? 0
  const completed = counts.at(-1) ?? 0
  return {
    entered,
    completed,
    conversionRate: rate(completed, entered),
    steps: steps.map((step, index) => {
      const count = counts[index] ?? 0
      const previous = counts[index - 1] ?? 0
      const durations = index === 0 || !timed ? [] : (rows[index] ?? [])
      return {
        index,
        name: step.name,
        eventName: step.eventName,
        count,
        conversionFromPrevious: index === 0 ? null : rate(count, previous),
        conversionFromStart: rate(count, entered),
        dropOff: index === 0 ? 0 : previous - count,
        medianSecondsFromPrevious: quantileSeconds(durations, MEDIAN),
        p90SecondsFromPrevious: quantileSeconds(durations, P90),
      }
    }),
  }
}

/**
 * A quantile over the durations of all parts, in seconds, interpolated as `quantileExactInclusive` does. At
 * most one part is a slice, which contains every value near the quantile of all.
 */
function quantileSeconds(parts: readonly StepFigures[], quantile: 0 | 1): number | null {
  const count = countOf(parts)
  if (count === 0) return null
  const slices = parts.flatMap((part) => part[1].slice(quantile, quantile + 1))
  const firstPosition = slices.reduce((sum, [from]) => sum + from, 0)
  const values = slices.flatMap(([, some]) => some).sort((a, b) => a - b)
  const position = QUANTILES[quantile] * (count - 1)
  const low = values[Math.floor(position) - firstPosition]
  const high = values[Math.ceil(position) - firstPosition]
  if (low === undefined || high === undefined) throw new RangeError('the quantile lies outside its slice')
  return (low + (high - low) * (position - Math.floor(position))) / 1_000
}

function countOf(parts: readonly StepFigures[]): number {
  return parts.reduce((sum, [count]) => sum + count, 0)
}

function rate(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}
