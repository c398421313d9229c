import t from 'tap'
import { type Moments, resultsOf } from '../../domain/statistics/index.js'
import { referenceResults } from '../../test/reference/results.js'
import { openEmbeddedClickHouse } from '../embedded/open.js'
import { migrateClickHouse } from '../migrate.js'
import { readResults, readSegments } from '../queries/results/index.js'
import { store, workspaceIdOf } from './support/funnel-store.js'
import { experimentOf, measuredEvents, randomResultsCase } from './support/results-cases.js'

/** How many random cases: `node …/results.js 2000 [first seed]` for a longer run. */
const CASES = Number(process.argv[2] ?? 40)
const FIRST_SEED = Number(process.argv[3] ?? 1)

t.setTimeout(0)
const clickhouse = await openEmbeddedClickHouse({ path: t.testdir() })
t.teardown(() => clickhouse.close())
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

/** What units in the last place of large values make of the spread of their sums. */
function slackOf({ mean, variance, before }: Moments): number {
  const unit = 8 * Number.EPSILON * Math.max(Math.abs(mean), Math.abs(before?.mean ?? 0))
  return unit * (unit + 2 * Math.sqrt(Math.max(variance, before?.variance ?? 0)))
}

t.test('equals the reference on random experiments', async (t) => {
  let persons = 0
  for (let from = FIRST_SEED; from < FIRST_SEED + CASES; from += 40) {
    const cases = Array.from({ length: Math.min(40, FIRST_SEED + CASES - from) }, (_, index) =>
      randomResultsCase(from + index),
    )
    const workspaces = cases.map((one) => ({
      workspaceId: workspaceIdOf(`results ${one.seed}`),
      requests: one.requests,
      links: new Map(one.links),
    }))
    await store(clickhouse, workspaces)
    const differences = cases.map(async (one, index) => {
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
      persons += counts.variants.reduce((sum, { exposed }) => sum + exposed, 0)
      const found = difference({ whole: counts, segments }, expected)
      return found === undefined ? undefined : `seed ${one.seed}: ${found}\n${JSON.stringify(one)}`
    })
    const [first] = (await Promise.all(differences)).filter((one) => one !== undefined)
    if (first !== undefined) {
      t.fail(first)
      return
    }
  }
  t.ok(persons > CASES, `${persons} persons counted in ${CASES} cases from seed ${FIRST_SEED}`)
})

t.test('what is done in the millisecond of the exposure counts by its place', async (t) => {
  const at = Date.UTC(2026, 9, 10)
  const KEY = 'ties'
  const exposure = (userId: string) => ({
    event: '$exposure',
    userId,
    timestamp: at,
    properties: { experiment: KEY, variant: 'a' },
  })
  const paid = (userId: string, timestamp = at) => ({
    event: 'paid',
    userId,
    timestamp,
    properties: { v: 10 },
  })
  const workspaceId = workspaceIdOf(KEY)
  const requests = [
    // Behind it in the request; before it; before it and again a day later; in a later request; never.
    [exposure('behind'), paid('behind')],
    [paid('before'), exposure('before')],
    [paid('both'), exposure('both'), paid('both', at + 86_400_000)],
    [exposure('later')],
    [paid('later')],
    [exposure('never')],
  ].map((events, logOffset) => ({ receivedAt: at + logOffset, logPartition: 0, logOffset, events }))
  await store(clickhouse, [{ workspaceId, requests, links: new Map() }])
  const mean = { type: 'mean', property: 'v' } as const
  for (const [name, target, converted] of [
    ['at any time', { windowHours: null }, 3],
    ['within an hour', { windowHours: 1 }, 2],
    ['a mean', { windowHours: null, metric: mean }, 3],
    ['a mean that is capped', { windowHours: null, metric: { ...mean, percentile: 0.9 } }, 3],
  ] as const) {
    const { counts } = await readResults(clickhouse, {
      workspaceId,
      key: KEY,
      variants: ['a', 'b'],
      startedAt: at,
      endedAt: null,
      measuredUntil: null,
      targets: [{ eventName: 'paid', filters: [], ...target }],
    })
    const [first] = counts.variants
    t.equal(first?.exposed, 5, `${name}: each once`)
    t.equal(first?.targets[0]?.converted, converted, name)
    if ('metric' in target) t.equal(first?.targets[0]?.values?.mean, 6, `${name}: 30 of five persons`)
  }
})

t.test(
  'a segment has the cap of all, also of those whose events stand in the millisecond of their exposure',
  async (t) => {
    const at = Date.UTC(2026, 9, 10)
    const KEY = 'capped segments'
    const workspaceId = workspaceIdOf(KEY)
    const visit = (userId: string, plan: string, v: number, after: number) => [
      {
        event: '$exposure',
        userId,
        timestamp: at,
        properties: { experiment: KEY, variant: 'a', plan },
      },
      { event: 'paid', userId, timestamp: at + after, properties: { v } },
    ]
    const events = [
      ...visit('one', 'large', 10, 1),
      ...visit('two', 'large', 20, 1),
      ...visit('tied', 'small', 4, 0),
    ]
    await store(clickhouse, [
      {
        workspaceId,
        requests: [{ receivedAt: at, logPartition: 0, logOffset: 0, events }],
        links: new Map(),
      },
    ])
    const request = {
      workspaceId,
      key: KEY,
      variants: ['a', 'b'],
      startedAt: at,
      endedAt: null,
      measuredUntil: null,
      targets: [
        {
          eventName: 'paid',
          windowHours: null,
          filters: [],
          metric: { type: 'mean' as const, property: 'v', percentile: 0.5 },
        },
      ],
    }
    const { segments } = await readSegments(clickhouse, request, { property: 'plan', limit: 1 })
    t.match(segments, [
      { value: 'large', counts: { variants: [{ exposed: 2, targets: [{ values: { mean: 10 } }] }] } },
    ])
    t.equal(segments.length, 1)
  },
)

t.test('values whose sum is no number give no mean, and those of others stay', async (t) => {
  const at = Date.UTC(2026, 9, 10)
  const KEY = 'overflow'
  const workspaceId = workspaceIdOf(KEY)
  const visit = (userId: string, variant: string, values: readonly number[]) => [
    { event: '$exposure', userId, timestamp: at, properties: { experiment: KEY, variant } },
    ...values.map((v, index) => ({ event: 'paid', userId, timestamp: at + 1 + index, properties: { v } })),
  ]
  const events = [
    ...visit('one', 'a', [10]),
    ...visit('two', 'a', [20]),
    ...visit('much', 'b', [1e308, 1e308]),
  ]
  await store(clickhouse, [
    {
      workspaceId,
      requests: [{ receivedAt: at, logPartition: 0, logOffset: 0, events }],
      links: new Map(),
    },
  ])
  const targets = [{}, { cuped: true }, { percentile: 0.9 }].map((more) => ({
    eventName: 'paid',
    windowHours: null,
    filters: [],
    direction: 'increase' as const,
    metric: { type: 'mean' as const, property: 'v', ...more },
  }))
  const variants = ['a', 'b']
  const { counts } = await readResults(clickhouse, {
    workspaceId,
    key: KEY,
    variants,
    startedAt: at,
    endedAt: null,
    measuredUntil: null,
    targets,
  })
  const shown = resultsOf(
    counts,
    { variants: variants.map((key) => ({ key, trafficSplit: 50 })), targets },
    { asOf: at, lagSeconds: 0 },
  )
  for (const {
    variants: [a, b],
  } of shown.targets) {
    t.match(a, { mean: 15, standardDeviation: Math.sqrt(50) })
    t.match(b, { converted: 1, mean: null, standardDeviation: null, vsControl: { lift: null, pValue: null } })
  }
})
