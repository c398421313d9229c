import t from 'tap'
import { type ClickHouse, ClickHouseError } from '../../../clickhouse/port.js'
import { event, request, WORKSPACE } from '../../test/support/events.js'
import { wrapped } from '../../test/support/failing.js'
import {
  Crash,
  deliver,
  eventsHandler,
  harness,
  ledger,
  readAll,
  storedPlaces,
  vocabularies,
} from '../../test/support/pipeline.js'
import { TestStores } from '../../test/support/stores.js'
import { checkExact, JUNE_END, traffic } from '../../test/support/traffic.js'

const stores = new TestStores()
t.teardown(() => stores.close())
const clickhouse: ClickHouse = await stores.clickhouse()

t.test('only the rows that ClickHouse never accepts become dead letters', async (t) => {
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

t.test('a block that was refused in part is counted completely', async (t) => {
  const h = await harness(stores, clickhouse)
  const sent = await traffic(h)
  let refuses = true
  const partly = wrapped(clickhouse, {
    async insertEvents(block, signal) {
      if (!refuses || block.rowCount === 0) return clickhouse.insertEvents(block, signal)
      refuses = false
      // The table has the rows, the vocabulary does not.
      await clickhouse.command('DETACH TABLE event_names_feed')
      await clickhouse.insertEvents(block, signal)
      await clickhouse.command('ATTACH TABLE event_names_feed')
      throw new ClickHouseError('query', 'UNKNOWN_ELEMENT_OF_ENUM')
    },
  })
  await deliver(() => eventsHandler(h, { clickhouse: partly }), sent.records)
  t.equal(refuses, false)
  await checkExact(t, h, sent, 'rows and names')
})

t.test('a part of a refused block that is itself refused in part is stored once', async (t) => {
  for (const stored of [1, 2]) {
    const h = await harness(stores, clickhouse)
    const sent = await traffic(h)
    let inserts = 0
    const partly = wrapped(clickhouse, {
      async insertEvents(block, signal) {
        if (block.rowCount > 0) inserts++
        // As if a bad row of each of several shards was in another part.
        if (inserts >= stored || block.rowCount === 0) await clickhouse.insertEvents(block, signal)
        if (inserts <= stored && block.rowCount > 0)
          throw new ClickHouseError('query', 'UNKNOWN_ELEMENT_OF_ENUM')
      },
    })
    await deliver(() => eventsHandler(h, { clickhouse: partly }), sent.records)
    await checkExact(t, h, sent, `the insert ${stored} is stored and refused`)
  }
})

for (const skips of [false, true])
  t.test(
    `a block that was refused in part is stored once, whatever point its parts fail at${skips ? ', with offsets without records between them' : ''}`,
    async (t) => {
      for (let failing = 1; failing <= (skips ? 2 : 3); failing++) {
        const h = await harness(stores, clickhouse)
        const sent = await traffic(h)
        let refuses = true
        const partly = wrapped(clickhouse, {
          async insertEvents(block, signal) {
            await clickhouse.insertEvents(block, signal)
            if (!refuses || block.rowCount === 0) return
            refuses = false
            throw new ClickHouseError('query', 'UNKNOWN_ELEMENT_OF_ENUM')
          },
        })
        let passes = 0
        const faultPoint = () => {
          if (!refuses && ++passes % failing === 0 && passes <= 3 * failing) throw new Crash('any')
        }
        const make = () => {
          const handler = eventsHandler(h, { clickhouse: partly, faultPoint })
          const handle = handler.handle.bind(handler)
          if (skips)
            handler.handle = async (partition, records, signal, next) => {
              if (refuses) return handle(partition, records, signal, next)
              for (const record of records) {
                await handler.skipTo(partition, record.offset)
                await handle(partition, [record], signal)
              }
            }
          return handler
        }
        await deliver(make, sent.records)
        await checkExact(t, h, sent, `at point ${failing}`)
      }
    },
  )

t.test('nothing becomes a dead letter if ClickHouse refuses everything', async (t) => {
  const h = await harness(stores, clickhouse)
  const sent = await traffic(h)
  let broken = 3
  const misconfigured = wrapped(clickhouse, {
    async insertEvents(block, signal) {
      if (broken-- > 0) throw new ClickHouseError('query', 'ACCESS_DENIED')
      await clickhouse.insertEvents(block, signal)
    },
  })
  await deliver(() => eventsHandler(h, { clickhouse: misconfigured }), sent.records)
  await checkExact(t, h, sent, 'after it was mended')
})
