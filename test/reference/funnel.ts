import type {
  FunnelBreakdown,
  FunnelQuery,
  FunnelResult,
  FunnelStep,
  FunnelStepResult,
  JsonValue,
  TrendInterval,
} from '../../domain/funnel.js'
import { type PersonId, personId } from '../../domain/person.js'
import { exposureOf, inOrder } from './exposures.js'
import { compareValues, inOneForm, passes, sameJson, valueOrNull } from './property-filter.js'

/** An event as stored in the table; times in milliseconds. */
export interface ReferenceEvent {
  readonly event: string
  readonly userId: string | undefined
  readonly anonymousId: string | undefined
  readonly properties: JsonValue
  readonly timestamp: number
  readonly receivedAt: number
  readonly requestIndex: number
  readonly logPartition: number
  readonly logOffset: number
}

/** A run: the times of the steps it reached, and the event it began with. */
interface Run {
  readonly level: number
  /** Empty for `any`, which has no order to take times from. */
  readonly times: readonly number[]
  readonly start: ReferenceEvent
}

/**
 * Answers a funnel query by the shortest way from the words of docs/funnels.md: it tries every start of every
 * person. Slow, and independent of the compiler in every part; tests take its answer as the right one.
 *
 * @param links anonymous id → user id
 */
export function referenceFunnel(
  events: readonly ReferenceEvent[],
  links: ReadonlyMap<string, string>,
  steps: readonly FunnelStep[],
  query: FunnelQuery,
  now: number,
): FunnelResult {
  const attempts = referenceRuns(events, links, steps, query)
  const runs = attempts.map(({ run }) => run)
  const runsOf = (value: string) => attempts.flatMap(({ variant, run }) => (variant === value ? [run] : []))
  const { interval, experiment } = query
  const figures = (some: readonly Run[]) => ({
    ...totals(some, steps.length),
    steps: stepFigures(some, steps),
    trend: interval === undefined ? null : trend(some, steps.length, query, interval, now),
  })
  return {
    ...figures(runs),
    breakdown:
      experiment !== undefined
        ? experiment.variants.map((value) => ({ value, ...figures(runsOf(value)) }))
        : query.breakdown === undefined
          ? null
          : breakDown(runs, query.breakdown).map((group) => ({
              value: group.value,
              ...figures(group.runs),
            })),
  }
}

/** The best run of each person; the variant is empty without an experiment. */
export function referenceRuns(
  events: readonly ReferenceEvent[],
  links: ReadonlyMap<string, string>,
  steps: readonly FunnelStep[],
  query: FunnelQuery,
): readonly { readonly person: PersonId; readonly variant: string; readonly run: Run }[] {
  const persons = new Map<PersonId, ReferenceEvent[]>()
  const whole = new Map<PersonId, ReferenceEvent[]>()
  for (const event of events) {
    const linked = event.anonymousId === undefined ? undefined : links.get(event.anonymousId)
    const person = personId(event.userId, event.anonymousId, linked)
    whole.set(person, [...(whole.get(person) ?? []), event])
    if (!query.filters.every((filter) => passes(event.properties, filter))) continue
    const list = persons.get(person)
    if (list === undefined) persons.set(person, [event])
    else list.push(event)
  }
  const found: { readonly person: PersonId; readonly variant: string; readonly run: Run }[] = []
  const { experiment } = query
  for (const [person, list] of persons) {
    const history = (whole.get(person) ?? []).sort(inOrder)
    const exposure = experiment === undefined ? undefined : exposureOf(history, experiment)
    // Filters apply to events of the funnel, not to exposures.
    if (experiment !== undefined && (exposure === undefined || exposure.variant === null)) continue
    // The exposure itself and what came after it, until measuring ended.
    const until = experiment?.measuredUntil ?? Number.POSITIVE_INFINITY
    const counts = (event: ReferenceEvent) =>
      exposure === undefined || (inOrder(event, exposure.first) >= 0 && event.timestamp <= until)
    const run = bestRun(list.sort(inOrder).filter(counts), steps, query)
    if (run !== undefined) found.push({ person, variant: exposure?.variant ?? '', run })
  }
  return found
}

function satisfies(event: ReferenceEvent, step: FunnelStep | undefined): boolean {
  return (
    step !== undefined &&
    event.event === step.eventName &&
    step.filters.every((filter) => passes(event.properties, filter))
  )
}

/** Most steps, then the earliest start. */
function bestRun(
  events: readonly ReferenceEvent[],
  steps: readonly FunnelStep[],
  query: FunnelQuery,
): Run | undefined {
  let best: Run | undefined
  for (let start = 0; start < events.length; start++) {
    const event = events[start]
    if (event === undefined || event.timestamp < query.from || event.timestamp >= query.to) continue
    const run =
      query.order === 'any' ? anyRun(events, start, steps, query) : walk(events, start, steps, query)
    if (run !== undefined && (best === undefined || run.level > best.level)) best = run
  }
  return best
}

/** The run from one start: each time the earliest next step. */
function walk(
  events: readonly ReferenceEvent[],
  startAt: number,
  steps: readonly FunnelStep[],
  query: FunnelQuery,
): Run | undefined {
  const start = events[startAt]
  if (start === undefined || !satisfies(start, steps[0])) return undefined
  const times = [start.timestamp]
  for (const event of events.slice(startAt + 1)) {
    if (times.length === steps.length) break
    if (event.timestamp > start.timestamp + query.windowSeconds * 1_000) break
    const reached = times.length - 1
    const isNext = satisfies(event, steps[reached + 1])
    if (ends(event, reached, isNext, query)) break
    if (isNext) times.push(event.timestamp)
    // An event that satisfies any step but the next one comes in between: a step that was passed, the one
    // just reached, one that is skipped.
    else if (query.order === 'strict' && steps.some((step) => satisfies(event, step))) break
  }
  return { level: times.length, times, start }
}

/**
 * As many distinct steps as there are within the window, each by a different event: whenever an event can
 * serve a step, if need be by moving others, the run has done one more. There is no order between the steps,
 * so step k of an exclusion is the (k+1)-th distinct step that the run does, as it is in the answer.
 */
function anyRun(
  events: readonly ReferenceEvent[],
  startAt: number,
  steps: readonly FunnelStep[],
  query: FunnelQuery,
): Run | undefined {
  const start = events[startAt]
  if (start === undefined || !steps.some((step) => satisfies(start, step))) return undefined
  const servedBy = new Map<number, ReferenceEvent>()
  const serve = (event: ReferenceEvent, tried: Set<number>): boolean => {
    for (let step = 0; step < steps.length; step++) {
      if (tried.has(step) || !satisfies(event, steps[step])) continue
      tried.add(step)
      const holder = servedBy.get(step)
      if (holder === undefined || serve(holder, tried)) {
        servedBy.set(step, event)
        return true
      }
    }
    return false
  }
  let level = 0
  for (const event of events.slice(startAt)) {
    if (event.timestamp > start.timestamp + query.windowSeconds * 1_000) break
    const isNext = serve(event, new Set())
    if (level > 0 && ends(event, level - 1, isNext, query)) break
    if (isNext) level++
  }
  return { level, times: [], start }
}

/**
 * Whether an event ends a run that has reached a step (0-based), by coming between the two steps of an
 * exclusion.
 */
function ends(event: ReferenceEvent, reached: number, isNext: boolean, query: FunnelQuery): boolean {
  return query.exclusions.some(
    (exclusion) =>
      exclusion.eventName === event.event &&
      exclusion.fromStep <= reached &&
      reached < exclusion.toStep &&
      // The event that closes the interval is its end and not in between. Any other event is, also one that
      // satisfies a step.
      !(isNext && reached + 1 === exclusion.toStep),
  )
}

function totals(runs: readonly Run[], steps: number) {
  const completed = runs.filter((run) => run.level === steps).length
  return { entered: runs.length, completed, conversionRate: rate(completed, runs.length) }
}

function stepFigures(runs: readonly Run[], steps: readonly FunnelStep[]): FunnelStepResult[] {
  const counts = steps.map((_, index) => runs.filter((run) => run.level > index).length)
  return steps.map((step, index) => {
    const count = counts[index] ?? 0
    const previous = counts[index - 1] ?? 0
    const seconds = runs
      .filter((run) => index > 0 && run.times.length > index)
      .map((run) => ((run.times[index] ?? 0) - (run.times[index - 1] ?? 0)) / 1_000)
    return {
      index,
      name: step.name,
      eventName: step.eventName,
      count,
      conversionFromPrevious: index === 0 ? null : rate(count, previous),
      conversionFromStart: rate(count, counts[0] ?? 0),
      dropOff: index === 0 ? 0 : previous - count,
      medianSecondsFromPrevious: quantile(seconds, 0.5),
      p90SecondsFromPrevious: quantile(seconds, 0.9),
    }
  })
}

function rate(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

/**
 * `quantileExactInclusive`: interpolates between the two nearest of the sorted values, ends included. Null
 * without values.
 */
export function quantile(values: readonly number[], level: number): number | null {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  const place = level * (sorted.length - 1)
  const below = sorted[Math.floor(place)] ?? 0
  const above = sorted[Math.ceil(place)] ?? 0
  return below + (above - below) * (place - Math.floor(place))
}

/**
 * Groups by the value at the run's first event, largest first. Groups of one size are in the order of their
 * values: null, false, true, numbers, strings by code points, lists and objects by their text. An object is
 * shown with its keys in order, because equal objects may differ in that.
 */
function breakDown(
  runs: readonly Run[],
  breakdown: FunnelBreakdown,
): { readonly value: JsonValue; readonly runs: readonly Run[] }[] {
  const groups: { readonly value: JsonValue; readonly runs: Run[] }[] = []
  for (const run of runs) {
    const value = valueOrNull(run.start.properties, breakdown.property)
    const group = groups.find((candidate) => sameJson(candidate.value, value))
    if (group === undefined) groups.push({ value: inOneForm(value), runs: [run] })
    else group.runs.push(run)
  }
  return groups
    .sort((a, b) => b.runs.length - a.runs.length || compareValues(a.value, b.value))
    .slice(0, breakdown.limit)
}

function trend(
  runs: readonly Run[],
  steps: number,
  query: FunnelQuery,
  interval: TrendInterval,
  now: number,
): FunnelResult['trend'] {
  const points: {
    at: number
    entered: number
    completed: number
    conversionRate: number | null
    complete: boolean
  }[] = []
  let at = bucketOf(query.from, interval)
  while (at < query.to) {
    const end = bucketAfter(at, interval)
    const inside = runs.filter((run) => run.start.timestamp >= at && run.start.timestamp < end)
    points.push({
      at,
      ...totals(inside, steps),
      complete: at >= query.from && end <= query.to && end + query.windowSeconds * 1_000 <= now,
    })
    at = end
  }
  return points
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** A Monday. */
const SOME_MONDAY = Date.UTC(1970, 0, 5)

export function bucketOf(time: number, interval: TrendInterval): number {
  const date = new Date(time)
  if (interval === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
  if (interval === 'week') return SOME_MONDAY + Math.floor((time - SOME_MONDAY) / (7 * DAY)) * 7 * DAY
  const length = interval === 'hour' ? HOUR : DAY
  return Math.floor(time / length) * length
}

export function bucketAfter(at: number, interval: TrendInterval): number {
  const date = new Date(at)
  if (interval === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
  return at + (interval === 'week' ? 7 * DAY : interval === 'hour' ? HOUR : DAY)
}
