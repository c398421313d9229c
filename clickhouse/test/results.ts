import t from 'tap'
import { type ExperimentCounts, type Moments, resultsOf } from '../../domain/statistics/index.js'
import { referenceResults } from '../../test/reference/results.js'
import { cases, failWith, LONG, SEED } from '../../test/support/cases.js'
import { migrateClickHouse } from '../migrate.js'
import { queryFunnel } from '../queries/funnel/index.js'
import {
  type ResultsRequest,
  type ResultsTarget,
  readResults,
  readSegments,
} from '../queries/results/index.js'
import { type StoredEvent, store, workspaceIdOf } from './support/funnel-store.js'
import { openStore } from './support/open-store.js'
import { experimentOf, KEY, measuredEvents, randomResultsCase } from './support/results-cases.js'

/** How many random cases: `node …/results.js 2000 [first seed]` for a longer run. */
const CASES = Number(process.argv[2] ?? cases(24, 400))
const FIRST_SEED = Number(process.argv[3] ?? (LONG ? SEED : 1))
/** Cases that have failed come first. */
const SEEDS = [1_015, ...Array.from({ length: CASES }, (_, index) => FIRST_SEED + index)]

t.setTimeout(0)
const clickhouse = await openStore(t)
await migrateClickHouse(clickhouse)

/** The first place where two answers differ by more than the order of sums makes them. */
function difference(ours: unknown, theirs: unknown, path = '', slack = 0): string | undefined {
  if (typeof ours === 'number' && typeof theirs === 'number') {
    const size = Math.max(1, Math.abs(ours), Math.abs(theirs))
    return Math.abs(ours - theirs) <= 1e-9 * size + slack
      ? undefined
      : `${path}: ${ours}, reference ${theirs}`
  }
  if (typeof ours !== 'object' || typeof theirs !== 'object' || ours === null || theirs === null)
    return ours === theirs ? undefined : `${path}: ${String(ours)}, reference ${String(theirs)}`
  const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)])
  for (const key of keys) {
    const [one, other] = [Reflect.get(ours, key), Reflect.get(theirs, key)]
    const found = difference(one, other, `${path}/${key}`, key === 'values' ? slackOf(other) : slack)
    if (found !== undefined) return found
  }
  return undefined
}

/** Rounding error of the variance of large values, computed from units in the last place. */
function slackOf({ mean, variance, before }: Moments): number {
  const unit = 8 * Number.EPSILON * Math.max(Math.abs(mean), Math.abs(before?.mean ?? 0))
  return unit * (unit + 2 * Math.sqrt(Math.max(variance, before?.variance ?? 0)))
}

t.test('equals the reference on random experiments, and funnels by variant agree', async (t) => {
  let persons = 0
  for (let from = 0; from < SEEDS.length; from += 40) {
    const some = SEEDS.slice(from, from + 40).map(randomResultsCase)
    const workspaces = some.map((one) => ({
      workspaceId: workspaceIdOf(`results ${one.seed}`),
      requests: one.requests,
      links: new Map(one.links),
    }))
    await store(clickhouse, workspaces)
    const differences = some.map(async (one, index) => {
      const request = { ...one.request, workspaceId: workspaces[index]?.workspaceId ?? '' }
      const expected = referenceResults(
        measuredEvents(one.requests),
        new Map(one.links),
        experimentOf(one),
        one.breakdown,
      )
      const [{ counts }, { segments }] = await Promise.all([
        readResults(clickhouse, request),
        readSegments(clickhouse, request, one.breakdown),
      ])
      const funnel = await funnelDifference(request, counts)
      if (funnel !== undefined) return `seed ${one.seed}: ${funnel}\n${JSON.stringify(one)}`
      persons += counts.variants.reduce((sum, { exposed }) => sum + exposed, 0)
      const found = difference({ whole: counts, segments }, expected)
      return found === undefined ? undefined : `seed ${one.seed}: ${found}\n${JSON.stringify(one)}`
    })
    const [first] = (await Promise.all(differences)).filter((one) => one !== undefined)
    if (first !== undefined) {
      failWith(first, t)
      return
    }
  }
  t.ok(persons > CASES / 2, `${persons} persons counted in ${CASES} cases from seed ${FIRST_SEED}`)
})

const DAY = 86_400_000

/**
 * A funnel by variant with a target's event as its only step counts those whom results count as converted.
 */
async function funnelDifference(
  request: ResultsRequest,
  { variants }: ExperimentCounts,
): Promise<string | undefined> {
  const { workspaceId, key, startedAt, endedAt, measuredUntil } = request
  const from = (startedAt ?? AT) - DAY
  for (const [index, { eventName, windowHours, filters }] of request.targets.entries()) {
    // Only for the exposure itself do they differ: it can begin a funnel.
    if (windowHours !== null || eventName === '$exposure') continue
    const { result } = await queryFunnel(clickhouse, {
      workspaceId,
      steps: [{ name: eventName, eventName, filters }],
      query: {
        from,
        to: from + 366 * DAY,
        windowSeconds: 1,
        order: 'ordered',
        filters: [],
        exclusions: [],
        breakdown: undefined,
        interval: undefined,
        experiment: { key, variants: request.variants, startedAt, endedAt, measuredUntil },
      },
      now: AT,
    })
    const entered = result.breakdown?.map((one) => one.entered)
    const converted = variants.map(({ targets }) => targets[index]?.converted)
    const found = difference(entered, converted, `/funnel of target ${index}`)
    if (found !== undefined) return found
  }
  return undefined
}

const AT = Date.UTC(2026, 9, 10)
const VARIANTS = ['a', 'b']

const exposure = (userId: string, properties: Readonly<Record<string, string>>): StoredEvent => ({
  event: '$exposure',
  userId,
  timestamp: AT,
  properties: { experiment: KEY, variant: 'a', ...properties },
})
const paid = (userId: string, v: number, afterMs = 0): StoredEvent => ({
  event: 'paid',
  userId,
  timestamp: AT + afterMs,
  properties: { v },
})

/** Stores requests of a new workspace, for an experiment that runs since `AT`. */
async function storeRequests(name: string, requests: readonly (readonly StoredEvent[])[]) {
  const workspaceId = workspaceIdOf(name)
  const stored = requests.map((events, logOffset) => ({
    receivedAt: AT + logOffset,
    logPartition: 0,
    logOffset,
    events,
  }))
  await store(clickhouse, [{ workspaceId, requests: stored, links: new Map() }])
  return (targets: readonly Partial<ResultsTarget>[]): ResultsRequest => ({
    workspaceId,
    key: KEY,
    variants: VARIANTS,
    startedAt: AT,
    endedAt: null,
    measuredUntil: null,
    targets: targets.map((target) => ({ eventName: 'paid', windowHours: null, filters: [], ...target })),
  })
}

t.test('events in the millisecond of the exposure count by their order', async (t) => {
  const requestOf = await storeRequests('ties', [
    // Behind it in the request; before it; before it and again a day later; in a later request; never.
    [exposure('behind', {}), paid('behind', 10)],
    [paid('before', 10), exposure('before', {})],
    [paid('both', 10), exposure('both', {}), paid('both', 10, DAY)],
    [exposure('later', {})],
    [paid('later', 10)],
    [exposure('never', {})],
  ])
  const mean = { type: 'mean', property: 'v' } as const
  for (const [name, target, converted] of [
    ['at any time', {}, 3],
    ['within an hour', { windowHours: 1 }, 2],
    ['a mean', { metric: mean }, 3],
    ['a mean that is capped', { metric: { ...mean, percentile: 0.9 } }, 3],
  ] as const) {
    const { counts } = await readResults(clickhouse, requestOf([target]))
    const [first] = counts.variants
    t.equal(first?.exposed, 5, `${name}: each once`)
    t.equal(first?.targets[0]?.converted, converted, name)
    t.equal(await funnelDifference(requestOf([target]), counts), undefined)
    if ('metric' in target) t.equal(first?.targets[0]?.values?.mean, 6, `${name}: 30 of five persons`)
  }
})

t.test('nothing counts after measuring ended, in results and in funnels', async (t) => {
  const requestOf = await storeRequests('measuring ended', [
    [exposure('in time', {}), paid('in time', 1, 2_000)],
    [exposure('late', {}), paid('late', 1, 2_001)],
  ])
  const request = { ...requestOf([{}]), endedAt: AT + 1_000, measuredUntil: AT + 2_000 }
  const { counts } = await readResults(clickhouse, request)
  t.match(counts.variants[0], { exposed: 2, targets: [{ converted: 1 }] })
  t.equal(await funnelDifference(request, counts), undefined)
})

t.test('a segment uses the cap of all persons, also of those in no listed segment', async (t) => {
  const visit = (userId: string, plan: string, v: number, afterMs: number) => [
    exposure(userId, { plan }),
    paid(userId, v, afterMs),
  ]
  const requestOf = await storeRequests('capped segments', [
    visit('one', 'large', 10, 1),
    visit('two', 'large', 20, 1),
    visit('tied', 'small', 4, 0),
  ])
  const request = requestOf([{ metric: { type: 'mean', property: 'v', percentile: 0.5 } }])
  const { segments } = await readSegments(clickhouse, request, { property: 'plan', limit: 1 })
  t.match(segments, [
    { value: 'large', counts: { variants: [{ exposed: 2, targets: [{ values: { mean: 10 } }] }] } },
  ])
  t.equal(segments.length, 1)
})

t.test('each mean has its own event, filters and property', async (t) => {
  const did = (userId: string, event: string, properties: Readonly<Record<string, number>>) => [
    exposure(userId, {}),
    { event, userId, timestamp: AT + 1, properties },
  ]
  const requestOf = await storeRequests('two properties', [
    did('one', 'paid', { v: 10, w: 1 }),
    did('two', 'refunded', { v: 4, w: 3 }),
  ])
  const mean = (property: string) => ({ metric: { type: 'mean' as const, property } })
  const { counts } = await readResults(
    clickhouse,
    requestOf([
      mean('v'),
      mean('w'),
      { ...mean('v'), eventName: 'refunded' },
      { ...mean('v'), filters: [{ property: 'w', operator: 'gt', value: 1 }] },
    ]),
  )
  const means = counts.variants[0]?.targets.map(({ values }) => values?.mean)
  t.same(means, [5, 0.5, 2, 0], 'of two persons')
})

t.test('a variant whose sum overflows has no mean, and the other variants keep theirs', async (t) => {
  const requestOf = await storeRequests('overflow', [
    [exposure('one', {}), paid('one', 10, 1)],
    [exposure('two', {}), paid('two', 20, 1)],
    [exposure('much', { variant: 'b' }), paid('much', 1e308, 1), paid('much', 1e308, 2)],
  ])
  const targets = [{}, { cuped: true }, { percentile: 0.9 }].map((more) => ({
    eventName: 'paid',
    direction: 'increase' as const,
    metric: { type: 'mean' as const, property: 'v', ...more },
  }))
  const { counts } = await readResults(clickhouse, requestOf(targets))
  const shown = resultsOf(
    counts,
    { variants: VARIANTS.map((key) => ({ key, trafficSplit: 50 })), targets },
    { asOf: AT, lagSeconds: 0 },
  )
  for (const { variants } of shown.targets) {
    const [a, b] = variants
    t.match(a, { mean: 15, standardDeviation: Math.sqrt(50) })
    t.match(b, { converted: 1, mean: null, standardDeviation: null, vsControl: { lift: null, pValue: null } })
  }
})
