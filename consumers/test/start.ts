import { Registry } from 'prom-client'
import t from 'tap'
import { cancelledError } from '../../clickhouse/error-mapping.js'
import { createLogger } from '../../runtime/logger.js'
import { waitUntil } from '../../test/support/wait-until.js'
import { startConsumers } from '../start.js'
import { event, NOON, request } from './support/events.js'
import { harness, ledger, readAll, storedPlaces } from './support/pipeline.js'
import { TestStores } from './support/stores.js'

const stores = new TestStores()
t.teardown(() => stores.close())

t.test('events become rows, pairs become links, and a drained log is settled', async (t) => {
  const h = await harness(stores)
  const stage = await startConsumers({
    ...h,
    dedupMemoryBytes: 2 ** 28,
    logger: createLogger('silent', 'test'),
    registry: new Registry(),
    now: Date.now,
  })
  await h.log.append(
    request(
      [
        event({ insertId: 'a', timestamp: NOON - 60_000 }),
        event({ insertId: 'a' }),
        event({ insertId: 'A', timestamp: NOON + 3_600_000 * 5 }),
        event({ userId: 'u9', anonymousId: 'x', timestamp: NOON - 30 * 86_400_000 }),
      ],
      { sentAt: NOON - 5_000 },
    ),
  )
  await h.log.append(request([event({ insertId: 'a' }), event({ userId: 'u8', anonymousId: 'x' })]))
  await waitUntil(async () => (await storedPlaces(h)).size === 4)
  const { rows } = await h.clickhouse.query(
    `SELECT log_offset, request_index, insert_id, toUnixTimestamp64Milli(timestamp) - ${NOON} AS after, adjustment, event,
      user_id, log_partition, toUnixTimestamp64Milli(received_at) AS received
    FROM events ORDER BY log_offset, request_index`,
  )
  const common = { event: 'seen', log_partition: 0, received: NOON }
  t.same(rows, [
    {
      ...common,
      log_offset: 0,
      request_index: 0,
      insert_id: 'a',
      after: -55_000,
      adjustment: 1,
      user_id: 'u1',
    },
    {
      ...common,
      log_offset: 0,
      request_index: 2,
      insert_id: 'A',
      after: 3_600_000,
      adjustment: 3,
      user_id: 'u1',
    },
    {
      ...common,
      log_offset: 0,
      request_index: 3,
      insert_id: '',
      after: -7 * 86_400_000,
      adjustment: 2,
      user_id: 'u9',
    },
    { ...common, log_offset: 1, request_index: 1, insert_id: '', after: 0, adjustment: 0, user_id: 'u8' },
  ])
  await waitUntil(async () => !(await ledger(h)).open)
  t.match(await ledger(h), { done: 2, open: false, stored: 4, duplicates: 2, dead: 0 })
  await waitUntil(async () => (await readAll(h.log)).length === 0)

  await waitUntil(async () => {
    const links = await h.clickhouse.query('SELECT * FROM identity_links')
    return links.rows.length > 0
  })
  t.match(await h.sql`select anonymous_id, user_id from identity_links`, [
    { anonymous_id: 'x', user_id: 'u9' },
  ])
  t.equal((await h.sql`select * from link_outbox`).length, 0)

  t.same(
    (await stage.checks()).map(({ name, ok }) => [name, ok]),
    [
      ['log', true],
      ['postgres', true],
      ['clickhouse', true],
    ],
  )
  const values = new Map((await stage.metrics()).map((metric) => [metric.name, metric.values[0]?.value]))
  t.match(Object.fromEntries(values), {
    svc_consumer_rows_stored_total: 4,
    svc_consumer_rows_duplicate_total: 2,
    svc_consumer_rows_dead_lettered_total: 0,
    svc_consumer_lag_records: 0,
    svc_identity_links_total: 1,
    svc_dedup_entries: 2,
    svc_ledger_stored: 4,
    svc_ledger_duplicates: 2,
    svc_ledger_dead_letters: 0,
  })
  await h.log.append(request([event({ insertId: 'last' })]))
  await waitUntil(async () => (await storedPlaces(h)).size === 5)
  await stage.stop()
  t.match(await ledger(h), { done: 3, open: false, stored: 5 }, 'settled by the stop')
})

t.test(
  'consumers publish the watermark of every partition, and the age of the oldest waiting event',
  async (t) => {
    const h = await harness(stores)
    let away = false
    const clickhouse = new Proxy(h.clickhouse, {
      get(target, name) {
        if (name === 'insertEvents' && away) return () => Promise.reject(cancelledError())
        const value = Reflect.get(target, name) as unknown
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    let now = NOON + 60_000
    const stage = await startConsumers({
      ...h,
      clickhouse,
      dedupMemoryBytes: 2 ** 28,
      logger: createLogger('silent', 'test'),
      registry: new Registry(),
      now: () => now,
      tuning: { watermarksMs: 20 },
    })
    t.teardown(() => stage.stop())
    const receipts = async () => {
      const rows = await h.sql<{ through: Date; waiting: Date | null }[]>`
      select received_through as through, waiting_since as waiting from log_receipts where log_id = ${h.log.id}`
      return rows.map(({ through, waiting }) => ({ through: through.getTime(), waiting: waiting?.getTime() }))
    }
    const all = h.log.partitions + h.log.identityPartitions
    const allPast = async (time: number) => {
      const rows = await receipts()
      return (
        rows.length === all && rows.every(({ through, waiting }) => through >= time && waiting === undefined)
      )
    }
    await waitUntil(() => allPast(NOON + 59_000))
    away = true
    await h.log.append(request([event({ insertId: 'late' })]))
    await waitUntil(async () => (await receipts()).some(({ waiting }) => waiting === NOON))
    now += 60_000
    await waitUntil(async () => (await receipts()).some(({ through }) => through === NOON + 119_000))
    t.notOk(await allPast(NOON + 119_000), 'the one that waits does not')
    away = false
    await waitUntil(() => allPast(NOON + 119_000))
    t.equal((await storedPlaces(h)).size, 1)
  },
)
