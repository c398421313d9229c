import t from 'tap'
import { clickhouseProblem, startClickHouseServer } from '../../../test/support/clickhouse/server.js'
import { temporaryDataDir } from '../../../test/support/service.js'
import { migrateClickHouse } from '../../migrate.js'
import type { ClickHouse, LinkStorage } from '../../port.js'
import { listPersons } from '../../queries/events/persons.js'
import { removeLinks } from '../../removal.js'
import { blockOf, eventsOf, WORKSPACE } from '../../test/support/contract.js'
import { personOf, personOfSql } from '../../test/support/person-of.js'
import { openRemoteClickHouse } from '../open.js'

const OTHER = '01932b5e-0000-7000-8000-000000000002'
const KEYS = 2_000

/** A process with links in memory and one with links on disk, as during a rolling restart, on one server. */
t.test('links on disk', { skip: clickhouseProblem() ?? false }, async (t) => {
  const folder = temporaryDataDir()
  t.teardown(() => folder.remove())
  const server = await startClickHouseServer(folder.path)
  t.teardown(() => server.kill())
  const start = async (links: LinkStorage) => {
    const opened = await openRemoteClickHouse({ url: `${server.url}/svc_test`, links })
    t.teardown(() => opened.close())
    await migrateClickHouse(opened)
    return opened
  }
  const memory = await start('memory')
  const add = (from: ClickHouse, workspaceId: string, pairs: readonly (readonly [bigint, bigint])[]) =>
    from.insertLinks(pairs.map(([anonymousKey, userKey]) => ({ workspaceId, anonymousKey, userKey })))
  const isLoaded = async () => {
    const { rows } = await memory.query("SELECT 1 FROM system.dictionaries WHERE status = 'LOADED'")
    return rows.length > 0
  }
  const indexed = async () => {
    const { rows } = await memory.query<{ parts: number }>(
      "SELECT uniqExact(name) - (SELECT uniqExact(parent_name) FROM system.projection_parts WHERE name = 'by_workspace' AND active) AS parts FROM system.parts WHERE active AND table = 'identity_links'",
    )
    return rows[0]?.parts === 0
  }

  await add(memory, WORKSPACE, [[1n, 101n]])
  t.ok(await isLoaded())
  const disk = await start('disk')

  await t.test('a start frees the memory, and keeps links from before', async (t) => {
    t.notOk(await isLoaded())
    t.equal(await personOf(disk, WORKSPACE, 1n), '101')
    await add(disk, WORKSPACE, [[2n, 102n]])
    t.notOk(await isLoaded())
    while (!(await indexed())) await new Promise((resolve) => setTimeout(resolve, 50))
  })

  await t.test('either process sees the links of the other at once', async (t) => {
    t.equal(await personOf(memory, WORKSPACE, 2n), '102')
    t.ok(await isLoaded())
    await add(disk, WORKSPACE, [[3n, 103n]])
    t.equal(await personOf(memory, WORKSPACE, 3n), '103')
    await add(memory, WORKSPACE, [[4n, 104n]])
    t.equal(await personOf(disk, WORKSPACE, 4n), '104')
  })

  await t.test('removed links are removed for both', async (t) => {
    const { signal } = new AbortController()
    await removeLinks(disk, WORKSPACE, ['1', '3'], signal)
    for (const store of [disk, memory]) {
      t.equal(await personOf(store, WORKSPACE, 1n), '1')
      t.equal(await personOf(store, WORKSPACE, 2n), '102')
      t.equal(await personOf(store, WORKSPACE, 3n), '3')
    }
  })

  await t.test('both find the same persons among random links', async (t) => {
    const random = (from: number) => BigInt(from + Math.floor(Math.random() * KEYS))
    // Keys are hashes of a workspace and an id: no key is in two workspaces.
    const workspaces = [
      { workspaceId: WORKSPACE, from: 10_000 },
      { workspaceId: OTHER, from: 20_000 },
    ]
    for (const { workspaceId, from } of [...workspaces, ...workspaces]) {
      const keys = Array.from({ length: KEYS / 4 }, () => random(from))
      const pairs = keys.map((key) => [key, key + BigInt(KEYS) / 2n + 1n] as const)
      // A link is delivered again after a crash.
      for (const store of [disk, memory]) await add(store, workspaceId, pairs)
    }
    for (const { workspaceId, from } of workspaces) {
      const rows = `SELECT number + ${from} AS person_key FROM numbers(${KEYS * 2})`
      const persons = async (store: ClickHouse) =>
        (await store.query<{ key: string }>(`${personOfSql(store, workspaceId, rows)} ORDER BY person_key`))
          .rows
      const found = await persons(memory)
      t.same(await persons(disk), found)
      t.ok(new Set(found.map(({ key }) => key)).size < KEYS * 2)
    }
  })

  await t.test('both list the same persons', async (t) => {
    const rows = eventsOf(1_000, (index) => ({ personKey: BigInt(10_000 + index) }))
    await disk.insertEvents(blockOf('persons', rows))
    const list = (store: ClickHouse) =>
      listPersons(store, {
        workspaceId: WORKSPACE,
        search: '',
        personKeys: [],
        limit: 1_000,
        offset: 0,
        signal: AbortSignal.timeout(60_000),
      })
    const found = await list(memory)
    t.same(await list(disk), found)
    t.equal(found.total, 1_000)
    t.ok(
      found.rows.some(({ personKey }) => Number(personKey) > 10_999),
      'some are known by their users',
    )
  })

  await t.test('the setting can be changed back', async (t) => {
    await start('disk')
    t.notOk(await isLoaded())
    const again = await start('memory')
    t.equal(await personOf(again, WORKSPACE, 2n), '102')
  })
})
