import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import { openEmbeddedClickHouse } from '../../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../../clickhouse/migrate.js'
import { openEmbeddedLog } from '../../../log/embedded/log.js'
import { registerLog } from '../../operations/register-log.js'
import { event, request, WORKSPACE } from '../../test/support/events.js'
import { storedPlaces, vocabularies } from '../../test/support/pipeline.js'
import { startCrashChild } from '../../test/support/start-crash-child.js'
import { TestStores } from '../../test/support/stores.js'
import { recoverFromUncleanShutdown } from '../unclean-shutdown.js'

const JUNE = Date.UTC(2026, 5, 15)
const REQUESTS = 40
const VIEWS = ['event_names', 'event_order', 'exposures']

type Asserts = Pick<typeof t, 'ok' | 'equal'>

interface Table {
  readonly name: string
  readonly path: string
}

const stores = new TestStores()
t.teardown(() => stores.close())

t.test('tokens and view rows lost in a power cut are restored', async (t) => {
  const { sql, url } = await stores.postgres()
  const logPath = `${stores.folder}/log`
  const log = await openEmbeddedLog({ path: logPath, partitions: 1, identityPartitions: 1 })
  await registerLog(sql, log)
  const clickhousePath = stores.clickhousePath()
  const before = await openEmbeddedClickHouse({ path: clickhousePath, readers: 1 })
  await migrateClickHouse(before)
  const { rows: tables } = await before.query<Table>(
    `SELECT name, data_paths[1] AS path FROM system.tables WHERE database = currentDatabase() AND notEmpty(data_paths)`,
  )
  await before.close()
  const properties = JSON.stringify({ experiment: 'home', variant: 'b' })
  for (let i = 0; i < REQUESTS; i++)
    await log.append(
      request(
        [
          event({ event: `event_${i % 4}`, userId: `u${i}`, insertId: `id${i % 30}` }),
          event({ event: '$exposure', userId: `u${i}`, properties }),
        ],
        { receivedAt: JUNE },
      ),
    )
  const run = async (killAt: string, pass: number): Promise<void> => {
    const { ended } = startCrashChild({ logPath, clickhousePath, postgresUrl: url, killAt, pass })
    t.equal(await ended, killAt === 'drained' ? '0' : 'SIGKILL', killAt)
  }
  const recover = async (): Promise<void> => {
    const clickhouse = await openEmbeddedClickHouse({ path: clickhousePath, readers: 1 })
    // As a start that is killed during it.
    for (let i = 0; i < 2; i++)
      await recoverFromUncleanShutdown({ sql, clickhouse, logger: pino({ level: 'silent' }) })
    await clickhouse.close()
  }

  await run('consumer:inserted', 1)
  loseTokens(t, tables)
  // Before any are merged.
  losePart(
    t,
    tables.filter(({ name }) => VIEWS.includes(name)),
  )
  await recover()
  await run('consumer:inserted', 2)
  loseTokens(t, tables)
  await recover()
  await run('consumer:intent-written', 2)
  loseTokens(t, tables)
  await recover()
  await run('drained', 0)

  const clickhouse = await openEmbeddedClickHouse({ path: clickhousePath, readers: 1 })
  t.teardown(() => clickhouse.close())
  const h = { log, sql, clickhouse }
  const places = await storedPlaces(h)
  t.same(
    [...places].filter(([, n]) => n !== 1),
    [],
    'nothing twice',
  )
  t.equal(places.size, REQUESTS + 30, 'everything once')
  const { table, vocabulary } = await vocabularies(h, WORKSPACE)
  t.same(vocabulary, table, 'the vocabulary counts the same')
  const { rows } = await clickhouse.query(
    `SELECT (SELECT count() FROM event_order) AS ordered, (SELECT count() FROM exposures FINAL) AS exposed`,
  )
  t.same(rows, [{ ordered: REQUESTS + 30, exposed: REQUESTS }])
  await log.close()
})

function loseTokens(t: Asserts, tables: readonly Table[]): void {
  let lost = 0
  for (const { path } of tables) {
    const tokens = join(path, 'deduplication_logs')
    for (const file of existsSync(tokens) ? readdirSync(tokens) : []) {
      rmSync(join(tokens, file))
      lost++
    }
  }
  t.ok(lost > 0, `${lost} lists of tokens are gone`)
}

function losePart(t: Asserts, tables: readonly Table[]): void {
  for (const { name, path } of tables) {
    const parts = readdirSync(path).filter((part) => /^(all|\d{6})_\d+_\d+_\d+$/.test(part))
    t.equal(parts.length, 1, `the only part of ${name} is gone`)
    for (const part of parts) rmSync(join(path, part), { recursive: true })
  }
}
