import type {
  FunnelFigures,
  FunnelQuery,
  FunnelResult,
  FunnelStep,
  JsonValue,
} from '../../../domain/funnel.js'
import { canonicalText, compareGroups, MAX_COMPOSITES } from './breakdown.js'
import { type FiguresRow, type GroupFigures, QUANTILES, type StepFigures } from './figures.js'
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
  const figures = (parts: readonly GroupFigures[]): FunnelFigures => ({
    ...figuresOf(
      steps,
      parts.map(([, persons, later]) => allSteps(persons, later)),
      timed,
    ),
    trend:
      query.interval === undefined
        ? null
        : trendOf(
            query,
            query.interval,
            parts.flatMap(([, , , entered]) => (entered === undefined ? [] : [entered])),
            parts.flatMap(([, , , , completed]) => (completed === undefined ? [] : [completed])),
            now,
          ),
  })
  const whole = answers.map(
    ({ persons, steps, entered, completed }): GroupFigures => ['', persons, steps, entered, completed],
  )
  const groups = answers.flatMap((answer) => answer.groups ?? [])
  const divided = breakdownOf(query, groups)
  return {
    ...figures(whole),
    breakdown: divided?.map(({ value, parts }) => ({ value, ...figures(parts) })) ?? null,
  }
}

/** A value, and the figures that belong to it. */
interface ValueParts {
  readonly value: JsonValue
  readonly parts: readonly GroupFigures[]
}

function breakdownOf(
  { breakdown, experiment }: FunnelQuery,
  groups: readonly GroupFigures[],
): readonly ValueParts[] | null {
  // Every variant in the experiment's order, also those without persons.
  if (experiment !== undefined)
    return experiment.variants.map((value) => ({
      value,
      parts: groups.filter(([text]) => JSON.parse(text) === value),
    }))
  return breakdown === undefined ? null : largestValues(groups, breakdown.limit)
}

function largestValues(groups: readonly GroupFigures[], limit: number): readonly ValueParts[] {
  const byText = new Map<string, { readonly value: JsonValue; readonly parts: GroupFigures[] }>()
  let composites = 0
  for (const part of groups) {
    const [text] = part
    const parsed = text === '' ? null : (JSON.parse(text) as JsonValue)
    if (typeof parsed === 'object' && parsed !== null && ++composites > MAX_COMPOSITES)
      throw new FunnelQueryError(
        `has more than ${MAX_COMPOSITES} different lists and objects as values: break down by a property inside them`,
        'breakdown/property',
      )
    const canonical = canonicalText(parsed)
    const group = byText.get(canonical)
    if (group === undefined)
      byText.set(canonical, { value: JSON.parse(canonical) as JsonValue, parts: [part] })
    else group.parts.push(part)
  }
  return [...byText.values()]
    .map((group) => ({ ...group, size: group.parts.reduce((sum, [, persons]) => sum + persons, 0) }))
    .sort(compareGroups)
    .slice(0, limit)
}

function allSteps(persons: number, later: readonly StepFigures[]): readonly StepFigures[] {
  return [[persons, []], ...later]
}

function figuresOf(
  steps: readonly FunnelStep[],
  parts: readonly (readonly StepFigures[])[],
  timed: boolean,
): Omit<FunnelFigures, 'trend'> {
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
