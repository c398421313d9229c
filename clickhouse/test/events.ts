import fc from 'fast-check'
import t from 'tap'
import { TIMESTAMP_ADJUSTMENTS } from '../../domain/event.js'
import { openEmbeddedClickHouse } from '../embedded.js'
import { migrateClickHouse } from '../migrate.js'
import { type ListEventsOptions, listEvents } from '../queries/events.js'
import { LOG } from './support/contract.js'
import { encodeRows, type TestRow } from './support/rows.js'

const WORKSPACE = '01932b5e-0000-7000-8000-000000000001'
const OTHER = '01932b5e-0000-7000-8000-000000000002'
const EMPTY = '01932b5e-0000-7000-8000-000000000003'
const START = Date.UTC(2026, 9, 25)

/** Bursts in one millisecond, quiet days, names from one row to a third of all, over two months. */
const rows: TestRow[] = fc
  .sample(
    fc.record({
      workspaceId: fc.constantFrom(WORKSPACE, WORKSPACE, WORKSPACE, OTHER),
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
    { numRuns: 3_000, seed: 7 },
  )
  .map((row, index) => ({ ...row, logOffset: Math.floor(index / 7) * 3, requestIndex: index % 7 }))
rows.push({
  workspaceId: WORKSPACE,
  event: 'once',
  receivedAt: START,
  originalTimestamp: -1,
  logOffset: 10 ** 6,
})

t.test('listing events', async (t) => {
  const clickhouse = await openEmbeddedClickHouse({ path: t.testdir() })
  t.teardown(() => clickhouse.close())
  await migrateClickHouse(clickhouse)
  for (const [index, part] of [rows.slice(0, 1_000), rows.slice(1_000)].entries())
    await clickhouse.insertEvents({
      logId: LOG,
      logPartition: 0,
      chunks: [encodeRows(part)],
      rowCount: part.length,
      token: `part ${index}`,
    })
  const stored = rows.filter((row) => row.workspaceId === WORKSPACE)
  const list = (options: Partial<ListEventsOptions>, few = 50_000) =>
    listEvents(
      clickhouse,
      { workspaceId: WORKSPACE, limit: 100, offset: 0, sortBy: 'receivedAt', sortDir: 'desc', ...options },
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

  await t.test('what is stored comes back, and null for what was not sent', (t) => {
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

  await t.test('any page in any order is the same however it is looked for', async (t) => {
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
        fc.constantFrom(1, 20, 200),
        async (sortBy, sortDir, limit, offset, few) => {
          const page = await list({ sortBy, sortDir, limit, offset }, few)
          t.same(
            page.rows.map((row) => row.id),
            orders[sortBy][sortDir].slice(offset, offset + limit).map((row) => row.id),
            `${sortBy} ${sortDir} ${limit} ${offset} ${few}`,
          )
          t.equal(page.total, stored.length)
        },
      ),
      { numRuns: 80 },
    )
  })

  await t.test('past the end and in an empty workspace', async (t) => {
    for (const offset of [stored.length, Number.MAX_SAFE_INTEGER])
      for (const sortBy of ['receivedAt', 'event'] as const)
        t.same(await list({ offset, sortBy }), { rows: [], total: stored.length })
    t.same(await list({ workspaceId: EMPTY }), { rows: [], total: 0 })
    t.same(await list({ workspaceId: EMPTY, sortBy: 'event', offset: 5 }), { rows: [], total: 0 })
  })
})

/** ASCII names and ids, so code units are bytes. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
