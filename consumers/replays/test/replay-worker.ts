import { Registry } from 'prom-client'
import t from 'tap'
import { v7 } from 'uuid'
import { findReplay, requestReplay } from '../../../postgres/tables/dead-letters.js'
import { createLogger } from '../../../runtime/logger.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { startConsumers } from '../../start.js'
import { event, request } from '../../test/support/events.js'
import { wrapped } from '../../test/support/failing.js'
import { harness, ledger, storedPlaces } from '../../test/support/pipeline.js'
import { letters } from '../../test/support/replays.js'
import { TestStores } from '../../test/support/stores.js'

const stores = new TestStores()
t.teardown(() => stores.close())
const clickhouse = await stores.clickhouse()

t.test('running consumers replay dead letters immediately while events arrive', async (t) => {
  const h = await harness(stores, clickhouse)
  let broken = false
  const start = () =>
    startConsumers({
      ...h,
      clickhouse: wrapped(clickhouse, {
        insertEvents: (block, signal) =>
          broken ? Promise.reject(new Error('the engine is away')) : clickhouse.insertEvents(block, signal),
      }),
      dedupMemoryBytes: 2 ** 28,
      logger: createLogger('silent', 'test'),
      registry: new Registry(),
      now: Date.now,
      // Slower than the announcement, and quick enough if a partition has no owner for a moment.
      tuning: { replayPollMs: 5_000 },
    })
  await clickhouse.command("ALTER TABLE events ADD CONSTRAINT no_poison CHECK event != 'poison'")
  const first = await start()
  for (let i = 0; i < 20; i++)
    await h.log.append(request([event({ event: 'poison' }), event({ insertId: `i${i}` })]))
  await waitUntil(async () => (await letters(h)).length === 20)
  await clickhouse.command('ALTER TABLE events DROP CONSTRAINT no_poison')

  const ask = async () => (await requestReplay(h.sql, v7(), { filter: {} })).replay?.id ?? ''
  broken = true
  const id = await ask()
  await waitUntil(async () => (await findReplay(h.sql, id))?.problem !== null)
  t.match(await findReplay(h.sql, id), { state: 'running', replayed: 0, problem: /the engine is away/ })
  broken = false
  for (let i = 0; i < 20; i++) await h.log.append(request([event({ insertId: `j${i}` })]))
  await waitUntil(async () => (await findReplay(h.sql, id))?.state === 'done')
  t.match(await findReplay(h.sql, id), {
    letters: 20,
    replayed: 20,
    failed: 0,
    eventsStored: 20,
    eventsDuplicate: 0,
    problem: null,
    finishedAt: Date,
  })
  await waitUntil(async () => (await storedPlaces(h)).size === 60)
  t.equal(await ask(), '', 'nothing is left to replay')

  // Asked for while no consumer runs: carried out by the next that starts.
  await first.stop()
  await h.sql`update dead_letters set replayed_at = null where log_offset = 0`
  const waiting = await ask()
  t.match(await findReplay(h.sql, waiting), { state: 'requested', startedAt: null })
  const second = await start()
  await waitUntil(async () => (await findReplay(h.sql, waiting))?.state === 'done')
  t.match(await findReplay(h.sql, waiting), { replayed: 1, eventsStored: 1 })
  t.equal((await storedPlaces(h)).get('0:0'), 1, 'a row that is there already is not stored again')
  await second.stop()
  t.match(await ledger(h), { stored: 61, dead: -1 }, 'what this test made up was counted twice')
})
