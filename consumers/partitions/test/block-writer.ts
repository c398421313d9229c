import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { shardsOf } from '../../../clickhouse/shards.js'
import { blockOf, eventsOf, LOG, WORKSPACE } from '../../../clickhouse/test/support/contract.js'
import { ROW, readInt64 } from '../../../domain/row.js'
import type { FaultPointName } from '../../partitions/fault-point.js'
import { event, request } from '../../test/support/events.js'
import { wrapped } from '../../test/support/failing.js'
import {
  Crash,
  deliver,
  eventsHandler,
  harness,
  ledger,
  never,
  readAll,
  storedPlaces,
  vocabularies,
} from '../../test/support/pipeline.js'
import { TestStores } from '../../test/support/stores.js'
import { checkExact, copy, JUNE_END, traffic } from '../../test/support/traffic.js'
import { FencedError } from '../checkpoint.js'
import { ANY_RECEIPT } from '../inserted-rows.js'
import { repairVocabulary } from '../vocabulary-repair.js'

const stores = new TestStores()
t.teardown(() => stores.close())
const clickhouse: ClickHouse = await stores.clickhouse()

t.test('a writer is killed at each point, and the next owner recovers exactly', async (t) => {
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

t.test('a block of which only one month was inserted is completed', async (t) => {
  const h = await harness(stores, clickhouse)
  const sent = await traffic(h)
  const half = wrapped(clickhouse, {
    async insertEvents(block) {
      // The rows of June only.
      const chunks = block.chunks.filter((chunk) => readInt64(chunk, ROW.receivedAt) === JUNE_END)
      // The view inserts a block completely or not at all, not month by month: here it inserts nothing.
      await clickhouse.command('DETACH TABLE event_names_feed')
      await clickhouse.insertEvents({ ...block, chunks, rowCount: chunks.length })
      await clickhouse.command('ATTACH TABLE event_names_feed')
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
  const { table, vocabulary } = await vocabularies(h, sent.workspaceId)
  t.same(vocabulary, table, 'the vocabulary counts the same')
})

t.test('a writer that is frozen between intent and insert is fenced by the next owner', async (t) => {
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

t.test('every event is stored once if ClickHouse hangs or answers after the timeout', async (t) => {
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
      const insert = delay(1_000).then(() => clickhouse.insertEvents(block))
      late.push(insert)
      return insert
    },
  })
  const timing = { postgresMs: 10_000, insertMs: 400, staleAfterMs: 10_000 }
  await deliver(() => eventsHandler(h, { clickhouse: slow, timing }), sent.records)
  await checkExact(t, h, sent, 'after the time-outs')
  await Promise.all(late)
  t.equal(late.length, 2)
  await checkExact(t, h, sent, 'after the late inserts')
})

t.test('rows that ClickHouse lost of a block whose token it knows are stored again', async (t) => {
  const views = ['event_order', 'event_names']
  for (const tables of [views, ['events', ...views]])
    for (const where of ['1', "event = 'bare'"]) {
      const h = await harness(stores, clickhouse)
      const sent = await traffic(h)
      let crashes = 0
      const faultPoint = async (name: string) => {
        if (name !== 'consumer:inserted' || crashes++ > 0) return
        for (const table of tables)
          await clickhouse.command(
            `ALTER TABLE ${table} DELETE WHERE workspace_id = toUUID('${sent.workspaceId}') AND ${where} SETTINGS mutations_sync = 1`,
          )
        throw new Crash(name)
      }
      await deliver(() => eventsHandler(h, { faultPoint }), sent.records)
      t.ok(crashes > 1)
      await checkExact(t, h, sent, `${tables.join(', ')}: ${where}`)
      const { rows } = await clickhouse.query<{ n: number }>(
        'SELECT count() AS n FROM event_order WHERE workspace_id = {workspace:UUID}',
        { params: { workspace: sent.workspaceId } },
      )
      t.equal(rows[0]?.n, sent.expected.length)
    }
})

t.test('the vocabulary is counted again from the rows, on each shard from its own', async (t) => {
  const { sql } = await stores.postgres()
  await clickhouse.insertEvents(blockOf('vocabulary', eventsOf(1_000)))
  const shards = shardsOf(clickhouse)
  for (const [index, shard] of shards.entries())
    await shard.command(
      `INSERT INTO event_names (workspace_id, event, count) SELECT {workspace:UUID}, 'event_1', toUInt64({more:Int64})`,
      { params: { workspace: WORKSPACE, more: index - 5 } },
    )
  await repairVocabulary(
    { sql, clickhouse },
    { logId: LOG, logPartition: 3, from: 0, to: 1_000, ...ANY_RECEIPT },
  )
  for (const shard of shards) {
    const { rows } = await shard.query<{ names: number; events: number }>(
      `SELECT (SELECT sum(count) FROM event_names WHERE workspace_id = {workspace:UUID}) AS names,
         count() AS events FROM events WHERE workspace_id = {workspace:UUID}`,
      { params: { workspace: WORKSPACE } },
    )
    t.equal(rows[0]?.names, rows[0]?.events)
    t.not(rows[0]?.events, 0)
  }
})
