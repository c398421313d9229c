import t from 'tap'
import { publishedWatermarks } from '../../../postgres/tables/watermarks.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { Crash, eventsHandler, harness, never, quiet } from '../../test/support/pipeline.js'
import { TestStores } from '../../test/support/stores.js'
import { JUNE_END, traffic } from '../../test/support/traffic.js'
import { startWatermarkPublisher } from '../watermarks.js'

const stores = new TestStores()
t.teardown(() => stores.close())

t.test('records that wait for the rest of their open block are not counted as stored', async (t) => {
  const h = await harness(stores)
  const { records } = await traffic(h)
  const copies = () => records.map(({ offset, payload }) => ({ offset, payload: payload.slice() }))
  const first = eventsHandler(h, {
    faultPoint: (name) => {
      if (name === 'consumer:intent-written') throw new Crash(name)
    },
  })
  await first.assigned(0)
  await t.rejects(first.handle(0, copies(), never), Crash)

  const publisher = startWatermarkPublisher({
    sql: h.sql,
    log: h.log,
    logger: quiet,
    now: Date.now,
    everyMs: 10,
    postgresMs: 10_000,
  })
  t.teardown(() => publisher.stop())
  const commitAfterMs = 400
  const consumer = eventsHandler(h, { commitAfterMs })
  const second = publisher.watch(consumer)
  await second.assigned(0)
  const published = async () => (await publishedWatermarks(h.sql))[0]
  for (const record of copies().slice(0, -1)) {
    await second.handle(0, [record], never)
    await second.skipTo?.(0, record.offset + 1)
  }
  await waitUntil(async () => (await published())?.waitingSince !== null)
  const { waitingSince, watermark } = (await published()) ?? {}
  t.equal(waitingSince?.getTime(), JUNE_END)
  t.ok(watermark != null && watermark.getTime() < JUNE_END, 'none of the block is stored')
  await second.handle(0, copies().slice(-1), never)
  const stored = performance.now()
  await waitUntil(async () => (await published())?.waitingSince === null)
  t.ok(performance.now() - stored > commitAfterMs / 2, 'until then the block may still be repeated')
  t.ok(((await published())?.watermark?.getTime() ?? 0) > JUNE_END)
  // Nothing is left to be committed once the stores are closed.
  await consumer.commitAll()
})
