import t from 'tap'
import { v7 } from 'uuid'
import { readHeader } from '../../log/record.js'
import { insertDeadLetters, replayDeadLetters } from '../dead-letters.js'
import { event, NOON, request } from './support/events.js'
import {
  deliver,
  eventsHandler,
  harness,
  ledger,
  openLog,
  readAll,
  storedPlaces,
} from './support/pipeline.js'
import { TestStores } from './support/stores.js'

const stores = new TestStores()
t.teardown(() => stores.close())

t.test('a replayed letter is read again, once, with the time of its receipt', async (t) => {
  const h = await harness(stores)
  await h.log.append(request([event(), event({ insertId: 'x' })]))
  const [sound] = await readAll(h.log)
  const payload = sound?.payload.slice() ?? new Uint8Array()
  // A format that this version does not know, yet.
  await h.log.append([
    { partition: 0, payload: Uint8Array.from(payload, (byte, i) => (i === 0 ? 77 : byte)) },
  ])
  await deliver(() => eventsHandler(h), await readAll(h.log))
  t.match(await ledger(h), { stored: 2, dead: 2, done: 2 })
  const [letter] = await h.sql`select id, payload from dead_letters`
  // The version that knows it.
  await h.sql`update dead_letters set payload = ${payload}`
  const ids = [String(letter?.id), v7()]
  t.same(await replayDeadLetters(h.sql, h.log, ids), [letter?.id])
  t.same(await replayDeadLetters(h.sql, h.log, ids), [], 'not twice')
  const records = await readAll(h.log)
  t.equal(readHeader(records.at(-1)?.payload ?? new Uint8Array()).receivedAt, NOON)
  await deliver(() => eventsHandler(h), records)
  t.match(await ledger(h), { stored: 3, duplicates: 1, dead: 2, done: 3 })
  t.ok((await storedPlaces(h)).has('2:0'))
  t.equal(await h.log.appendedEvents(), 4, 'two sent, two replayed; the unreadable record said nothing')
})

t.test('a letter of another log is divided over this one by its ids', async (t) => {
  const { sql } = await stores.postgres()
  const log = await openLog(stores, 3)
  const events = Array.from({ length: 20 }, (_, i) => event({ insertId: `id${i}` }))
  const [whole] = request(events)
  await sql.begin((tx) =>
    insertDeadLetters(
      tx,
      v7(),
      0,
      [
        {
          offset: 0,
          rowIndex: -1,
          workspaceId: undefined,
          reason: 'r',
          events: 20,
          payload: whole?.payload ?? new Uint8Array(),
        },
        {
          offset: 1,
          rowIndex: -1,
          workspaceId: undefined,
          reason: 'r',
          events: 1,
          payload: new Uint8Array(3),
        },
      ],
      v7,
    ),
  )
  const ids = (await sql`select id from dead_letters`).map((row) => String(row.id))
  t.equal((await replayDeadLetters(sql, log, ids)).length, 2)
  const expected = request(events, {}, log)
  for (const partition of [0, 1, 2]) {
    const rows = expected.find((record) => record.partition === partition)
    const count = rows === undefined ? 0 : readHeader(rows.payload).count
    t.equal(
      (await readAll(log, partition)).length,
      count + (partition === 0 ? 1 : 0),
      `partition ${partition}`,
    )
  }
})
