import t from 'tap'
import { v7 } from 'uuid'
import type { LogRecord } from '../../../log/port.js'
import { readHeader } from '../../../log/record.js'
import { findReplay, insertDeadLetters, requestReplay } from '../../../postgres/tables/dead-letters.js'
import { registerLog } from '../../operations/register-log.js'
import { event, request, WORKSPACE } from '../../test/support/events.js'
import { openLog } from '../../test/support/pipeline.js'
import { TestStores } from '../../test/support/stores.js'
import { routeLetters } from '../replay-router.js'

const stores = new TestStores()
t.teardown(() => stores.close())

async function setUp(partitions = 3) {
  const { sql } = await stores.postgres()
  const log = await openLog(stores, partitions)
  await registerLog(sql, log)
  await sql`insert into log_partitions (log_id, log_partition, total_dead) values (${log.id}, ${partitions}, 2)`
  const write = (logId: string, partition: number, records: readonly (LogRecord | undefined)[]) =>
    sql.begin((tx) =>
      insertDeadLetters(
        tx,
        logId,
        partition,
        records.map((record, offset) => ({
          offset,
          rowIndex: -1,
          workspaceId: WORKSPACE,
          reason: 'r',
          events: record?.events ?? 0,
          payload: record?.payload ?? new Uint8Array(3),
        })),
        v7,
      ),
    )
  let poked = 0
  const linked = (): void => {
    poked++
  }
  const replay = async () => {
    const { replay } = await requestReplay(sql, v7(), { filter: {} })
    while (await routeLetters({ sql, log, newId: v7, onLinksWritten: linked }));
    const view = await findReplay(sql, replay?.id ?? v7())
    if (view === undefined) throw new Error('there was nothing to replay')
    return view
  }
  return { sql, log, write, replay, poked: () => poked }
}

t.test('dead letters of the current log go to the owner of their partition', async (t) => {
  const { sql, log, write, replay } = await setUp()
  await write(log.id, 2, request([event()]))
  await replay()
  t.same([...(await sql`select replay_partition from dead_letters`)], [{ replay_partition: 2 }])
})

t.test(
  'dead letters of an earlier log go to the partition of their insertId in the current log',
  async (t) => {
    const { sql, log, write, replay } = await setUp()
    const events = Array.from({ length: 20 }, (_, i) => event({ insertId: `id${i}` }))
    const [whole] = request(events)
    const [single] = request([event({ insertId: 'id3' })])
    await write(v7(), 0, [whole, single, undefined])
    const { letters, failed } = await replay()
    t.same(
      { letters, failed },
      { letters: 22, failed: 1 },
      'twenty rows, one record, and one that cannot be read',
    )
    const expected = request(events, {}, log)
    for (const partition of [0, 1, 2]) {
      const record = expected.find((each) => each.partition === partition)
      const rows = await sql`
      select payload, row_index from dead_letters
      where replay_partition = ${partition} and row_index >= 0 and replay_id is not null`
      t.equal(
        rows.length,
        record === undefined ? 0 : readHeader(record.payload).count,
        `partition ${partition}`,
      )
      const third =
        await sql`select from dead_letters where log_offset = 1 and replay_partition = ${partition}`
      const [same] = request([event({ insertId: 'id3' })], {}, log)
      t.equal(third.length, same?.partition === partition ? 1 : 0)
    }
    t.match(await sql`select reason, attempts, replay_id from dead_letters where log_offset = 2`, [
      { reason: /no header/, attempts: 2, replay_id: null },
    ])
  },
)

t.test('links are written once, and dead letters that are not links fail again', async (t) => {
  const { sql, log, write, replay, poked } = await setUp()
  const pair = request([event({ userId: 'ada', anonymousId: 'a' })], {}, log).find(
    ({ partition }) => partition === log.partitions,
  )
  await write(log.id, log.partitions, [pair, undefined])
  const { replayed, failed, eventsStored } = await replay()
  t.same({ replayed, failed, eventsStored }, { replayed: 1, failed: 1, eventsStored: 0 })
  t.match(await sql`select anonymous_id, user_id from identity_links`, [
    { anonymous_id: 'a', user_id: 'ada' },
  ])
  t.equal((await sql`select from link_outbox`).length, 1)
  t.equal(poked(), 1)
  t.match(await sql`select total_dead::int from log_partitions`, [{ total_dead: 1 }])
  const again = await replay()
  t.match(again, { letters: 1, failed: 1 })
  t.equal((await sql`select from link_outbox`).length, 1)
})
