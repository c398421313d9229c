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

/** Restrictions on the cases of a run. Without them, cases contain all kinds of queries. */
export interface CaseFeatures {
  readonly orders?: readonly FunnelQuery['order'][]
  readonly exclusions?: boolean
  readonly breakdown?: boolean | 'always'
  /**
   * No two events of one time, so that values are carried along with them, and values that look like
   * something else in JSON text.
   */
  readonly apart?: boolean
}

const HALF_DAY = 43_200_000

/**
 * A small case, dense in what goes wrong: few timestamps, receipts and positions, so that they tie; few
 * names, so that steps and exclusions share them; few properties, so that filters overlap; windows of a few
 * units, met to the millisecond; month ends; links; hostile values; now and then many steps, many persons, or
 * months between events.
 */
export function randomCase(seed: number, features: CaseFeatures = {}): FunnelCase {
  const random = generator(seed)
  const int = (low: number, high: number) => low + Math.floor(random() * (high - low + 1))
  const chance = (probability: number) => random() < probability
  const pick = <T>(items: readonly T[]): T => items[int(0, items.length - 1)] as T

  const names = ['a', 'b', 'c', 'd', 'e'].slice(0, int(1, 5))
  const users = chance(0.1) ? Array.from({ length: 12 }, (_, index) => `u${index}`) : ['u1', 'u2', 'x']
  const palette: Palette = chance(0.5)
    ? { paths: [pick(PATHS), 'p'], values: [pick(VALUES), pick(VALUES), 1] }
    : { paths: PATHS, values: VALUES }
  if (features.apart) {
    palette.paths = [...palette.paths, pick(MISLEADING_PATHS)]
    palette.values = [...palette.values, pick(MISLEADING_VALUES), pick(MISLEADING_VALUES)]
    // Queries carry no values that the engine's JSON parser rejects, so most cases leave these out.
    if (chance(0.9))
      palette.values = palette.values.filter((value) => !/\\ud|\d{19}/.test(JSON.stringify(value)))
  }
  const begin = pick(CASE_TIMES)
  const unit = pick([1, 2, 1_000, 1_000, 60_000, HALF_DAY])
  const span = int(0, 14)
  const time = () => begin + int(0, span) * unit + (unit > 2 && chance(0.1) ? int(-1, 1) : 0)
  // Ingestion keeps timestamps near their receipt: those that lie days apart are received at the end, and
  // history long after.
  const received = unit === HALF_DAY ? begin + span * unit : begin
  const history = chance(0.15) ? 800 * HALF_DAY : 0
  const event = (): StoredEvent => {
    const kind = int(0, 4)
    return {
      event: pick(names),
      ...(kind <= 2 ? { userId: pick(users) } : {}),
      ...(kind >= 2 ? { anonymousId: pick(['a1', 'a2', 'x']) } : {}),
      properties: chance(0.3) ? {} : randomProperties(pick, chance, palette),
      timestamp: time(),
    }
  }
  const requests: StoredRequest[] = []
  const positions = new Set<string>()
  const size = pick([0, 2, 4, 8, 16, 30, 60])
  for (let events = 0; events < size; ) {
    const logPartition = chance(0.7) ? 0 : int(0, 2)
    const logOffset = int(0, 60)
    const position = `${logPartition} ${logOffset}`
    if (positions.has(position)) continue
    positions.add(position)
    const list = Array.from({ length: chance(0.5) ? 1 : int(1, 5) }, event)
    events += list.length
    const moved = list.map((one, index) => ({ ...one, timestamp: one.timestamp + events - index }))
    requests.push({
      receivedAt: received + int(0, 3) * 30_000 + (chance(0.5) ? history : 0),
      logPartition,
      logOffset,
      events: features.apart ? moved : list,
    })
  }

  const filter = () => randomFilter(pick, chance, palette)
  const stepCount = chance(0.08) ? int(6, 20) : int(1, 5)
  const distinct = chance(0.4) && stepCount <= names.length
  const filtered = stepCount > 5 ? 0.1 : 0.25
  const steps = Array.from({ length: stepCount }, (_, index): FunnelStep => {
    const eventName = distinct ? (names[index] ?? 'a') : pick([...names, 'a'])
    return { name: eventName, eventName, filters: chance(filtered) ? [filter()] : [] }
  })
  const from = begin + (chance(0.5) ? -unit : int(0, span) * unit)
  const to = chance(0.5) ? begin + (span + 1) * unit : from + int(1, span + 1) * unit
  const windowSeconds = Math.max(
    1,
    pick([1, 1, 2, 5, 60, 120, 86_400, 7_776_000, Math.round((int(1, 8) * unit) / 1_000)]),
  )
  const exclusions =
    features.exclusions !== false && stepCount > 1 && chance(0.5)
      ? Array.from({ length: int(1, 3) }, () => {
          const fromStep = int(0, stepCount - 2)
          return { eventName: pick([...names, 'z']), fromStep, toStep: int(fromStep + 1, stepCount - 1) }
        })
      : []
  return {
    seed,
    requests,
    links: ['a1', 'a2', 'x'].filter(() => chance(0.5)).map((id) => [id, pick(users)] as const),
    steps,
    query: {
      from: chance(0.05) ? to - 366 * 2 * HALF_DAY : from,
      to,
      windowSeconds,
      order: pick(features.orders ?? (['ordered', 'ordered', 'strict', 'any'] as const)),
      filters: chance(0.15) ? [filter()] : [],
      exclusions,
      breakdown:
        features.breakdown === 'always' || (features.breakdown !== false && chance(0.4))
          ? { property: pick(palette.paths), limit: pick([1, 2, 3, 10, 50]) }
          : undefined,
      interval: chance(0.4)
        ? pick(unit < HALF_DAY ? ['hour', 'day', 'week', 'month'] : ['day', 'week', 'month'])
        : undefined,
    },
  }
}

interface Palette {
  paths: readonly string[]
  values: readonly JsonValue[]
}

const PATHS = ['p', 'q', 'a.b', 'a', 'a.b.c', '', '.', 'items.0', 'toString', 'clé', 'a.😀']
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
  { b: 'a', c: 1 },
  [{ c: 1, b: 'a' }],
  [{ b: 'a', c: 1 }],
  'مرحبا \u2028',
  1e-7,
  123456789.123,
]

const MISLEADING_PATHS = ['x"p', 'p":1,"q', ',"p', '{"p', 'b', 'p\\', 'a/b', 'p:', ':', ',', ':p', '}']
const MISLEADING_VALUES: readonly JsonValue[] = [
  '{',
  'a,',
  ':',
  ':p',
  ',',
  ',"p":2,',
  '"p":1',
  'p',
  'null',
  'a/b',
  'a}',
  ']',
  'a[b',
  '[',
  ['p', 1],
  ['a,', 'b/c', 0.5],
  12.5,
  -0.001,
  'x'.repeat(100),
  '\u2029',
  1e300,
  123456789012345680000,
]

type Pick = <T>(items: readonly T[]) => T
type Chance = (probability: number) => boolean

function randomProperties(pick: Pick, chance: Chance, { paths, values }: Palette): JsonValue {
  const properties: { [key: string]: JsonValue } = {}
  const often = paths.length > 2 ? 0.35 : 0.9
  for (const path of paths) if (chance(often)) properties[path] = pick(values)
  if (chance(0.2)) properties.a = { b: pick(values), c: pick(values) }
  return properties
}

function randomFilter(pick: Pick, chance: Chance, { paths, values }: Palette): PropertyFilter {
  const property = pick(paths)
  const operator = pick(FILTER_OPERATORS)
  if (operator === 'exists' || operator === 'not_exists') return { property, operator }
  if (operator === 'in')
    return { property, operator, value: [pick(values), pick(values), pick(values)].filter(() => chance(0.8)) }
  return { property, operator, value: pick(values) }
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
