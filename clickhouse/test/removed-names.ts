import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { cases } from '../../test/support/cases.js'
import {
  type ClickHouseServer,
  clickhouseProblem,
  startClickHouseServer,
} from '../../test/support/clickhouse/server.js'
import { temporaryDataDir } from '../../test/support/service.js'
import { openEmbeddedClickHouse } from '../embedded/open.js'
import { migrateClickHouse } from '../migrate.js'
import type { ClickHouse } from '../port.js'
import { openRemoteClickHouse } from '../remote/open.js'
import { countRows, type RemovedRows, recountNames, removeRows, rowsOfPersons } from '../removal.js'
import { subtractNames, trimNames } from '../removed-names.js'
import { blockOf, eventsOf, WORKSPACE } from './support/contract.js'
import type { TestRow } from './support/rows.js'

const skip = clickhouseProblem() ?? false
const folder = temporaryDataDir()
t.teardown(() => folder.remove())
const { signal } = new AbortController()
const PERSON = 77n
const UNTIL = Date.UTC(2026, 10, 25)
const DAY_MS = 86_400_000

class Crash extends Error {
  override readonly name = 'Crash'
}

let server: ClickHouseServer | undefined
t.teardown(() => server?.kill())

/** An empty store on the one server of this file. */
async function openServer(t: Test, database: string): Promise<ClickHouse> {
  server ??= await startClickHouseServer(folder.path)
  const clickhouse = await openRemoteClickHouse({ url: `${server.url}/${database}` })
  t.teardown(() => clickhouse.close())
  await migrateClickHouse(clickhouse)
  return clickhouse
}

/** Puts rows into the vocabulary some time after they are in the table. */
async function slowView(clickhouse: ClickHouse): Promise<void> {
  const { rows } = await clickhouse.query<{ statement: string }>(
    "SELECT as_select AS statement FROM system.tables WHERE name = 'event_names_feed' AND database = currentDatabase()",
  )
  await clickhouse.command('DROP TABLE event_names_feed')
  await clickhouse.command(
    `CREATE MATERIALIZED VIEW event_names_feed TO event_names AS
     ${rows[0]?.statement.replace('GROUP BY', 'WHERE sleepEachRow(0.01) = 0 GROUP BY')}`,
  )
}

let blocks = 0
const insert = (clickhouse: ClickHouse, rows: readonly TestRow[]) =>
  clickhouse.insertEvents(blockOf(`block ${blocks++}`, rows))

const rowOf = (event: string, receivedAt: number, more: Partial<TestRow> = {}): TestRow => ({
  workspaceId: WORKSPACE,
  event,
  receivedAt,
  logOffset: blocks * 1_000,
  personKey: 1n,
  ...more,
})

/** The names as the table and as the vocabulary has them. */
async function namesOf(clickhouse: ClickHouse) {
  const stored = await clickhouse.query(
    `SELECT toString(event) AS name, count() AS events, toString(min(timestamp)) AS a, toString(max(timestamp)) AS b,
       toString(min(received_at)) AS c, toString(max(received_at)) AS d FROM events GROUP BY name ORDER BY name`,
  )
  const known = await clickhouse.query(
    `SELECT event AS name, sum(count) AS events, toString(min(first_seen)) AS a, toString(max(last_seen)) AS b,
       toString(min(first_received)) AS c, toString(max(last_received)) AS d FROM event_names GROUP BY name ORDER BY name`,
  )
  return { stored: stored.rows, known: known.rows }
}

async function removePerson(clickhouse: ClickHouse, until: number) {
  const rows: RemovedRows = rowsOfPersons(WORKSPACE, [String(PERSON)], new Date(until))
  const { names } = await countRows(clickhouse, rows)
  await removeRows(clickhouse, rows, signal)
  return names
}

/** Calls `before` once, before the vocabulary's first mutation. */
function beforeMutation(clickhouse: ClickHouse, before: () => Promise<void>): ClickHouse {
  let called = false
  return new Proxy(clickhouse, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property)
      if (property !== 'command') return typeof value === 'function' ? value.bind(target) : value
      return async (...args: Parameters<ClickHouse['command']>) => {
        if (!called && args[0].startsWith('ALTER TABLE event_names')) {
          called = true
          await before()
        }
        return target.command(...args)
      }
    },
  })
}

/** Crashes after a number of statements that change something. */
function crashAfter(clickhouse: ClickHouse, commands: number): ClickHouse {
  let left = commands
  return new Proxy(clickhouse, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property)
      if (property !== 'command') return typeof value === 'function' ? value.bind(target) : value
      return async (...args: Parameters<ClickHouse['command']>) => {
        await target.command(...args)
        if (--left === 0) throw new Crash()
      }
    },
  })
}

t.test('counts are exact after removals while others insert, whatever is repeated', { skip }, async (t) => {
  const clickhouse = await openServer(t, 'counts')
  await slowView(clickhouse)
  await insert(clickhouse, [rowOf('visited', UNTIL - 9 * DAY_MS), rowOf('bought', UNTIL - 9 * DAY_MS)])
  let stopped = false
  let now = UNTIL
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let block = 0; !stopped; block++) {
      // Some happened long before they were received.
      const timestamp = UNTIL + ((block % 7) - 3) * DAY_MS * (1 + writer)
      const others = eventsOf(6, (index) =>
        rowOf(['visited', 'bought'][index % 2] ?? '', now + 1, { timestamp }),
      )
      await insert(clickhouse, others)
    }
  })
  for (let round = 0; round < cases(2, 12); round++) {
    const mine = ['visited', 'bought', `only in round ${round}`].flatMap((event) => [
      rowOf(event, now, { personKey: PERSON, timestamp: UNTIL - 40 * DAY_MS - round }),
      rowOf(event, now, { personKey: PERSON, timestamp: UNTIL + 40 * DAY_MS + round }),
    ])
    await insert(clickhouse, mine)
    const until = new Date(now)
    now += 1_000
    const removed = await removePerson(clickhouse, until.getTime())
    t.equal(removed.length, 3)
    const names = removed.map(({ name }) => name)
    const step = async (store: ClickHouse) => {
      await subtractNames(store, WORKSPACE, removed, `removed ${round}`)
      await trimNames(store, { workspaceId: WORKSPACE, names, until }, signal)
    }
    // The step is repeated from its beginning.
    for (let crash = 1; crash <= 1 + (round % 4); crash++)
      await step(crashAfter(clickhouse, crash)).catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error
      })
    await step(clickhouse)
    await sleep(50)
  }
  stopped = true
  await Promise.all(writers)
  const { stored, known } = await namesOf(clickhouse)
  t.same(known, stored)
  t.equal(stored.length, 2)
})

t.test(
  'names without rows are removed, and times narrowed to the rows that are left',
  { skip },
  async (t) => {
    const clickhouse = await openServer(t, 'times')
    const mine = { personKey: PERSON }
    const [old, late] = [UNTIL - 50 * DAY_MS, UNTIL + 50 * DAY_MS]
    await insert(clickhouse, [
      rowOf("it's gone", UNTIL - 5, mine),
      rowOf('comes again', UNTIL - 5, mine),
      rowOf('replayed', UNTIL - 5, mine),
      rowOf('both', UNTIL - 5, { ...mine, timestamp: old }),
      rowOf('both', UNTIL - 4),
      rowOf('both', UNTIL - 3),
      rowOf('both', UNTIL - 2, { ...mine, timestamp: late }),
      rowOf('late', UNTIL - 5, { ...mine, timestamp: old }),
      rowOf('late', UNTIL - 4, { timestamp: UNTIL }),
      rowOf('newer', UNTIL - 5, mine),
      rowOf('newer', UNTIL - 1),
    ])
    await insert(clickhouse, [rowOf('newer', UNTIL + 9)])
    const removed = await removePerson(clickhouse, UNTIL)
    await subtractNames(clickhouse, WORKSPACE, removed, 'removed')
    const meanwhile = beforeMutation(clickhouse, () =>
      insert(clickhouse, [
        rowOf('comes again', UNTIL + 1),
        rowOf('replayed', UNTIL - 7),
        rowOf('late', UNTIL + 2, { timestamp: old - 1 }),
        rowOf('late', UNTIL + 3, { timestamp: late + 1 }),
      ]),
    )
    const names = removed.map(({ name }) => name)
    const trim = (store: ClickHouse) =>
      trimNames(store, { workspaceId: WORKSPACE, names, until: new Date(UNTIL) }, signal)
    await trim(meanwhile)
    const { stored, known } = await namesOf(clickhouse)
    t.match(
      stored.map((row) => (row as { name: string }).name),
      ['both', 'comes again', 'late', 'newer', 'replayed'],
    )
    const without = (rows: unknown[], names: readonly string[]) =>
      rows.filter((row) => !names.includes((row as { name: string }).name))
    const wide = ['comes again', 'replayed']
    t.same(without(known, wide), without(stored, wide))
    const counted = (rows: unknown[]) => rows.map((row) => ({ ...(row as object), a: 0, b: 0, c: 0, d: 0 }))
    t.same(counted(known), counted(stored), 'counts of names that came again')
    await trim(clickhouse)
    const again = await namesOf(clickhouse)
    t.same(counted(again.known), counted(stored))
    t.same(
      without(again.known, ['comes again']),
      without(stored, ['comes again']),
      'the next removal narrows them',
    )
    await clickhouse.command('OPTIMIZE TABLE event_names FINAL')
    await trim(clickhouse)
    t.same(counted((await namesOf(clickhouse)).known), counted(stored), 'merged, too')
  },
)

t.test('many long names are removed or narrowed', { skip }, async (t) => {
  const clickhouse = await openServer(t, 'many')
  const names = Array.from({ length: 1_200 }, (_, index) => `${index} '${'x'.repeat(190)}`)
  const of = (personKey: bigint, some: readonly string[], receivedAt: number) =>
    insert(
      clickhouse,
      some.map((name) => rowOf(name, receivedAt, { personKey })),
    )
  await of(PERSON, names, UNTIL - 1)
  await of(1n, names.slice(600), UNTIL - 2)
  const removed = await removePerson(clickhouse, UNTIL)
  await subtractNames(clickhouse, WORKSPACE, removed, 'removed')
  await trimNames(clickhouse, { workspaceId: WORKSPACE, names, until: new Date(UNTIL) }, signal)
  const { stored, known } = await namesOf(clickhouse)
  t.equal(stored.length, 600)
  t.same(known, stored)
})

t.test('the embedded engine compares table and vocabulary between two blocks', async (t) => {
  const clickhouse = await openEmbeddedClickHouse({ path: t.testdir() })
  t.teardown(() => clickhouse.close())
  await migrateClickHouse(clickhouse)
  await slowView(clickhouse)
  let stopped = false
  const writing = (async () => {
    while (!stopped) await insert(clickhouse, [rowOf('visited', UNTIL + 1)])
  })()
  for (let round = 0; round < cases(1, 8); round++) {
    await insert(clickhouse, [rowOf('visited', UNTIL, { personKey: PERSON })])
    const names = (await removePerson(clickhouse, UNTIL)).map(({ name }) => name)
    await recountNames(clickhouse, { workspaceId: WORKSPACE, names }, async () => [], signal)
  }
  stopped = true
  await writing
  const { stored, known } = await namesOf(clickhouse)
  t.same(known, stored)
})
