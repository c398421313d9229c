import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { RETENTION_INTERVALS, type RetentionQuery } from '../../../../domain/retention.js'
import { referenceRetention } from '../../../../test/reference/retention.js'
import { cases, failWith, LONG, SEED } from '../../../../test/support/cases.js'
import { migrateClickHouse } from '../../../migrate.js'
import { type FunnelCase, randomCase } from '../../../test/support/funnel-cases.js'
import { NOW } from '../../../test/support/funnel-compare.js'
import { DAY, event, FROM, request } from '../../../test/support/funnel-fixtures.js'
import { referenceEvents, store, workspaceIdOf } from '../../../test/support/funnel-store.js'
import { openStore } from '../../../test/support/open-store.js'
import { queryRetention } from '../query-retention.js'

/** How many random cases: `node …/query-retention.js 2000 [first seed]` for a longer run. */
const CASES = Number(process.argv[2] ?? cases(20, 600))
const FIRST_SEED = Number(process.argv[3] ?? SEED)
const AT_ONCE = 100

t.setTimeout(LONG || CASES > 200 ? 0 : 300_000)
const clickhouse = await openStore(t)
await migrateClickHouse(clickhouse)

t.test('equals the reference on random events and queries', async (t) => {
  let returned = 0
  for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed += AT_ONCE) {
    const several = Array.from({ length: Math.min(AT_ONCE, FIRST_SEED + CASES - seed) }, (_, index) =>
      stretched(randomCase(seed + index)),
    )
    const workspaces = several.map((one) => ({
      workspaceId: workspaceIdOf(`retention ${one.seed}`),
      requests: one.requests,
      links: new Map(one.links),
    }))
    await store(clickhouse, workspaces)
    for (const [index, { workspaceId, requests, links }] of workspaces.entries()) {
      const one = several[index]
      if (one === undefined) continue
      const query = retentionQueryOf(one)
      const now = one.seed % 3 === 0 ? query.to : NOW + 60 * DAY
      const { cohorts } = await queryRetention(clickhouse, { workspaceId, query, now })
      const expected = referenceRetention(referenceEvents(requests), links, query, now)
      returned += cohorts.flatMap((cohort) => cohort.returned).filter((persons) => (persons ?? 0) > 0).length
      if (isDeepStrictEqual(cohorts, expected)) continue
      failWith(
        `seed ${one.seed}\n${JSON.stringify(referenceEvents(requests))}\nlinks ${JSON.stringify(one.links)}\nquery ${JSON.stringify(query)}\nexpected ${JSON.stringify(expected)}\nfound    ${JSON.stringify(cohorts)}`,
        t,
      )
      return
    }
  }
  t.ok(returned > 0, `${CASES} cases from seed ${FIRST_SEED}, ${returned} periods with returns`)
})

/** Half of the cases with their times pulled apart, so that they lie on several days. */
function stretched(one: FunnelCase): FunnelCase {
  const times = one.requests.flatMap(({ events }) => events.map(({ timestamp }) => timestamp))
  const begin = Math.min(...times)
  const span = Math.max(...times) - begin
  if (one.seed % 2 === 0 || times.length === 0 || span === 0) return one
  const factor = Math.max(1, Math.floor((6 * DAY) / span))
  const apart = (time: number) => begin + (time - begin) * factor
  return {
    ...one,
    requests: one.requests.map((request) => ({
      ...request,
      receivedAt: apart(begin + span),
      events: request.events.map((event) => ({ ...event, timestamp: apart(event.timestamp) })),
    })),
    query: {
      ...one.query,
      from: Math.min(Math.max(apart(one.query.from), begin - 90 * DAY), begin + 7 * DAY),
      to: Math.max(Math.min(apart(one.query.to), begin + 90 * DAY), begin + 8 * DAY),
    },
  }
}

/** A query of retention with the filters and names of a funnel's case. */
function retentionQueryOf({ seed, steps, query }: FunnelCase): RetentionQuery {
  const [first, last] = [steps[0], steps.at(-1)]
  return {
    from: query.from,
    to: query.to,
    interval: RETENTION_INTERVALS[seed % RETENTION_INTERVALS.length] ?? 'day',
    startEvent: first?.eventName ?? 'a',
    returnEvent: last?.eventName ?? 'a',
    startFilters: first?.filters ?? [],
    returnFilters: last?.filters ?? [],
    periods: 1 + (seed % 9),
  }
}

t.test('fixed figures', async (t) => {
  const workspaceId = workspaceIdOf('fixed retention')
  const anonymous = { userId: undefined, anonymousId: 'x' }
  const requests = [
    request(0, [
      event('start', 10, 'u1'),
      event('back', 9, 'u1'),
      event('back', DAY, 'u1'),
      event('back', 2 * DAY - 1, 'u1'),
      event('start', 10, 'u2'),
      event('back', 10, 'u2'),
      { ...event('start', DAY), ...anonymous },
      { ...event('back', 3 * DAY), ...anonymous },
      event('start', 2 * DAY, 'u3'),
      event('back', 2 * DAY + 1, 'u4'),
      event('back', 4 * DAY, 'u3'),
    ]),
  ]
  await store(clickhouse, [{ workspaceId, requests, links: new Map([['x', 'u2']]) }])
  const query: RetentionQuery = {
    from: FROM,
    to: FROM + 2 * DAY + 1,
    interval: 'day',
    startEvent: 'start',
    returnEvent: 'back',
    startFilters: [],
    returnFilters: [],
    periods: 4,
  }
  const ask = async (changes: Partial<RetentionQuery>, now = FROM + 5 * DAY) =>
    (await queryRetention(clickhouse, { workspaceId, query: { ...query, ...changes }, now })).cohorts.map(
      ({ persons, complete, returned }) => [persons, complete, ...returned],
    )
  t.strictSame(
    await ask({}),
    [
      // u1 came back before the start, and a day later; u2 at its start, and three days later as x.
      [2, true, 1, 1, 0, 1],
      [0, true, 0, 0, 0, 0],
      // Cut by the range, and its last period is not over; a return after the range counts.
      [1, false, 0, 0, 1, null],
    ],
    'a person is in the cohort of the first start',
  )
  t.strictSame(await ask({ returnEvent: 'start', to: FROM + DAY, periods: 2 }), [[2, true, 2, 1]])
  t.strictSame(await ask({ from: FROM + 11, to: FROM + 2 * DAY, periods: 3 }), [
    [0, false, 0, 0, 0],
    [1, true, 0, 0, 1],
  ])
})
