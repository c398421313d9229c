import t from 'tap'
import { listEventNames, VocabularyCache } from '../../queries/vocabulary.js'
import { blockOf, eventsOf, WORKSPACE } from '../../test/support/contract.js'
import { openTwice } from '../../test/support/two-threads.js'

const at = Date.UTC(2026, 10, 20)
const OTHER = '01932b5e-0000-7000-8000-000000000002'
/** Ends as the first one does. */
const ALIKE = '01932b5e-0000-7000-8000-0000000f0001'
const EVERYBODY = [WORKSPACE, OTHER, ALIKE]

/** An event of each workspace. */
const block = (name: string, ...workspaceIds: string[]) => ({
  ...blockOf(
    name,
    workspaceIds.flatMap((workspaceId) => eventsOf(1, () => ({ workspaceId, event: name, receivedAt: at }))),
  ),
  workspaceIds,
})

t.test('every write that may concern a workspace changes its version, whichever client writes', async (t) => {
  const { clickhouse, other } = await openTwice(t)
  const versionOf = async (workspaceId: string) => {
    const version = await clickhouse.contentVersion(workspaceId)
    t.equal(await other.contentVersion(workspaceId), version, 'the same in another thread')
    return version
  }
  const seen = new Map(EVERYBODY.map((workspaceId) => [workspaceId, new Set<string>()]))
  /** Checks that these workspaces have a version they never had, and the others their previous one. */
  const isNewTo = async (those: readonly string[], title: string) => {
    for (const [workspaceId, versions] of seen) {
      const version = await versionOf(workspaceId)
      if (version === undefined) return t.fail(`${title}: ${workspaceId} has no version`)
      if (those.includes(workspaceId)) t.notOk(versions.has(version), `${title}: new to ${workspaceId}`)
      else t.equal(version, [...versions].at(-1), `${title}: nothing new to ${workspaceId}`)
      versions.add(version)
    }
  }
  const alike = [WORKSPACE, ALIKE]
  await isNewTo(EVERYBODY, 'at the beginning')
  const writing = clickhouse.insertEvents(block('first', WORKSPACE))
  // It begins without waiting for anything from outside, and cannot end so.
  for (let i = 0; i < 100 && (await clickhouse.contentVersion(WORKSPACE)) !== undefined; i++);
  t.equal(await clickhouse.contentVersion(WORKSPACE), undefined, 'while it is written')
  t.equal(await clickhouse.contentVersion(ALIKE), undefined, 'while something may be written')
  t.not(await clickhouse.contentVersion(OTHER), undefined, 'while something of others is written')
  await writing
  await isNewTo(alike, 'after a block of one')
  await clickhouse.insertEvents(block('second', OTHER))
  await isNewTo([OTHER], 'after a block of another one')
  await other.insertEvents(block('third', OTHER, WORKSPACE))
  await isNewTo(EVERYBODY, 'after a block of both')
  await other.insertEvents(block('third', OTHER, WORKSPACE))
  await isNewTo(EVERYBODY, 'after a block that was there')
  const { workspaceIds: _, ...unnamed } = block('fourth', OTHER)
  await other.insertEvents(unnamed)
  await isNewTo(EVERYBODY, 'after a block that does not say whose it is')
  await clickhouse.insertEvents({ ...block('fifth', OTHER), workspaceIds: [] })
  await isNewTo(EVERYBODY, 'after a block of no workspace')
  await other.insertLinks([{ workspaceId: OTHER, anonymousKey: 1n, userKey: 2n }])
  await isNewTo([OTHER], 'after a link')
  await clickhouse.insertLinks([
    { workspaceId: OTHER, anonymousKey: 1n, userKey: 2n },
    { workspaceId: ALIKE, anonymousKey: 3n, userKey: 4n },
  ])
  await isNewTo(EVERYBODY, 'after links of several')
  await clickhouse.insertEvents(block('upper', OTHER.toUpperCase()))
  await isNewTo([OTHER], 'however its id is written')

  await clickhouse.query('SELECT count() FROM events')
  for await (const _ of other.rowBinary('SELECT event FROM events'));
  await clickhouse.ping()
  await isNewTo([], 'after reading')

  const damaged = block('damaged', WORKSPACE)
  await t.rejects(
    other.insertEvents({ ...damaged, chunks: damaged.chunks.map((chunk) => chunk.subarray(0, -3)) }),
  )
  await isNewTo(alike, 'after a block that failed')
  const abort = new AbortController()
  const given = other.insertEvents(block('aborted', OTHER), abort.signal)
  abort.abort()
  await t.rejects(given)
  // The aborted insert may still be running.
  await other.ping()
  while ((await clickhouse.contentVersion(OTHER)) === undefined) await clickhouse.ping()
  for (const versions of seen.values()) versions.clear()
  await isNewTo(EVERYBODY, 'after a block that was given up')
  await t.rejects(clickhouse.command('INSERT INTO events SELECT nothing'))
  await isNewTo(EVERYBODY, 'after a write that failed')
  await clickhouse.command(
    "ALTER TABLE events MODIFY SETTING lightweight_mutation_projection_mode = 'rebuild'",
  )
  await isNewTo(EVERYBODY, 'after a setting')

  const commanding = clickhouse.command(
    'INSERT INTO events (workspace_id, event) SELECT {id:UUID}, {name:String}',
    { params: { id: OTHER, name: 'commanded' }, settings: { async_insert: 0 } },
  )
  for (let i = 0; i < 100 && (await clickhouse.contentVersion(OTHER)) !== undefined; i++);
  for (const workspaceId of EVERYBODY)
    t.equal(await clickhouse.contentVersion(workspaceId), undefined, 'while anything else is written')
  await commanding
  await isNewTo(EVERYBODY, 'after it')
  t.equal(await clickhouse.contentVersion('nobody'), undefined, 'text that is no id has no version')

  await clickhouse.command("ALTER TABLE events DELETE WHERE event = 'first'")
  for (const workspaceId of EVERYBODY)
    t.equal(await versionOf(workspaceId), undefined, 'what removes may go on after it was answered')
})

t.test('an answer is kept until a write may have changed it', async (t) => {
  const { clickhouse, other } = await openTwice(t)
  const memory = new VocabularyCache()
  const listed = () => listEventNames(clickhouse, { workspaceId: WORKSPACE, limit: 10, offset: 0 }, memory)
  const names = async () => (await listed()).rows.map(({ eventName }) => eventName)
  t.same(await names(), [])
  t.equal(await listed(), await listed(), 'the same answer again')
  await other.insertEvents(block('first', WORKSPACE))
  t.same(await names(), ['first'])
  const before = await listed()
  await other.insertEvents(block('elsewhere', OTHER))
  t.equal(await listed(), before, 'events of others')
  await other.insertEvents(block('second', WORKSPACE))
  t.same(await names(), ['first', 'second'])
  await clickhouse.command("ALTER TABLE event_names DELETE WHERE event = 'first'", {
    settings: { mutations_sync: 2 },
  })
  t.same(await names(), ['second'])
})
