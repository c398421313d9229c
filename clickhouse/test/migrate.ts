import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { MigrationError } from '../../runtime/migrations.js'
import { openEmbeddedClickHouse } from '../embedded/open.js'
import { migrateClickHouse, statementsOf } from '../migrate.js'
import type { SchemaTarget } from '../port.js'

const SERVER: SchemaTarget = {
  kind: 'server',
  database: 'svc',
  cluster: undefined,
  links: 'memory',
  credentials: { user: 'me', password: "it's" },
}

t.test('the placeholders of migrations are filled in for each kind of store', (t) => {
  const sql = `-- Table; of things.
CREATE TABLE a @cluster (s String DEFAULT ';') -- with a comment;
ENGINE = @engine(MergeTree);

-- @only server
CREATE DICTIONARY d @cluster SOURCE(CLICKHOUSE(DB '@database' @credentials));
-- @only embedded
CREATE TABLE j ENGINE = Join;
`
  t.same(statementsOf({ sql }, { ...SERVER, kind: 'embedded', credentials: undefined }).map(oneLine), [
    "CREATE TABLE a (s String DEFAULT ';') ENGINE = MergeTree",
    'CREATE TABLE j ENGINE = Join',
  ])
  t.same(statementsOf({ sql }, { ...SERVER, cluster: 'c1' }).map(oneLine), [
    "CREATE TABLE a ON CLUSTER 'c1' (s String DEFAULT ';') ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/svc/{table}', '{replica}')",
    "CREATE DICTIONARY d ON CLUSTER 'c1' SOURCE(CLICKHOUSE(DB 'svc' USER 'me' PASSWORD 'it\\'s'))",
  ])
  t.end()
})

t.test('migrations are applied once and in order, and a foreign history is refused', async (t) => {
  const clickhouse = await openEmbeddedClickHouse({ path: t.testdir() })
  t.teardown(() => clickhouse.close())
  const folder = t.testdir({
    one: {
      '001-first.sql':
        'CREATE TABLE IF NOT EXISTS first (n UInt8) ENGINE = Memory;\nINSERT INTO first SELECT 1;\n',
    },
    two: {
      '001-first.sql':
        'CREATE TABLE IF NOT EXISTS first (n UInt8) ENGINE = Memory;\nINSERT INTO first SELECT 1;\n',
      '002-second.sql': 'INSERT INTO first SELECT 2;\n',
    },
  })
  const numbers = async () =>
    (await clickhouse.query<{ n: number }>('SELECT n FROM first ORDER BY n')).rows.map((row) => row.n)
  await migrateClickHouse(clickhouse, join(folder, 'one'))
  await migrateClickHouse(clickhouse, join(folder, 'one'))
  t.same(await numbers(), [1])
  await migrateClickHouse(clickhouse, join(folder, 'two'))
  await migrateClickHouse(clickhouse, join(folder, 'two'))
  t.same(await numbers(), [1, 2])
  await t.rejects(migrateClickHouse(clickhouse, join(folder, 'one')), MigrationError)
  const file = join(folder, 'two', '001-first.sql')
  const before = readFileSync(file, 'utf8')
  appendFileSync(file, '-- changed\n')
  await t.rejects(migrateClickHouse(clickhouse, join(folder, 'two')), MigrationError)
  t.not(readFileSync(file, 'utf8'), before)
})

t.test('tables that receive events merge eight parts at a time', async (t) => {
  const clickhouse = await openEmbeddedClickHouse({ path: t.testdir() })
  t.teardown(() => clickhouse.close())
  await migrateClickHouse(clickhouse)
  const { rows } = await clickhouse.query<{ name: string }>(
    "SELECT name FROM system.tables WHERE engine_full LIKE '%merge_selector_base = 8%' ORDER BY name",
  )
  t.same(
    rows.map(({ name }) => name),
    ['event_order', 'events', 'exposures'],
  )
})

function oneLine(sql: string): string {
  return sql.replace(/\s+/g, ' ')
}
