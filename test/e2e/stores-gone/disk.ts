import { join } from 'node:path'
import t from 'tap'
import { connectPostgres } from '../../../postgres/driver/client.js'
import { findEmbeddedPostgres } from '../../../postgres/embedded/start.js'
import { untilReadiness, watchGrowth } from '../../support/outage/outage.js'
import { mountSmallDisk } from '../../support/outage/small-disk.js'
import { call, type RunningService, startService, temporaryDataDir, until } from '../../support/service.js'
import { Traffic } from '../../support/traffic.js'

/**
 * Each embedded store is on a separate small disk, which is filled to the last byte, one after the other and
 * then all together, under load. No acknowledged event may be lost or doubled, and the service continues by
 * itself once there is room.
 */
const SIZES = { log: 200, clickhouse: 120, postgres: 140 } as const

t.test('npm start recovers from full disks', { timeout: 600_000 }, async (t): Promise<void> => {
  const data = temporaryDataDir()
  t.teardown(() => data.remove())
  const disks = Object.entries(SIZES).map(([store, size]) => mountSmallDisk(t, join(data.path, store), size))
  const [log, clickhouse, postgres] = disks
  if (typeof log !== 'object' || typeof clickhouse !== 'object' || typeof postgres !== 'object') {
    const reason = disks.find((disk) => typeof disk === 'string')
    await t.test('on small disks', { skip: reason ?? true }, async () => {})
    return
  }
  const service = await startService(data.path)
  t.teardown(() => service.kill())
  const traffic = new Traffic(service, { clients: 4, events: 5, filling: 400, pauseMs: 60 })
  t.ok(await traffic.sees(202, 20), 'events are taken')
  const memory = watchGrowth([service.process])

  await t.test('a full disk of ClickHouse: events wait in the log', async (t) => {
    clickhouse.fill()
    const from = traffic.now()
    const { down, messages } = await untilReadiness(service, 'clickhouse')
    t.same(down, ['clickhouse'])
    t.match(messages[0], /accepts no events/, 'it answers questions, and still it is not ready')
    t.ok(await traffic.sees(202, 50), 'the gateway goes on')
    t.same(Object.keys(traffic.statuses(from)), ['202'])
    clickhouse.free()
    t.equal((await untilReadiness(service, 'ready')).status, 200, 'it goes on by itself')
  })

  await t.test('a full disk of the log: requests that do not fit are refused', async (t) => {
    log.fill()
    const { down } = await untilReadiness(service, 'log')
    t.same(down, ['log'])
    const from = traffic.now()
    t.ok(await traffic.sees(503, 30))
    // Stored records leave room in the file of the log for some requests. The count at the end includes them.
    const others = Object.keys(traffic.statuses(from)).filter((status) => status !== '202')
    t.same(others, ['503'], 'refused, and not in another way')
    t.equal((await ask(service)).status, 200, 'what is stored can be read')
    log.free()
    t.equal((await untilReadiness(service, 'ready')).status, 200)
    t.ok(await traffic.sees(202, 20), 'it goes on by itself')
  })

  await t.test('a full disk of Postgres: it stops, and is started again', async (t) => {
    await exhaustPostgres(service, postgres.fill)
    const from = traffic.now()
    t.same((await untilReadiness(service, 'postgres')).down, ['postgres'])
    t.ok(await traffic.sees(202, 20), 'known keys go on')
    t.match(await ask(service), { status: 503, body: { code: 'UNAVAILABLE' } })
    t.same(Object.keys(traffic.statuses(from)), ['202'])
    postgres.free()
    t.equal((await untilReadiness(service, 'ready')).status, 200, 'it goes on by itself')
    t.equal((await ask(service)).status, 200)
    t.match(service.output(), /Embedded Postgres runs again/)
  })

  await t.test('full disks of all stores at once', async (t) => {
    for (const disk of [log, clickhouse, postgres]) disk.fill()
    t.ok(await traffic.sees(503, 30))
    await exhaustPostgres(service, postgres.fill)
    await untilReadiness(service, 'postgres')
    for (const disk of [log, clickhouse, postgres]) disk.fill()
    for (const disk of [log, clickhouse, postgres]) disk.free()
    t.equal((await untilReadiness(service, 'ready')).status, 200)
    t.ok(await traffic.sees(202, 20), 'it goes on by itself')
  })

  await traffic.stop()
  const { first, most } = memory.stop()
  t.comment(`memory ${first} MB at first, ${most} MB at most`)
  t.ok(most - first < 300, `memory grew from ${first} to ${most} MB`)
  t.same(
    traffic.outcomes.filter(({ status, retryAfter }) => status === 503 && retryAfter === null),
    [],
    'each 503 says when to come again',
  )
  t.same(Object.keys(traffic.statuses()), ['202', '503'], 'no request was left without an answer')
  const { problems, stored } = await traffic.verify().catch((error: unknown) => {
    t.comment(service.output().slice(-8_000))
    throw error
  })
  t.same(problems.slice(0, 5), [], `each of ${stored} events once, none of what was refused`)
  t.ok(stored >= traffic.acknowledged)
  t.equal(service.process.exitCode, null, 'no process of the service ended')
  t.equal(await service.stop(), 0)
})

function ask(service: RunningService) {
  return call(service.keys.apiKey, 'GET', `${service.api}/v1/funnel`)
}

/** Writes to the journal until Postgres gives up. */
async function exhaustPostgres(service: RunningService, fill: () => void): Promise<void> {
  fill()
  const found = await findEmbeddedPostgres({ dataDir: join(service.dataDir, 'postgres') })
  if (found === undefined) return
  const sql = connectPostgres({ url: found.url, applicationName: 'svc test', maxConnections: 1 })
  try {
    await until(
      async () =>
        sql`select pg_logical_emit_message(true, 'svc', repeat('x', 1000000))`.then(
          () => false,
          () => true,
        ),
      (failed) => failed,
    )
  } finally {
    await sql.end({ timeout: 0 })
  }
}
