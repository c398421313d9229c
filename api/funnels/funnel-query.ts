import { comparisonsOf, MAX_COMPARISONS } from '../../domain/filter-cost.js'
import {
  type FunnelExclusion,
  type FunnelExperiment,
  type FunnelFigures,
  type FunnelQuery,
  type FunnelResult,
  type PropertyFilter,
  SAVED_RANGES,
  type SavedFunnelQuery,
  type SavedQueryInput,
  toBreakdown,
} from '../../domain/funnel.js'
import { parseRfc3339 } from '../../domain/rfc3339.js'
import { type ErrorDetail, validationFailed } from '../../management/domain-errors.js'
import { exclusionProblems, type FunnelRow, type StepInput } from '../../management/funnels/index.js'
import { type Rule, validateRules } from '../http/route.js'
import { rangeOf, rangeProblems } from './query-range.js'
import type { FunnelQueryInput } from './schemas.js'

const COMPARISONS_MESSAGE = `may have at most ${MAX_COMPARISONS} comparisons in all filters together (a path with dots counts twice, a list or object with each of its parts): ask for fewer filters`

/** The bound of filters that one query compiles, under the field that has the most of them. */
export function comparisonProblems(
  fields: Readonly<Record<string, readonly PropertyFilter[]>>,
): ErrorDetail[] {
  const costs = Object.entries(fields).map(([path, filters]) => ({ path, cost: comparisonsOf(filters) }))
  const [largest] = costs.toSorted((a, b) => b.cost - a.cost)
  return largest === undefined || costs.reduce((sum, { cost }) => sum + cost, 0) <= MAX_COMPARISONS
    ? []
    : [{ path: largest.path, message: COMPARISONS_MESSAGE }]
}

/** Steps of a funnel that is written. */
interface FunnelInput {
  readonly steps?: readonly StepInput[]
  readonly query?: SavedQueryInput | null
}

export const funnelRules: readonly Rule<FunnelInput>[] = [
  {
    of: ['steps', 'query'],
    problems: ({ steps = [], query }) =>
      comparisonProblems({
        '/steps': steps.flatMap(({ filters = [] }) => filters),
        '/query/filters': query?.filters ?? [],
      }),
  },
  {
    of: ['steps', 'query'],
    problems: ({ steps, query }) => [
      ...orderProblems(query?.exclusions ?? [], '/query'),
      ...(steps === undefined ? [] : exclusionProblems(query ?? {}, steps.length, '/query')),
    ],
  },
]

export function orderProblems(exclusions: readonly FunnelExclusion[], path: string): ErrorDetail[] {
  return exclusions.flatMap(({ fromStep, toStep }, index) =>
    toStep <= fromStep
      ? [{ path: `${path}/exclusions/${index}/toStep`, message: 'must be after fromStep' }]
      : [],
  )
}

/**
 * The body of a query with the fields of the funnel's saved query for those that it leaves out.
 *
 * @param now milliseconds since 1970
 */
export function withSavedQuery(
  body: FunnelQueryInput,
  saved: SavedFunnelQuery | null,
  now: number,
): FunnelQueryInput {
  if (saved === null) return body
  const { order, filters, exclusions, breakdown, interval, last } = saved
  const to = body.to === undefined ? now : (parseRfc3339(body.to) ?? now)
  const from = new Date(to - SAVED_RANGES[last]).toISOString()
  const merged = { from, order, filters: [...filters], exclusions: [...exclusions], interval, ...body }
  return breakdown === null || body.experiment !== undefined ? merged : { breakdown, ...merged }
}

export const funnelQueryRules: readonly Rule<FunnelQueryInput>[] = [
  { of: ['from', 'to'], problems: rangeProblems },
  {
    of: ['exclusions'],
    problems: ({ exclusions = [] }) => orderProblems(exclusions, ''),
  },
  { of: ['experiment'], problems: experimentProblems },
]

export function experimentProblems({
  experiment,
  breakdown,
}: Pick<FunnelQueryInput, 'experiment' | 'breakdown'>): ErrorDetail[] {
  return experiment === undefined || (breakdown ?? null) === null
    ? []
    : [{ path: '/breakdown', message: 'must be left out if experiment is given' }]
}

/**
 * The query of a request body, defaults filled in.
 *
 * @param now milliseconds since 1970
 * @param experiment the one that the body names; undefined if there is none
 * @throws DomainError VALIDATION_FAILED for what no schema can express: the order of times, unknown steps, an
 * unknown experiment
 */
export function toFunnelQuery(
  body: FunnelQueryInput,
  funnel: Pick<FunnelRow, 'steps' | 'windowSeconds'>,
  now: number,
  experiment?: FunnelExperiment,
): FunnelQuery {
  const details = validateRules(funnelQueryRules, body, now)
  details.push(...exclusionProblems(body, funnel.steps.length, ''))
  details.push(
    ...comparisonProblems({
      '/steps': funnel.steps.flatMap(({ filters }) => filters),
      '/filters': body.filters ?? [],
    }),
  )
  if (body.experiment !== undefined && experiment === undefined)
    details.push({ path: '/experiment', message: 'must be the key of an experiment of the workspace' })
  if (details.length > 0) throw validationFailed(details)
  const { from, to } = rangeOf(body, now)
  return {
    from,
    to,
    windowSeconds: body.windowSeconds ?? funnel.windowSeconds,
    order: body.order ?? 'ordered',
    filters: body.filters ?? [],
    exclusions: body.exclusions ?? [],
    breakdown: toBreakdown(body.breakdown),
    interval: body.interval ?? undefined,
    ...(experiment === undefined ? {} : { experiment }),
  }
}

/** The body of the response, without the funnel it belongs to. */
export function toFunnelAnswer(
  query: FunnelQuery,
  outcome: { readonly result: FunnelResult; readonly rowsRead: number; readonly elapsedMs: number },
) {
  const { result, rowsRead, elapsedMs } = outcome
  return {
    from: new Date(query.from).toISOString(),
    to: new Date(query.to).toISOString(),
    windowSeconds: query.windowSeconds,
    order: query.order,
    entered: result.entered,
    completed: result.completed,
    conversionRate: result.conversionRate,
    steps: result.steps,
    breakdown: result.breakdown?.map((group) => ({ ...group, trend: toTrend(group) })) ?? null,
    trend: toTrend(result),
    query: { elapsedMs, rowsRead },
  }
}

function toTrend({ trend }: FunnelFigures) {
  return trend?.map((point) => ({ ...point, at: new Date(point.at).toISOString() })) ?? null
}
