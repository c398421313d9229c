import { Registry } from 'prom-client'
import t from 'tap'
import { v7 } from 'uuid'
import type { EventLog } from '../../../log/port.js'
import { closeLog, listLogs, reopenLog } from '../../../postgres/tables/logs.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { acquirePartition, FencedError, writeIntent } from '../../partitions/checkpoint.js'
import { routeLetters } from '../../replays/replay-router.js'
import { startConsumers } from '../../start.js'
import { event, request } from '../../test/support/events.js'
import { type Harness, openLog, quiet } from '../../test/support/pipeline.js'
import { TestStores } from '../../test/support/stores.js'
import { drainOnce } from '../drain.js'
import { registerLog } from '../register-log.js'

const stores = new TestStores()
t.teardown(() => stores.close())
const clickhouse = await stores.clickhouse()

const consume = (h: Harness) =>
  startConsumers({
    ...h,
    dedupMemoryBytes: 2 ** 28,
    logger: quiet,
    registry: new Registry(),
    now: Date.now,
    tuning: { drainPollMs: 50 },
  })

/** A gateway's right to append, as `ingest/append/writer-lease.ts` notes it. */
async function addWriter({ sql, log }: Harness, lastsMs: number): Promise<void> {
  await sql`
    insert into log_writers (id, log_id, name, renewed_at, expires_at)
    values (${v7()}, ${log.id}, 'gateway', now(), clock_timestamp() + ${lastsMs} * interval '1 millisecond')`
}

async function begin(partitions: number): Promise<Harness> {
  const { sql } = await stores.postgres()
  const log = await openLog(stores, partitions)
  await registerLog(sql, log)
  return { sql, log, clickhouse }
}

const problemOf = async ({ sql }: Harness): Promise<string | null | undefined> =>
  (await listLogs(sql)).at(-1)?.problem

t.test('a log is drained once no gateway may append and everything is stored', async (t) => {
  const h = await begin(3)
  const { sql, log } = h
  const ask = () => drainOnce({ sql, log })
  t.equal(await ask(), 'open', 'closing was not asked for')
  await addWriter(h, 60_000)
  await closeLog(sql, log.id)
  t.equal(await ask(), 'waiting')
  t.equal(await problemOf(h), '1 gateway may still append')
  await sql`update log_writers set expires_at = clock_timestamp() - interval '1 second'`

  await log.append(request([event({ insertId: 'a' }), event({ userId: 'u9', anonymousId: 'x' })], {}, log))
  t.equal(await ask(), 'waiting')
  t.match(
    await problemOf(h),
    /^[123] partitions? of 4 not stored to the end$/,
    'records that no consumer has read',
  )

  await t.test('an open block, a link and a replay delay draining', async () => {
    const h = await begin(1)
    const { sql, log } = h
    await log.append(request([event({ insertId: 'a' })]))
    await closeLog(sql, log.id)
    const ask = () => drainOnce({ sql, log })
    const { epoch } = await acquirePartition(sql, log.id, 0)
    const counts = { stored: 1, duplicates: 0, dead: 0 }
    const own = { logId: log.id, partition: 0, epoch }
    const intent = { byKey: [], to: 1, token: 'token', counts }
    await writeIntent(sql, own, 0, intent, [], undefined, v7)
    t.equal(await ask(), 'waiting')
    t.match(await problemOf(h), /^1 partition of 2/)
    await sql`update log_partitions set done_offset = 1, open_to = null, open_token = null`
    await sql`insert into link_outbox (workspace_id, anonymous_key, user_key) values (${v7()}, 1, 2)`
    await sql`insert into dead_letter_replays (id) values (${v7()})`
    t.equal(await ask(), 'waiting')
    t.equal(
      await problemOf(h),
      '1 link on the way to ClickHouse; 1 replay of dead letters not done',
      'both are named',
    )
    await sql`delete from link_outbox`
    await sql`update dead_letter_replays set state = 'done'`
    t.equal(await ask(), 'drained')
    t.equal(await ask(), 'was drained')
    t.notOk(await reopenLog(sql, log.id), 'its end stands')
    t.equal((await listLogs(sql))[0]?.state, 'drained')

    const next = writeIntent(sql, own, 1, { ...intent, to: 2 }, [], undefined, v7)
    await t.rejects(next, FencedError, 'who owned a partition is fenced')
    await t.rejects(acquirePartition(sql, log.id, 0), /drained/, 'no consumer acquires it again')
    await sql`insert into dead_letter_replays (id) values ('0190c8f1-0000-7000-8000-0000000000ff')`
    await sql`
      insert into dead_letters (id, log_id, log_partition, log_offset, row_index, reason, events, payload, replay_id)
      values (${v7()}, ${log.id}, 0, 0, 0, 'x', 1, '', '0190c8f1-0000-7000-8000-0000000000ff')`
    t.equal(await routeLetters({ sql, log, newId: v7, onLinksWritten: () => {} }), false)
    t.match(await sql`select replay_partition from dead_letters`, [{ replay_partition: null }], 'nor letters')
  })

  await t.test('consumers drain a log by themselves', async () => {
    t.ok(await reopenLog(sql, log.id), 'opened again')
    const stage = await consume(h)
    t.equal((await listLogs(sql))[0]?.state, 'open')
    await closeLog(sql, log.id)
    await waitUntil(async () => (await listLogs(sql))[0]?.state === 'drained')
    await stage.stop()
    t.match((await listLogs(sql))[0], { events: { stored: 2, duplicates: 0, deadLetters: 0 }, problem: null })
  })
})

t.test('deduplication, links and their order survive the change to a log with more partitions', async (t) => {
  const first = await begin(3)
  const { sql } = first
  const ids = Array.from({ length: 40 }, (_, i) => `id-${i}`)
  const send = (log: EventLog, from: number, to: number) =>
    log.append(
      request(
        ids.slice(from, to).map((insertId) => event({ insertId, event: 'change' })),
        {},
        log,
      ),
    )
  await send(first.log, 0, 25)
  await first.log.append(
    request([event({ event: 'change', userId: 'first', anonymousId: 'y' })], {}, first.log),
  )
  const old = await consume(first)
  const second: Harness = { ...first, log: await openLog(stores, 5) }
  await t.rejects(registerLog(sql, second.log), /not drained/)
  await closeLog(sql, first.log.id)
  await waitUntil(async () => (await listLogs(sql))[0]?.state === 'drained')

  // The consumers of before are still there, as in a rolling restart.
  await registerLog(sql, second.log)
  await send(second.log, 10, 40)
  await second.log.append(
    request([event({ event: 'change', userId: 'second', anonymousId: 'y' })], {}, second.log),
  )
  const stage = await consume(second)
  await closeLog(sql, second.log.id)
  await waitUntil(async () => (await listLogs(sql))[1]?.state === 'drained')
  await Promise.all([old.stop(), stage.stop()])

  const { rows } = await clickhouse.query<{ insert_id: string; n: number }>(
    "SELECT insert_id, count() AS n FROM events WHERE event = 'change' AND insert_id != '' GROUP BY insert_id",
  )
  t.equal(rows.length, ids.length)
  t.ok(
    rows.every(({ n }) => n === 1),
    'each once',
  )
  t.match(
    (await listLogs(sql)).map(({ partitions, events }) => ({ partitions, events })),
    [
      { partitions: 3, events: { stored: 26, duplicates: 0 } },
      { partitions: 5, events: { stored: 16, duplicates: 15 } },
    ],
  )
  t.match(await sql`select user_id from identity_links where anonymous_id = 'y'`, [{ user_id: 'first' }])
})
