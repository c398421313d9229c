import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type ClickHouse, ClickHouseFailure } from '../../clickhouse/port.js'
import { ROW, readInt64 } from '../../domain/row.js'
import type { StoredRecord } from '../../log/port.js'
import { FencedError } from '../checkpoint.js'
import type { FaultPointName } from '../fault-point.js'
import { event, request, WORKSPACE } from './support/events.js'
import { failingClickHouse, failingSql, type Mishap, wrapped } from './support/failing.js'
import {
  Crash,
  deliver,
  eventsHandler,
  type Harness,
  harness,
  ledger,
  never,
  readAll,
  storedPlaces,
  until,
  vocabularies,
} from './support/pipeline.js'
import { TestStores } from './support/stores.js'

const stores = new TestStores()
t.teardown(() => stores.close())
const clickhouse: ClickHouse = await stores.clickhouse()

const JUNE_END = Date.UTC(2026, 5, 30, 23, 59, 59, 999)

interface Traffic {
  readonly records: StoredRecord[]
  /** Places of the rows that must be stored, each once. */
  readonly expected: string[]
  readonly duplicates: number
  readonly workspaceId: string
}

let workspaces = 0

/** Requests over two months, with and without insertIds, sent twice in part, each with its own workspace. */
async function traffic(h: Harness, requests = 6): Promise<Traffic> {
  const workspaceId = `${WORKSPACE.slice(0, -4)}${(0x1000 + workspaces++).toString(16)}`
  for (let i = 0; i < requests; i++) {
    const receivedAt = i % 2 === 0 ? JUNE_END : JUNE_END + 1
    const events = [
      event({ event: 'bare' }),
      event({ event: 'with_id', insertId: `id${i}` }),
      // The same id again in the request; and that of the request two before, which is of the same month.
      event({ event: 'again', insertId: `id${i}` }),
      event({ event: 'sent_twice', insertId: `id${i - 2}` }),
    ]
    await h.log.append(request(events, { receivedAt, workspaceId }))
  }
  const records = await readAll(h.log)
  const expected = records.flatMap(({ offset }, i) =>
    i < 2 ? [`${offset}:0`, `${offset}:1`, `${offset}:3`] : [`${offset}:0`, `${offset}:1`],
  )
  return { records, expected, duplicates: requests * 4 - expected.length, workspaceId }
}

async function checkExact(t: Test, h: Harness, sent: Traffic, what: string): Promise<void> {
  const places = await storedPlaces(h)
  t.same(
    [...places].filter(([, n]) => n !== 1),
    [],
    `${what}: nothing twice`,
  )
  t.same([...places.keys()].sort(), [...sent.expected].sort(), `${what}: everything once`)
  const { table, vocabulary } = await vocabularies(h, sent.workspaceId)
  t.same(vocabulary, table, `${what}: the vocabulary counts the same`)
  const { open, stored, duplicates, dead, done } = await ledger(h)
  t.same(
    { open, stored, duplicates, dead, done },
    {
      open: false,
      stored: sent.expected.length,
      duplicates: sent.duplicates,
      dead: 0,
      done: (sent.records.at(-1)?.offset ?? -1) + 1,
    },
    `${what}: the ledger adds up`,
  )
}

t.test('killed at each point, the next owner makes up for it exactly', async (t) => {
  for (const point of ['consumer:before-intent', 'consumer:intent-written', 'consumer:inserted'] as const)
    for (const batchRecords of [100, 2]) {
      const h = await harness(stores, clickhouse)
      const sent = await traffic(h)
      let passes = 0
      const faultPoint = (name: FaultPointName) => {
        // Every second pass, so that some blocks come through.
        if (name === point && passes++ % 2 === 0) throw new Crash(point)
      }
      await deliver(() => eventsHandler(h, { faultPoint }), sent.records, batchRecords)
      t.ok(passes > 0)
      await checkExact(t, h, sent, `${point}, ${batchRecords} records a batch`)
    }
})

t.test('an intent is carried out again whatever the batches it comes back in', async (t) => {
  const h = await harness(stores, clickhouse)
  const sent = await traffic(h)
  let crashed = false
  const faultPoint = (name: FaultPointName) => {
    if (name !== 'consumer:intent-written' || crashed) return
    crashed = true
    throw new Crash(name)
  }
  const first = eventsHandler(h, { faultPoint })
  await first.assigned(0)
  await t.rejects(first.handle(0, sent.records.slice(0, 4).map(copy), never), Crash)
  await deliver(() => eventsHandler(h), sent.records, 1)
  await checkExact(t, h, sent, 'one record at a time')
})

t.test('half of a block is in, one of its two months', async (t) => {
  const h = await harness(stores, clickhouse)
  const sent = await traffic(h)
  const half = wrapped(clickhouse, {
    async insertEvents(block) {
      // The rows of June only.
      const chunks = block.chunks.filter((chunk) => readInt64(chunk, ROW.receivedAt) === JUNE_END)
      await clickhouse.insertEvents({ ...block, chunks, rowCount: chunks.length })
      throw new Crash('killed between two months')
    },
  })
  const first = eventsHandler(h, { clickhouse: half })
  await first.assigned(0)
  await t.rejects(first.handle(0, sent.records.map(copy), never), Crash)
  t.ok((await storedPlaces(h)).size > 0)
  t.ok((await storedPlaces(h)).size < sent.expected.length)
  await deliver(() => eventsHandler(h), sent.records)
  const places = await storedPlaces(h)
  t.same([...places.keys()].sort(), [...sent.expected].sort())
  t.same(
    [...places].filter(([, n]) => n !== 1),
    [],
  )
})

t.test('frozen between intent and insert while another owner goes on', async (t) => {
  const h = await harness(stores, clickhouse)
  const sent = await traffic(h, 8)
  let wake: () => void = () => {}
  const frozen = new Promise<void>((resolve) => {
    wake = resolve
  })
  let reached: () => void = () => {}
  const atPoint = new Promise<void>((resolve) => {
    reached = resolve
  })
  const zombie = eventsHandler(h, {
    async faultPoint(name) {
      if (name !== 'consumer:intent-written') return
      reached()
      await frozen
    },
    limits: { rows: 16, bytes: 2 ** 26 },
  })
  await zombie.assigned(0)
  const held = zombie.handle(0, sent.records.map(copy), never)
  await atPoint
  await deliver(() => eventsHandler(h, { limits: { rows: 12, bytes: 2 ** 26 } }), sent.records)
  await checkExact(t, h, sent, 'while it is frozen')
  wake()
  await t.rejects(held, FencedError, 'its next intent is refused')
  await checkExact(t, h, sent, 'after it woke')

  const tired = eventsHandler(h, {
    faultPoint: async (name) => {
      if (name === 'consumer:intent-written') await delay(60)
    },
    timing: { postgresMs: 10_000, insertMs: 10_000, staleAfterMs: 50 },
  })
  await h.log.append(request([event()]))
  await tired.assigned(0)
  await t.rejects(tired.handle(0, (await readAll(h.log)).map(copy), never), { name: 'StaleIntentError' })
  t.match(await ledger(h), { open: true }, 'a long sleeper asks again before it inserts')
})

t.test('stores that fail at any call, before or after they acted', async (t) => {
  let seed = 20_261_121
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return seed / 2 ** 32
  }
  for (let run = 0; run < 8; run++) {
    const h = await harness(stores, clickhouse)
    const sent = await traffic(h)
    let calls = 0
    const mishap = (): Mishap => {
      calls++
      if (calls > 40) return 'none'
      const value = random()
      return value < 0.25 ? 'refused' : value < 0.5 ? 'answer lost' : 'none'
    }
    await deliver(
      () =>
        eventsHandler(h, {
          sql: failingSql(h.sql, mishap),
          clickhouse: failingClickHouse(clickhouse, mishap),
          faultPoint: () => {
            if (calls < 40 && random() < 0.1) throw new Crash('any')
          },
          settleAfterMs: 1,
        }),
      sent.records,
      1 + Math.floor(random() * 4),
      200,
    )
    await checkExact(t, h, sent, `run ${run}`)
  }
})

t.test('ClickHouse that hangs, and one that answers after the time-out', async (t) => {
  const h = await harness(stores, clickhouse)
  const sent = await traffic(h)
  const late: Promise<void>[] = []
  let calls = 0
  const slow = wrapped(clickhouse, {
    async insertEvents(block) {
      calls++
      if (calls === 1) return new Promise<void>(() => {})
      if (calls > 3) return clickhouse.insertEvents(block)
      // Given up long before it is carried out.
      const insert = delay(2_300).then(() => clickhouse.insertEvents(block))
      late.push(insert)
      return insert
    },
  })
  const timing = { postgresMs: 10_000, insertMs: 20, staleAfterMs: 10_000 }
  await deliver(() => eventsHandler(h, { clickhouse: slow, timing }), sent.records)
  await checkExact(t, h, sent, 'after the time-outs')
  await Promise.all(late)
  t.equal(late.length, 2)
  await checkExact(t, h, sent, 'after the late inserts')
})

t.test('rows that ClickHouse will never take become dead letters, alone', async (t) => {
  const h = await harness(stores, clickhouse)
  await clickhouse.command("ALTER TABLE events ADD CONSTRAINT no_poison CHECK event != 'poison'")
  t.teardown(() => clickhouse.command('ALTER TABLE events DROP CONSTRAINT no_poison'))
  const workspaceId = `${WORKSPACE.slice(0, -4)}ffff`
  for (let i = 0; i < 9; i++)
    await h.log.append(
      request(
        [
          event({ insertId: `p${i}` }),
          event({ event: i === 2 || i === 7 ? 'poison' : 'fine', insertId: `q${i}` }),
          event({ event: 'fine' }),
        ],
        { workspaceId, receivedAt: i % 2 === 0 ? JUNE_END : JUNE_END + 1 },
      ),
    )
  const records = await readAll(h.log)
  // Killed here and there on the way.
  let passes = 0
  const faultPoint = () => {
    if (passes++ % 5 === 4) throw new Crash('any')
  }
  await deliver(() => eventsHandler(h, { faultPoint }), records)
  const places = await storedPlaces(h)
  t.equal(places.size, 25)
  t.same(
    [...places].filter(([, n]) => n !== 1),
    [],
  )
  t.match(await ledger(h), { open: false, stored: 25, duplicates: 0, dead: 2, done: 9 })
  const letters = await h.sql`
    select log_offset::int, row_index, reason, events, workspace_id from dead_letters where log_id = ${h.log.id} order by log_offset`
  t.match(letters, [
    { log_offset: 2, row_index: 1, events: 1, reason: /no_poison/, workspace_id: workspaceId },
    { log_offset: 7, row_index: 1, events: 1, reason: /no_poison/, workspace_id: workspaceId },
  ])
  const { table, vocabulary } = await vocabularies(h, workspaceId)
  t.same(vocabulary, table)
})

t.test('where ClickHouse refuses everything, nothing becomes a dead letter', async (t) => {
  const h = await harness(stores, clickhouse)
  const sent = await traffic(h)
  let broken = 3
  const misconfigured = wrapped(clickhouse, {
    async insertEvents(block, signal) {
      if (broken-- > 0) throw new ClickHouseFailure('ACCESS_DENIED', 'query', false)
      await clickhouse.insertEvents(block, signal)
    },
  })
  await deliver(() => eventsHandler(h, { clickhouse: misconfigured }), sent.records)
  await checkExact(t, h, sent, 'after it was mended')
})

t.test('an older copy of the log is refused', async (t) => {
  const h = await harness(stores, clickhouse)
  await h.sql`insert into log_partitions (log_id, log_partition, done_offset) values (${h.log.id}, 0, 5)`
  await t.rejects(eventsHandler(h).assigned(0), /older copy of the log/)
})

t.test('a handler that lost its partition while idle does not store for it', async (t) => {
  const h = await harness(stores, clickhouse)
  const sent = await traffic(h)
  const first = eventsHandler(h, { settleAfterMs: 5 })
  await first.assigned(0)
  await h.sql`update log_partitions set epoch = epoch + 1 where log_id = ${h.log.id}`
  await t.rejects(first.handle(0, sent.records.map(copy), never), FencedError)
  t.equal((await storedPlaces(h)).size, 0)
  await first.assigned(0)
  await first.handle(0, sent.records.map(copy), never)
  await until('the mark', async () => !(await ledger(h)).open)
  await checkExact(t, h, sent, 'after it took the partition over')
})

function copy({ offset, payload }: StoredRecord): StoredRecord {
  return { offset, payload: payload.slice() }
}
