import {
  FILTER_OPERATORS,
  type FunnelQuery,
  type FunnelStep,
  type JsonValue,
  type PropertyFilter,
} from '../../../domain/funnel.js'
import type { StoredEvent, StoredRequest } from './funnel-store.js'

/** A funnel over events, made of a seed. */
export interface FunnelCase {
  readonly seed: number
  readonly requests: readonly StoredRequest[]
  readonly links: readonly (readonly [string, string])[]
  readonly steps: readonly FunnelStep[]
  readonly query: FunnelQuery
}

/** Just before the end of a month, and of a week. */
const CASE_TIMES = [Date.UTC(2026, 9, 31, 23, 59), Date.UTC(2026, 10, 1, 23, 59)]

/** What the cases of a run ask for beyond ordered funnels. */
export interface CaseFeatures {
  readonly orders?: readonly FunnelQuery['order'][]
  readonly exclusions?: boolean
  readonly breakdown?: boolean
  readonly interval?: boolean
}

/**
 * A small case, dense in what goes wrong: few timestamps, receipts and positions, so that they tie; few names, so that steps share
 * them; windows of a few units, met to the millisecond; month ends; links; hostile properties.
 */
export function randomCase(seed: number, features: CaseFeatures = {}): FunnelCase {
  const random = generator(seed)
  const int = (low: number, high: number) => low + Math.floor(random() * (high - low + 1))
  const chance = (probability: number) => random() < probability
  const pick = <T>(items: readonly T[]): T => items[int(0, items.length - 1)] as T

  const names = ['a', 'b', 'c', 'd', 'e'].slice(0, int(1, 5))
  const begin = pick(CASE_TIMES)
  const unit = pick([1, 2, 1_000, 60_000])
  const span = int(0, 14)
  const time = () => begin + int(0, span) * unit + (unit > 2 && chance(0.1) ? int(-1, 1) : 0)
  const event = (): StoredEvent => {
    const kind = int(0, 4)
    return {
      event: pick(names),
      ...(kind <= 2 ? { userId: pick(['u1', 'u2', 'x']) } : {}),
      ...(kind >= 2 ? { anonymousId: pick(['a1', 'a2', 'x']) } : {}),
      properties: chance(0.4) ? {} : randomProperties(pick, chance),
      timestamp: time(),
    }
  }
  const requests: StoredRequest[] = []
  const positions = new Set<string>()
  const size = pick([0, 2, 4, 8, 16, 30])
  for (let events = 0; events < size; ) {
    const logPartition = chance(0.7) ? 0 : int(0, 2)
    const logOffset = int(0, 60)
    const position = `${logPartition} ${logOffset}`
    if (positions.has(position)) continue
    positions.add(position)
    const list = Array.from({ length: chance(0.5) ? 1 : int(1, 5) }, event)
    events += list.length
    requests.push({ receivedAt: begin + int(0, 3) * 30_000, logPartition, logOffset, events: list })
  }

  const filter = () => randomFilter(pick, chance)
  const stepCount = chance(0.03) ? int(7, 20) : int(1, 5)
  const distinct = chance(0.4) && stepCount <= names.length
  const steps = Array.from({ length: stepCount }, (_, index): FunnelStep => {
    const eventName = distinct ? (names[index] ?? 'a') : pick([...names, 'a'])
    return { name: eventName, eventName, filters: chance(0.15) ? [filter()] : [] }
  })
  const from = begin + (chance(0.5) ? -unit : int(0, span) * unit)
  const to = chance(0.5) ? begin + (span + 1) * unit : from + int(1, span + 1) * unit
  const windowSeconds = Math.max(1, pick([1, 2, 5, 60, 120, 86_400, Math.round((int(1, 8) * unit) / 1_000)]))
  const exclusions =
    features.exclusions === true && stepCount > 1 && chance(0.7)
      ? Array.from({ length: int(1, 3) }, () => {
          const fromStep = int(0, stepCount - 2)
          return { eventName: pick([...names, 'z']), fromStep, toStep: int(fromStep + 1, stepCount - 1) }
        })
      : []
  return {
    seed,
    requests,
    links: ['a1', 'a2', 'x'].filter(() => chance(0.5)).map((id) => [id, pick(['u1', 'u2', 'x'])] as const),
    steps,
    query: {
      from,
      to,
      windowSeconds,
      order: pick(features.orders ?? ['ordered']),
      filters: chance(0.15) ? [filter()] : [],
      exclusions,
      breakdown:
        features.breakdown === true && chance(0.6) ? { property: pick(PATHS), limit: int(1, 4) } : undefined,
      interval:
        features.interval === true && chance(0.6) ? pick(['hour', 'day', 'week', 'month']) : undefined,
    },
  }
}

const PATHS = ['p', 'q', 'a.b', 'a', 'a.b.c', '', '.', 'items.0', 'toString']
const VALUES: readonly JsonValue[] = [
  0,
  1,
  -1,
  1.5,
  0.1,
  1e21,
  1e20,
  5e-324,
  2 ** 64,
  2 ** 53,
  -(2 ** 63),
  '',
  '1',
  'a',
  'ab',
  'B',
  'ä',
  '😀',
  '\uffee',
  '"',
  '\\',
  'x/y',
  'line\nbreak',
  '\u0000',
  'true',
  '\ud800',
  "it's",
  true,
  false,
  null,
  [],
  [1, 'a'],
  [1e20, -1e20, 3],
  {},
  { b: 1 },
  { b: { c: 'a' } },
  { b: null },
  { c: 1, b: 'a' },
]

type Pick = <T>(items: readonly T[]) => T
type Chance = (probability: number) => boolean

function randomProperties(pick: Pick, chance: Chance): JsonValue {
  const properties: { [key: string]: JsonValue } = {}
  for (const path of PATHS) if (chance(0.35)) properties[path] = pick(VALUES)
  if (chance(0.3)) properties.a = { b: pick(VALUES), c: pick(VALUES) }
  return properties
}

function randomFilter(pick: Pick, chance: Chance): PropertyFilter {
  const property = pick(PATHS)
  const operator = pick(FILTER_OPERATORS)
  if (operator === 'exists' || operator === 'not_exists') return { property, operator }
  if (operator === 'in')
    return { property, operator, value: [pick(VALUES), pick(VALUES), pick(VALUES)].filter(() => chance(0.8)) }
  return { property, operator, value: pick(VALUES) }
}

/** mulberry32: numbers from 0 to 1, the same for the same seed. */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
