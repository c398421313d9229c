import { comparisonsOf, MAX_COMPARISONS } from '../../domain/filter-cost.js'
import {
  FUNNEL_LIMITS,
  type FunnelExperiment,
  type FunnelQuery,
  type FunnelResult,
  type PropertyFilter,
} from '../../domain/funnel.js'
import { parseRfc3339 } from '../../domain/rfc3339.js'
import { type ErrorDetail, validationFailed } from '../../management/domain-errors.js'
import type { FunnelRow, StepInput } from '../../management/funnels/index.js'
import { type Rule, validateRules } from '../http/route.js'
import type { FunnelQueryInput } from './schemas.js'

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 30
/** Range of the event store's time type, with room for a window on either side. */
const EARLIEST_MS = Date.UTC(1970, 0, 1)
const LATEST_MS = Date.UTC(2200, 0, 1)

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
export const funnelRules: readonly Rule<{ readonly steps?: readonly StepInput[] }>[] = [
  {
    of: ['steps'],
    problems: ({ steps = [] }) =>
      comparisonProblems({ '/steps': steps.flatMap(({ filters = [] }) => filters) }),
  },
]

export const funnelQueryRules: readonly Rule<FunnelQueryInput>[] = [
  { of: ['from', 'to'], problems: rangeProblems },
  {
    of: ['exclusions'],
    problems: ({ exclusions = [] }) =>
      exclusions.flatMap(({ fromStep, toStep }, index) =>
        toStep <= fromStep
          ? [{ path: `/exclusions/${index}/toStep`, message: 'must be after fromStep' }]
          : [],
      ),
  },
  {
    of: ['experiment'],
    problems: ({ experiment, breakdown }) =>
      experiment === undefined || breakdown === undefined
        ? []
        : [{ path: '/breakdown', message: 'must be left out if experiment is given' }],
  },
]

function rangeProblems(body: FunnelQueryInput, now: number): ErrorDetail[] {
  const { from, to, sentFrom, sentTo } = rangeOf(body, now)
  const details: ErrorDetail[] = []
  for (const [path, at] of [
    ['/from', sentFrom],
    ['/to', sentTo],
  ] as const)
    if (at !== undefined && (at < EARLIEST_MS || at > LATEST_MS))
      details.push({ path, message: 'must lie between the years 1970 and 2200' })
  // If `from` is left out it is 30 days before `to`, which may be before 1970.
  if (details.length === 0 && from < EARLIEST_MS)
    details.push({
      path: '/to',
      message: `must be at least ${DEFAULT_DAYS} days after the start of 1970`,
    })
  if (from >= to)
    details.push(
      body.to === undefined
        ? { path: '/from', message: 'must be in the past if to is left out' }
        : { path: '/to', message: 'must be after from' },
    )
  else if (to - from > FUNNEL_LIMITS.rangeDays * DAY_MS)
    details.push({
      path: '/from',
      message: `must be at most ${FUNNEL_LIMITS.rangeDays} days before to`,
    })
  return details
}

/** Milliseconds, with defaults for what was left out. */
function rangeOf(body: FunnelQueryInput, now: number) {
  const sentTo = body.to === undefined ? undefined : parseRfc3339(body.to)
  const sentFrom = body.from === undefined ? undefined : parseRfc3339(body.from)
  const to = sentTo ?? now
  return { sentFrom, sentTo, to, from: sentFrom ?? to - DEFAULT_DAYS * DAY_MS }
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
  body.exclusions?.forEach(({ toStep }, index) => {
    if (toStep >= funnel.steps.length)
      details.push({
        path: `/exclusions/${index}/toStep`,
        message: `must be a step of the funnel: 0 to ${funnel.steps.length - 1}`,
      })
  })
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
    breakdown:
      body.breakdown === undefined
        ? undefined
        : { property: body.breakdown.property, limit: body.breakdown.limit ?? 10 },
    interval: body.interval,
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
    breakdown: result.breakdown,
    trend:
      result.trend === null
        ? null
        : result.trend.map((point) => ({ ...point, at: new Date(point.at).toISOString() })),
    query: { elapsedMs, rowsRead },
  }
}
