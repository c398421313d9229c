import t from 'tap'
import { migrateClickHouse } from '../../migrate.js'
import { blockOf, eventsOf, WORKSPACE } from '../../test/support/contract.js'
import { openStore } from '../../test/support/open-store.js'
import { countVocabulary, hasReceivedEvent, listEventNames } from '../vocabulary.js'

const OTHER = '01932b5e-0000-7000-8000-000000000002'

t.test('the vocabulary lists and counts event names', async (t) => {
  const clickhouse = await openStore(t)
  await migrateClickHouse(clickhouse)
  const list = (page: object = {}) =>
    listEventNames(clickhouse, { workspaceId: WORKSPACE, limit: 10, offset: 0, ...page })
  t.same(await list(), { rows: [], total: 0 })
  t.same(await countVocabulary(clickhouse, WORKSPACE), { events: 0, names: 0, hiddenNames: 0 })
  t.equal(await hasReceivedEvent(clickhouse, WORKSPACE, 'often'), false)

  const at = Date.UTC(2026, 10, 20)
  const names = ['often', 'b', 'B', 'often', 'a', 'often']
  const rows = eventsOf(6, (index) => ({
    event: names[index] ?? '',
    receivedAt: at,
    timestamp: at - 1_000 * index,
  }))
  await clickhouse.insertEvents(blockOf('1', rows))
  await clickhouse.insertEvents(blockOf('1', rows))
  await clickhouse.insertEvents(blockOf('2', [{ workspaceId: OTHER, event: 'elsewhere', receivedAt: at }]))
  const later = eventsOf(1, () => ({ event: 'often', receivedAt: at, timestamp: at + 7 }))
  await clickhouse.insertEvents(blockOf('3', later))

  const { rows: all } = await list()
  t.same(all, [
    { eventName: 'often', count: 4, firstSeenAt: at - 5_000, lastSeenAt: at + 7 },
    { eventName: 'B', count: 1, firstSeenAt: at - 2_000, lastSeenAt: at - 2_000 },
    { eventName: 'a', count: 1, firstSeenAt: at - 4_000, lastSeenAt: at - 4_000 },
    { eventName: 'b', count: 1, firstSeenAt: at - 1_000, lastSeenAt: at - 1_000 },
  ])
  t.same(await countVocabulary(clickhouse, WORKSPACE), { events: 7, names: 4, hiddenNames: 0 })
  t.same(await list({ limit: 2 }), { rows: all.slice(0, 2), total: 4 })
  t.same(await list({ limit: 2, offset: 3 }), { rows: all.slice(3), total: 4 })
  t.same(await list({ offset: 4 }), { rows: [], total: 4 }, 'past the end')
  t.same(await list({ search: 'b' }), { rows: [all[1], all[3]], total: 2 }, 'in any case')
  t.same(await list({ search: 'b', offset: 2 }), { rows: [], total: 2 })
  t.same(await list({ search: '%' }), { rows: [], total: 0 }, 'no pattern')
  t.equal(await hasReceivedEvent(clickhouse, WORKSPACE, 'often'), true)
  t.equal(await hasReceivedEvent(clickhouse, WORKSPACE, 'elsewhere'), false)
  t.equal(await hasReceivedEvent(clickhouse, WORKSPACE, "o'ften"), false)
})
