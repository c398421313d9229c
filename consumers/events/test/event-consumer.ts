import t from 'tap'
import { v7 } from 'uuid'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { keepHashes } from '../../../clickhouse/removal.js'
import { eraseRows } from '../../../log/erase-rows.js'
import type { EventLog, StoredRecord } from '../../../log/port.js'
import { addErasedHours, ledgerSince } from '../../../postgres/tables/key-ledger.js'
import { cases, SEED } from '../../../test/support/cases.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { acquirePartition, FencedError } from '../../partitions/checkpoint.js'
import type { FaultPointName } from '../../partitions/fault-point.js'
import { event, KEY, NOON, request, WORKSPACE } from '../../test/support/events.js'
import { failingClickHouse, failingSql, type Mishap } from '../../test/support/failing.js'
import {
  Crash,
  deliver,
  eventsHandler,
  harness,
  keyHours,
  ledger,
  never,
  readAll,
  storedPlaces,
} from '../../test/support/pipeline.js'
import { TestStores } from '../../test/support/stores.js'
import { checkExact, copy, traffic } from '../../test/support/traffic.js'

const stores = new TestStores()
t.teardown(() => stores.close())
const clickhouse: ClickHouse = await stores.clickhouse()

t.test('an intent is replayed in whatever batches its records return', async (t) => {
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

t.test(
  'every event is stored once though stores fail at any call, before or after it took effect',
  async (t) => {
    let seed = SEED
    const random = () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      return seed / 2 ** 32
    }
    for (let run = 0; run < cases(1, 10); run++) {
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
            commitAfterMs: 1,
          }),
        sent.records,
        1 + Math.floor(random() * 4),
        200,
      )
      // The last mark may have met a mishap too: the next owner finds the intent open, and settles it.
      await deliver(() => eventsHandler(h, { commitAfterMs: 1 }), sent.records, 4, 200)
      await checkExact(t, h, sent, `run ${run}`)
    }
  },
)

t.test('an older copy of the log is refused', async (t) => {
  const h = await harness(stores, clickhouse)
  await h.sql`insert into log_partitions (log_id, log_partition, done_offset) values (${h.log.id}, 0, 5)`
  await t.rejects(eventsHandler(h).assigned(0), /older copy of the log/)
})

t.test('a handler that lost its partition while idle does not store for it', async (t) => {
  const h = await harness(stores, clickhouse)
  const sent = await traffic(h)
  const first = eventsHandler(h, { commitAfterMs: 5 })
  await first.assigned(0)
  await h.sql`update log_partitions set epoch = epoch + 1 where log_id = ${h.log.id}`
  await t.rejects(first.handle(0, sent.records.map(copy), never), FencedError)
  t.equal((await storedPlaces(h)).size, 0)
  await first.assigned(0)
  await first.handle(0, sent.records.map(copy), never)
  await waitUntil(async () => !(await ledger(h)).open)
  await checkExact(t, h, sent, 'after it took the partition over')
})

t.test('offsets without records are skipped', async (t) => {
  for (const crash of ['consumer:intent-written', 'consumer:inserted', undefined] as const) {
    const h = await harness(stores, clickhouse)
    const dense = await traffic(h)
    // As in a log that gives offsets to more than records: every fifth is one, and some come after the last.
    const sparse = ({ offset, payload }: StoredRecord) => ({ offset: 5 * offset, payload: payload.slice() })
    const log: EventLog = Object.create(h.log, {
      end: { value: async () => end },
      release: { value: async () => {} },
    })
    const last = dense.records.at(-1)?.offset ?? 0
    const next = 5 * last + 3
    const end = next + 4
    let crashes = crash
    const make = () =>
      eventsHandler(h, {
        log,
        commitAfterMs: 60_000,
        faultPoint: (name) => {
          if (name !== crashes) return
          crashes = undefined
          throw new Crash(name)
        },
      })

    const first = make()
    t.equal(await first.assigned(0), 0)
    const attempt = first.handle(0, dense.records.map(sparse), never, next)
    if (crash === undefined) await attempt
    else await t.rejects(attempt, Crash)
    const second = make()
    t.equal(await second.assigned(0), 0)
    await t.rejects(
      async () => void (await first.skipTo?.(0, end)),
      FencedError,
      'only the owner passes offsets',
    )
    // The intent ends where no record is. Only `next` shows that all of it has been read.
    await second.handle(0, dense.records.map(sparse), never)
    t.equal((await ledger(h)).open, true)
    await second.skipTo?.(0, end)
    await second.skipTo?.(0, end)
    t.match(await ledger(h), { open: false, done: end, stored: dense.expected.length, dead: 0 }, `${crash}`)
    const places = await storedPlaces(h)
    t.equal(places.size, dense.expected.length)
    t.ok([...places.values()].every((n) => n === 1))
    t.equal(await make().assigned(0), end)
  }
})

t.test(
  'ids of erased dead letters are duplicates from then on, also in a block that is repeated',
  async (t) => {
    const h = await harness(stores, clickhouse)
    const workspaceId = v7()
    await h.sql`insert into workspaces (id, name, created_at) values (${workspaceId}, 'erased', now())`
    const receivedAt = Date.now()
    for (const insertId of ['first', 'second', 'third'])
      await h.log.append(request([event({ insertId })], { workspaceId, receivedAt }))
    const records = await readAll(h.log)
    const erase = async (payload: Uint8Array): Promise<void> => {
      const erased = eraseRows(payload, { userId: 'u1', anonymousIds: new Set() })
      await keepHashes(clickhouse, workspaceId, erased?.insertHashes ?? [], new Date(0))
      await h.sql`
      insert into erasures (id, workspace_id, requested_at, dead_letters) values (${v7()}, ${workspaceId}, now(), 1)`
    }
    const [first, second, third] = records
    if (first === undefined || second === undefined || third === undefined) throw new Error('no records')
    const consumer = eventsHandler(h)
    await consumer.assigned(0)
    await consumer.handle(0, [copy(first)], never)
    await erase(second.payload)
    await consumer.handle(0, [copy(second)], never)
    await consumer.commitAll()
    t.match(await ledger(h), { stored: 1, duplicates: 1, open: false }, 'memory has learned it')

    const dying = eventsHandler(h, {
      faultPoint(name) {
        if (name === 'consumer:intent-written') throw new Crash(name)
      },
    })
    await dying.assigned(0)
    await t.rejects(dying.handle(0, [copy(third)], never), Crash)
    t.match(await ledger(h), { stored: 2, duplicates: 1, open: true }, 'the intent counts it as stored')
    await erase(third.payload)
    await deliver(() => eventsHandler(h), records)
    t.match(await ledger(h), { stored: 1, duplicates: 2, open: false }, 'the intent is corrected')
    t.equal((await storedPlaces(h)).size, 1)
  },
)

t.test(
  'the ledger leaves out the hours of an older version, and says when it cannot tell keys',
  async (t) => {
    const h = await harness(stores, clickhouse)
    const other = `${KEY.slice(0, -2)}ab`
    for (const keyId of [KEY, other]) await h.log.append(request([event(), event()], { keyId }))
    await deliver(() => eventsHandler(h), await readAll(h.log))
    t.equal(await ledgerSince(h.sql), null, 'it has every hour')
    const erase = { hour: NOON, events: 1 }
    await h.sql.begin((tx) => addErasedHours(tx, WORKSPACE, [erase]))
    const figures = { accepted: 2, deduplicated: 0, deadLettered: 0 }
    t.match(await keyHours(h, WORKSPACE), [{ ...figures, stored: 2, erased: 0, erasedOfAnyKey: 1 }])
    await h.sql`delete from key_ledger where key_id = ${other}`
    t.match(await keyHours(h, WORKSPACE), [{ ...figures, stored: 1, erased: 1, erasedOfAnyKey: 0 }])
    await h.sql`update log_partitions set done_offset = done_offset + 1`
    await acquirePartition(h.sql, h.log.id, 0)
    const since = await ledgerSince(h.sql)
    t.ok(since, 'it begins when the older version has ended')
    await acquirePartition(h.sql, h.log.id, 0)
    t.same(await ledgerSince(h.sql), since, 'and only then')
  },
)
