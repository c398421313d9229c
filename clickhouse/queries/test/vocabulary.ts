import t from 'tap'
import { openEmbeddedClickHouse } from '../../embedded/open.js'
import { migrateClickHouse } from '../../migrate.js'
import { blockOf, eventsOf, WORKSPACE } from '../../test/support/contract.js'
import { hasReceivedEvent, listEventNames } from '../vocabulary.js'

const OTHER = '01932b5e-0000-7000-8000-000000000002'

t.test('the vocabulary', async (t) => {
  const clickhouse = await openEmbeddedClickHouse({ path: t.testdir() })
  t.teardown(() => clickhouse.close())
  await migrateClickHouse(clickhouse)
  t.same(await listEventNames(clickhouse, WORKSPACE), [])
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

  t.same(await listEventNames(clickhouse, WORKSPACE), [
    { eventName: 'often', count: 4, firstSeenAt: at - 5_000, lastSeenAt: at + 7 },
    { eventName: 'B', count: 1, firstSeenAt: at - 2_000, lastSeenAt: at - 2_000 },
    { eventName: 'a', count: 1, firstSeenAt: at - 4_000, lastSeenAt: at - 4_000 },
    { eventName: 'b', count: 1, firstSeenAt: at - 1_000, lastSeenAt: at - 1_000 },
  ])
  t.equal(await hasReceivedEvent(clickhouse, WORKSPACE, 'often'), true)
  t.equal(await hasReceivedEvent(clickhouse, WORKSPACE, 'elsewhere'), false)
  t.equal(await hasReceivedEvent(clickhouse, WORKSPACE, "o'ften"), false)
})
