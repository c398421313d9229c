import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { TIMESTAMP_ADJUSTMENTS } from '../../../../domain/event.js'
import { packageRoot } from '../../../../runtime/package-root.js'
import { cases } from '../../../../test/support/cases.js'
import { migrateClickHouse, statementsOf } from '../../../migrate.js'
import type { ClickHouse, QueryOptions } from '../../../port.js'
import { shardsOf } from '../../../shards.js'
import { LOG } from '../../../test/support/contract.js'
import { openStore } from '../../../test/support/open-store.js'
import { encodeRows, type TestRow } from '../../../test/support/rows.js'
import { type ListEventsOptions, ListingCache, listEvents } from '../events.js'

const WORKSPACE = '01932b5e-0000-7000-8000-000000000001'
const OTHER = '01932b5e-0000-7000-8000-000000000002'
const GROWING = '01932b5e-0000-7000-8000-0000000000ff'
const EMPTY = '01932b5e-0000-7000-8000-000000000003'
const START = Date.UTC(2026, 9, 25)
const GRANULE = 16

/** Bursts in one millisecond, quiet days, names from one row to a third of all, over two months. */
const rows: TestRow[] = fc
  .sample(
    fc.record({
      workspaceId: fc.constantFrom(WORKSPACE, WORKSPACE, WORKSPACE, OTHER, OTHER),
      event: fc.constantFrom('a', 'a', 'a', 'a', 'b', 'b', 'b.c', 'B', '$exposure', 'z'),
      receivedAt: fc.oneof(
        fc.constant(START + 5_000),
        fc.integer({ min: 0, max: 20 }).map((ms) => START + 86_400_000 + ms),
        fc.integer({ min: 0, max: 12 * 86_400_000 }).map((ms) => START + ms),
      ),
      timestamp: fc.integer({ min: START - 604_800_000, max: START }),
      adjustment: fc.constantFrom(0, 1, 2, 3),
      requestIndex: fc.integer({ min: 0, max: 499 }),
      userId: fc.constantFrom('', 'u1'),
      anonymousId: fc.constantFrom('', 'v1'),
      insertId: fc.constantFrom('', 'i1'),
      sdkVersion: fc.constantFrom('', 'js/1'),
      properties: fc.constantFrom('{}', '{"price":1.5}'),
    }),
    { numRuns: cases(1_000, 30_000) },
  )
  .map((row, index) => ({ ...row, logOffset: Math.floor(index / 7) * 3, requestIndex: index % 7 }))
/**
 * Workspaces with a granule each, and one with three: so an index in memory may leave out all but whose they
 * are.
 */
const CROWD = Array.from(
  { length: 60 },
  (_, i) => `01932b5e-0000-7000-8000-0000000001${i.toString(16).padStart(2, '0')}`,
)
const crowd: TestRow[] = CROWD.flatMap((workspaceId, i) =>
  Array.from({ length: i === 5 ? 3 * GRANULE : GRANULE }, (_, index) => ({
    workspaceId,
    event: 'crowded',
    receivedAt: Date.UTC(2026, 7, 1) + i * 1_000 + index,
    logOffset: 2 * 10 ** 6 + i,
    requestIndex: index,
  })),
)
rows.push({
  workspaceId: WORKSPACE,
  event: 'once',
  receivedAt: START,
  originalTimestamp: -1,
  logOffset: 10 ** 6,
})

t.test('events are listed in pages', async (t) => {
  const clickhouse = await openStore(t)
  await migrateClickHouse(clickhouse)
  await makeGranulesSmall(clickhouse)
  // Parts that overlap, of the size of a granule and of many.
  const parts = [
    rows.slice(0, 1_000),
    rows.slice(1_000, 1_005),
    rows.slice(1_005, 1_100),
    rows.slice(1_100),
    crowd,
  ]
  for (const [index, part] of parts.entries())
    await clickhouse.insertEvents({
      logId: LOG,
      logPartition: 0,
      chunks: [encodeRows(part)],
      rowCount: part.length,
      token: `part ${index}`,
    })
  const stored = rows.filter((row) => row.workspaceId === WORKSPACE)
  const memory = new ListingCache()
  const list = (options: Partial<ListEventsOptions>, few = 50_000) =>
    listEvents(
      clickhouse,
      { workspaceId: WORKSPACE, limit: 100, offset: 0, sortBy: 'receivedAt', sortDir: 'desc', ...options },
      memory,
      { few, shallow: 2 * few, pieces: 10 },
    )
  const all = async (options: Partial<ListEventsOptions>) => {
    const listed = []
    for (let offset = 0; offset < stored.length; offset += 100)
      listed.push(...(await list({ ...options, offset })).rows)
    return listed
  }
  const newest = await all({})

  await t.test('every event once, newest first, with ids in that order', (t) => {
    t.equal(newest.length, stored.length)
    const ids = newest.map((event) => event.id)
    t.same(ids, [...ids].sort().reverse())
    t.equal(new Set(ids).size, ids.length)
    const odd = newest.filter(
      ({ id, receivedAt }) =>
        !/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id) ||
        Number.parseInt(id.replace('-', '').slice(0, 12), 16) !== receivedAt,
    )
    t.same(odd, [])
    const times = stored.map((row) => row.receivedAt).sort((a, b) => b - a)
    t.same(
      newest.map((event) => event.receivedAt),
      times,
    )
    t.end()
  })

  await t.test('stored fields are returned, and null for those that were not sent', (t) => {
    const key = (event: string, at: number, user: string, ...rest: unknown[]) =>
      JSON.stringify([event, at, user, ...rest])
    t.same(
      newest
        .map((event) =>
          key(
            event.event,
            event.receivedAt,
            event.userId ?? '',
            event.anonymousId ?? '',
            event.insertId ?? '',
            event.sdkVersion ?? '',
            event.timestamp,
            event.timestampAdjustment,
            event.properties,
          ),
        )
        .sort(),
      stored
        .map((row) =>
          key(
            row.event,
            row.receivedAt,
            row.userId ?? '',
            row.anonymousId ?? '',
            row.insertId ?? '',
            row.sdkVersion ?? '',
            row.timestamp ?? row.receivedAt,
            TIMESTAMP_ADJUSTMENTS[row.adjustment ?? 0],
            row.properties ?? '{}',
          ),
        )
        .sort(),
    )
    t.equal(newest.filter((event) => event.originalTimestamp !== null).length, 1)
    t.match(newest.find((event) => event.event === 'once') ?? {}, {
      originalTimestamp: -1,
      userId: null,
      anonymousId: null,
      insertId: null,
      sdkVersion: null,
    })
    t.end()
  })

  await t.test('every page in every order has the expected events, however few rows are read', async (t) => {
    const byName = [...newest].sort((a, b) => compare(b.event, a.event) || compare(b.id, a.id))
    const orders = {
      receivedAt: { desc: newest, asc: [...newest].reverse() },
      event: { desc: byName, asc: [...byName].reverse() },
    }
    t.same(await all({ sortBy: 'event' }), byName)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('receivedAt' as const, 'event' as const),
        fc.constantFrom('asc' as const, 'desc' as const),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 0, max: stored.length + 10 }),
        fc.constantFrom(1, 20, 200, 50_000),
        async (sortBy, sortDir, limit, offset, few) => {
          const page = await list({ sortBy, sortDir, limit, offset }, few)
          const expected = orders[sortBy][sortDir].slice(offset, offset + limit)
          return (
            page.total === stored.length &&
            isDeepStrictEqual(
              page.rows.map((row) => row.id),
              expected.map((row) => row.id),
            )
          )
        },
      ),
      { numRuns: cases(40, 1_200) },
    )
  })

  await t.test('pages are right for a workspace that shares its granules with others', async (t) => {
    const received = new Map<string, number[]>()
    for (const { workspaceId = WORKSPACE, receivedAt } of [...rows, ...crowd])
      received.set(workspaceId, [...(received.get(workspaceId) ?? []), receivedAt])
    const wrong: string[] = []
    for (const workspaceId of [OTHER, ...CROWD.slice(0, 2), ...CROWD.slice(5, 6), ...CROWD.slice(-1)])
      for (const sortDir of ['asc', 'desc'] as const)
        for (const few of [1, 20, 50_000]) {
          const sign = sortDir === 'asc' ? 1 : -1
          const times = [...(received.get(workspaceId) ?? [])].sort((a, b) => sign * (a - b))
          const step = workspaceId === OTHER ? 100 : 5
          for (let offset = 0; offset < times.length; offset += step) {
            const page = await list({ workspaceId, sortDir, limit: step, offset }, few)
            const found = page.rows.map((row) => row.receivedAt)
            if (page.total !== times.length || !isDeepStrictEqual(found, times.slice(offset, offset + step)))
              wrong.push(`${workspaceId} ${sortDir} ${offset} ${few}: ${page.total} in all, ${found}`)
          }
        }
    t.same(wrong, [])
  })

  await t.test('the index in memory has the time of every granule', async (t) => {
    for (const shard of shardsOf(clickhouse)) {
      const { rows: timeless } = await shard.query(
        "SELECT part_name FROM mergeTreeIndex(currentDatabase(), 'event_order') WHERE toUnixTimestamp64Milli(received_at) = 0",
      )
      t.same(timeless, [])
    }
  })

  await t.test('events that arrive between reading the index and the page only shift the page', async (t) => {
    let arrivals = 0
    const growing = (count: number): ClickHouse => {
      const store = shardsOf(clickhouse)[0] ?? clickhouse
      const indexed = new Proxy(store, {
        get(target, property) {
          if (property !== 'query') return Reflect.get(target, property)
          return async (sql: string, options: QueryOptions) => {
            const answer = await target.query(sql, options)
            if (sql.includes('mergeTreeIndex')) {
              const workspaceId = GROWING
              const arrived = Array.from({ length: count }, (_, index) => ({
                workspaceId,
                event: 'new',
                receivedAt: START + 10_000 + ++arrivals,
                logOffset: 3 * 10 ** 6 + arrivals,
                requestIndex: index,
              }))
              await clickhouse.insertEvents({
                logId: LOG,
                logPartition: 0,
                chunks: [encodeRows(arrived)],
                rowCount: count,
                token: `arrival ${arrivals}`,
              })
            }
            return answer
          }
        },
      })
      if (store === clickhouse) return indexed
      const stores = [indexed, ...shardsOf(clickhouse).slice(1)]
      const shards = { cluster: '', stores }
      return new Proxy(clickhouse, {
        get: (target, property) => (property === 'shards' ? shards : Reflect.get(target, property)),
      })
    }
    const page = (store: ClickHouse, offset: number, limit = 20) =>
      listEvents(
        store,
        { workspaceId: GROWING, limit, offset, sortBy: 'receivedAt', sortDir: 'desc' },
        new ListingCache(),
        { few: 20, shallow: 10, pieces: 10 },
      )
    for (const [offset, count] of [
      [0, 200],
      [40, 3],
      [41, 40],
      [60, 70],
      [150, 200],
    ] as const) {
      const { rows: listed, total } = await page(growing(count), offset)
      const expected = Array.from({ length: 20 }, (_, i) => START + 10_000 + arrivals - offset - i)
      const exact = listed.length === 0 ? [] : expected.filter((at) => at > START + 10_000)
      if (offset > 0) t.ok(listed.length > 0, `offset ${offset}`)
      t.same(
        listed.map((row) => row.receivedAt),
        exact,
      )
      t.ok(total <= arrivals)
    }
  })

  await t.test('a page past the end and one of an empty workspace are empty', async (t) => {
    for (const offset of [stored.length, Number.MAX_SAFE_INTEGER])
      for (const sortBy of ['receivedAt', 'event'] as const)
        t.same(await list({ offset, sortBy }), { rows: [], total: stored.length })
    t.same(await list({ workspaceId: EMPTY }), { rows: [], total: 0 })
    t.same(await list({ workspaceId: EMPTY, sortBy: 'event', offset: 5 }), { rows: [], total: 0 })
  })
})

/** The order of receipt anew, with so few rows a granule that pages lie between bounds of the index. */
async function makeGranulesSmall(clickhouse: ClickHouse): Promise<void> {
  const sql = readFileSync(join(packageRoot(), 'clickhouse', 'schema', '002-event-order.sql'), 'utf8')
  await clickhouse.command('DROP VIEW event_order_feed')
  await clickhouse.command('DROP TABLE event_order')
  const small = sql.replace('SETTINGS\n    --', `SETTINGS index_granularity = ${GRANULE},\n    --`)
  for (const statement of statementsOf({ sql: small }, clickhouse.schema)) await clickhouse.command(statement)
}

/** ASCII names and ids, so code units are bytes. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
