import t from 'tap'
import type { FunnelQuery } from '../../../../../domain/funnel.js'
import { migrateClickHouse } from '../../../../migrate.js'
import type { ClickHouse, QueryOptions } from '../../../../port.js'
import { NOW } from '../../../../test/support/funnel-compare.js'
import { FROM, queryOf, stepsOf } from '../../../../test/support/funnel-fixtures.js'
import { workspaceIdOf } from '../../../../test/support/funnel-store.js'
import { openStore } from '../../../../test/support/open-store.js'
import { queryFunnel } from '../../index.js'

t.setTimeout(600_000)
const clickhouse = await openStore(t)
await migrateClickHouse(clickhouse)

const EVENTS = 200_000
const workspaceId = workspaceIdOf('few')
const steps = stepsOf('a', 'b', 'c')

t.before(async () => {
  // One event in nine has the time of another of its person; positions tie too, and every order is found.
  await clickhouse.command(
    `INSERT INTO events (workspace_id, received_at, timestamp, request_index, log_partition, log_offset, person_key, event, properties)
     SELECT {workspaceId:UUID}, at + toIntervalSecond(h % 3), at, intDiv(h, 3) % 3, intDiv(h, 9) % 2, number, sipHash64(number % 30011),
       ['a', 'a', 'b', 'c', 'd'][1 + sipHash64(number, 'name') % 5], concat('{"p":', toString(number % 7), '}')
     FROM (SELECT number, sipHash64(number) AS h,
       fromUnixTimestamp64Milli({from:Int64} + toInt64(sipHash64(number, 'time') % 60) * 1000, 'UTC') AS at FROM numbers({events:UInt64}))`,
    { params: { workspaceId, from: FROM, events: EVENTS } },
  )
})

/** The answer, and how many statements of either kind it took. */
async function ask(changes: Partial<FunnelQuery>, maxInMemoryRows: number, of = workspaceId) {
  const asked = { native: 0, query: 0 }
  const counting = new Proxy(clickhouse, {
    get(store, name) {
      if (name === 'native')
        return (sql: string, options: QueryOptions) => {
          asked.native++
          return store.native(sql, options)
        }
      if (name === 'query')
        return (sql: string, options: QueryOptions) => {
          asked.query++
          return store.query(sql, options)
        }
      const member: unknown = Reflect.get(store, name)
      return typeof member === 'function' ? member.bind(store) : member
    },
  }) satisfies ClickHouse
  const query = queryOf({ to: FROM + 45_000, windowSeconds: 20, ...changes })
  const { result, rowsRead } = await queryFunnel(counting, {
    workspaceId: of,
    steps,
    query,
    now: NOW,
    maxInMemoryRows,
  })
  return { result, rowsRead, asked }
}

t.test('funnels matched in this process equal those of the engine', async (t) => {
  const kinds: Readonly<Record<string, Partial<FunnelQuery>>> = {
    plain: {},
    'a window of a second': { windowSeconds: 1 },
    'a trend': { interval: 'hour' },
    'a filter': { filters: [{ property: 'p', operator: 'gt', value: 1 }] },
  }
  for (const [kind, changes] of Object.entries(kinds)) {
    const here = await ask(changes, 1_000_000)
    const there = await ask(changes, 0)
    t.strictSame(here.result, there.result, kind)
    t.ok(here.result.completed > 10, `${kind}: ${here.result.completed} completed`)
    t.same(here.asked, { native: 2, query: 0 }, `${kind}: once, and again for the tied`)
    t.equal(there.asked.native, 0)
    t.ok(here.rowsRead > 1_000 && here.rowsRead < 2 * EVENTS, `${here.rowsRead} rows`)
  }
})

t.test('the many events of one person are sorted', async (t) => {
  const one = workspaceIdOf('one')
  await clickhouse.command(
    `INSERT INTO events (workspace_id, received_at, timestamp, log_offset, person_key, event, properties)
     SELECT {one:UUID}, at, at, number, 1, ['a', 'b', 'c', 'd'][1 + sipHash64(number) % 4], '{}'
     FROM (SELECT number, fromUnixTimestamp64Milli({from:Int64} + toInt64(number * 7919 % 1009) * 40, 'UTC') AS at FROM numbers(1009))`,
    { params: { one, from: FROM } },
  )
  for (const windowSeconds of [1, 5]) {
    const here = await ask({ windowSeconds }, 1_000_000, one)
    t.equal(here.result.completed, 1)
    t.same(here.asked, { native: 1, query: 0 })
    t.strictSame(here.result, (await ask({ windowSeconds }, 0, one)).result, `within ${windowSeconds} s`)
  }
})

t.test('a query that needs too many rows is left to the engine', async (t) => {
  const { result, asked } = await ask({}, 100_000)
  t.equal(asked.native, 1)
  t.ok(asked.query > 0)
  t.strictSame(result, (await ask({}, 0)).result)
})

t.test('a query that is not plain is left to the engine', async (t) => {
  const kinds: readonly Partial<FunnelQuery>[] = [
    { order: 'strict' },
    { order: 'any' },
    { exclusions: [{ eventName: 'd', fromStep: 0, toStep: 1 }] },
    { breakdown: { property: 'p', limit: 3 } },
  ]
  for (const kind of kinds) t.equal((await ask(kind, 1_000_000)).asked.native, 0, JSON.stringify(kind))
})
