import { MAX_AGE_MS } from '../../../domain/clamp.js'
import { TIMESTAMP_ADJUSTMENTS } from '../../../domain/event.js'
import type { JsonValue, PropertyFilter } from '../../../domain/funnel.js'
import type { Metric } from '../../../domain/statistics/index.js'
import type { MeasuredEvent, ReferenceExperiment } from '../../../test/reference/results.js'
import type { ResultsRequest } from '../../queries/results/index.js'
import { referenceEvents, type StoredEvent, type StoredRequest } from './funnel-store.js'

/** An experiment and events around it, made of a seed. */
export interface ResultsCase {
  readonly seed: number
  readonly requests: readonly StoredRequest[]
  readonly links: readonly (readonly [string, string])[]
  readonly request: Omit<ResultsRequest, 'workspaceId'>
  readonly breakdown: { readonly property: string; readonly limit: number }
}

export const KEY = 'new-checkout'
const DAY = 86_400_000
const TIMES = [Date.UTC(2026, 9, 31, 23, 59), Date.UTC(2026, 10, 1, 23, 59)]
const VARIANTS: readonly JsonValue[] = [
  'control',
  'b',
  'c',
  'control',
  'b',
  'control',
  'b',
  'gone',
  7,
  null,
  ['b'],
  'B',
]
const VALUES: readonly JsonValue[] = [
  0,
  1,
  2.5,
  -3,
  1e9,
  0.1,
  '7',
  null,
  true,
  [4],
  { v: 5 },
  2 ** 66,
  2 ** 70,
  'é"\\',
  '\ud800',
  10,
  20,
  30,
  3,
]

/**
 * Dense in what goes wrong: few times, so that they tie; few persons, some of them two until they are linked;
 * hostile properties; bounds met to the millisecond.
 */
export function randomResultsCase(seed: number): ResultsCase {
  const random = generator(seed)
  const int = (low: number, high: number) => low + Math.floor(random() * (high - low + 1))
  const chance = (probability: number) => random() < probability
  const pick = <T>(items: readonly T[]): T => items[int(0, items.length - 1)] as T

  const begin = pick(TIMES)
  const unit = pick([1, 1_000, 60_000, DAY, 10 * DAY])
  const span = int(1, 12)
  const time = () => begin + int(0, span) * unit + (chance(0.1) ? int(-1, 1) : 0)
  const users = Array.from({ length: pick([2, 4, 12]) }, (_, index) => `u${index}`)
  const anonymous = ['a1', 'a2', 'x', 'u1']
  const variants = pick([
    ['control', 'b'],
    ['control', 'b', 'c'],
    ['control', 'b', 'c', 'd'],
  ])
  const exposureOf = (): JsonValue => {
    if (chance(0.05))
      return pick([{}, { experiment: 7 }, { experiment: null, variant: 'b' }, { variant: 'b' }])
    const experiment = chance(0.85)
      ? KEY
      : pick<JsonValue>(['other', 'new-checkout ', ['new-checkout'], 'x'.repeat(70)])
    return {
      experiment,
      ...(chance(0.97) ? { variant: chance(0.8) ? pick(variants.slice(0, 2)) : pick(VARIANTS) } : {}),
      ...(chance(0.6) ? { p: pick(VALUES) } : {}),
      ...(chance(0.3) ? { a: { b: pick(VALUES) } } : {}),
    }
  }
  const names = ['bought', 'seen', '$exposure']
  const event = (timestamp: number): StoredEvent => {
    const kind = int(0, 4)
    const exposure = chance(0.4)
    return {
      event: exposure ? '$exposure' : pick(names.slice(0, 2)),
      ...(kind <= 2 ? { userId: pick(users) } : {}),
      ...(kind >= 2 ? { anonymousId: pick(anonymous) } : {}),
      properties: exposure
        ? exposureOf()
        : {
            ...(chance(0.8) ? { value: pick(VALUES) } : {}),
            ...(chance(0.4) ? { a: { b: pick(VALUES) } } : {}),
            plan: pick(['x', 'y']),
          },
      timestamp,
      adjustment: chance(0.2) ? int(0, TIMESTAMP_ADJUSTMENTS.length - 1) : 0,
    }
  }
  const requests: StoredRequest[] = []
  const positions = new Set<string>()
  const size = pick([0, 3, 10, 30, 80, 80])
  for (let events = 0; events < size; ) {
    const logPartition = chance(0.7) ? 0 : int(0, 2)
    const logOffset = int(0, 90)
    const position = `${logPartition} ${logOffset}`
    if (positions.has(position)) continue
    positions.add(position)
    const latest = time()
    const receivedAt = (unit >= DAY ? latest : begin) + int(0, 3) * 30_000
    const happened = () =>
      unit >= DAY ? Math.max(latest - pick([0, 0, 0, DAY, MAX_AGE_MS]), receivedAt - MAX_AGE_MS) : time()
    const list = Array.from({ length: chance(0.5) ? 1 : int(1, 5) }, () => event(happened()))
    events += list.length
    requests.push({ receivedAt, logPartition, logOffset, events: list })
  }
  const startedAt = chance(0.05) ? null : chance(0.5) ? begin : time()
  const endedAt = startedAt === null || chance(0.5) ? null : Math.max(startedAt, time())
  const metric = (): Metric | undefined => {
    if (chance(0.4)) return chance(0.5) ? undefined : { type: 'proportion' }
    return {
      type: 'mean',
      property: pick(['value', 'a.b', 'missing']),
      ...(chance(0.6) ? { percentile: pick([0.5, 0.75, 0.9, 0.999, 1]) } : {}),
      ...(chance(0.6) ? { cuped: chance(0.8) } : {}),
    }
  }
  const filter = (): PropertyFilter =>
    pick<PropertyFilter>([
      { property: 'plan', operator: 'eq', value: 'x' },
      { property: 'value', operator: 'gt', value: 1 },
      { property: 'a.b', operator: 'exists' },
    ])
  const targets = Array.from({ length: int(1, 3) }, () => ({
    eventName: chance(0.9) ? pick(names.slice(0, 2)) : pick(names),
    windowHours: chance(0.5) ? null : pick([unit / 3_600_000, (3 * unit) / 3_600_000, 0.5, 72, 2 ** 53 - 1]),
    filters: chance(0.3) ? [filter()] : [],
    metric: metric(),
  }))
  return {
    seed,
    requests,
    links: anonymous.filter(() => chance(0.5)).map((id) => [id, pick(users)] as const),
    request: {
      key: KEY,
      variants,
      startedAt,
      endedAt,
      measuredUntil: endedAt === null ? null : endedAt + int(0, 3) * unit,
      targets,
    },
    breakdown: { property: pick(['p', 'a.b', 'a', 'variant', 'none']), limit: pick([1, 2, 10, 50]) },
  }
}

/** The same for the reference. */
export function experimentOf({ request }: ResultsCase): ReferenceExperiment {
  return {
    key: request.key,
    startedAt: request.startedAt,
    endedAt: request.endedAt,
    settlingMs:
      request.endedAt === null || request.measuredUntil === null
        ? 0
        : request.measuredUntil - request.endedAt,
    variants: request.variants,
    targets: request.targets.map(({ metric, ...target }) => ({
      ...target,
      mean:
        metric?.type === 'mean'
          ? { property: metric.property, percentile: metric.percentile ?? null, cuped: metric.cuped ?? false }
          : null,
    })),
  }
}

export function measuredEvents(requests: readonly StoredRequest[]): MeasuredEvent[] {
  const adjustments = requests.flatMap(({ events }) => events.map(({ adjustment = 0 }) => adjustment))
  return referenceEvents(requests).map((event, index) => ({
    ...event,
    adjustment: TIMESTAMP_ADJUSTMENTS[adjustments[index] ?? 0] ?? 'none',
  }))
}

/** Mulberry32. */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let z = Math.imul(state ^ (state >>> 15), 1 | state)
    z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32
  }
}
