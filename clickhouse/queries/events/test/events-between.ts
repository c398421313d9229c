import fc from 'fast-check'
import t from 'tap'
import { migrateClickHouse } from '../../../migrate.js'
import { openStore } from '../../../test/support/open-store.js'
import { encodeRows, type TestRow } from '../../../test/support/rows.js'
import { countInRange, type EventRange, readInRange } from '../events-in-range.js'

const WORKSPACE = '01932b5e-0000-7000-8000-000000000001'
const OTHER = '01932b5e-0000-7000-8000-000000000002'
const LOGS = ['01932b5e-0000-7000-8000-0000000000aa', '01932b5e-0000-7000-8000-0000000000bb']
const PARTITIONS = 3
const OFFSETS = 12
const START = Date.UTC(2026, 9, 31, 23, 59, 50)
const LIMIT = 1_000

interface Placed extends TestRow {
  readonly logId: string
  readonly partition: number
  readonly userId: string
}

/** Times have nothing to do with places, and cross a month. */
const rows: Placed[] = fc
  .sample(
    fc.record({
      workspaceId: fc.constantFrom(WORKSPACE, WORKSPACE, OTHER),
      event: fc.constantFrom('a', 'a', 'b', '$exposure'),
      receivedAt: fc.integer({ min: 0, max: 20_000 }).map((ms) => START + ms),
      logId: fc.constantFrom(...LOGS),
      partition: fc.nat({ max: PARTITIONS - 1 }),
      logOffset: fc.nat({ max: OFFSETS - 1 }),
    }),
    { numRuns: 300, seed: 7 },
  )
  .map((row, i) => ({ ...row, requestIndex: i, userId: `u${i}` }))

const clickhouse = await openStore(t)
await migrateClickHouse(clickhouse)
for (const logId of LOGS)
  for (let logPartition = 0; logPartition < PARTITIONS; logPartition++) {
    const mine = rows.filter((row) => row.logId === logId && row.partition === logPartition)
    const token = `${logId} ${logPartition}`
    await clickhouse.insertEvents({
      logId,
      logPartition,
      chunks: [encodeRows(mine)],
      rowCount: mine.length,
      token,
    })
  }

const places = fc
  .array(fc.array(fc.nat({ max: OFFSETS }), { minLength: PARTITIONS, maxLength: PARTITIONS }), {
    minLength: 0,
    maxLength: LOGS.length,
  })
  .map((logs) => new Map(logs.map((offsets, i) => [LOGS[i] ?? '', offsets])))
type Places = Map<string, number[]>
const END: Places = new Map(LOGS.map((logId) => [logId, Array<number>(PARTITIONS).fill(OFFSETS)]))

const everything = { workspaceId: WORKSPACE, event: undefined, since: 0 }
const mine = rows.filter((row) => row.workspaceId === WORKSPACE)
const at = (map: Places, row: Placed) => map.get(row.logId)?.[row.partition] ?? 0
const usersIn = (from: Places, to: Places) =>
  mine
    .filter(
      (row) =>
        to.has(row.logId) && (row.logOffset ?? 0) >= at(from, row) && (row.logOffset ?? 0) < at(to, row),
    )
    .map(({ userId }) => userId)
    .sort()
const read = async (wanted: EventRange, limit = LIMIT, which: 'first' | 'last' = 'first') =>
  await readInRange(clickhouse, wanted, limit, which)

t.test('a range of positions selects the events between them, whatever their times', async (t) => {
  await fc.assert(
    fc.asyncProperty(places, places, async (from, to) => {
      const found = await read({ ...everything, from, to })
      t.strictSame(found.map(({ userId }) => userId).sort(), usersIn(from, to))
      const counts = await countInRange(clickhouse, { ...everything, from, to })
      t.equal(
        [...counts.values()].reduce((sum, count) => sum + count, 0),
        found.length,
      )
      const ids = found.map(({ id }) => id)
      t.strictSame(ids, [...ids].sort(), 'in the order of ids')
    }),
    { numRuns: 12 },
  )
})

t.test('reading from position to position returns each event once', async (t) => {
  const steps: Places[] = [0, 2, 3, 7, OFFSETS].map(
    (offset) =>
      new Map(
        LOGS.slice(0, offset < 3 ? 1 : 2).map((logId) => [logId, [offset, Math.max(0, offset - 1), offset]]),
      ),
  )
  const seen: (string | null)[] = []
  let from: Places = new Map()
  for (const to of [...steps, END]) {
    seen.push(...(await read({ ...everything, from, to })).map(({ userId }) => userId))
    from = to
  }
  t.strictSame(seen.sort(), mine.map(({ userId }) => userId).sort())
})

t.test('events are paged after an id, and the last ones can be read', async (t) => {
  const all = (await read({ ...everything, from: new Map(), to: END })).map(({ id }) => id)
  const paged: string[] = []
  for (let after: string | undefined; ; after = paged.at(-1)) {
    const page = await read({ ...everything, from: new Map(), to: END, after }, 37)
    if (page.length === 0) break
    paged.push(...page.map(({ id }) => id))
  }
  t.strictSame(paged, all)
  const last = await read({ ...everything, from: new Map(), to: END }, 10, 'last')
  t.strictSame(
    last.map(({ id }) => id),
    all.slice(-10),
  )
})

t.test('events are selected by name, by time of receipt, and before a position', async (t) => {
  const named = await read({ ...everything, event: '$exposure', from: new Map(), to: END })
  t.equal(named.length, mine.filter(({ event }) => event === '$exposure').length)
  const since = START + 9_000
  const late = await countInRange(clickhouse, { ...everything, since, from: new Map(), to: END })
  const expected = new Map<number, number>()
  for (const { receivedAt } of mine)
    if (receivedAt >= since) {
      const second = Math.floor(receivedAt / 1_000)
      expected.set(second, (expected.get(second) ?? 0) + 1)
    }
  t.same(new Map([...late].sort()), new Map([...expected].sort()))
  // A log that the place does not know is long over: all of it counts.
  const to: Places = new Map([[LOGS[0] ?? '', [4, 0, 9]]])
  const before = await countInRange(clickhouse, { ...everything, from: undefined, to })
  t.equal(
    [...before.values()].reduce((sum, count) => sum + count, 0),
    mine.filter((row) => row.logId !== LOGS[0] || (row.logOffset ?? 0) < at(to, row)).length,
  )
})
