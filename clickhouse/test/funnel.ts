import t from 'tap'
import type { FunnelQuery, FunnelStep } from '../../domain/funnel.js'
import { referenceFunnel } from '../../test/reference/funnel.js'
import { openEmbeddedClickHouse } from '../embedded.js'
import { migrateClickHouse } from '../migrate.js'
import { type FunnelRequest, queryFunnel, UnsupportedFunnel } from '../queries/funnel/index.js'
import { type FunnelCase, randomCase } from './support/funnel-cases.js'
import { describe, firstDifference, NOW, same } from './support/funnel-compare.js'
import {
  referenceEvents,
  type StoredEvent,
  type StoredRequest,
  store,
  workspaceIdOf,
} from './support/funnel-store.js'

/** How many random cases: `node …/funnel.js 10000 [first seed]` for a longer run. */
const CASES = Number(process.argv[2] ?? 200)
const FIRST_SEED = Number(process.argv[3] ?? 1)
const AT_ONCE = 100

// A busy machine takes longer than tap's 30 s.
t.setTimeout(CASES > 200 ? 0 : 120_000)
const clickhouse = await openEmbeddedClickHouse({ path: t.testdir() })
t.teardown(() => clickhouse.close())
await migrateClickHouse(clickhouse)

const FROM = Date.UTC(2026, 9, 20)
const DAY = 86_400_000

function stepsOf(...names: string[]): FunnelStep[] {
  return names.map((name) => ({ name, eventName: name, filters: [] }))
}

function queryOf(changes: Partial<FunnelQuery> = {}): FunnelQuery {
  return {
    from: FROM,
    to: FROM + DAY,
    windowSeconds: 60,
    order: 'ordered',
    filters: [],
    exclusions: [],
    breakdown: undefined,
    interval: undefined,
    ...changes,
  }
}

/** An event of a person, `at` milliseconds after the query's beginning. */
function event(name: string, at: number, userId = 'u', more: Partial<StoredEvent> = {}): StoredEvent {
  return { event: name, userId, timestamp: FROM + at, ...more }
}

/** A request received `at` milliseconds after the beginning. */
function request(logOffset: number, events: StoredEvent[], at = 0, logPartition = 0): StoredRequest {
  return { receivedAt: FROM + at, logPartition, logOffset, events }
}

interface Fixed {
  readonly title: string
  readonly requests: readonly StoredRequest[]
  readonly links?: FunnelCase['links']
  readonly steps: readonly FunnelStep[]
  readonly query?: Partial<FunnelQuery>
  readonly counts: readonly number[]
  /** Seconds of the second step. */
  readonly median?: number
}

const fixed: readonly Fixed[] = [
  {
    title: 'the window is inclusive to the millisecond',
    requests: [
      request(0, [
        event('a', 0, 'in'),
        event('b', 60_000, 'in'),
        event('a', 0, 'out'),
        event('b', 60_001, 'out'),
      ]),
    ],
    steps: stepsOf('a', 'b'),
    counts: [2, 1],
    median: 60,
  },
  {
    title: 'step 1 begins in [from, to), later steps may come after to',
    requests: [
      request(0, [event('a', -1, 'early'), event('b', 1, 'early')]),
      request(1, [event('a', 0, 'first'), event('b', 1, 'first')]),
      request(2, [event('a', DAY - 1, 'last'), event('b', DAY + 5, 'last')]),
      request(3, [event('a', DAY, 'late'), event('b', DAY + 5, 'late')]),
    ],
    steps: stepsOf('a', 'b'),
    counts: [2, 2],
  },
  {
    title: 'one event satisfies one step',
    requests: [request(0, [event('a', 0, 'once'), event('a', 0, 'twice'), event('a', 0, 'twice')])],
    steps: stepsOf('a', 'a'),
    counts: [2, 1],
    median: 0,
  },
  {
    title: 'a later start may win, and the earliest of equal starts gives the times',
    requests: [
      request(0, [
        event('a', 0),
        event('a', 50_000),
        event('a', 70_000),
        event('b', 100_000),
        event('c', 110_000),
      ]),
    ],
    steps: stepsOf('a', 'b', 'c'),
    counts: [1, 1, 1],
    median: 50,
  },
  {
    title: 'equal timestamps follow the receipt',
    requests: [
      request(0, [event('b', 5, 'right')], 20),
      request(1, [event('a', 5, 'right')], 10),
      request(2, [event('b', 5, 'wrong')], 10),
      request(3, [event('a', 5, 'wrong')], 20),
    ],
    steps: stepsOf('a', 'b'),
    counts: [2, 1],
    median: 0,
  },
  {
    // Five of fifteen persons are tied and asked for again; their durations lie all below the median.
    title: 'tied persons at one end of the durations',
    requests: [
      request(
        0,
        [0, 0, 11, 0, 659, 166, 40, 34, 86, 3872, 0, 0, 2, 1, 269].flatMap((seconds, person) => [
          event('a', 0, `person-${person}`),
          event('b', seconds * 1_000, `person-${person}`),
        ]),
      ),
    ],
    steps: stepsOf('a', 'b'),
    query: { windowSeconds: 604_800 },
    counts: [15, 15],
    median: 11,
  },
  {
    title: 'then the index in the request',
    requests: [
      request(0, [
        event('a', 5, 'right'),
        event('b', 5, 'right'),
        event('b', 5, 'wrong'),
        event('a', 5, 'wrong'),
      ]),
    ],
    steps: stepsOf('a', 'b'),
    counts: [2, 1],
  },
  {
    title: 'then the log position, however large',
    requests: [
      request(2 ** 41 + 1, [event('b', 5, 'right'), event('a', 5, 'wrong')]),
      request(2 ** 41, [event('a', 5, 'right'), event('b', 5, 'wrong')]),
      request(7, [event('b', 6, 'partition')], 0, 1_500),
      request(8, [event('a', 6, 'partition')], 0, 3),
    ],
    steps: stepsOf('a', 'b'),
    counts: [3, 2],
  },
  {
    title: 'links join persons; a user and an anonymous of the same text stay two',
    requests: [
      request(0, [
        event('a', 0, undefined, { userId: undefined, anonymousId: 'linked' }),
        event('b', 1, 'u1'),
      ]),
      request(1, [
        event('a', 0, undefined, { userId: undefined, anonymousId: 'same' }),
        event('b', 1, 'same'),
      ]),
      request(2, [event('a', 0, 'own', { anonymousId: 'linked' }), event('b', 1, 'own')]),
    ],
    links: [['linked', 'u1']],
    steps: stepsOf('a', 'b'),
    counts: [3, 2],
  },
  {
    title: 'filters of steps and of the query',
    requests: [
      request(0, [
        event('a', 0, 'both', { properties: { plan: 'pro', site: { id: 7 } } }),
        event('b', 1, 'both', { properties: { 'site.id': 7 } }),
        event('a', 0, 'step', { properties: { plan: 'free', site: { id: 7 } } }),
        event('a', 0, 'query', { properties: { plan: 'pro', site: { id: '7' } } }),
      ]),
    ],
    steps: [
      { name: 'a', eventName: 'a', filters: [{ property: 'plan', operator: 'eq', value: 'pro' }] },
      ...stepsOf('b'),
    ],
    query: { filters: [{ property: 'site.id', operator: 'eq', value: 7 }] },
    counts: [1, 1],
  },
  {
    title: 'strict: no other step in between, other events do not matter',
    requests: [
      request(0, [event('a', 0, 'skips'), event('a', 1, 'skips'), event('c', 2, 'skips')]),
      request(1, [
        event('a', 0, 'again'),
        event('b', 1, 'again'),
        event('b', 2, 'again'),
        event('c', 3, 'again'),
      ]),
      request(2, [
        event('a', 0, 'whole'),
        event('z', 1, 'whole'),
        event('b', 2, 'whole'),
        event('c', 3, 'whole'),
      ]),
      request(3, [event('a', DAY - 1, 'late'), event('a', DAY, 'late'), event('b', DAY + 1, 'late')]),
    ],
    steps: stepsOf('a', 'b', 'c'),
    query: { order: 'strict' },
    counts: [4, 2, 1],
  },
  {
    title: 'strict: a step rests on the step right before it',
    requests: [request(0, [event('a', 0), event('a', 1), event('b', 2)])],
    steps: stepsOf('a', 'b', 'b'),
    query: { order: 'strict' },
    counts: [1, 1, 0],
  },
]

t.test('fixed cases', async (t) => {
  for (const one of fixed) {
    const workspaceId = workspaceIdOf(one.title)
    const links = new Map(one.links ?? [])
    await store(clickhouse, [{ workspaceId, requests: one.requests, links }])
    const query = queryOf(one.query)
    const { result } = await queryFunnel(clickhouse, { workspaceId, steps: one.steps, query, now: NOW })
    t.same(
      result.steps.map((step) => step.count),
      one.counts,
      one.title,
    )
    if (one.median !== undefined) t.equal(result.steps[1]?.medianSecondsFromPrevious, one.median, one.title)
    t.ok(
      same(result, referenceFunnel(referenceEvents(one.requests), links, one.steps, query, NOW)),
      one.title,
    )
  }
})

t.test('equals the reference on random funnels', async (t) => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed += AT_ONCE) {
    const count = Math.min(AT_ONCE, FIRST_SEED + CASES - seed)
    const cases = Array.from({ length: count }, (_, index) =>
      randomCase(seed + index, { orders: ['ordered', 'ordered', 'strict'], interval: true }),
    )
    const difference = await firstDifference(clickhouse, cases)
    if (difference !== undefined) {
      t.fail(`differs from the reference:\n${describe(difference)}`)
      return
    }
  }
  t.pass(`${CASES} cases from seed ${FIRST_SEED}`)
})

t.test('counts fall along the steps, and other events change nothing', async (t) => {
  const cases = Array.from({ length: 15 }, (_, index) => randomCase(900_000 + index))
  const plain = (one: FunnelCase) => workspaceIdOf(`plain ${one.seed}`)
  const noisy = (one: FunnelCase) => workspaceIdOf(`noisy ${one.seed}`)
  await store(
    clickhouse,
    cases.flatMap((one) => {
      const links = new Map(one.links)
      const noise = one.requests.map((request) => ({
        ...request,
        logOffset: request.logOffset + 1_000,
        events: request.events.map((event) => ({ ...event, event: 'unrelated' })),
      }))
      return [
        { workspaceId: plain(one), requests: one.requests, links },
        { workspaceId: noisy(one), requests: [...noise, ...one.requests], links },
      ]
    }),
  )
  for (const one of cases) {
    const ask = async (workspaceId: string) =>
      (await queryFunnel(clickhouse, { workspaceId, steps: one.steps, query: one.query, now: NOW })).result
    const result = await ask(plain(one))
    t.ok(
      result.steps.every((step, index) => index === 0 || step.count <= (result.steps[index - 1]?.count ?? 0)),
      `seed ${one.seed} falls`,
    )
    t.same(await ask(noisy(one)), result, `seed ${one.seed} with noise`)
  }
})

t.test('a person with 100,000 events, some of them tied', async (t) => {
  const workspaceId = workspaceIdOf('bot')
  const names = ['a', 'b', 'b', 'a', 'a']
  const events = Array.from({ length: 100_000 }, (_, index) =>
    event(names[index % 5] ?? '', Math.floor(index / 3)),
  )
  events.push(event('c', 40_000))
  const requests: StoredRequest[] = []
  for (let from = 0; from < events.length; from += 500)
    requests.push(request(from, events.slice(from, from + 500), from / 500))
  await store(clickhouse, [{ workspaceId, requests, links: new Map() }])
  const { result, elapsedMs } = await queryFunnel(clickhouse, {
    workspaceId,
    steps: stepsOf('a', 'b', 'c'),
    query: queryOf({ windowSeconds: 30 }),
    now: NOW,
  })
  // The first start within 30 s before c: index 30,000 at 10,000 ms; b follows it in the same millisecond.
  t.same(
    result.steps.map((step) => step.count),
    [1, 1, 1],
  )
  t.equal(result.steps[1]?.medianSecondsFromPrevious, 0)
  t.equal(result.steps[2]?.medianSecondsFromPrevious, 30)
  t.ok(elapsedMs < 3_000, `linear: ${elapsedMs} ms`)
})

t.test('more tied persons than are asked for one by one', async (t) => {
  const workspaceId = workspaceIdOf('ties')
  await clickhouse.command(
    `INSERT INTO events (workspace_id, received_at, timestamp, request_index, person_key, event, properties)
     SELECT {workspaceId:UUID}, at, at, (number + intDiv(number, 2) + 1) % 2, intDiv(number, 2), if(number % 2 = 0, 'a', 'b'), '{}'
     FROM (SELECT number, fromUnixTimestamp64Milli({from:Int64}, 'UTC') AS at FROM numbers(24000))`,
    { params: { workspaceId, from: FROM } },
  )
  const { result } = await queryFunnel(clickhouse, {
    workspaceId,
    steps: stepsOf('a', 'b'),
    query: queryOf(),
    now: NOW,
  })
  t.same(
    result.steps.map((step) => step.count),
    [12_000, 6_000],
  )
})

t.test('bounds, cancelling and what is refused', async (t) => {
  const base: FunnelRequest = {
    workspaceId: workspaceIdOf('ties'),
    steps: stepsOf('a', 'b'),
    query: queryOf(),
    now: NOW,
  }
  const ask = (changes: Partial<FunnelRequest>) => queryFunnel(clickhouse, { ...base, ...changes })
  const bounds = { maxSeconds: 30, maxMemoryBytes: 2 ** 30, maxRows: 1_000, maxThreads: 1 }
  await t.rejects(ask({ limits: bounds }), { name: 'ClickHouseFailure', code: 'rows' })
  await t.rejects(ask({ signal: AbortSignal.abort() }), { name: 'ClickHouseFailure', code: 'cancelled' })
  const refusals: Partial<FunnelQuery>[] = [
    { order: 'any' },
    { exclusions: [{ eventName: 'c', fromStep: 0, toStep: 1 }] },
    { breakdown: { property: 'p', limit: 5 } },
  ]
  for (const changes of refusals)
    await t.rejects(ask({ query: queryOf(changes) }), UnsupportedFunnel, Object.keys(changes).join())
  const answer = await ask({ workspaceId: workspaceIdOf('nobody') })
  t.equal(answer.result.entered, 0)
  t.equal(answer.result.conversionRate, null)
})
