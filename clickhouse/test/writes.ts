import t from 'tap'
import { openEmbeddedClickHouse } from '../embedded.js'
import { migrateClickHouse } from '../migrate.js'
import { listEventNames, VocabularyMemory } from '../queries/vocabulary.js'
import { connectSharedClickHouse } from '../shared.js'
import { blockOf, eventsOf, WORKSPACE } from './support/contract.js'

const at = Date.UTC(2026, 10, 20)
const block = (name: string) =>
  blockOf(
    name,
    eventsOf(1, () => ({ event: name, receivedAt: at })),
  )

t.test('the version of the content changes with every write, whoever writes', async (t) => {
  const path = t.testdir()
  const clickhouse = await openEmbeddedClickHouse({ path })
  t.teardown(() => clickhouse.close())
  await migrateClickHouse(clickhouse)
  const other = connectSharedClickHouse({ port: clickhouse.share(), path })
  t.teardown(() => other.close())
  const memory = new VocabularyMemory()
  const names = async () =>
    (await listEventNames(clickhouse, WORKSPACE, undefined, memory)).map(({ eventName }) => eventName)

  const seen = new Set<string>()
  const isNew = async (title: string) => {
    const version = await clickhouse.contentVersion()
    t.ok(version !== undefined && !seen.has(version), title)
    t.equal(await other.contentVersion(), version, 'the same in another thread')
    if (version !== undefined) seen.add(version)
  }
  await isNew('at the beginning')
  t.same(await names(), [])
  const listed = await listEventNames(clickhouse, WORKSPACE, undefined, memory)
  t.equal(await listEventNames(clickhouse, WORKSPACE, undefined, memory), listed, 'the same answer again')

  const writing = clickhouse.insertEvents(block('first'))
  t.equal(await other.contentVersion(), undefined, 'while something is being written')
  await writing
  await isNew('after a block')
  t.same(await names(), ['first'])
  await other.insertEvents(block('second'))
  await isNew('after a block of another thread')
  t.same(await names(), ['first', 'second'])
  await other.insertLinks([{ workspaceId: WORKSPACE, anonymousKey: 1n, userKey: 2n }])
  await isNew('after a link')

  const before = await clickhouse.contentVersion()
  await clickhouse.query('SELECT count() FROM events')
  for await (const _ of other.rowBinary('SELECT event FROM events'));
  await clickhouse.ping()
  t.equal(await clickhouse.contentVersion(), before, 'reading changes nothing')

  await t.rejects(clickhouse.command('INSERT INTO events SELECT nothing'))
  await isNew('after a write that failed')
  await clickhouse.command(
    "ALTER TABLE events MODIFY SETTING lightweight_mutation_projection_mode = 'rebuild'",
  )
  await isNew('after a setting')
  await clickhouse.command("ALTER TABLE events DELETE WHERE event = 'first'")
  t.equal(await clickhouse.contentVersion(), undefined, 'what removes may go on after it was answered')
  await clickhouse.command("ALTER TABLE event_names DELETE WHERE event = 'first'", {
    settings: { mutations_sync: 2 },
  })
  t.same(await names(), ['second'])
})
