import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readMigrations } from '../../../../runtime/migrations.js'
import { packageRoot } from '../../../../runtime/package-root.js'
import { migrateClickHouse, statementsOf } from '../../../migrate.js'
import type { ClickHouse } from '../../../port.js'
import { shardsOf } from '../../../shards.js'
import { blockOf, eventsOf } from '../../../test/support/contract.js'
import { openStore } from '../../../test/support/open-store.js'
import { RECORD_SQL } from '../event-id.js'

const schema = join(packageRoot(), 'clickhouse', 'schema')
const OCTOBER = Date.UTC(2026, 9, 31, 23, 59, 59)

const some = (from: number, count: number) =>
  eventsOf(count, (index) => ({
    event: `e${index % 3}`,
    receivedAt: OCTOBER + (from + index) * 40,
    timestamp: OCTOBER - index * 1_000,
    logOffset: from + index,
  }))

/** Counts the rows of `events` and `event_order`, and those that only one of them has. */
async function compare(clickhouse: ClickHouse) {
  const found = await Promise.all(shardsOf(clickhouse).map(compareShard))
  const sum = (of: keyof Compared) => found.reduce((total, shard) => total + shard[of], 0)
  return { missing: sum('missing'), extra: sum('extra'), events: sum('events'), order: sum('order') }
}

interface Compared {
  readonly missing: number
  readonly extra: number
  readonly events: number
  readonly order: number
}

async function compareShard(clickhouse: ClickHouse): Promise<Compared> {
  const columns = 'workspace_id, received_at, record, request_index, event, timestamp'
  const events = `SELECT workspace_id, received_at, ${RECORD_SQL} AS record, request_index, event, timestamp FROM events`
  const order = `SELECT ${columns} FROM event_order`
  const { rows } = await clickhouse.query<Compared>(
    `SELECT
       (SELECT count() FROM (${events} EXCEPT DISTINCT ${order})) AS missing,
       (SELECT count() FROM (${order} EXCEPT DISTINCT ${events})) AS extra,
       (SELECT count() FROM events) AS events,
       (SELECT count() FROM event_order) AS order`,
  )
  const [row] = rows
  if (row === undefined) throw new Error('a query of scalars has one row')
  return row
}

t.test('the order is backfilled from stored events, however often the backfill starts', async (t) => {
  const clickhouse = await openStore(t)
  const before = join(t.testdir({ schema: {} }), 'schema')
  mkdirSync(before, { recursive: true })
  for (const { version, name } of readMigrations(schema)) {
    const file = `${String(version).padStart(3, '0')}-${name}.sql`
    if (version < 2) copyFileSync(join(schema, file), join(before, file))
  }
  await migrateClickHouse(clickhouse, before)
  await clickhouse.insertEvents(blockOf('1', some(0, 500)))
  await clickhouse.insertEvents(blockOf('2', some(500, 100)))

  // Killed behind the first statement, with an older program still writing; then in the filling; then another
  // start at the same time.
  const ours = readMigrations(schema).find(({ version }) => version === 2)
  const statements = statementsOf({ sql: ours?.sql ?? '' }, clickhouse.schema)
  t.equal(statements.length, 4)
  const [table = '', view = '', filling = ''] = statements
  await clickhouse.command(table)
  await clickhouse.insertEvents(blockOf('3', some(600, 10)))
  await clickhouse.command(table)
  await clickhouse.command(view)
  await clickhouse.insertEvents(blockOf('4', some(610, 10)))
  await clickhouse.command(filling)
  t.same(await compare(clickhouse), { missing: 0, extra: 0, events: 620, order: 630 })
  await Promise.all([migrateClickHouse(clickhouse), migrateClickHouse(clickhouse)])
  t.same(await compare(clickhouse), { missing: 0, extra: 0, events: 620, order: 620 })

  await clickhouse.insertEvents(blockOf('5', some(620, 10)))
  await clickhouse.insertEvents(blockOf('5', some(620, 10)))
  t.same(await compare(clickhouse), { missing: 0, extra: 0, events: 630, order: 630 }, 'a token counts once')
  await migrateClickHouse(clickhouse)
  t.same(await compare(clickhouse), { missing: 0, extra: 0, events: 630, order: 630 })
})
